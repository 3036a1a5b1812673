"""What models are to write and what they have written, on disk, as JSON lines.

results/generations/tasks.jsonl has a task a line. results/generations/{model}.jsonl has an item a line, to be
read and to be scored: `task`, `dataset`, `lang`, `line` of the item in its file, `read`, `reference`;
`outputs`, the text by inference tokenizer; and `details`, by the same, of each the fields of Output but the
text, `chosen`, the languages whose tokens the model chose among (empty for all), and `size`, their number.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from modtok.core.errors import DataError, require
from modtok.core.io import write_text

TRANSLATION, SUMMARIZATION = "translation", "summarization"


@dataclass(frozen=True)
class Example:
    """A shot, or an item of a task: Example("English: The dog.\\nFrench:", "Le chien.", 3)."""

    read: str
    "what the model is given; of translation it is English, of summarization in the language"
    written: str
    "what a person wrote: of an item the reference"
    line: int = 0
    "of the item in its file, from 0"
    limit: int = 0
    "characters of an output at most"


@dataclass(frozen=True)
class Task:
    """What is to be written in one language."""

    name: str
    "`translation` or `summarization`"
    dataset: str
    lang: str
    shots: tuple[Example, ...]
    items: tuple[Example, ...]


@dataclass(frozen=True)
class Output:
    """What a model wrote for an item."""

    text: str
    "one line, without spaces around it"
    tokens: int
    foreign: int | None
    "those of the tokens that are not in the language's own set; None for a tokenizer without sets"
    shots: int
    "that the prompt had"
    cut: bool
    "whether the item's own prompt lost its beginning"
    ended: bool
    "whether the model ended it; else the limit did"


@dataclass(frozen=True)
class Written:
    """What a model wrote for a task by one inference tokenizer."""

    task: str
    dataset: str
    lang: str
    inference: str
    chosen: str
    "languages whose tokens the model chose among, joined by +; empty for all"
    size: int
    "number of these tokens"
    items: list[Example]
    outputs: list[Output]
    "one for each item"


def write_tasks(path: Path, tasks: Iterable[Task]) -> None:
    """Write tasks as JSONL, one a line."""
    write_jsonl(path, map(asdict, tasks))


def read_tasks(path: Path) -> list[Task]:
    """Read what write_tasks wrote. Error: a line that is none of it, as after an edit by hand."""
    with path.open("rb") as file:
        return [_read_task(path, number, line) for number, line in enumerate(file, 1)]


def _read_task(path: Path, number: int, line: bytes) -> Task:
    try:
        row = json.loads(line)
        examples = {key: tuple(_example(**one) for one in row[key]) for key in ("shots", "items")}
        task = Task(**(row | examples))
        named = task.name in (TRANSLATION, SUMMARIZATION)
        named &= isinstance(task.dataset, str) and isinstance(task.lang, str)
        require(named and len(task.items) > 0, "no name of a task, a data set or a language, or no items")
    except (ValueError, KeyError, TypeError, RecursionError, DataError) as error:
        remedy = "remove the file, so that rule generation_tasks makes it again"
        raise DataError(f"{path}, line {number}: no task ({error}); {remedy}") from error
    return task


def _example(read: str, written: str, line: int, limit: int) -> Example:
    """Error: values of other types, as JSON may hold."""
    are_texts = isinstance(read, str) and isinstance(written, str)
    require(are_texts and type(line) is type(limit) is int, "an example's value is of another type")
    return Example(read, written, line, limit)


def write_jsonl(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write an object a line, atomically."""
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def records(task: Task, written: Sequence[Written]) -> Iterator[dict[str, Any]]:
    """The lines of a task; `written`: by each inference tokenizer."""
    for number, item in enumerate(task.items):
        outputs = {one.inference: one.outputs[number] for one in written}
        yield {
            "task": task.name,
            "dataset": task.dataset,
            "lang": task.lang,
            "line": item.line,
            "read": item.read,
            "reference": item.written,
            "outputs": {name: output.text for name, output in outputs.items()},
            "details": {one.inference: _details(one, outputs[one.inference]) for one in written},
        }


def _details(written: Written, output: Output) -> dict[str, Any]:
    values = {"chosen": written.chosen, "size": written.size} | asdict(output)
    return {name: value for name, value in values.items() if name != "text"}


def read_written(path: Path) -> list[Written]:
    """Read the lines of all tasks, in their order.

    Error: a line that is none of these, as after an edit by hand or in a file of before there were details.
    """
    found: dict[tuple[str, str, str, str], Written] = {}
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                _add_written(found, json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                what = f"not what a model has written ({type(error).__name__}: {error})"
                remedy = "remove the file, so that rule evaluate_model makes it again"
                raise DataError(f"{path}, line {number}: {what}; {remedy}") from error
    return list(found.values())


def _add_written(found: dict[tuple[str, str, str, str], Written], row: dict[str, Any]) -> None:
    """Add the outputs of a line to those of its task by the same inference tokenizers."""
    item = Example(row["read"], row["reference"], row["line"])
    for inference, details in row["details"].items():
        key = (row["task"], row["dataset"], row["lang"], inference)
        own = {name: details.pop(name) for name in ("chosen", "size")}
        one = found.setdefault(key, Written(*key, **own, items=[], outputs=[]))
        one.items.append(item)
        one.outputs.append(Output(row["outputs"][inference], **details))
