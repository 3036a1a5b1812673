"""Figures of trained models: what sampling of subtokenizers costs and gives, by length and by schedule."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modtok.core.model_names import BASELINE, MONO_ONLY, Regime
from modtok.reporting.figures import MARKS, OKABE_ITO, STYLE, WIDE
from modtok.reporting.likelihood import BITS, KINDS, OPERATIONS, Likelihood, Trained, mean
from modtok.reporting.run import Run

Points = list[tuple[float, float]]
Style = dict[str, Any]


@mpl.rc_context(STYLE)
def figure_training(training: pd.DataFrame, run: Run) -> Figure:
    """Against the tokens of training: the cost of sampling under `lang`, and what `full` costs over `lang`.

    `training`: training.tsv, of this run and those it is compared with. Marks are seeds, lines their means.
    """
    found = Likelihood.of("figure_training", training, run)
    kinds = [kind for kind in KINDS if len(found.of_kind(kind).models)]
    figure = Figure(figsize=(WIDE, 2.4 * len(kinds)), layout="constrained")
    for row, kind in zip(figure.subplots(len(kinds), 2, squeeze=False), kinds, strict=True):
        own = found.of_kind(kind)
        regimes, lengths = [trained for trained in own.models if trained[1] != BASELINE], own.lengths()
        for number, trained in enumerate(regimes):
            style: Style = {"color": OKABE_ITO[number % len(OKABE_ITO)], "marker": MARKS[number % len(MARKS)]}
            mono = (trained[0], MONO_ONLY)
            _line(row[0], _percent_over(own, trained, "lang", mono, "lang"), trained[1], style)
            _line(row[1], _percent_over(own, trained, "full", trained, "lang"), trained[1], style)
        row[0].set_ylabel(f"{KINDS[kind]}: bits per byte over mono-only, %")
        row[1].set_ylabel("bits per byte, full over lang, %")
        _legend(row)
        for axis in row:
            axis.set_xscale("log")
            axis.set_xticks(lengths, [_short(length) for length in lengths])
            axis.minorticks_off()
            axis.axhline(0, color="0.5", linewidth=0.7, zorder=0)
            axis.set_xlabel("tokens of training")
    return figure


def _short(tokens: int) -> str:
    """_short(300_000) -> "300k"; _short(80_000_000_000) -> "80B"."""
    power = min(3, (len(str(tokens)) - 1) // 3)
    return f"{tokens / 1000**power:.3g}" + ("", "k", "M", "B")[power]


def _legend(row: Sequence[Axes]) -> None:
    """What the marks of the first panel mean, beside the last, where there is anything to name."""
    handles, labels = row[0].get_legend_handles_labels()
    if labels:
        row[-1].legend(handles, labels, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def _percent_over(
    found: Likelihood, trained: Trained, inference: str, other: Trained, other_inference: str
) -> Points:
    """By tokens of training: percent that one has above another, seed by seed."""
    points: Points = []
    for length in found.lengths():
        own = found.values(trained, BITS, inference, tokens=length)
        base = found.values(other, BITS, other_inference, tokens=length)
        points += [(float(length), 100 * (own[key] / base[key] - 1)) for key in own if key in base]
    return points


def _line(axis: Axes, points: Points, label: str, style: Style, dashed: bool = False) -> None:
    """Marks at the points, and a line through the mean of those of one place."""
    if not points:
        return
    places = sorted({place for place, _ in points})
    means = [mean(value for at, value in points if at == place) for place in places]
    axis.plot(*zip(*points, strict=True), linestyle="", markersize=3, **style)
    axis.plot(places, means, "--" if dashed else "-", linewidth=0.8, color=style["color"])
    axis.plot([], [], "--" if dashed else "-", linewidth=0.8, markersize=3, label=label, **style)


@mpl.rc_context(STYLE)
def figure_schedule(metrics: pd.DataFrame, run: Run) -> Figure:
    """Bits per byte against the share of steps before sampling starts, and against what training costs.

    0 % is the paper's sampling, 100 % mono-only. Solid under `lang`, dashed under `full`; marks are seeds.
    """
    found = Likelihood.of("figure_schedule", metrics, run)
    kinds = [kind for kind in KINDS if len(found.of_kind(kind).models)]
    figure = Figure(figsize=(WIDE, 2.6 * len(kinds)), layout="constrained")
    for row, kind in zip(figure.subplots(len(kinds), 2, sharey="row", squeeze=False), kinds, strict=True):
        own = found.of_kind(kind)
        for number, what in enumerate(_sampled(own)):
            style: Style = {"color": OKABE_ITO[number % len(OKABE_ITO)], "marker": MARKS[number % len(MARKS)]}
            for inference in ("lang", "full"):
                label, dashed = f"sampling {what}, under {inference}", inference == "full"
                _line(row[0], _scheduled(own, what, inference, by_cost=False), label, style, dashed)
                _line(row[1], _scheduled(own, what, inference, by_cost=True), label, style, dashed)
        _baseline(row, own)
        row[0].set_ylabel(f"{KINDS[kind]}: bits per byte")
        row[0].set_xlabel("steps before sampling starts, %")
        row[1].set_xlabel("operations of training")
        _legend(row)
    return figure


def _sampled(found: Likelihood) -> list[str]:
    """What the regimes sample: full, sub2 …"""
    sampled = (Regime(name).sampled for _, name in found.models)
    return list(dict.fromkeys(what for what in sampled if what))


def _scheduled(found: Likelihood, what: str, inference: str, *, by_cost: bool) -> Points:
    """Bits per byte by start, or by operations, of the regimes that sample the same and of mono-only."""
    points: Points = []
    for trained in found.models:
        start = _start(trained[1], what)
        if start is not None:
            values = found.values(trained, BITS, inference)
            costs = found.values(trained, OPERATIONS)
            place = mean(costs.values()) if by_cost else start  # draws differ a little from seed to seed
            points += [(place, value) for value in values.values()]
    return points


def _start(name: str, what: str) -> float | None:
    """Percent of the steps before sampling; None for a regime that samples something else."""
    regime = Regime(name)
    if regime.sampled == what:
        return 100 * regime.start
    return 100.0 if name == MONO_ONLY else None


def _baseline(axes: Sequence[Axes], found: Likelihood) -> None:
    """The baseline's mean, which has no schedule, as a line, and its cost as a mark."""
    for trained in found.models:
        if trained[1] == BASELINE:
            values, costs = found.values(trained, BITS, "full"), found.values(trained, OPERATIONS)
            style: Style = {
                "color": "0.4",
                "linewidth": 0.8,
                "linestyle": ":",
                "label": "baseline, under full",
            }
            axes[0].axhline(mean(values.values()), **style)
            axes[1].plot(
                [costs[key] for key in values], list(values.values()), "x", color="0.4", markersize=4
            )
