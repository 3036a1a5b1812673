"""Figures of what is decided when a model is used: routing by language identification."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modtok.core.errors import ConfigError, require
from modtok.reporting.figures import MARKS, OKABE_ITO, STYLE, WIDE
from modtok.reporting.likelihood import KINDS, Likelihood, Trained, mean
from modtok.reporting.run import Run

BITS, COST = "bits_per_byte_continued", "relative_cost"
CURVES = {"one-union": "-", "one-full": "--"}


@mpl.rc_context(STYLE)
def figure_routing(metrics: pd.DataFrame, run: Run) -> Figure:
    """Bits per byte over the oracle's, percent: against the threshold, and against the relative cost.

    Solid: below the threshold the union of the likeliest languages; dashed: the full tokenizer.
    """
    remedy = "figure_routing: no model over a modular tokenizer; add a regime besides baseline"
    require(len(metrics) > 0, remedy, ConfigError)
    found = Likelihood.of("figure_routing", metrics, run)
    kinds = [kind for kind in KINDS if len(found.of_kind(kind).models)]
    figure = Figure(figsize=(WIDE, 2.6 * len(kinds)), layout="constrained")
    for row, kind in zip(figure.subplots(len(kinds), 2, sharey="row", squeeze=False), kinds, strict=True):
        own = found.of_kind(kind)
        for number, trained in enumerate(own.models):
            _draw(row, own, trained, OKABE_ITO[number % len(OKABE_ITO)], MARKS[number % len(MARKS)])
        row[0].set_ylabel(f"{KINDS[kind]}: bits per byte over the oracle's, %")
        row[0].set_xlabel("probability from which one language is taken")
        row[1].set_xlabel("operations over the oracle's")
        handles, labels = row[0].get_legend_handles_labels()
        row[1].legend(handles, labels, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
        for axis in row:
            axis.axhline(0, color="0.5", linewidth=0.7, zorder=0)
    return figure


def _draw(axes: Sequence[Axes], found: Likelihood, trained: Trained, color: str, mark: str) -> None:
    """A model's two curves in both panels, and its fixed policies in the second."""
    for policy, line in CURVES.items():
        thresholds = _thresholds(found, trained, policy)
        losses = [_loss(found, trained, policy, threshold) for threshold in thresholds]
        costs = [_value(found, trained, policy, COST, threshold) for threshold in thresholds]
        label = trained[1] if policy == "one-union" else None
        style: dict[str, Any] = {
            "color": color,
            "linestyle": line,
            "linewidth": 0.8,
            "marker": mark,
            "markersize": 2.5,
        }
        axes[0].plot([float(threshold) for threshold in thresholds], losses, label=label, **style)
        axes[1].plot(costs, losses, **style)
    for policy, point, size, edge in (("routed", "*", 9, "black"), ("full", "x", 4, None)):
        cost, loss = _value(found, trained, policy, COST), _loss(found, trained, policy)
        axes[1].plot(
            [cost], [loss], point, color=color, markersize=size, markeredgecolor=edge or color, zorder=3
        )


def _thresholds(found: Likelihood, trained: Trained, policy: str) -> list[str]:
    """Those of a curve as they are written, from low to high."""
    frame = found.frame
    own = frame[(frame["regime"] == trained[1]) & (frame["inference"] == policy)]
    return sorted(set(own["threshold"]), key=float)


def _loss(found: Likelihood, trained: Trained, policy: str, threshold: str = "") -> float:
    """Bits per byte over the oracle's, percent."""
    bits = _value(found, trained, policy, BITS, threshold)
    return 100 * (bits / _value(found, trained, "oracle", BITS) - 1)


def _value(found: Likelihood, trained: Trained, policy: str, metric: str, threshold: str = "") -> float:
    """The mean over seeds."""
    at = Likelihood(found.frame[found.frame["threshold"] == threshold])
    return mean(at.values(trained, metric, policy).values())
