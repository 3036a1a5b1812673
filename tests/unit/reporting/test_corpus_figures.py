"""The funnel, drawn from a literal ledger."""

import pandas as pd
import pytest
from matplotlib.axes import Axes

from modtok.core.errors import DataError
from modtok.reporting.corpus_figures import figure_funnel
from modtok.reporting.run import Run


def texts(axis: Axes) -> list[str]:
    return [text.get_text() for text in axis.texts]


def test_the_funnel_shows_shares_counts_and_reasons(ledger: pd.DataFrame, run: Run) -> None:
    overall, *by_language = figure_funnel(ledger, run).axes
    assert texts(overall) == [
        "10 of 13", "dropped: not html 3",
        "9 of 10", "dropped: too large 1",
        "8 of 9", "dropped: low score 1",
        "7 of 8", "dropped: not configured 1",
    ]  # fmt: skip
    kept = [[bar.get_width() for bar in axis.containers[0]] for axis in by_language]
    assert kept == [[0.8, 1.0], [0.75, 1.0], [0.75, 1.0]]
    assert texts(by_language[-1]) == ["75 %", "100 %", "documents\nleft", "3", "2"]


def test_a_share_is_rounded_but_not_to_all_or_nothing(ledger: pd.DataFrame, run: Run) -> None:
    cell = (ledger["stage"] == "quality") & (ledger["language"] == "el") & (ledger["outcome"] == "kept")
    for records, shown in [(999, "99.9 %"), (0, "0 %")]:
        counted = ledger.assign(records=ledger["records"].where(~cell, records))
        assert texts(figure_funnel(counted, run).axes[-1])[0] == shown


def test_the_most_frequent_reasons_are_named(ledger: pd.DataFrame, run: Run) -> None:
    more = pd.DataFrame(
        [("read", "*", "empty", 7, 0), ("read", "*", "http_status", 2, 0), ("read", "*", "too_deep", 1, 0)],
        columns=ledger.columns,
    )
    overall = figure_funnel(pd.concat([ledger, more]), run).axes[0]
    assert texts(overall)[1] == "dropped: empty 7, not html 3, others 3"


def test_a_language_without_text_has_an_empty_row(ledger: pd.DataFrame, run: Run) -> None:
    figure = figure_funnel(ledger[ledger["language"] != "en"], run)
    assert texts(figure.axes[-1]) == ["75 %", "", "documents\nleft", "3", "0"]


def test_the_funnel_needs_every_stage(ledger: pd.DataFrame, run: Run) -> None:
    with pytest.raises(DataError, match="the ledger has no stage 'quality'"):
        figure_funnel(ledger[ledger["stage"] != "quality"], run)
