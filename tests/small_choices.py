"""Items of multiple choice, and the adapter over a small model that answers them."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from lm_eval.api.instance import Instance

from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_tokenizers import Cutter, Inference
from modtok.evaluation.multiple_choice_adapter import InferenceModel
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model

ITEM = {"question": "What does the dog eat?", "choices": ["bones", "the old house", "snow"], "gold": 0}
Loaded = tuple[Model, Subtokenizers]


def items(file: Path, count: int, first: int = 0, **others: object) -> Path:
    """Write `count` items that differ, from a number on."""
    rows = [
        {**ITEM, "question": f"{n} dogs see {n * n} cats. How many?", "gold": n % 3}
        for n in range(first, first + count)
    ]
    file.write_text("".join(json.dumps(row | others) + "\n" for row in rows))
    return file


def adapter(
    loaded: Loaded, inference: Inference, shots: Sequence[str] = (), neutral: str = "Answer:"
) -> InferenceModel:
    """The adapter for a task called `task`."""
    model, subtokenizers = loaded
    cutter = Cutter(subtokenizers, inference)
    return InferenceModel(Engine(model, cutter.chosen_S), cutter, {"task": shots}, {"task": neutral})


def asked(pairs: Iterable[tuple[str, str]]) -> list[Instance]:
    """Requests of lm-eval for pairs of context and choice."""
    return [Instance("loglikelihood", {}, pair, n, ("task", n, 1)) for n, pair in enumerate(pairs)]
