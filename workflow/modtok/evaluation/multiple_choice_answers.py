"""What a model makes of each choice of each item of multiple choice, by each inference tokenizer.

lm-eval's tasks build the requests, as in lm_eval.evaluator.evaluate, which would score them, too. The columns
are those of answers.MULTIPLE_CHOICE.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from lm_eval.api.instance import Instance
from lm_eval.api.task import ConfigurableTask
from numpy.typing import NDArray

from modtok.evaluation.answers import Answers
from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_names import SPLIT, joined
from modtok.evaluation.inference_tokenizers import Cutter, inferences
from modtok.evaluation.multiple_choice_adapter import InferenceModel, Losses
from modtok.evaluation.multiple_choice_tasks import Benchmark, lm_eval_tasks, shot_texts
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model

Response = tuple[float, bool]
"log-likelihood of a continuation, and whether it is the likeliest"


def ask_multiple_choice(
    model: Model, subtokenizers: Subtokenizers, benchmarks: Sequence[Benchmark], langs: Sequence[str]
) -> Iterator[Answers]:
    """A group for each language, inference tokenizer, task and subject; `langs`: the run's.

    ask_multiple_choice(read_model(folder), Subtokenizers(tokenizer), read_benchmarks(file), ["en"])
    """
    for lang in dict.fromkeys(benchmark.lang for benchmark in benchmarks):
        own = [benchmark for benchmark in benchmarks if benchmark.lang == lang]
        asked = _Asked(own)
        for inference in inferences(subtokenizers, lang, langs):
            if inference.name != SPLIT:
                cutter = Cutter(subtokenizers, inference)
                named = {"inference": inference.name, "chosen": joined(inference.chosen)}
                yield from asked.of(Engine(model, cutter.chosen_S), cutter, named)


class _Asked:
    """The requests of a language's tasks, which are the same for all inference tokenizers."""

    def __init__(self, benchmarks: Sequence[Benchmark]) -> None:
        tasks = [(one, subject, task) for one in benchmarks for subject, task in lm_eval_tasks(one).items()]
        self.keys = {
            task.task_name: {"task": one.task, "lang": one.lang, "subject": subject}
            for one, subject, task in tasks
        }
        self.neutral = {task.task_name: one.neutral for one, _, task in tasks}
        self.tasks: list[ConfigurableTask] = [task for _, _, task in tasks]
        self.shots = {task.task_name: shot_texts(task) for task in self.tasks}
        for task in self.tasks:
            task.build_all_requests()

    def of(self, engine: Engine, cutter: Cutter, named: dict[str, str]) -> Iterator[Answers]:
        """All answers by one inference tokenizer."""
        asked = InferenceModel(engine, cutter, self.shots, self.neutral)
        requests = [request for task in self.tasks for request in task.instances]
        responses = iter(asked.loglikelihood(requests))
        for task in self.tasks:
            name = task.task_name
            values = _values(task.instances, [next(responses) for _ in task.instances])
            values |= _losses(asked.losses[name], len(self.shots[name]))
            yield Answers(self.keys[name] | named | {"size": len(cutter.chosen_S)}, values)


def _values(requests: Sequence[Instance], responses: Sequence[Response]) -> dict[str, NDArray[Any]]:
    """What was found likely; after an item's choices may come the same without a context."""
    found = {(one.doc_id, one.idx): response for one, response in zip(requests, responses, strict=True)}
    choices = [(one.doc_id, one.idx, len(one.doc["choices"])) for one in requests if one.args[0]]
    rows = [found[item, place] for item, place, _ in choices]
    alone = [found[key] for item, place, count in choices if (key := (item, place + count)) in found]
    values = {
        "item": np.array([item for item, _, _ in choices]),
        "choice": np.array([place for _, place, _ in choices]),
        "log_likelihood": np.array([nats for nats, _ in rows]),
        "greedy": np.array([greedy for _, greedy in rows]),
    }
    return values | ({"neutral": np.array([nats for nats, _ in alone])} if alone else {})


def _losses(losses: Losses, shots: int) -> dict[str, NDArray[Any]]:
    """What the contexts of a subject's choices had room for."""
    return {"shots": shots - np.array(losses.shots), "cut": np.array(losses.cut)}
