"""Figures of forward times against the size of the vocabulary: Figure 1, and reduced vocabularies (A.6)."""

from collections.abc import Sequence

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from modtok.core.tokenizer_names import extracted_family
from modtok.reporting.figures import MARKS, OKABE_ITO, STYLE, WIDE, WIDTH
from modtok.reporting.latency import SEQUENTIAL, Latency, Point
from modtok.reporting.run import Run

COLUMNS = 3
HEIGHT = 1.9
"inches of a panel"


@mpl.rc_context(STYLE)
def figure_1(metrics: pd.DataFrame, run: Run) -> Figure:
    """Figure 1: forward time against vocabulary size, multilingual and monolingual, a panel for each model.

    Means over languages; filled marks are measured, hollow ones predicted.
    """
    found = Latency("figure_1", metrics, run)
    rows = -(-len(found.models) // COLUMNS)
    figure = Figure(figsize=(WIDE, HEIGHT * rows + 0.5), layout="constrained")
    panels = list(figure.subplots(rows, COLUMNS, squeeze=False, sharex=True).flat)
    for axis, model in zip(panels, found.models, strict=False):
        _draw(axis, [found.point(model, own) for own in found.joint()], "multilingual: joint BPE", 0)
        _draw(axis, [found.point(model, own) for own in found.monolingual()], "monolingual BPE", 1)
        for number, family in enumerate(_single(found), 2):
            _draw(axis, [found.point(model, found.of_family(family))], run.title(family), number)
        axis.set_title(model, loc="left")
        _in_thousands(axis)
        axis.axhline(1, color="0.5", linewidth=0.7, zorder=0)
    for axis in panels[max(0, len(found.models) - COLUMNS) : len(found.models)]:
        axis.tick_params(labelbottom=True)  # nothing is below
    for axis in panels[len(found.models) :]:
        axis.set_axis_off()
    figure.legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="outside upper center", ncols=4)
    figure.supxlabel("tokens of the vocabulary", fontsize=7)
    figure.supylabel("forward time over monolingual BPE's", fontsize=7)
    return figure


def _single(found: Latency) -> list[str]:
    """Families that are one point: open tokenizers, and sequential BPE whole and extracted."""
    shown = (SEQUENTIAL, extracted_family(SEQUENTIAL))
    return [family for family in found.families() if family.startswith("open-") or family in shown]


def _draw(axis: Axes, points: Sequence[Point], label: str, number: int) -> None:
    """A line through the points, dashed where none is measured; a prediction's mark is hollow."""
    colour, mark = OKABE_ITO[number % len(OKABE_ITO)], MARKS[number % len(MARKS)]
    dashed = not any(point.measured for point in points)
    places, values = [point.size for point in points], [point.value for point in points]
    axis.plot(places, values, "--" if dashed else "-", color=colour, linewidth=0.8, zorder=1)
    for point in points:
        face = colour if point.measured else "white"
        axis.plot(point.size, point.value, mark, color=colour, markerfacecolor=face, markersize=3.5)
    axis.plot([], [], mark, color=colour, markersize=3.5, label=label)


def _in_thousands(axis: Axes) -> None:
    """A logarithmic axis of vocabulary sizes: 5k, 10k, 20k …"""
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}k")
    axis.xaxis.set_minor_formatter(NullFormatter())


@mpl.rc_context(STYLE)
def figure_latency(metrics: pd.DataFrame, run: Run) -> Figure:
    """A.6: forward time over the full tokenizer's, against the vocabulary that subtokenizers leave of it.

    Means over languages, each under its own subtokenizer and under unions with others.
    """
    found = Latency("figure_latency", metrics, run)
    unions = found.unions()
    figure = Figure(figsize=(WIDTH, 2.8), layout="constrained")
    axis = figure.subplots()
    for number, model in enumerate(found.models):
        points = [found.point(model, own) for own in unions.values()]
        whole = points[-1].value
        _draw(axis, [Point(one.size, one.value / whole, one.measured) for one in points], model, number)
    places = [found.point(found.models[0], own).size for own in unions.values()]
    for place, languages in zip(places, unions, strict=True):
        axis.text(place, 1.02, str(languages), transform=axis.get_xaxis_transform(), ha="center", fontsize=6)
    axis.set_title("languages of the subtokenizer", fontsize=7, pad=12)
    _in_thousands(axis)
    axis.set_xlabel("tokens of the vocabulary")
    axis.set_ylabel("forward time over the full tokenizer's")
    axis.legend(frameon=False)
    return figure
