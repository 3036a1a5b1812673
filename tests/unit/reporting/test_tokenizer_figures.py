"""Growth and rank conflict, drawn from literal files."""

from dataclasses import replace

import pandas as pd
import pytest

from modtok.reporting.run import Run
from modtok.reporting.tokenizer_figures import figure_2, figure_growth

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


LOST = pd.DataFrame({"lang": ["xa", "xb"], "tokens": ["50", "40"], "unreachable": ["0", "10"]})
CONFLICT = pd.DataFrame(
    [
        ("mono-bpe-xb", "0", " |s|e|n"), ("mono-bpe-xb", "1", " sen"),
        ("concatenated-bpe+xa+xb", "0", " |s|e|n"), ("concatenated-bpe+xa+xb", "1", " |s|en"),
    ],
    columns=["tokenizer", "step", "pieces"],
)  # fmt: skip


@pytest.mark.parametrize(
    ("conflict", "expected"),
    [
        (CONFLICT, ["mono-bpe-xb", "␣", "␣sen", "concatenated-bpe: xa, xb", "en"]),
        (CONFLICT[:0], ["no word of the parallel text is broken by concatenation"]),
    ],
    ids=["example", "none"],
)
def test_figure_2_draws_each_step_and_what_is_lost(
    conflict: pd.DataFrame, expected: list[str], run: Run
) -> None:
    figure = figure_2(conflict, LOST, run)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert set(expected) <= set(texts)
    assert "25 % of the tokens" in texts[-1]
    figure.canvas.draw()  # a missing glyph would warn
