"""A model of ours as lm-eval sees one, by any inference tokenizer.

lm-eval hands over all requests of its tasks at once, pairs of context and continuation, and is given
log-probabilities. Contexts are cut by what the inference tokenizer reads with, continuations by what it
predicts with. A context is a task's shots and the item itself; one that does not fit the model's context
loses whole shots from the front, then the beginning of the item. What is lost is counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lm_eval.api.instance import Instance
from lm_eval.api.model import LM

from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_batches import Fitted, fitted
from modtok.evaluation.inference_tokenizers import Cutter, parted
from modtok.evaluation.likelihood import Text


@dataclass
class Losses:
    """What contexts of a task have lost, a number for each of its requests that has a context."""

    shots: list[int] = field(default_factory=list)
    "shots that were left out"
    cut: list[bool] = field(default_factory=list)
    "whether the item itself lost its beginning"


class InferenceModel(LM):
    """An lm-eval model: lm_eval.evaluator.evaluate(InferenceModel(engine, cutter, shots, neutral), tasks).

    `shots`: what a task's contexts begin with, one after the other, by its name. `neutral`: the context that
    stands for an empty one, by which lm-eval asks what choices are worth by themselves; also by the name.
    """

    def __init__(
        self, engine: Engine, cutter: Cutter, shots: Mapping[str, Sequence[str]], neutral: Mapping[str, str]
    ) -> None:
        super().__init__()
        self.engine, self.cutter, self.shots, self.neutral = engine, cutter, shots, neutral
        self.losses: dict[str, Losses] = {}
        "by the task's name"

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        """Log-probability in nats of each request's continuation, and whether it is the likeliest."""
        names = [str(request.task_name) for request in requests]
        given = [bool(request.args[0]) for request in requests]
        pairs = [
            parted(request.args[0] or self.neutral[name], request.args[1])
            for name, request in zip(names, requests, strict=True)
        ]
        continuations = self.cutter.predicted([continuation for _, continuation in pairs])
        rooms = [max(0, self.engine.room(len(ids))) for ids in continuations]
        shots = [self.shots[name] if has else () for name, has in zip(names, given, strict=True)]
        contexts = self._contexts([context for context, _ in pairs], shots, rooms)
        for name, context, has in zip(names, contexts, given, strict=True):
            if has:
                own = self.losses.setdefault(name, Losses())
                own.shots.append(context.dropped)
                own.cut.append(context.cut > 0)
        answers = self.engine.score(
            [Text([*one.ids, *ids], len(one.ids)) for one, ids in zip(contexts, continuations, strict=True)]
        )
        return [(-float(answer.nats.sum()), answer.greedy) for answer in answers]

    def _contexts(
        self, texts: list[str], shots: Sequence[Sequence[str]], rooms: Sequence[int]
    ) -> list[Fitted]:
        """The ids of contexts that begin with shots, at most so many as there is room for."""
        texts, dropped, pending = list(texts), [0] * len(texts), list(range(len(texts)))
        found: dict[int, Fitted] = {}
        while pending:
            distinct = list(dict.fromkeys(texts[number] for number in pending))
            ids = dict(zip(distinct, self.cutter.target(distinct), strict=True))
            longer = []
            for number in pending:
                own, room = ids[texts[number]], rooms[number]
                if len(own) > room and dropped[number] < len(shots[number]):
                    texts[number] = texts[number].removeprefix(shots[number][dropped[number]])
                    dropped[number] += 1
                    longer.append(number)
                else:
                    item = fitted([], own, room)
                    found[number] = Fitted(item.ids, dropped[number], item.cut)
            pending = longer
        return [found[number] for number in range(len(texts))]

    def loglikelihood_rolling(self, requests: list[Instance]) -> list[float]:
        """Log-probability of whole texts, in windows of the model's context that overlap by half."""
        texts = [Text(ids) for ids in self.cutter.predicted([request.args[0] for request in requests])]
        return [-float(scores.nats.sum()) for scores in self.engine.scorer.score(texts)]

    def generate_until(self, requests: list[Instance]) -> list[str]:
        raise NotImplementedError("tasks of multiple choice ask for no text")
