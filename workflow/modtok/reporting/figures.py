"""How figures look and are written, and the figure of the metrics table: the same bytes each time.

Colours are those of Okabe and Ito, told apart with any kind of colour vision; marks differ in shape, too.
Labels are codes and English names only, since the font of the figures has no Telugu or Sinhala.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from modtok.core.io import atomic
from modtok.reporting.frames import pivot
from modtok.reporting.run import Run

WIDTH, WIDE = 3.5, 7.0
"inches, one column of a two-column page and both"
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#A0A000")
MARKS = "osD^vP*X<>ph"
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

    One column of panels for each kind of tokenizer that the run has. Without English in the run only the
    upper panels are drawn.
    """
    langs, groups = list(run.languages), _groups(run)
    shown = {"tokens_per_character": "tokens per character"}
    shown |= {"parity": "tokens relative to English"} if PIVOT in run.languages else {}
    height = len(shown) * (0.5 + 0.17 * len(langs)) + 0.15 * max(map(len, groups.values())) + 0.2
    figure = Figure(figsize=(WIDE, height), layout="constrained")
    axes = figure.subplots(len(shown), len(groups), sharex="row", sharey=True, squeeze=False)
    for row, (metric, label) in zip(axes, shown.items(), strict=True):
        for axis, families in zip(row, groups.values(), strict=True):
            wide = pivot("figure_fairness", metrics, metric, run, families, langs)
            _dots(axis, dict(zip(map(run.label, families), wide.to_numpy().tolist(), strict=True)))
            axis.set_xlabel(label)
            axis.tick_params(labelbottom=True)
        _logarithmic(row[0])
    for axis in axes[1:].flat:
        axis.axvline(1, color="0.5", linewidth=0.7, zorder=0)
    for axis, title in zip(axes[0], groups, strict=True):
        axis.legend(title=title, **_ABOVE)
    label_rows(axes[0, 0], langs)
    return figure


# A legend over its panel, on the left, with its title in bold.
_ABOVE: dict[str, Any] = {
    "loc": "lower left",
    "bbox_to_anchor": (0, 1),
    "frameon": False,
    "alignment": "left",
    "handletextpad": 0.2,
    "borderpad": 0,
    "title_fontproperties": {"weight": "bold"},
}


def _groups(run: Run) -> dict[str, list[str]]:
    """Families by kind, as far as the run has any of it."""
    kinds: dict[str, list[str]] = {"Open tokenizers": [], "BPE of this run": [], "Unigram of this run": []}
    for family in run.families:
        own = "Unigram of this run" if "unigram" in family else "BPE of this run"
        kinds["Open tokenizers" if family.startswith("open-") else own].append(family)
    return {kind: families for kind, families in kinds.items() if families}


def _dots(axis: Axes, series: Mapping[str, Sequence[float]]) -> None:
    """One mark for each tokenizer and language; rows a little apart, so that equal values stay visible."""
    for number, (label, values) in enumerate(series.items()):
        shift = 0.8 * ((number + 0.5) / len(series) - 0.5)
        axis.scatter(
            values,
            [row + shift for row in range(len(values))],
            s=14,
            linewidths=0.3,
            edgecolors="white",
            label=label,
            color=OKABE_ITO[number % len(OKABE_ITO)],
            marker=MARKS[number % len(MARKS)],
            clip_on=False,  # the outermost marks reach over the edge of their row
        )
    for row in range(0, len(next(iter(series.values()))), 2):
        axis.axhspan(row - 0.5, row + 0.5, color="0.95", linewidth=0, zorder=0)


def _logarithmic(axis: Axes) -> None:
    """Equal steps for equal ratios, with ticks at round numbers."""
    axis.set_xscale("log")
    low, high = axis.get_xlim()
    axis.xaxis.set_major_locator(
        LogLocator(subs=(1, 2, 3, 5) if high > 4 * low else (1, 1.2, 1.5, 2, 3, 4, 5, 6, 8))
    )
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def label_rows(axis: Axes, labels: Sequence[str]) -> None:
    """Name the rows, the first one on top."""
    axis.set_yticks(range(len(labels)), list(labels))
    axis.set_ylim(len(labels) - 0.5, -0.5)


def write_figure(figure: Figure, pdf: Path, svg: Path, png: Path) -> None:
    """Write a figure in its three formats; the same figure gives the same bytes."""
    with mpl.rc_context(STYLE):
        for suffix, path in (("pdf", pdf), ("svg", svg), ("png", png)):
            with atomic(path) as partial:
                figure.savefig(partial, format=suffix, metadata=_METADATA[suffix])
