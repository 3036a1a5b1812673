"""Figures of the tokenizers themselves: how the vocabulary grows, and what concatenation breaks."""

from collections.abc import Collection, Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from modtok.core.tokenizer_names import family_of
from modtok.reporting import paper
from modtok.reporting.figures import OKABE_ITO, STYLE, WIDE, WIDTH
from modtok.reporting.run import Run

SPACE = "␣"
"Shown for a space inside a token."
WHOLE, BROKEN = OKABE_ITO[0], OKABE_ITO[1]
GAP = 0.35
"Between the boxes of pieces; a letter is 1 wide."


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
    derivations = {str(name): _pieces(conflict, str(name)) for name in dict.fromkeys(conflict["tokenizer"])}
    rows = max(map(len, derivations.values()), default=1)
    figure = Figure(figsize=(WIDE, 0.75 + 0.2 * rows), layout="constrained")
    known = {piece for pieces in next(iter(derivations.values()), []) for piece in pieces}
    axes = figure.subplots(1, max(len(derivations), 1), squeeze=False)[0]
    for axis, (name, steps) in zip(axes, derivations.items(), strict=False):
        _derivation(axis, steps, known)
        axis.set_title(f"{_title(name, run)}\n{_outcome(steps)}", loc="left", fontsize=7, linespacing=1.4)
    for axis in axes:
        axis.set_axis_off()
        axis.set_xlim(-0.1, max((_width(steps[0]) for steps in derivations.values()), default=1))
        axis.set_ylim(rows - 0.5, -0.5)
    if not derivations:
        axes[0].text(0, 0, "No word of the parallel text is broken by concatenation.")
    figure.supxlabel(_lost(unreachable), x=0, ha="left", fontsize=7, color="0.3")
    return figure


def _title(name: str, run: Run) -> str:
    """_title("concatenated-bpe+en+fi", run) -> "Concatenated BPE: en, fi" """
    family = family_of(name)
    if family != name:
        return f"{run.title(family)}: {name.removeprefix(f'{family}-')}"
    method, *langs = name.split("+")
    return f"{run.title(method)}: {', '.join(langs)}"


def _outcome(steps: Sequence[Sequence[str]]) -> str:
    """_outcome([["a", "b"], ["ab"]]) -> "becomes one token" """
    return "becomes one token" if len(steps[-1]) == 1 else f"ends as {len(steps[-1])} tokens"


def _pieces(conflict: pd.DataFrame, name: str) -> list[list[str]]:
    own = conflict[conflict["tokenizer"] == name]
    return [str(pieces).replace(" ", SPACE).split("|") for pieces in own["pieces"]]


def _derivation(axis: Axes, steps: Sequence[Sequence[str]], known: Collection[str]) -> None:
    """The steps below each other; what a merge has just made is in colour, by whether `known` has it.

    The last step is in the colour of its outcome.
    """
    before: Collection[str] = steps[0]
    for row, pieces in enumerate(steps):
        left = 0.0
        for piece in pieces:
            last = WHOLE if len(pieces) == 1 else BROKEN
            made = WHOLE if piece in known else BROKEN
            colour = last if row == len(steps) - 1 else made if piece not in before else "0.6"
            _box(axis, piece, left, row, colour)
            left += len(piece) + GAP
        before = pieces


def _box(axis: Axes, piece: str, left: float, row: int, colour: str) -> None:
    """A box around a piece, as wide as its letters."""
    shape = FancyBboxPatch(
        (left, row - 0.32),
        len(piece),
        0.64,
        boxstyle="round,pad=0.02",
        fill=False,
        color=colour,
        linewidth=0.8,
    )
    axis.add_patch(shape)
    middle = left + len(piece) / 2
    axis.text(middle, row, piece, va="center", ha="center", family="DejaVu Sans Mono", color=colour)


def _width(pieces: Sequence[str]) -> float:
    return sum(len(piece) + GAP for piece in pieces)


def _lost(unreachable: pd.DataFrame) -> str:
    """What the whole concatenated table loses, first language aside."""
    tokens, lost = (unreachable[column].astype(int)[1:].sum() for column in ("tokens", "unreachable"))
    share = 100 * lost / max(tokens, 1)
    return f"All languages concatenated: {share:.0f} % of the tokens of all but the first cannot be reached."
