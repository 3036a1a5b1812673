"""The figure of the corpus: what each stage of the ledger kept and dropped, and why."""

from collections.abc import Sequence
from typing import NamedTuple

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modtok.core.errors import require
from modtok.core.stages import KEPT, OVERALL, PER_LANGUAGE
from modtok.reporting.figures import OKABE_ITO, STYLE, WIDTH, label_rows
from modtok.reporting.run import Run

KEPT_COLOUR, DROPPED_COLOUR = OKABE_ITO[0], OKABE_ITO[4]
REASONS = 2
"The reasons to drop a record that are named under a bar, largest first."


@mpl.rc_context(STYLE)
def figure_funnel(ledger: pd.DataFrame, run: Run) -> Figure:
    """The corpus ledger: what each stage kept and dropped, in all and per language (ours)."""
    langs = list(run.languages)
    heights = (0.35 + 0.3 * len(OVERALL), 0.6 + 0.17 * len(langs))
    figure = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=heights, squeeze=False)[:, 0]
    _overall(above.subplots(), ledger)
    axes = below.subplots(1, len(PER_LANGUAGE), sharey=True)
    for axis, stage in zip(axes, PER_LANGUAGE, strict=True):
        counts = [_count(ledger, stage, lang) for lang in langs]
        _bars(axis, counts)
        _name_shares(axis, counts)
        axis.set_title(stage.replace("_", "\n"), fontsize=7)
    label_rows(axes[0], langs)
    axes[-1].text(1.06, -0.5, "documents\nleft", va="bottom", fontsize=6, linespacing=1)
    for row, lang in enumerate(langs):
        axes[-1].text(1.06, row, f"{_count(ledger, PER_LANGUAGE[-1], lang).kept:,}", va="center", fontsize=6)
    handles, labels = axes[0].get_legend_handles_labels()
    below.legend(handles, labels, loc="outside lower center", frameon=False, ncols=2)
    return figure


class _Count(NamedTuple):
    kept: int
    total: int


def _count(ledger: pd.DataFrame, stage: str, lang: str | None = None) -> _Count:
    """Records that a stage kept and took in, of one language or all. Error: a stage that the ledger lacks."""
    chosen = _rows(ledger, stage)
    chosen = chosen if lang is None else chosen[chosen["language"] == lang]
    kept = chosen.loc[chosen["outcome"] == KEPT, "records"].sum()
    return _Count(int(kept), int(chosen["records"].sum()))


def _rows(ledger: pd.DataFrame, stage: str) -> pd.DataFrame:
    chosen = ledger[ledger["stage"] == stage]
    require(len(chosen) > 0, f"figure_funnel: the ledger has no stage '{stage}'; build the corpora again")
    return chosen


def _name_shares(axis: Axes, counts: Sequence[_Count]) -> None:
    """The share kept, in the bar, or behind it where the bar is too short."""
    for row, count in enumerate(counts):
        fits = count.kept > 0.3 * count.total
        left = 0.03 + (0 if fits else count.kept / max(count.total, 1))
        box = None if fits else {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        colour = "white" if fits else "black"
        axis.text(left, row, _percent(count), va="center", fontsize=5.5, color=colour, bbox=box)


def _percent(count: _Count) -> str:
    """Share kept; never 100 % where anything was dropped. _percent(_Count(999, 1000)) -> "99.9 %" """
    if count.total == 0:
        return ""
    share = 100 * count.kept / count.total
    return f"{share:.0f} %" if count.kept in (0, count.total) or 0.5 <= share < 99.5 else f"{share:.1f} %"


def _overall(axis: Axes, ledger: pd.DataFrame) -> None:
    """Stages of all languages together, each with its numbers and, under the bar, what it dropped most."""
    counts = [_count(ledger, stage) for stage in OVERALL]
    _bars(axis, counts, height=0.45)
    label_rows(axis, [stage.replace("_", " ") for stage in OVERALL])
    for row, (stage, (kept, total)) in enumerate(zip(OVERALL, counts, strict=True)):
        axis.text(1.02, row, f"{kept:,} of {total:,}", va="center", fontsize=6)
        axis.text(0.01, row + 0.28, _reasons(_rows(ledger, stage)), va="top", fontsize=5.5, color="0.3")


def _reasons(rows: pd.DataFrame) -> str:
    """What a stage dropped records for, most first. "dropped: not html 400, empty 12, others 5" """
    dropped = rows[rows["outcome"] != KEPT].groupby("outcome")["records"].sum()
    named = dropped[dropped > 0].sort_values(ascending=False, kind="stable")
    parts = [f"{str(reason).replace('_', ' ')} {count:,}" for reason, count in named[:REASONS].items()]
    parts += [f"others {named[REASONS:].sum():,}"] if len(named) > REASONS else []
    return f"dropped: {', '.join(parts)}" if parts else ""


def _bars(axis: Axes, counts: Sequence[_Count], height: float = 0.7) -> None:
    """A bar of kept and dropped shares per row; a row that took in nothing stays empty."""
    rows = range(len(counts))
    kept = [kept / max(total, 1) for kept, total in counts]
    dropped = [(total - kept) / max(total, 1) for kept, total in counts]
    axis.barh(rows, kept, height=height, color=KEPT_COLOUR, label="kept")
    axis.barh(
        rows,
        dropped,
        left=kept,
        height=height,
        color="white",
        edgecolor=DROPPED_COLOUR,
        linewidth=0,
        hatch="//////",
        label="dropped",
    )
    axis.set_xlim(0, 1)
    axis.set_xticks([])
    axis.spines["bottom"].set_visible(False)
    axis.tick_params(axis="y", length=0)
