"""The figures: drawn from the metrics table and the ledger, the same bytes each time, one column wide.

Colours are those of Okabe and Ito, told apart with any kind of colour vision; marks differ in shape, too.
Labels are codes and English names only, since the font of the figures has no Telugu or Sinhala.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modtok.core.errors import require
from modtok.core.io import atomic
from modtok.core.stages import KEPT, OVERALL, PER_LANGUAGE
from modtok.reporting.frames import pivot
from modtok.reporting.run import Run

WIDTH = 3.5
"inches, one column of a two-column page"
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#A0A000")
MARKS = "osD^vP*X<>ph"
KEPT_COLOUR, DROPPED_COLOUR = OKABE_ITO[0], OKABE_ITO[4]
PIVOT = "en"
STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "hatch.linewidth": 0.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "modtok",
    "savefig.dpi": 200,
}
# No dates, no versions: the same run gives the same bytes.
_METADATA: dict[str, dict[str, None]] = {
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}


@mpl.rc_context(STYLE)
def figure_fairness(metrics: pd.DataFrame, run: Run) -> Figure:
    """Tokens per character and cost relative to English, per language and tokenizer (ours).

    Without English in the run only the left panel is drawn.
    """
    langs = list(run.languages)
    panels = {"tokens_per_character": "tokens per character"}
    panels |= {"parity": "tokens relative to English"} if PIVOT in run.languages else {}
    figure = Figure(
        figsize=(WIDTH, 0.75 + 0.17 * len(langs) + 0.14 * len(run.families)), layout="constrained"
    )
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axis, (metric, label) in zip(axes, panels.items(), strict=True):
        wide = pivot("figure_fairness", metrics, metric, run, run.families, langs)
        values = dict(zip(map(run.label, run.families), wide.to_numpy().tolist(), strict=True))
        _dots(axis, values)
        axis.set_xlabel(label)
    _label_rows(axes[0], langs)
    if len(panels) == 2:
        axes[1].axvline(1, color="0.5", linewidth=0.7, zorder=0)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", frameon=False, ncols=2, handletextpad=0.2)
    return figure


def _dots(axis: Axes, series: Mapping[str, Sequence[float]]) -> None:
    """One mark for each tokenizer and language; rows a little apart, so that equal values stay visible."""
    for number, (label, values) in enumerate(series.items()):
        shift = 0.5 * ((number + 0.5) / len(series) - 0.5)
        axis.scatter(
            values,
            [row + shift for row in range(len(values))],
            s=9,
            linewidths=0,
            label=label,
            color=OKABE_ITO[number % len(OKABE_ITO)],
            marker=MARKS[number % len(MARKS)],
        )
    axis.set_xlim(left=0)
    axis.grid(axis="y", color="0.92", linewidth=0.5)
    axis.set_axisbelow(True)


def _label_rows(axis: Axes, labels: Sequence[str]) -> None:
    """Name the rows, the first one on top."""
    axis.set_yticks(range(len(labels)), list(labels))
    axis.set_ylim(len(labels) - 0.5, -0.5)


@mpl.rc_context(STYLE)
def figure_funnel(ledger: pd.DataFrame, run: Run) -> Figure:
    """The corpus ledger: what each stage kept and dropped, in all and per language (ours)."""
    langs = list(run.languages)
    height = 0.45 + 0.17 * len(langs)
    figure = Figure(figsize=(WIDTH, 1.15 + height), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=[1.0, height], squeeze=False)[:, 0]
    _overall(above.subplots(), ledger)
    axes = below.subplots(1, len(PER_LANGUAGE), sharey=True)
    for axis, stage in zip(axes, PER_LANGUAGE, strict=True):
        _bars(axis, [_count(ledger, stage, lang) for lang in langs])
        axis.set_title(stage.replace("_", "\n"), fontsize=7)
    _label_rows(axes[0], langs)
    for row, lang in enumerate(langs):
        axes[-1].text(1.04, row, f"{_count(ledger, PER_LANGUAGE[-1], lang).kept:,}", va="center", fontsize=6)
    handles, labels = axes[0].get_legend_handles_labels()
    below.legend(handles, labels, loc="outside lower center", frameon=False, ncols=2)
    return figure


class _Count(NamedTuple):
    kept: int
    total: int


def _count(ledger: pd.DataFrame, stage: str, lang: str | None = None) -> _Count:
    """Records that a stage kept and took in, of one language or all. Error: a stage that the ledger lacks."""
    chosen = ledger[ledger["stage"] == stage]
    require(len(chosen) > 0, f"figure_funnel: the ledger has no stage '{stage}'; build the corpora again")
    chosen = chosen if lang is None else chosen[chosen["language"] == lang]
    kept = chosen.loc[chosen["outcome"] == KEPT, "records"].sum()
    return _Count(int(kept), int(chosen["records"].sum()))


def _overall(axis: Axes, ledger: pd.DataFrame) -> None:
    counts = [_count(ledger, stage) for stage in OVERALL]
    _bars(axis, counts)
    _label_rows(axis, [stage.replace("_", " ") for stage in OVERALL])
    for row, (kept, total) in enumerate(counts):
        axis.text(1.02, row, f"{kept:,} of {total:,}", va="center", fontsize=6)


def _bars(axis: Axes, counts: Sequence[_Count]) -> None:
    """A bar of kept and dropped shares per row; a row that took in nothing stays empty."""
    rows = range(len(counts))
    kept = [kept / max(total, 1) for kept, total in counts]
    dropped = [(total - kept) / max(total, 1) for kept, total in counts]
    axis.barh(rows, kept, height=0.7, color=KEPT_COLOUR, label="kept")
    axis.barh(
        rows,
        dropped,
        left=kept,
        height=0.7,
        color="white",
        edgecolor=DROPPED_COLOUR,
        linewidth=0,
        hatch="//////",
        label="dropped",
    )
    axis.set_xlim(0, 1)
    axis.set_xticks([0, 0.5, 1], ["0", "", "100 %"])


def write_figure(figure: Figure, pdf: Path, svg: Path, png: Path) -> None:
    """Write a figure in its three formats; the same figure gives the same bytes."""
    with mpl.rc_context(STYLE):
        for suffix, path in (("pdf", pdf), ("svg", svg), ("png", png)):
            with atomic(path) as partial:
                figure.savefig(partial, format=suffix, metadata=_METADATA[suffix])
