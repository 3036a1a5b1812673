"""Which lines are shots, which are scored, and what a model is given to read."""

import json
import re

import pytest

from modtok.core.errors import ConfigError, DataError, UserError
from modtok.core.texts import BLOCK_BYTES
from modtok.evaluation.generation_files import Example
from modtok.evaluation.generation_tasks import read_splits, summarization_tasks, translation_tasks

SETS = {
    "set": {
        "en": ["The dog.", "One\ttwo ", "", "Three.", "Four."],
        "fi": ["Koira.", "Yksi  kaksi", "Tyhjä", "Kolme.", "Neljä."],
        "fr": ["Le chien.", "Un deux", "Vide", " ", "Quatre."],
    }
}


def of(**settings):
    """A section of the config."""
    return {"name": "wiki", "lines": "all", "limit": 50} | settings


NAMES = {"en": "English", "fi": "Finnish", "fr": "French", "el": "Greek"}


def test_shots_are_the_first_lines_and_are_not_scored() -> None:
    finnish, french = translation_tasks(SETS, {}, NAMES, of(shots=2))
    assert (finnish.name, finnish.dataset, finnish.lang) == ("translation", "set", "fi")
    assert finnish.shots == (
        Example("English: The dog.\nFinnish:", "Koira.", 0),
        Example("English: One two\nFinnish:", "Yksi kaksi", 1),
    )
    assert [(one.read, one.written, one.line) for one in finnish.items] == [
        ("English: Three.\nFinnish:", "Kolme.", 3),
        ("English: Four.\nFinnish:", "Neljä.", 4),
    ]
    assert [one.limit for one in finnish.items] == [100 + 2 * 6, 100 + 2 * 5]
    assert [one.line for one in french.items] == [4]


def test_shots_of_another_split_leave_all_lines_to_be_scored() -> None:
    other = {"set": {"en": ["Dev one.", "Dev two."], "fi": ["Kehitys yksi.", "Kehitys kaksi."]}}
    finnish, french = translation_tasks(SETS, other, NAMES, of(shots=1, lines=3))
    assert [one.read for one in finnish.shots] == ["English: Dev one.\nFinnish:"]
    assert [one.line for one in finnish.items] == [0, 1, 3]
    # the other split has no French
    assert [one.line for one in french.shots] == [0]
    assert [one.line for one in french.items] == [1, 4]


def test_no_shots_are_a_number_of_shots() -> None:
    finnish, _ = translation_tasks(SETS, {}, NAMES, of(shots=0, lines=1))
    assert (finnish.shots, len(finnish.items)) == ((), 1)


def test_too_few_lines_are_told() -> None:
    with pytest.raises(UserError, match=r"set, translation, 'fr': 3 lines are not enough for 3 shots"):
        list(translation_tasks(SETS, {}, NAMES, of(shots=3)))


def test_a_set_without_english_is_told() -> None:
    with pytest.raises(ConfigError, match="set: no English lines"):
        list(translation_tasks({"set": {"fi": ["Koira."]}}, {}, NAMES, of(shots=0)))


def test_without_english_nothing_is_translated() -> None:
    assert list(translation_tasks(SETS, {}, {"fi": "Finnish"}, of(shots=1))) == []


def test_other_splits_have_what_languages_they_have(tmp_path) -> None:
    (tmp_path / "eng_Latn.dev").write_text("One\nTwo\n")
    (tmp_path / "fin_Latn.dev").write_text("Yksi\nKaksi\n")
    flores = {"en": "eng_Latn", "fi": "fin_Latn", "el": "ell_Grek", "xx": ""}
    assert read_splits({"set": tmp_path}, flores) == {"set": {"en": ["One", "Two"], "fi": ["Yksi", "Kaksi"]}}


def document(document: str, summary: str) -> str:
    return json.dumps({"document": document, "summary": summary, "url": "x"}) + "\n"


@pytest.fixture
def summaries(tmp_path):
    file = tmp_path / "fi.jsonl"
    lines = document("Yksi.\n\nKaksi.", "Yksi\nkaksi.") + "\n" + document(" ", "Tyhjä.")
    file.write_text(lines + document("Kolme \ud800.", "Kolme."))
    return file


def test_an_item_names_its_line_in_a_file_of_many_blocks(tmp_path) -> None:
    file = tmp_path / "fi.jsonl"
    file.write_text("\n" + "".join(document("a" * BLOCK_BYTES, f"{number}") for number in range(3)) + "\n{")
    with pytest.raises(DataError, match=re.escape(f"{file}, line 6: no object with texts")):
        list(summarization_tasks({"fi": file}, {}, of(shots=0)))
    file.write_text(file.read_text().removesuffix("{"))
    [task] = summarization_tasks({"fi": file}, {}, of(shots=0))
    assert [(item.written, item.line) for item in task.items] == [("0", 1), ("1", 2), ("2", 3)]


def test_documents_and_summaries_are_lines(summaries) -> None:
    [task] = summarization_tasks({"fi": summaries}, {}, of(shots=1))
    assert (task.name, task.dataset, task.lang) == ("summarization", "wiki", "fi")
    assert task.shots == (Example("Yksi. Kaksi.\nTL;DR:", "Yksi kaksi."),)
    assert task.items == (Example("Kolme ?.\nTL;DR:", "Kolme.", 3, 50),)


def test_shots_of_another_file_leave_all_documents_to_be_scored(summaries, tmp_path) -> None:
    (tmp_path / "train.jsonl").write_text(document("Neljä.", "4"))
    [task] = summarization_tasks({"fi": summaries}, {"fi": tmp_path / "train.jsonl"}, of(shots=1))
    assert task.shots == (Example("Neljä.\nTL;DR:", "4"),)
    assert len(task.items) == 2


@pytest.mark.parametrize("line", ['{"document": "a"}', '{"document": "a", "summary": 1}', "[1]", "{", "null"])
def test_a_line_without_the_two_texts_is_named(tmp_path, line) -> None:
    file = tmp_path / "fi.jsonl"
    file.write_text(document("a", "b") + "\n" + document(" ", "b") + line + "\n")
    with pytest.raises(DataError, match=re.escape(f"{file}, line 4: no object with texts")):
        list(summarization_tasks({"fi": file}, {}, of(shots=0)))


def test_a_file_that_is_not_there_is_named(tmp_path) -> None:
    with pytest.raises(ConfigError, match=r"fi\.jsonl: no such file"):
        list(summarization_tasks({"fi": tmp_path / "fi.jsonl"}, {}, of(shots=0)))
