"""What a model writes for each task, by the inference tokenizers that it has for it (paper section 6.1)."""

from collections.abc import Iterator, Sequence
from typing import Any

from modtok.evaluation.generation import generate
from modtok.evaluation.generation_files import TRANSLATION, Task, Written, records
from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_names import FULL, FULL_LANG, LANG, SPLIT, UNION, joined
from modtok.evaluation.inference_tokenizers import Cutter, inferences
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model

# Of a translation's prompt half is English, of a summary's nothing.
_INFERENCES = {TRANSLATION: (FULL, FULL_LANG, UNION, SPLIT)}
_MONOLINGUAL = (LANG, FULL, FULL_LANG)


def ask_generation(
    model: Model, subtokenizers: Subtokenizers, tasks: Sequence[Task], langs: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Lines of a model's JSONL, tasks of a set together; `langs`: the run's.

    write_jsonl(file, ask_generation(read_model(folder), Subtokenizers(tokenizer), tasks, ["en", "fi"]))
    """
    for kind in dict.fromkeys((task.name, task.dataset) for task in tasks):
        for task in (task for task in tasks if (task.name, task.dataset) == kind):
            yield from records(task, list(_written(model, subtokenizers, task, langs)))


def _written(
    model: Model, subtokenizers: Subtokenizers, task: Task, langs: Sequence[str]
) -> Iterator[Written]:
    own = None if subtokenizers.modular is None else subtokenizers.ids((task.lang,))
    for inference in inferences(subtokenizers, task.lang, langs):
        if inference.name in _INFERENCES.get(task.name, _MONOLINGUAL):
            cutter = Cutter(subtokenizers, inference)
            yield Written(
                task.name,
                task.dataset,
                task.lang,
                inference.name,
                joined(inference.chosen),
                len(cutter.chosen_S),
                list(task.items),
                generate(Engine(model, cutter.chosen_S), cutter, task, own),
            )
