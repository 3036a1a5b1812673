"""Figures draw what they are given, and are the same bytes each time."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from modtok.core.errors import DataError
from modtok.reporting.figures import figure_fairness, figure_funnel, write_figure
from modtok.reporting.run import Run


@pytest.fixture
def ledger(ledger_text: str) -> pd.DataFrame:
    return pd.read_csv(StringIO(ledger_text), sep="\t")


def files(folder: Path, figure: Figure) -> list[bytes]:
    paths = [folder / f"figure.{suffix}" for suffix in ("pdf", "svg", "png")]
    write_figure(figure, *paths)
    return [path.read_bytes() for path in paths]


def test_fairness_has_a_mark_for_each_tokenizer_and_language(metrics: pd.DataFrame, run: Run) -> None:
    figure = figure_fairness(metrics, run)
    costs, parity = figure.axes
    drawn = {marks.get_label(): marks.get_offsets()[:, 0].tolist() for marks in costs.collections}
    assert drawn == {
        "Qwen 3": pytest.approx([3.25159 / 4, 0.955 / 4]),
        "custom": pytest.approx([0.5, 0.375]),
        "Joint BPE 4,000": pytest.approx([0.301, 0.275]),
        "Monolingual BPE": pytest.approx([0.25, 0.25]),
    }
    assert [label.get_text() for label in costs.get_yticklabels()] == ["el", "en"]
    assert parity.get_xlabel() == "tokens relative to English"


def test_fairness_without_english_has_one_panel(metrics: pd.DataFrame, run: Run) -> None:
    assert len(figure_fairness(metrics, replace(run, languages={"el": "Greek"})).axes) == 1


def test_fairness_names_what_is_missing(metrics: pd.DataFrame, run: Run) -> None:
    without = metrics[metrics["tokenizer"] != "mono-bpe-el"]
    with pytest.raises(DataError, match="no tokens_per_character on flores200 for mono-bpe on el"):
        figure_fairness(without, run)


def test_the_funnel_shows_shares_and_counts(ledger: pd.DataFrame, run: Run) -> None:
    overall, *by_language = figure_funnel(ledger, run).axes
    assert [text.get_text() for text in overall.texts] == ["10 of 13", "9 of 10", "8 of 9", "7 of 8"]
    kept = [[bar.get_width() for bar in axis.containers[0]] for axis in by_language]
    assert kept == [[0.8, 1.0], [0.75, 1.0], [0.75, 1.0]]
    assert [text.get_text() for text in by_language[-1].texts] == ["3", "2"]


def test_the_funnel_needs_every_stage(ledger: pd.DataFrame, run: Run) -> None:
    with pytest.raises(DataError, match="the ledger has no stage 'quality'"):
        figure_funnel(ledger[ledger["stage"] != "quality"], run)


def test_the_same_figure_is_the_same_bytes(
    metrics: pd.DataFrame, ledger: pd.DataFrame, run: Run, tmp_path: Path
) -> None:
    for draw in (lambda: figure_fairness(metrics, run), lambda: figure_funnel(ledger, run)):
        first, second = files(tmp_path, draw()), files(tmp_path, draw())
        assert first == second
        assert all(b"Matplotlib v" not in data and b"CreationDate" not in data for data in first)
