"""Figures of the tokenizers themselves: how the vocabulary grows, and what concatenation breaks."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from modtok.reporting import paper
from modtok.reporting.figures import OKABE_ITO, STYLE, WIDTH
from modtok.reporting.run import Run

SPACE = "␣"
"Shown for a space inside a token."
WHOLE, BROKEN = OKABE_ITO[0], OKABE_ITO[1]


@mpl.rc_context(STYLE)
def figure_growth(growth: pd.DataFrame, run: Run) -> Figure:
    """Full vocabulary against number of languages, with a line of least squares (Appendix A.5).

    `growth`: growth.tsv of sequential-bpe; languages in the order of training.
    """
    sizes = growth["full_vocabulary"].to_numpy(dtype=float)
    numbers = np.arange(1, len(sizes) + 1)
    figure = Figure(figsize=(WIDTH, 2.4), layout="constrained")
    axis = figure.subplots()
    axis.plot(numbers, sizes, "o", markersize=3, color=OKABE_ITO[0], label="this run")
    if len(sizes) > 1:
        slope, start = np.polyfit(numbers, sizes, 1)
        label = f"{start:,.0f} + {slope:,.0f} per language"
        axis.plot(numbers, start + slope * numbers, color=OKABE_ITO[1], linewidth=0.8, label=label)
    axis.plot(
        numbers,
        run.budget * numbers,
        color="0.6",
        linewidth=0.8,
        linestyle=":",
        label="budget times languages",
    )
    if (size := paper.full_size(run)) is not None:
        axis.plot([len(sizes)], [size], "D", markersize=4, color=OKABE_ITO[2], label=f"paper: {size:,}")
    axis.set_xticks(numbers, list(growth["lang"]), fontsize=6)
    axis.set_xlabel("languages, in the order of training")
    axis.set_ylabel("tokens of the full vocabulary")
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axis.set_ylim(bottom=0)
    axis.legend(frameon=False)
    return figure


@mpl.rc_context(STYLE)
def figure_2(conflict: pd.DataFrame, unreachable: pd.DataFrame, run: Run) -> Figure:
    """Figure 2: a real word, merge by merge, in the concatenated table and in sequential BPE.

    `conflict`: tokenizer, step, pieces; `unreachable`: lang, tokens, unreachable of the concatenated table.
    """
    height = 0.7 + 0.2 * (len(conflict) + 2 * conflict["tokenizer"].nunique())
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axis = figure.subplots()
    axis.set_axis_off()
    row = 0.0
    for name in dict.fromkeys(conflict["tokenizer"]):
        row = _derivation(axis, _title(str(name)), _pieces(conflict, str(name)), row)
    if len(conflict) == 0:
        axis.text(0, 0, "no word of the parallel text is broken by concatenation", va="center")
        row = 1.0
    axis.text(0, row + 0.3, _lost(unreachable), va="center", color="0.3")
    axis.set_xlim(-0.3, 20)
    axis.set_ylim(row + 0.8, -0.8)
    return figure


def _title(name: str) -> str:
    """_title("concatenated-bpe+en+fi") -> "concatenated-bpe: en, fi" """
    method, *langs = name.split("+")
    return f"{method}: {', '.join(langs)}" if langs else method


def _pieces(conflict: pd.DataFrame, name: str) -> list[list[str]]:
    own = conflict[conflict["tokenizer"] == name]
    return [str(pieces).replace(" ", SPACE).split("|") for pieces in own["pieces"]]


def _derivation(axis: Axes, title: str, steps: Sequence[Sequence[str]], row: float) -> float:
    """Draw the steps below each other; return the row after them."""
    axis.text(0, row, title, va="center", fontweight="bold")
    for number, pieces in enumerate(steps, 1):
        last = number == len(steps)
        colour = (WHOLE if len(pieces) == 1 else BROKEN) if last else "0.55"
        _boxes(axis, pieces, row + number, colour)
    return row + len(steps) + 1.6


def _boxes(axis: Axes, pieces: Sequence[str], row: float, colour: str) -> None:
    """A box around each piece, as wide as its letters."""
    left = 0.0
    for piece in pieces:
        box = FancyBboxPatch(
            (left, row - 0.32),
            len(piece),
            0.64,
            boxstyle="round,pad=0.02",
            fill=False,
            color=colour,
            linewidth=0.8,
        )
        axis.add_patch(box)
        middle = left + len(piece) / 2
        axis.text(middle, row, piece, va="center", ha="center", family="DejaVu Sans Mono", color=colour)
        left += len(piece) + 0.35


def _lost(unreachable: pd.DataFrame) -> str:
    """What the whole concatenated table loses, first language aside."""
    tokens, lost = (unreachable[column].astype(int)[1:].sum() for column in ("tokens", "unreachable"))
    share = 100 * lost / max(tokens, 1)
    return f"All languages concatenated: {share:.0f} % of the tokens of\nall but the first cannot be reached."
