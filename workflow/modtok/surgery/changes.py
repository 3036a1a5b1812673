"""changes.json: what became of each row, for people and for whoever has a model of the old vocabulary.

| key | what |
|---|---|
| `vocabulary_size`, `same_ids` | rows; those that hold the same token as before |
| `retained` | ranges [first, last] of ids that hold the same token as before |
| `deleted` | id, surface, text, scripts, why: `reset`, `script`, or `closure` (made of rows of the reset) |
| `restored` | ids of candidates that stay since a token that stays is made of them |
| `inserted` | id, surface, text, why: `base`, `donor`, or `step` (on the way to one); `parts`, `was` |
| `revived` | ids of tokens that were unreachable before and have a merge now |

`surface` is what tokenizer.json has, `text` null where the token is no UTF-8 by itself. `parts`: the ids that
the token is merged of; `was`: the ids that its bytes had before.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from modtok.core.io import write_text
from modtok.surgery.operation import Operation
from modtok.surgery.scripts import Scripts
from modtok.tokenization.alphabet import surface_of, text_of
from modtok.tokenization.ranked_encoder import RankedEncoder

CHANGES = "changes.json"


def changes(done: Operation, scripts: Mapping[int, Scripts]) -> dict[str, Any]:
    """The content of changes.json; `scripts`: of the tokens before."""
    return {
        "vocabulary_size": len(done.after.surfaces),
        "same_ids": done.same_ids,
        "retained": ranges(done.retained),
        "deleted": list(_deleted(done, scripts)),
        "restored": sorted(done.deletion.restored),
        "inserted": list(_inserted(done)),
        "revived": sorted(done.inserted.revived),
    }


def ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Sorted numbers as [first, last] of each unbroken run. ranges([1, 2, 3, 7]) -> [[1, 3], [7, 7]]."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs


def _deleted(done: Operation, scripts: Mapping[int, Scripts]) -> Iterator[dict[str, Any]]:
    reset, closure = set(done.reset), set(done.deletion.closure)
    for number in sorted(done.deletion.deleted):
        why = "closure" if number in closure else "reset" if number in reset else "script"
        named = _named(number, done.before.tokens[number])
        yield {**named, "scripts": sorted(scripts.get(number, ())), "why": why}


def _inserted(done: Operation) -> Iterator[dict[str, Any]]:
    parts = {result: [left, right] for left, right, result in done.inserted.merges}
    asked = set(done.inserted.surfaces)
    encoder = RankedEncoder(done.before.table)
    for number, token in sorted(done.inserted.tokens.items()):
        why = "base" if number in done.base else "donor" if token in asked else "step"
        # a pre-token that was a token is one with `ignore_merges`, though merging may not reach it
        old = done.before.ids.get(token)
        was = encoder.encode(done.before.units(token)) if old is None else [old]
        yield {**_named(number, token), "why": why, "parts": parts[number], "was": was}


def _named(number: int, token: bytes) -> dict[str, Any]:
    return {"id": number, "surface": surface_of(token), "text": text_of(token)}


def write_changes(path: Path, content: Mapping[str, Any]) -> None:
    """Write changes.json, one row of a list on a line."""
    entries = (f"{json.dumps(key)}: {_value(value)}" for key, value in content.items())
    write_text(path, "{\n" + ",\n".join(entries) + "\n}\n")


def _value(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)
