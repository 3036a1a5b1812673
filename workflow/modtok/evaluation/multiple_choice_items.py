"""Items of multiple choice, from the JSON lines that public data sets have.

| what | fields, the first that is there |
|---|---|
| question | `ctx_a` and `ctx_b` (HellaSwag), `question`, `goal`, `ctx`, `query` |
| what stands before it | `context` (Social IQa), and apart from it `flores_passage` or `passage` (Belebele) |
| choices | `choices`, a list or `{text: […]}`; `endings`; `mc_answer1` …; `answerA` …; `sol1`, `sol2` |
| the right one | `gold`, `label`, `answer`, `answerKey`, `correct_answer_num`: place from 0, or label |
| subject | `subject` (MMLU), of which each has shots and a score of its own |

A label is one of the item's own (`labels`, or `label` among its choices), else A …, or for Social IQa and
Belebele 1 …, of which a number is one, too; but `gold` is a place.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from modtok.core.errors import ConfigError, DataError, require
from modtok.core.texts import decode, line_blocks

QUESTIONS = ("question", "goal", "ctx", "query")
PASSAGES = ("flores_passage", "passage")
GOLDS = ("gold", "label", "answer", "answerKey", "correct_answer_num")
NUMBERED = [
    [f"mc_answer{number}" for number in range(1, 5)],
    ["answerA", "answerB", "answerC"],
    ["sol1", "sol2"],
]
"names of choices in fields of their own"


@dataclass(frozen=True)
class Item:
    """A question and its choices: Item("How many legs has a hen?", ("two", "six"), 0)."""

    question: str
    choices: tuple[str, ...]
    gold: int
    "place of the right choice"
    passage: str = ""
    subject: str = ""

    def document(self, words: Sequence[str]) -> dict[str, Any]:
        """What the templates in tasks/ are filled with; `words`: those for "Question" and "Answer"."""
        ask, reply = words
        return {**asdict(self), "choices": list(self.choices), "ask": ask, "reply": reply}


def read_items(file: Path, most: int | None = None) -> list[Item]:
    """The items of a JSONL file, compressed or not, `most` of them at most, from its beginning.

    Errors: no such file, no item, a line that is none.

    read_items(Path("arc_easy.en.jsonl"))[0].choices
    """
    remedy = "mend its path in evaluation.multiple_choice, or leave the task out"
    require(file.is_file(), f"{file}: no such file; {remedy}", ConfigError)
    items: list[Item] = []
    lines = (line for block in line_blocks(file) for line in block.split(b"\n"))
    for number, line in enumerate(lines, 1):
        if line.strip() and (most is None or len(items) < most):
            items.append(_item(f"{file}, line {number}", decode(line)[0]))
    require(len(items) > 0, f"{file}: no item in it; {remedy}")
    return items


def _item(where: str, line: str) -> Item:
    """Error: a line without one of the fields, or with a right choice that is none."""
    try:
        row = json.loads(line)
        require(isinstance(row, dict), f"{where}: no JSON object")
        choices = _choices(row)
        item = Item(_question(row), tuple(choices), _gold(row, choices), _first(row, PASSAGES, ""))
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        message = f"{where}: not an item of multiple choice ({type(error).__name__}: {error})"
        raise DataError(f"{message}; it needs a question, choices and the right one") from error
    require(len(choices) > 1 and all(choices), f"{where}: fewer than two choices, or an empty one")
    # lm-eval asks with an empty context what a choice is worth by itself.
    require(bool(item.question.strip()), f"{where}: an empty question; remove the line")
    return replace(item, subject=_text(str(row.get("subject", ""))))


def _first(row: Mapping[str, Any], names: Sequence[str], default: str | None = None) -> str:
    """The text of the first field that is there. Error: none is."""
    for name in names:
        if name in row:
            return _text(row[name])
    if default is None:
        raise KeyError(f"none of {', '.join(names)}")
    return default


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    # JSON may hold half a surrogate pair, which is no text.
    return value.encode("utf-8", "replace").decode()


def _question(row: Mapping[str, Any]) -> str:
    if "ctx_a" in row:
        return _hellaswag(row)
    question = _first(row, QUESTIONS).removeprefix("Question: ")
    if "subject" in row:  # as in OLMES, which takes all other texts as they are
        question = question.strip()
    return f"{_text(row['context'])} {question}" if "context" in row else question


def _hellaswag(row: Mapping[str, Any]) -> str:
    """The beginning of a HellaSwag story, as OLMES puts it together."""
    story = _plain(f"{_text(row['ctx_a'])} {_text(row['ctx_b']).capitalize()}")
    return f"{_text(row['activity_label'])}: {story}" if "activity_label" in row else story


def _plain(text: str) -> str:
    """Text of WikiHow without its marks: `[title]` ends a sentence, others go."""
    text = text.strip().replace(" [title]", ". ")
    return re.sub(r"\[.*?\]", "", text).replace("  ", " ").strip()


def _choices(row: Mapping[str, Any]) -> list[str]:
    if "endings" in row:
        return [_plain(ending) for ending in _texts(row["endings"])]
    if "choices" in row:
        return _texts(row["choices"]["text"] if isinstance(row["choices"], dict) else row["choices"])
    names = next((names for names in NUMBERED if names[0] in row), None)
    if names is None:
        raise KeyError("no choices")
    return [_text(row[name]) for name in names]


def _texts(listed: Any) -> list[str]:
    """Error: a text, whose characters would pass for choices."""
    if not isinstance(listed, list):
        raise TypeError(f"choices are {listed!r}, no list")
    return [_text(choice) for choice in listed]


def _gold(row: Mapping[str, Any], choices: Sequence[str]) -> int:
    """The place of the right choice."""
    name = next((name for name in GOLDS if name in row), None)
    if name is None:
        raise KeyError(f"none of {', '.join(GOLDS)}")
    gold = row[name]
    if isinstance(gold, bool) or not isinstance(gold, str | int):
        raise TypeError(f"{name} is {gold!r}, neither a place nor a label")
    labels, is_label = _labels(row, len(choices)), name != "gold" and _from_one(row)
    if (is_label or isinstance(gold, str)) and str(gold) in labels:
        place = labels.index(str(gold))
    elif is_label or not re.fullmatch(r"\s*-?\d+\s*", str(gold)):
        raise ValueError(f"{name} is {gold!r}, of labels {', '.join(labels)}")
    else:
        place = int(gold)
    # an item may have more labels than choices
    if place not in range(len(choices)):
        raise ValueError(f"{name} is {gold!r}, of {len(choices)} choices")
    return place


def _labels(row: Mapping[str, Any], count: int) -> list[str]:
    """What choices are called."""
    listed = row.get("choices")
    if isinstance(listed, dict) and "label" in listed:
        return [str(label) for label in listed["label"]]
    if "labels" in row:
        return [str(label) for label in row["labels"]]
    return [str(number + 1) if _from_one(row) else chr(ord("A") + number) for number in range(count)]


def _from_one(row: Mapping[str, Any]) -> bool:
    """Whether a number is a label from 1, as in Social IQa and Belebele; elsewhere it is a place from 0."""
    return "answerA" in row or "correct_answer_num" in row
