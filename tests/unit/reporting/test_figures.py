"""Figures draw what they are given, and are the same bytes each time."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from modtok.core.errors import DataError
from modtok.reporting.corpus_figures import figure_funnel
from modtok.reporting.figures import figure_fairness, write_figure
from modtok.reporting.run import Run


def files(folder: Path, figure: Figure) -> list[bytes]:
    paths = [folder / f"figure.{suffix}" for suffix in ("pdf", "svg", "png")]
    write_figure(figure, *paths)
    return [path.read_bytes() for path in paths]


def test_fairness_has_a_mark_for_each_tokenizer_and_language(metrics: pd.DataFrame, run: Run) -> None:
    figure = figure_fairness(metrics, run)
    open_costs, own_costs, open_parity, _ = figure.axes
    drawn = [
        {marks.get_label(): marks.get_offsets()[:, 0].tolist() for marks in axis.collections}
        for axis in (open_costs, own_costs)
    ]
    assert drawn == [
        {"Qwen 3": pytest.approx([3.25159 / 4, 0.955 / 4]), "custom": pytest.approx([0.5, 0.375])},
        {
            "Joint BPE 4,000": pytest.approx([0.301, 0.275]),
            "Monolingual BPE": pytest.approx([0.25, 0.25]),
        },
    ]
    assert [axis.get_legend().get_title().get_text() for axis in (open_costs, own_costs)] == [
        "Open tokenizers",
        "BPE of this run",
    ]
    assert [label.get_text() for label in open_costs.get_yticklabels()] == ["el", "en"]
    assert open_parity.get_xlabel() == "tokens relative to English"


def test_fairness_compares_all_panels_of_a_measure_on_one_scale(metrics: pd.DataFrame, run: Run) -> None:
    open_costs, own_costs, *_ = figure_fairness(metrics, run).axes
    assert open_costs.get_xlim() == own_costs.get_xlim()


def test_fairness_without_english_has_one_row_of_panels(metrics: pd.DataFrame, run: Run) -> None:
    assert len(figure_fairness(metrics, replace(run, languages={"el": "Greek"})).axes) == 2


def test_fairness_names_what_is_missing(metrics: pd.DataFrame, run: Run) -> None:
    without = metrics[metrics["tokenizer"] != "mono-bpe-el"]
    with pytest.raises(DataError, match="no tokens_per_character on flores200 for mono-bpe on el"):
        figure_fairness(without, run)


def test_the_same_figure_is_the_same_bytes(
    metrics: pd.DataFrame, ledger: pd.DataFrame, run: Run, tmp_path: Path
) -> None:
    for draw in (lambda: figure_fairness(metrics, run), lambda: figure_funnel(ledger, run)):
        first, second = files(tmp_path, draw()), files(tmp_path, draw())
        assert first == second
        assert all(b"Matplotlib v" not in data and b"CreationDate" not in data for data in first)
