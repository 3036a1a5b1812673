"""Texts that a model writes after a few examples, always the likeliest token (paper section 6.1).

A prompt is lines: of each shot what is read and, after a space, what is written; then what the item reads.
So an output ends with its line, whatever the tokenizer; or at </s>, or at its limit of characters. None
begins with its end: small models often know nothing better, and an output without text says nothing. A
prompt that is too long for the model's context loses shots, the first ones first, then its own beginning:
both are counted.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modtok.core.errors import DataError, require
from modtok.core.io import write_text
from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_batches import fitted
from modtok.evaluation.inference_tokenizers import Cutter
from modtok.modelling.architecture import END

Ids = NDArray[np.int64]
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
    foreign: int
    "those of the tokens that are not in the language's own set; 0 for a tokenizer without sets"
    shots: int
    "that the prompt had"
    cut: bool
    "whether the item's own prompt lost its beginning"
    ended: bool
    "whether the model ended it; else the limit did"


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


def generate(engine: Engine, cutter: Cutter, task: Task, own: Ids | None = None) -> list[Output]:
    """What the model writes for each item; `own`: the ids of the language's set, by which tokens are foreign.

    generate(Engine(model, cutter.chosen_S), cutter, task, modular.ids(["fr"]))
    """
    # A token spells a character at least; of byte tokens an output then holds fewer characters.
    most = min(max(item.limit for item in task.items), engine.room(0) // 2)
    shots = prompt_ids(cutter, task.shots)
    items = cutter.source([item.read for item in task.items])
    prompts = [fitted(shots, item, engine.room(most)) for item in items]
    limits = [item.limit for item in task.items]

    def finished(number: int, ids: list[int]) -> bool:
        text = cutter.decode(ids)
        return "\n" in text or len(text) > limits[number]

    ends = [END, *cutter.predicted(["\n"])[0]]
    made = engine.generate([prompt.ids for prompt in prompts], most, finished, ends)
    return [
        _output(cutter, task.items[number], ids, most, own, len(task.shots) - prompt.dropped, prompt.cut > 0)
        for number, (prompt, ids) in enumerate(zip(prompts, made, strict=True))
    ]


def _output(
    cutter: Cutter, item: Example, ids: list[int], most: int, own: Ids | None, shots: int, cut: bool
) -> Output:
    line, end, _ = cutter.decode(ids).partition("\n")
    too_long = len(line) > item.limit or (len(ids) == most and not end)
    foreign = 0 if own is None else int((~np.isin(ids, own)).sum())
    return Output(line[: item.limit].strip(), len(ids), foreign, shots, cut, ended=not too_long)


def prompt_ids(cutter: Cutter, shots: Sequence[Example]) -> list[list[int]]:
    """The ids of each shot, a line's end behind it."""
    read = cutter.source([shot.read for shot in shots])
    written = cutter.target([f" {shot.written}\n" for shot in shots])
    return [[*before, *after] for before, after in zip(read, written, strict=True)]
