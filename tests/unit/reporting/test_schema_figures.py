"""The drawn method: what it says of a run, and that nothing in it runs into anything else."""

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from modtok.reporting.figures import WIDE, write_figure
from modtok.reporting.run import Run
from modtok.reporting.schema import BUDGET, BYTES, make_schema, short_name, union
from modtok.reporting.schema_drawing import SHARED, Drawing
from modtok.reporting.schema_figures import figure_3

SIX = {"bg": "Bulgarian", "el": "Greek", "en": "English", "fi": "Finnish", "fr": "French", "te": "Telugu"}
LONG = {"nb": "Norwegian Bokmål", "zho": "Mandarin Chinese (Traditional)", "hat": "Haitian Creole"}
LONG |= {"mni": "Manipuri Meetei Mayek", "nno": "Norwegian Nynorsk"}
RUNS = {
    **{str(number): dict(list(SIX.items())[:number]) for number in (1, 2, 3, 4, 6)},
    "21": {f"x{letter}": f"Language {letter}" for letter in "abcdefghijklmnopqrstu"},
    "long names": LONG,
}


@pytest.fixture(params=RUNS)
def any_run(request: pytest.FixtureRequest, run: Run) -> Run:
    budget = 1_000_000 if request.param == "long names" else 24_000
    return replace(run, languages=RUNS[request.param], budget=budget)


def texts(figure: Figure) -> list[Text]:
    return [text for text in figure.axes[0].texts if text.get_text()]


def said(figure: Figure) -> list[str]:
    """The texts, formulas without their markup: V_el."""
    return [re.sub(r"\$V_\{\\mathrm\{(\w+)}}\$", r"V_\1", text.get_text()) for text in texts(figure)]


def boxes(figure: Figure) -> dict[Text, Bbox]:
    figure.canvas.draw()  # a missing glyph would warn
    return {text: text.get_window_extent() for text in texts(figure)}


def overlap(one: Bbox, other: Bbox) -> bool:
    both = Bbox.intersection(one, other)
    return both is not None and both.width > 0 and both.height > 0


# --- the sets ---


def test_every_language_has_its_budget_and_appends_what_the_table_lacks(any_run: Run) -> None:
    schema = make_schema(any_run)
    size = BYTES
    for part in schema.parts:
        assert len(part.cells) == BUDGET
        assert part.own == range(size, part.own.stop)
        assert set(part.cells) >= {*range(BYTES), *part.own}
        assert max(part.cells) == part.own.stop - 1
        size = part.own.stop
    assert union(schema.parts) == list(range(schema.size))


def test_four_languages_are_named_and_the_others_counted(run: Run) -> None:
    schema = make_schema(replace(run, languages=RUNS["21"]))
    assert [part.name for part in schema.parts] == [
        "Language a", "Language b", "Language c", "Language d", "… 17 more",
    ]  # fmt: skip
    assert schema.others == 17


def test_a_cell_of_several_sets_has_no_owner(run: Run) -> None:
    schema = make_schema(run)
    first, second = schema.parts
    for cell in range(schema.size):
        holders = [part for part in (first, second) if cell in part.cells]
        assert schema.owner(cell) == (holders[0] if len(holders) == 1 else None)
    assert len(first.cells & second.cells) > BYTES


@pytest.mark.parametrize(
    ("languages", "example"), [("1", ["bg"]), ("2", ["el"]), ("3", ["el", "en"]), ("6", ["el", "fi"])]
)
def test_the_example_leaves_something_out_where_it_can(languages: str, example: list[str], run: Run) -> None:
    schema = make_schema(replace(run, languages=RUNS[languages]))
    assert [part.code for part in schema.example] == example
    assert (len(union(schema.example)) < schema.size) == (languages != "1")


def test_long_names_are_cut() -> None:
    names = ["Greek", "Norwegian Bokmål", "Chinese (Traditional)", "Manipuri Meetei Mayek"]
    assert list(map(short_name, names)) == ["Greek", "Norwegian Bokmål", "Chinese", "Manipuri Meetei…"]


