"""Tokenizers before and after surgery in a folder, to the rows of the three files."""

import pytest

from modtok.evaluation import surgery_report
from modtok.evaluation.surgery_report import report
from modtok.surgery import verification
from modtok.surgery.verification import unreachable
from modtok.tokenization.alphabet import BYTE_SYMBOLS
from modtok.tokenization.hf_format import bpe_json, write_tokenizer

# A space and the first byte of а to п are one token, so " да" cannot be merged of " " and "да" later.
FIRST = ["ĠÐ", "xy", "yz", "zx"]
LETTERS = ["Ð´", "Ð°", "Ð´Ð°", "ĠÐ´Ð°"]
MERGES = [("Ġ", "Ð"), ("x", "y"), ("y", "z"), ("z", "x")]
NAIVE = [("Ġ", "Ð"), ("Ð", "´"), ("Ð", "°"), ("Ð´", "Ð°"), ("Ġ", "Ð´Ð°")]
SETS = {"set": {"uk": ["да да", "да"], "en": ["xy", "zx"]}}


def write(folder, tokens, merges):
    tokenizer_json = bpe_json("bytes", "whitespace", [*BYTE_SYMBOLS, *tokens], merges)
    write_tokenizer(folder, {**tokenizer_json, "added_tokens": []})


@pytest.fixture
def made(tmp_path):
    padding = ["ÐĲ", "Ðĳ"]
    write(tmp_path / "x", [*FIRST, *padding], [*MERGES, ("Ð", "Ĳ"), ("Ð", "ĳ")])
    write(tmp_path / "surgery-naive-x", ["ĠÐ", "xy", *LETTERS], [NAIVE[0], ("x", "y"), *NAIVE[1:]])
    return report(tmp_path, ["x"], ["naive"], SETS, ["uk", "en"], 10, 1)


def test_the_tokenizer_before_is_audited_once(made, tmp_path, monkeypatch):
    write(tmp_path / "surgery-other-x", [*FIRST, "ÐĲ", "Ðĳ"], [*MERGES, ("Ð", "Ĳ"), ("Ð", "ĳ")])
    audited = []
    for module in (surgery_report, verification):
        monkeypatch.setattr(module, "unreachable", lambda bpe: audited.append(bpe) or unreachable(bpe))
    again = surgery_report.report(tmp_path, ["x"], ["naive", "other"], SETS, ["uk"], 10, 1)
    assert len(audited) == 1 + 2
    assert len({tuple(bpe.surfaces.values()) for bpe in audited}) == 2  # nothing was changed in `other`
    assert [m for m in again.metrics if "naive" in m.tokenizer and m.dataset == "vocabulary"] == [
        m for m in made.metrics if m.dataset == "vocabulary"
    ]


def values(made, dataset):
    return {(m.tokenizer, m.lang, m.metric): m.value for m in made.metrics if m.dataset == dataset}


def test_the_vocabulary_is_compared_row_by_row(made):
    found = {metric: value for (_, _, metric), value in values(made, "vocabulary").items()}
    assert found == {
        "rows": 262,
        "same_id_rows": 258,
        "inserted": 4,
        "inserted_unreachable": 1,
        "newly_broken": 0,
        "unreachable_before": 0,
    }


def test_text_is_counted_as_the_file_says_and_with_longest_match(made):
    tokens = {name: value for (name, lang, metric), value in values(made, "set").items()
              if (lang, metric) == ("uk", "tokens")}  # fmt: skip
    # да|ĠÐ|´|а and да; matched, " да" is one
    assert tokens == {"x": 2 * 4 + 1 + 3, "surgery-naive-x": 1 + 3 + 1, "surgery-matched-x": 3}
    assert values(made, "set")["surgery-naive-x", "en", "change"] == pytest.approx(50)


def test_rows_are_counted_by_script(made):
    rows = {row["script"]: (row["before"], row["freed"], row["after"]) for row in made.scripts}
    assert rows["Cyrillic"] == (2, 2, 4)
    assert rows["Latin"][:2] == (52 + 3, 2)


def test_the_example_needs_a_word(made):
    """Two letters are no word to show."""
    assert made.conflicts == []


def test_the_example_says_which_merge_comes_first(tmp_path):
    tokens = ["ĠÐ", *LETTERS[:3], "Ð´Ð°Ð´Ð°", "ĠÐ´Ð°Ð´Ð°"]
    merges = [*NAIVE[:4], ("Ð´Ð°", "Ð´Ð°"), ("Ġ", "Ð´Ð°Ð´Ð°")]
    write(tmp_path / "x", ["ĠÐ", *(f"{letter}z" for letter in "abcde")],
          [NAIVE[0], *((letter, "z") for letter in "abcde")])  # fmt: skip
    write(tmp_path / "surgery-naive-x", tokens, merges)
    [row] = report(tmp_path, ["x"], ["naive"], SETS, ["uk"], 10, 1).conflicts
    assert row == {
        "tokenizer": "surgery-naive-x",
        "token": "␣дада",
        "parts": "␣|дада",
        "rank": 5,
        "taken": "␣|\\xd0",
        "taken_rank": 0,
        "pieces": "␣\\xd0|\\xb4|а|да",
    }
