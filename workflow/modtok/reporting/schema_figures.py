"""Figure 3: the method as a drawn schema, from the run's languages and its budget alone."""

from collections.abc import Sequence
from itertools import groupby

import matplotlib as mpl
from matplotlib.figure import Figure

from modtok.reporting.figures import STYLE
from modtok.reporting.run import Run
from modtok.reporting.schema import BYTES, Part, Schema, make_schema, union
from modtok.reporting.schema_drawing import SHARED, SMALL, Drawing, Point, blank, sets

# In points from the upper left corner.
ROW, BAR = 18.0, 9.0
"From one row of the training to the next, and the height of its table."
TOP, LEFT, WIDEST = 30.0, 112.0, 298.0
"Where the first table of the training begins, and its greatest width."
SETS = 320.0
"The leftmost place where sets are named."
PANELS, BELOW = (8.0, 182.0, 346.0), 132.0
"Left edges of the lower panels, and their height."


@mpl.rc_context(STYLE)
def figure_3(run: Run) -> Figure:
    """Figure 3: how a modular tokenizer is trained, cut, and used by a model. Widths are not to scale."""
    schema = make_schema(run)
    below = TOP + ROW * len(schema.parts) + 44
    figure, axis = blank(below + BELOW)
    drawing = Drawing(axis, schema)
    _training(drawing, run.budget)
    for panel, left in zip((_extraction, _pretraining, _inference), PANELS, strict=True):
        panel(drawing, left, below)
    return figure


# --- training ---


def _training(drawing: Drawing, budget: int) -> None:
    """The table as it stands after each language, with the language's set in it."""
    schema, step = drawing.schema, min(round(WIDEST / drawing.schema.size, 1), 12)
    right = max(LEFT + step * schema.size + 8, SETS)
    drawing.title(8, 9, "1  Training", "adopt what is there, append the rest")
    drawing.say(8, 22, "word counts")
    _legend(drawing)
    drawing.say(right, 22, f"k = {budget:,} tokens each")
    for number, part in enumerate(schema.parts):
        top = TOP + ROW * number
        _word_counts(drawing, part, top)
        drawing.arrow((92, top + BAR / 2), (LEFT - 1, top + BAR / 2))
        drawing.row((LEFT, top), (step, BAR), part.cells, part.own.stop)
        drawing.say(right, top + BAR / 2, sets([part]) if part in schema.named else "…")
    _growth(drawing, step)
    _whole(drawing, step, budget, right)


def _legend(drawing: Drawing) -> None:
    """What colours mean, as far as the run has them."""
    parts = drawing.schema.parts
    entries = [("one language", list(map(drawing.colour, parts)))]
    entries += [("several", [SHARED]), ("not in the set", ["white"])] if len(parts) > 1 else []
    for (label, colours), left in zip(entries, (LEFT, LEFT + 76, LEFT + 124), strict=False):
        width = 2.4 * len(colours) + 4
        drawing.bars([(left - 0.4, 18.6)], [(width + 0.8, 6.8)], "0.5")
        for number, colour in enumerate(colours):
            own = width / len(colours)
            drawing.bars([(left + number * own, 19)], [(own, 6)], colour)
        drawing.say(left + width + 3, 22, label)


def _word_counts(drawing: Drawing, part: Part, top: float) -> None:
    """A language's word counts: its name, and some counts, largest first."""
    colour = drawing.colour(part)
    drawing.box((8, top - 2), (84, BAR + 4), colour, part.name, shift=-9)
    lengths = (15, 8, 4)
    corners = [(74, top + 0.7 + 2.8 * row) for row in range(len(lengths))]
    drawing.bars(corners, [(length, 2) for length in lengths], colour)


def _growth(drawing: Drawing, step: float) -> None:
    """A line from the end of each language's table down, and what the second language does to the first's."""
    parts = drawing.schema.parts
    bottom = TOP + ROW * len(parts) + 5
    for number, part in enumerate(parts):
        place, top = LEFT + step * part.own.stop, TOP + ROW * number + BAR
        drawing.axis.plot([place, place], [top, bottom], ":", color="0.5", linewidth=0.6, zorder=0)
    row = min(1, len(parts) - 1)
    own, middle = parts[row].own, TOP + ROW * row + BAR + 4.5
    drawing.say(LEFT + step * _middle(own), middle, "appends", ha="center", fontsize=SMALL)
    if row:
        adopted = range(BYTES, own.start)
        drawing.say(LEFT + step * _middle(adopted), middle, "adopts", ha="center", fontsize=SMALL)


def _middle(cells: range) -> float:
    return (cells.start + cells.stop) / 2


def _whole(drawing: Drawing, step: float, budget: int, right: float) -> None:
    """The finished table, its parts named below it, its size on the right."""
    schema = drawing.schema
    top = TOP + ROW * len(schema.parts) + 5
    drawing.say(LEFT - 6, top + BAR / 2, "full vocabulary T", ha="right")
    drawing.row((LEFT, top), (step, BAR), range(schema.size), schema.size)
    labels = [("bytes", range(BYTES)), *((part.code or "…", part.own) for part in schema.parts)]
    for label, cells in labels:
        drawing.say(LEFT + step * _middle(cells), top + BAR + 6, label, ha="center", fontsize=SMALL)
    number = len(schema.named) + schema.others
    size = f"< {number} × k = {number * budget:,}" if number > 1 else f"T = {sets(schema.parts)}"
    drawing.say(right, top + BAR / 2, size)


# --- extraction ---