# --- the drawing ---


def test_it_says_languages_sets_and_budget(run: Run) -> None:
    figure = figure_3(replace(run, languages=SIX))
    found = said(figure)
    for text in (
        "Bulgarian", "Greek", "English", "Finnish", "… 2 more", "V_bg", "V_el", "V_en", "V_fi",
        "k = 24,000 tokens each", "< 6 × k = 144,000", "adopts", "appends",
        "1  Training", "2  Extraction", "3  Pretraining", "4  Inference",
        "V_el ∪ V_fi", "text in Greek", "drawn: V_el alone, with others, or all of T",
        "lang:", "Greek alone", "union:", "Greek and Finnish", "full:", "all of T",
    ):  # fmt: skip
        assert text in found
    assert figure.get_figwidth() == WIDE


def test_one_language_adopts_nothing_and_has_no_union(run: Run) -> None:
    found = said(figure_3(replace(run, languages=RUNS["1"])))
    assert {"T = V_bg", "appends", "drawn: V_bg alone, or all of T"} <= set(found)
    assert not {"adopts", "union:", "several", "not in the set"} & set(found)


def test_no_text_leaves_the_figure_or_meets_another(any_run: Run) -> None:
    figure = figure_3(any_run)
    found = boxes(figure)
    for text, box in found.items():
        assert figure.bbox.x0 < box.x0 and box.x1 < figure.bbox.x1, text
        assert figure.bbox.y0 < box.y0 and box.y1 < figure.bbox.y1, text
    met = [(one, other) for one, other in combinations(found, 2) if overlap(found[one], found[other])]
    assert met == []


def test_no_text_meets_a_table(any_run: Run) -> None:
    figure = figure_3(any_run)
    found = boxes(figure)
    tables = [patch.get_window_extent() for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    assert len(tables) >= 8
    assert [text for text, box in found.items() if any(overlap(box, table) for table in tables)] == []


def test_nothing_drawn_leaves_the_figure(any_run: Run) -> None:
    figure = figure_3(any_run)
    figure.canvas.draw()
    for patch in figure.axes[0].patches:
        box = patch.get_window_extent()
        assert figure.bbox.x0 < box.x0 and box.x1 < figure.bbox.x1, patch
        assert figure.bbox.y0 < box.y0 and box.y1 < figure.bbox.y1, patch


def test_names_fit_beside_their_counts(any_run: Run) -> None:
    figure = figure_3(any_run)
    names = {part.name for part in make_schema(any_run).parts}
    point = figure.dpi / 72
    for text, box in boxes(figure).items():
        if text.get_text() in names:
            assert 8 * point < box.x0 and box.x1 < 74 * point, text


def test_colours_differ_from_shared_and_absent_in_a_grey_print(run: Run) -> None:
    figure = figure_3(replace(run, languages=SIX))
    schema = make_schema(replace(run, languages=SIX))
    drawing = Drawing(figure.axes[0], schema)
    light = [_luminance(drawing.colour(part)) for part in schema.parts]
    assert len({drawing.colour(part) for part in schema.parts}) == 5
    assert max(light) + 0.15 < _luminance(SHARED) < 1 - 0.15


def _luminance(colour: str) -> float:
    """Relative luminance as a printer sees it, 0 to 1, on the display's own scale."""
    red, green, blue = to_rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_the_same_figure_is_the_same_bytes(run: Run, tmp_path: Path) -> None:
    paths = [tmp_path / f"figure_3.{suffix}" for suffix in ("pdf", "svg", "png")]
    made = []
    for _ in range(2):
        write_figure(figure_3(replace(run, languages=SIX)), *paths)
        made.append([path.read_bytes() for path in paths])
    assert made[0] == made[1]
    assert len(made[0][1]) < 100_000
