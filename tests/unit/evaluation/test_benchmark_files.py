"""Items from every form of public data, their list, and what comes from a hub."""

import json
import re
from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.evaluation.benchmark_files import fetch, list_benchmarks, read_benchmarks
from modtok.evaluation.multiple_choice_items import Item, read_items

FOUR = ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("row", "item"),
    [
        (
            {"question": "Q?", "choices": {"text": FOUR, "label": [*"ABCD"]}, "answerKey": "C"},
            Item("Q?", FOUR, 2),
        ),
        (
            {"question": "Q?", "choices": {"text": FOUR, "label": [*"1234"]}, "answerKey": "3"},
            Item("Q?", FOUR, 2),
        ),
        ({"query": "Question: Q?", "choices": FOUR, "gold": 3}, Item("Q?", FOUR, 3)),
        ({"goal": "G ", "sol1": "a", "sol2": "b ", "label": 1}, Item("G ", ("a", "b "), 1)),
        (
            {"context": "C.", "question": "Q?", "answerA": "a", "answerB": "b", "answerC": "c", "label": "1"},
            Item("C. Q?", ("a", "b", "c"), 0),
        ),
        (
            {"context": "C.", "question": "Q?", "answerA": "a", "answerB": "b", "answerC": "c", "label": 1},
            Item("C. Q?", ("a", "b", "c"), 0),
        ),
        (
            {"context": "C.", "question": "Q?", "answerA": "a", "answerB": "b", "answerC": "c", "gold": 1},
            Item("C. Q?", ("a", "b", "c"), 1),
        ),
        (
            {"subject": "\ud800", "question": "Q?", "choices": FOUR, "answer": 0},
            Item("Q?", FOUR, 0, subject="?"),
        ),
        (
            {"subject": "law", "question": " Q?\n", "choices": FOUR, "answer": 0},
            Item("Q?", FOUR, 0, subject="law"),
        ),
        ({"question": "Q?", "choices": FOUR, "labels": [*"АБВГ"], "answerKey": "В"}, Item("Q?", FOUR, 2)),
        (
            {
                "flores_passage": "P.",
                "question": "Q?",
                **{f"mc_answer{number}": text for number, text in enumerate(FOUR, 1)},
                "correct_answer_num": "4",
            },
            Item("Q?", FOUR, 3, passage="P."),
        ),
        (
            {
                "activity_label": "Roof",
                "ctx_a": "[header] How to mend [title] Look up.",
                "ctx_b": "then HE",
                "endings": ["falls [step] in.", "b"],
                "label": "1",
            },
            Item("Roof: How to mend. Look up. Then he", ("falls in.", "b"), 1),
        ),
        ({"ctx": "He", "endings": ["a", "b"], "gold": 0}, Item("He", ("a", "b"), 0)),
        ({"question": "\ud800?", "choices": ["a", "b"], "gold": 0}, Item("??", ("a", "b"), 0)),
    ],
)
def test_items_of_public_data_sets(tmp_path, row, item) -> None:
    (tmp_path / "items").write_text(json.dumps(row) + "\n\n")
    assert read_items(tmp_path / "items") == [item]


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "{",
        '{"question": "Q?", "choices": ["a", "b"]}',
        '{"question": "Q?", "choices": ["a", "b"], "gold": 2}',
        '{"question": "Q?", "choices": ["a", "b"], "gold": -1}',
        '{"question": "Q?", "choices": ["a", "b"], "gold": true}',
        '{"question": "Q?", "choices": ["a", "b"], "answerKey": "E"}',
        '{"question": "Q?", "choices": ["a"], "gold": 0}',
        '{"question": "Q?", "choices": ["a", ""], "gold": 0}',
        '{"question": 5, "choices": ["a", "b"], "gold": 0}',
        '{"choices": ["a", "b"], "gold": 0}',
        '{"question": "Q?", "gold": 0}',
        '{"question": "Q?", "choices": ["a", "b"], "gold": Infinity}',
        '{"question": "Q?", "choices": ["a", "b"], "gold": 0.9}',
        '{"question": "Q?", "choices": "ab", "gold": 0}',
        '{"question": "Q?", "endings": "ab", "gold": 0}',
        '{"question": "Q?", "choices": {"text": ["a", "b"], "label": ["A", "B", "C"]}, "answerKey": "C"}',
        '{"question": " ", "choices": ["a", "b"], "gold": 0}',
        '{"question": "Q?", "mc_answer1": "a", "mc_answer2": "b", "mc_answer3": "c", "mc_answer4": "d",'
        ' "correct_answer_num": 0}',
    ],
)
def test_a_line_that_is_no_item_is_named(tmp_path, line) -> None:
    good = '{"question": "Q?", "choices": ["a", "b"], "gold": 0}\n'
    (tmp_path / "items").write_text(good + line)
    with pytest.raises(DataError, match="items, line 2"):
        read_items(tmp_path / "items")
    assert len(read_items(tmp_path / "items", most=1)) == 1


