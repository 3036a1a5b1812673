"""What the schema of the method is drawn with: text, boxes, arrows, and tables of cells.

Coordinates are points (1/72 inch) from the upper left corner of the figure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Patch, PathPatch, Polygon, Rectangle
from matplotlib.path import Path

from modtok.reporting.figures import OKABE_ITO, WIDE
from modtok.reporting.schema import NAMED, Part, Schema

POINTS = 72
SHARED = "0.8"
"Cells of several sets: lighter than every colour, so that they differ in a grey print, too."
SMALL = 5.5
"Points of the smaller letters."
_COLOURS = (*OKABE_ITO[:NAMED], OKABE_ITO[5])
"Of the parts; the last is that of the languages without a name."

Point = tuple[float, float]


@dataclass(frozen=True)
class Drawing:
    """A page to draw a schema on."""

    axis: Axes
    schema: Schema

    def colour(self, part: Part | None) -> str:
        """The colour of a part; of None, which has what several have, grey."""
        return SHARED if part is None else _COLOURS[self.schema.parts.index(part)]

    def say(self, x: float, y: float, text: str, **how: Any) -> None:
        """Text with its left end there, at middle height."""
        self.axis.text(x, y, text, **{"va": "center_baseline", "fontsize": 6, **how})

    def title(self, x: float, y: float, name: str, remark: str) -> None:
        """The heading of a panel: its name, and what it shows beside it."""
        self.say(x, y, name, fontsize=7, weight="bold")
        self.say(x + 8 + 3.9 * len(name), y, remark)  # a bold letter is 3.9 wide on average

    def box(self, corner: Point, size: Point, colour: str, text: str, shift: float = 0) -> None:
        """A box with round corners around text, which stands `shift` points right of the middle."""
        shape = FancyBboxPatch(
            corner, *size, boxstyle="round,pad=0,rounding_size=3", fill=False, color=colour, linewidth=0.9
        )
        self._add(shape)
        self.say(corner[0] + size[0] / 2 + shift, corner[1] + size[1] / 2, text, ha="center")

    def arrow(self, start: Point, end: Point) -> None:
        """A thin arrow, as one polygon: shaft and head."""
        tail, tip = np.array(start), np.array(end)
        along = (tip - tail) / np.linalg.norm(tip - tail)
        across, neck = along[::-1] * (-1, 1), tip - 4 * along
        half = [tail + 0.35 * across, neck + 0.35 * across, neck + 1.6 * across, tip]
        other = [neck - 1.6 * across, neck - 0.35 * across, tail - 0.35 * across]
        self._add(Polygon(np.array([*half, *other]).round(2), color="0.3", linewidth=0))

    def bars(self, corners: Iterable[Point], sizes: Iterable[Point], colour: str, edge: float = 0) -> None:
        """Filled rectangles with white edges, as one path: many patches would make a large SVG."""
        outlines = [_rectangle(*corner, *size) for corner, size in zip(corners, sizes, strict=True)]
        shape = Path.make_compound_path(*outlines)
        self._add(PathPatch(shape, facecolor=colour, edgecolor="white", linewidth=edge))

    def band(self, left: tuple[Point, Point], right: tuple[Point, Point]) -> None:
        """A pale band from an upright edge to another one, each from top to bottom."""
        corners = [*left, *reversed(right)]
        self._add(Polygon(corners, color="0.93", linewidth=0, zorder=0.5))

    def row(self, corner: Point, cell: Point, cells: Iterable[int], size: int) -> None:
        """A lying table of `size` cells, those of a set in colour; `cell` is width and height."""
        spots = {number: (corner[0] + cell[0] * number, corner[1]) for number in sorted(cells)}
        self._cells(spots, cell)
        self._frame(corner, (cell[0] * size, cell[1]))

    def column(self, corner: Point, cell: Point, cells: Sequence[int]) -> None:
        """An upright table of these cells alone, one below the other."""
        spots = {number: (corner[0], corner[1] + cell[1] * row) for row, number in enumerate(cells)}
        self._cells(spots, cell)
        self._frame(corner, (cell[0], cell[1] * len(cells)))

    def _add(self, patch: Patch) -> None:
        """Unclipped: nothing reaches over the edge, and each clip path is a line of the SVG."""
        self.axis.add_patch(patch)
        patch.set_clip_on(False)

    def _cells(self, spots: dict[int, Point], cell: Point) -> None:
        for colour, numbers in self.by_colour(spots).items():
            self.bars([spots[number] for number in numbers], [cell] * len(numbers), colour, 0.4)

    def by_colour(self, cells: Iterable[int]) -> dict[str, list[int]]:
        """Cells by the colour of those who have them."""
        groups: dict[str, list[int]] = {}
        for number in cells:
            groups.setdefault(self.colour(self.schema.owner(number)), []).append(number)
        return groups

    def _frame(self, corner: Point, size: Point) -> None:
        self._add(Rectangle(corner, *size, fill=False, edgecolor="0.5", linewidth=0.5, zorder=2))


def _rectangle(x: float, y: float, width: float, height: float) -> Path:
    corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
    return Path(corners, closed=True)


def blank(height: float) -> tuple[Figure, Axes]:
    """A figure two columns wide and so many points high, and an axis that counts points from its top."""
    figure = Figure(figsize=(WIDE, height / POINTS))
    axis = figure.add_axes((0, 0, 1, 1))
    axis.set_axis_off()
    axis.set_xlim(0, WIDE * POINTS)
    axis.set_ylim(height, 0)
    return figure, axis


def sets(parts: Sequence[Part]) -> str:
    """The union of the parts' sets as a formula: V_el ∪ V_fi."""
    return " ∪ ".join(rf"$V_{{\mathrm{{{part.code}}}}}$" for part in parts)
