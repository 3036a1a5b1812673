"""Tasks and what was written for them come back from their files as they were."""

import json
import re
from dataclasses import replace

import pytest

from modtok.core.errors import DataError
from modtok.evaluation.generation_files import (
    SUMMARIZATION,
    TRANSLATION,
    Example,
    Output,
    Task,
    Written,
    read_tasks,
    read_written,
    records,
    write_jsonl,
    write_tasks,
)

ITEMS = (
    Example("English: One.\nFinnish:", "Yksi.", 2, 30),
    Example("English: Two.\nFinnish:", "Kaksi\u2028\u0085\r.", 5, 12),
)
TASK = Task(TRANSLATION, "set", "fi", (Example("English: Go.\nFinnish:", "Mene."),), ITEMS)
OTHER = Task(SUMMARIZATION, "wiki", "fi", (), ITEMS)
OUTPUTS = [Output("Yksi \t", 3, 1, 1, cut=False, ended=True), Output("", 0, 0, 0, cut=True, ended=False)]


def test_tasks_are_read_as_they_were_written(tmp_path) -> None:
    write_tasks(tmp_path / "tasks.jsonl", [TASK])
    assert read_tasks(tmp_path / "tasks.jsonl") == [TASK]
    assert (tmp_path / "tasks.jsonl").read_text().count("\n") == 1


@pytest.mark.parametrize(
    "edit",
    [
        ('"items"', '"item"'),
        ('"limit": 30', '"limit": "30"'),
        ('"read": "English: One', '"written": "English: One'),
        ('"translation"', "1"),
        ('"fi"', "null"),
        ("{", "", 1),
        ("\n", ""),
        ("}]", "}, {}]"),
    ],
    ids=["key", "number as text", "text twice", "name", "language", "brace", "line", "example"],
)
def test_tasks_that_were_edited_are_named(tmp_path, edit) -> None:
    file = tmp_path / "tasks.jsonl"
    write_tasks(file, [TASK])
    line = file.read_text()
    file.write_text(line + line.replace(*edit) + line)
    with pytest.raises(DataError, match=re.escape(f"{file}, line 2: no task")) as told:
        read_tasks(file)
    assert str(told.value).endswith("remove the file, so that rule generation_tasks makes it again")


def written(task: Task) -> list[Written]:
    """By a tokenizer with sets; items without what only prompts need."""
    items = [replace(item, limit=0) for item in task.items]
    of = (task.name, task.dataset, task.lang)
    return [
        Written(*of, "full", "", 900, items, OUTPUTS),
        Written(*of, "en-lang-union", "en+fi", 600, items, OUTPUTS[::-1]),
    ]


def test_what_was_written_is_read_as_it_was(tmp_path) -> None:
    file, both = tmp_path / "model.jsonl", (TASK, OTHER)
    write_jsonl(file, (row for task in both for row in records(task, written(task))))
    assert read_written(file) == [one for task in both for one in written(task)]
    first = json.loads(file.read_text(encoding="utf-8").split("\n")[0])
    assert (first["line"], first["reference"]) == (2, "Yksi.")
    assert first["outputs"] == {"full": "Yksi \t", "en-lang-union": ""}
    assert first["details"]["full"] == {
        "chosen": "",
        "size": 900,
        "tokens": 3,
        "foreign": 1,
        "shots": 1,
        "cut": False,
        "ended": True,
    }


@pytest.mark.parametrize(
    "edit",
    [
        ('"details"', '"detail"'),
        ('"size": 900, ', ""),
        ('"tokens": 3', '"token": 3'),
        ("{", "", 1),
        ("{", "[{"),
    ],
    ids=["before there were details", "detail", "of an output", "brace", "list"],
)
def test_lines_of_what_was_written_that_were_edited_are_named(tmp_path, edit) -> None:
    file = tmp_path / "model.jsonl"
    write_jsonl(file, records(TASK, written(TASK)))
    first, second = file.read_text(encoding="utf-8").splitlines(keepends=True)[:1] * 2
    file.write_text(first + second.replace(*edit), encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(f"{file}, line 2: not what a model has written")) as told:
        read_written(file)
    assert str(told.value).endswith("remove the file, so that rule evaluate_model makes it again")
    assert "\n" not in str(told.value)