@pytest.mark.parametrize(
    ("right", "told"),
    [
        ({"answerKey": "Z"}, "answerKey is 'Z', of labels A, B"),
        ({"answerKey": ""}, "answerKey is '', of labels A, B"),
        ({"labels": ["x", "y"], "label": "z"}, "label is 'z', of labels x, y"),
        ({"label": "2"}, "label is '2', of 2 choices"),
        ({"gold": -1}, "gold is -1, of 2 choices"),
    ],
)
def test_a_right_choice_that_is_none_is_told_with_what_could_stand_there(tmp_path, right, told) -> None:
    (tmp_path / "items").write_text(json.dumps({"question": "Q?", "choices": ["a", "b"]} | right))
    with pytest.raises(DataError, match=re.escape(told)):
        read_items(tmp_path / "items")


def test_a_file_that_is_not_there_or_empty_is_told(tmp_path) -> None:
    with pytest.raises(ConfigError, match=r"no such file; mend its path in evaluation.multiple_choice"):
        read_items(tmp_path / "absent")
    (tmp_path / "empty").touch()
    with pytest.raises(DataError, match="no item in it"):
        read_items(tmp_path / "empty")


def test_what_comes_from_a_data_set_is_what_is_asked(tmp_path) -> None:
    hub = tmp_path / "hub"
    hub.mkdir()
    row = {"question": "Was, ю?", "choices": {"text": ["a", "b"], "label": ["A", "B"]}, "answerKey": "B"}
    (hub / "test.jsonl").write_text(json.dumps(row) + "\n")
    fetch(str(hub), "", "test", tmp_path / "items.jsonl")
    assert read_items(tmp_path / "items.jsonl") == [Item("Was, ю?", ("a", "b"), 1)]
    with pytest.raises(DataError, match="default, validation: not to be had"):
        fetch(str(hub), "", "validation", tmp_path / "other.jsonl")
    assert not (tmp_path / "other.jsonl").exists()


def test_rows_that_are_no_json_are_told_in_one_line(tmp_path) -> None:
    hub = tmp_path / "hub"
    hub.mkdir()
    rows = pa.table({"question": ["Q?", "R?"], "asked": [None, datetime(2020, 1, 2)]})
    pq.write_table(rows, hub / "test-00000-of-00001.parquet")
    with pytest.raises(
        DataError, match=r"hub, default, test: row 2 holds what JSON does not \(.*datetime"
    ) as told:
        fetch(str(hub), "", "test", tmp_path / "items.jsonl")
    assert "\n" not in str(told.value)
    assert not (tmp_path / "items.jsonl").exists()


def entry(file, **others):
    shown = {"task": "hellaswag", "lang": "en", "path": str(file), "shots_path": "", "lines": "all"}
    return shown | others


def test_the_list_gives_back_the_benchmarks(tmp_path) -> None:
    rows = [{"ctx": f"{n}", "endings": [*"abcd"[: 2 + n]], "label": 0} for n in range(3)]
    (tmp_path / "items").write_text("".join(json.dumps(row) + "\n" for row in rows))
    list_benchmarks(tmp_path / "list", [entry(tmp_path / "items"), entry(tmp_path / "items", lines=2)])
    whole, part = read_benchmarks(tmp_path / "list")
    assert [len(items) for _, items, _ in whole.subjects()] == [3]
    assert [len(items) for _, items, _ in part.subjects()] == [2]
    (tmp_path / "items").write_text("")
    with pytest.raises(DataError, match="items: its content has changed"):
        read_benchmarks(tmp_path / "list")


@pytest.mark.parametrize("edit", [("\t3\t", "\tthree\t"), ("items", "item"), ("chance", "luck")])
def test_a_list_that_was_edited_is_told(edit, tmp_path) -> None:
    rows = [{"ctx": f"{n}", "endings": [*"ab"], "label": 0} for n in range(3)]
    (tmp_path / "questions").write_text("".join(json.dumps(row) + "\n" for row in rows))
    listed = tmp_path / "list"
    list_benchmarks(listed, [entry(tmp_path / "questions")])
    listed.write_text(listed.read_text().replace(*edit))
    with pytest.raises(DataError, match=r"list: no list of benchmarks .*; remove the file"):
        read_benchmarks(listed)


def test_a_language_without_words_is_told_before_anything_is_asked(tmp_path) -> None:
    (tmp_path / "items").write_text('{"ctx": "C", "endings": ["a", "b"], "label": 0}\n')
    with pytest.raises(ConfigError, match=r"tasks/words.yaml has no words for 'xx'"):
        list_benchmarks(tmp_path / "list", [entry(tmp_path / "items", lang="xx")])