def _extraction(drawing: Drawing, left: float, top: float) -> None:
    """Rows of both matrices that a subtokenizer needs, gathered and numbered anew."""
    schema, kept = drawing.schema, union(drawing.schema.example)
    step = min(round(84 / schema.size, 1), 8)
    drawing.title(left, top, "2  Extraction", "a union, numbered anew")
    first = top + 26
    second = first + step * (schema.size - len(kept)) / 2
    full, dense = (left + 12, first), (left + 96, second)
    for cells in _neighbours(kept):
        here, there = first + step * cells[0], second + step * kept.index(cells[0])
        high = step * len(cells)
        drawing.band(
            ((full[0] + 43, here), (full[0] + 43, here + high)), ((dense[0], there), (dense[0], there + high))
        )
    _matrices(drawing, full, step, range(schema.size), "T")
    _matrices(drawing, dense, step, kept, sets(schema.example))
    _ids(drawing, full[0] - 6, first, first + step * schema.size)
    _ids(drawing, dense[0] + 49, second, second + step * len(kept))


def _neighbours(cells: Sequence[int]) -> list[list[int]]:
    """Sorted cells in groups without a gap. _neighbours([1, 2, 4]) -> [[1, 2], [4]]"""
    groups = groupby(enumerate(cells), key=lambda pair: pair[1] - pair[0])
    return [[cell for _, cell in group] for _, group in groups]


def _matrices(drawing: Drawing, corner: Point, step: float, cells: Sequence[int], name: str) -> None:
    """The input and the output matrix, a row per cell, under the name of their tokens."""
    left, top = corner
    middle, bottom = left + 21.5, top + step * len(cells)
    drawing.say(middle, top - 7, name, ha="center")
    drawing.column(corner, (43, step), cells)
    drawing.axis.plot([middle, middle], [top - 0.5, bottom + 0.5], color="white", linewidth=2.5)
    for place, matrix in ((left + 10, "input"), (left + 33, "output")):
        drawing.say(place, bottom + 6, matrix, ha="center", fontsize=SMALL)


def _ids(drawing: Drawing, place: float, top: float, bottom: float) -> None:
    """Ids beside the rows count from 0 down to the last row."""
    drawing.say(place, top + 3, "0", ha="center", fontsize=SMALL)
    drawing.arrow((place, top + 7), (place, bottom - 7))
    drawing.say(place, bottom - 3, "id", ha="center", fontsize=SMALL)


# --- the model ---


def _pretraining(drawing: Drawing, left: float, top: float) -> None:
    """A step: a language, the subtokenizer drawn for it, and the rows that take part."""
    schema, kept = drawing.schema, union(drawing.schema.example)
    step = min(round(84 / schema.size, 1), 5)
    drawing.title(left, top, "3  Pretraining", "a draw in each step")
    drawing.box((left, top + 11), (90, 12), drawing.colour(schema.focus), f"text in {schema.focus.name}")
    drawing.arrow((left + 92, top + 17), (left + 104, top + 17))
    drawing.say(left + 107, top + 17, sets(schema.example))
    drawing.say(left, top + 32, _draws(schema), fontsize=SMALL)
    first = top + 42
    under = first + step * len(kept) + 6
    _pass(drawing, left, first, step, kept)
    for place, label in ((17.5, "input"), (103.5, "output"), (137, "logits")):
        drawing.say(left + place, under, label, ha="center", fontsize=SMALL)
    drawing.say(left, under + 11, "logits and gradients of these rows alone", fontsize=SMALL)


def _draws(schema: Schema) -> str:
    """What may be drawn for a step."""
    alone = f"drawn: {sets([schema.focus])} alone, "
    return alone + ("with others, or all of T" if schema.partner else "or all of T")


def _pass(drawing: Drawing, left: float, top: float, step: float, cells: Sequence[int]) -> None:
    """From ids to logits: input rows, the model's body, output rows, and a logit for each of these."""
    middle = top + step * len(cells) / 2
    for start, end in ((0, 9), (26, 36), (82, 95), (112, 122)):
        drawing.arrow((left + start, middle), (left + end, middle))
    for place in (10, 96):
        drawing.column((left + place, top), (15, step), cells)
    drawing.box((left + 37, middle - 12), (44, 24), "0.3", "transformer")
    for colour, owned in drawing.by_colour(cells).items():
        rows = list(map(cells.index, owned))
        sizes = [(4.0 + 2 * (7 * row % 11), step - 0.6) for row in rows]
        drawing.bars([(left + 124, top + step * row + 0.3) for row in rows], sizes, colour)


def _inference(drawing: Drawing, left: float, top: float) -> None:
    """The same model under each inference tokenizer: the rows that it keeps."""
    schema = drawing.schema
    step = min(round(148 / schema.size, 1), 9)
    drawing.title(left, top, "4  Inference", "rows left out cost nothing")
    for number, (name, meaning, parts) in enumerate(_choices(schema)):
        line = top + 17 + 32 * number
        drawing.say(left, line, f"{name}:")
        drawing.say(left + 24, line, meaning)
        drawing.row((left, line + 6), (step, BAR), union(parts), schema.size)


def _choices(schema: Schema) -> list[tuple[str, str, Sequence[Part]]]:
    """Inference tokenizers: name, meaning, languages."""
    focus, partner = schema.focus, schema.partner
    choices: list[tuple[str, str, Sequence[Part]]] = [("lang", f"{focus.name} alone", [focus])]
    if partner:
        pair = sorted((focus, partner), key=schema.parts.index)
        choices.append(("union", " and ".join(part.name for part in pair), pair))
    return [*choices, ("full", "all of T", schema.parts)]
