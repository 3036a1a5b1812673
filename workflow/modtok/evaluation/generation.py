"""Texts that a model writes after a few examples, always the likeliest token (paper section 6.1).

A prompt is lines: of each shot what is read and, after a space, what is written; then what the item reads.
So an output ends with its line, whatever the tokenizer; or at </s>, or at its limit of characters. None
begins with its end: small models often know nothing better, and an output without text says nothing. A
prompt that is too long for the model's context loses shots, the first ones first, then its own beginning:
both are counted.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from modtok.evaluation.generation_files import Example, Output, Task
from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_batches import fitted
from modtok.evaluation.inference_tokenizers import Cutter
from modtok.modelling.architecture import END

Ids = NDArray[np.int64]


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
    foreign = None if own is None else int((~np.isin(ids, own)).sum())
    return Output(line[: item.limit].strip(), len(ids), foreign, shots, cut, ended=not too_long)


def prompt_ids(cutter: Cutter, shots: Sequence[Example]) -> list[list[int]]:
    """The ids of each shot, a line's end behind it."""
    read = cutter.source([shot.read for shot in shots])
    written = cutter.target([f" {shot.written}\n" for shot in shots])
    return [[*before, *after] for before, after in zip(read, written, strict=True)]
