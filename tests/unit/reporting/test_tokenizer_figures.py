"""Growth and rank conflict, drawn from literal files."""

from dataclasses import replace

import pandas as pd
import pytest

from modtok.reporting.run import Run
from modtok.reporting.tokenizer_figures import BROKEN, WHOLE, figure_2, figure_growth

LANGS = [
    "bg",
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "et",
    "fi",
    "fr",
    "hu",
    "it",
    "lt",
    "lv",
    "nl",
    "pl",
    "pt",
    "ro",
    "sk",
    "sl",
    "sv",
]


def grown(langs: list[str]) -> pd.DataFrame:
    sizes = [4 + 24_000 * number for number, _ in enumerate(langs, 1)]
    return pd.DataFrame({"lang": langs, "full_vocabulary": sizes})


def labels(figure) -> list[str]:
    return figure.axes[0].get_legend_handles_labels()[1]


def test_growth_has_a_point_per_language_and_its_fit(run: Run) -> None:
    figure = figure_growth(grown(["el", "en", "fi"]), run)
    assert labels(figure) == ["this run", "4 + 24,000 per language", "budget times languages"]
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["el", "en", "fi"]


def test_the_papers_size_stands_beside_its_own_languages(run: Run) -> None:
    figure = figure_growth(grown(LANGS), replace(run, languages=dict.fromkeys(LANGS, "")))
    assert labels(figure)[-1] == "paper: 366,208"


def test_one_language_has_no_fit(run: Run) -> None:
    assert labels(figure_growth(grown(["el"]), run)) == ["this run", "budget times languages"]


LOST = pd.DataFrame({"lang": ["el", "en"], "tokens": ["50", "40"], "unreachable": ["0", "10"]})
CONFLICT = pd.DataFrame(
    [
        ("mono-bpe-en", "0", " |s|e|n"), ("mono-bpe-en", "1", " s|e|n"), ("mono-bpe-en", "2", " sen"),
        ("concatenated-bpe+el+en", "0", " |s|e|n"), ("concatenated-bpe+el+en", "1", " |s|en"),
        ("concatenated-bpe+el+en", "2", " s|en"),
    ],
    columns=["tokenizer", "step", "pieces"],
)  # fmt: skip


def test_figure_2_draws_each_step_in_a_panel_per_tokenizer(run: Run) -> None:
    figure = figure_2(CONFLICT, LOST, run)
    assert [axis.get_title(loc="left") for axis in figure.axes] == [
        "Monolingual BPE: en\nbecomes one token",
        "Concatenated BPE: el, en\nends as 2 tokens",
    ]
    drawn = [[text.get_text() for text in axis.texts] for axis in figure.axes]
    assert drawn[0] == ["␣", "s", "e", "n", "␣s", "e", "n", "␣sen"]
    assert drawn[1] == ["␣", "s", "e", "n", "␣", "s", "en", "␣s", "en"]
    figure.canvas.draw()  # a missing glyph would warn


def test_figure_2_colours_what_a_merge_made_and_the_outcome(run: Run) -> None:
    mono, concatenated = figure_2(CONFLICT, LOST, run).axes
    colours = [[text.get_color() for text in axis.texts] for axis in (mono, concatenated)]
    assert colours[0] == [*["0.6"] * 4, WHOLE, "0.6", "0.6", WHOLE]
    assert colours[1] == [*["0.6"] * 6, BROKEN, BROKEN, BROKEN]


@pytest.mark.parametrize("conflict", [CONFLICT, CONFLICT[:0]], ids=["example", "none"])
def test_figure_2_says_what_is_lost(conflict: pd.DataFrame, run: Run) -> None:
    figure = figure_2(conflict, LOST, run)
    assert "25 % of the tokens" in figure.get_supxlabel()


def test_figure_2_says_that_no_word_is_broken(run: Run) -> None:
    (axis,) = figure_2(CONFLICT[:0], LOST, run).axes
    assert [text.get_text() for text in axis.texts] == [
        "No word of the parallel text is broken by concatenation."
    ]
