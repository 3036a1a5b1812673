"""What the vocabulary in the CPU's memory costs a step of training (paper section 6.4, Appendix E).

| metric | what | unit |
|---|---|---|
| device_seconds | a step on the device, rows at hand and the CPU idle | s |
| offloaded_seconds | the CPU's work for a step, the device idle: an update, the next rows, copies | s |
| step_seconds | a step of training, where both go on at once | s |

Medians over steps; `low` and `high` are the fastest and the slowest. Weights and tokens are random, and each
language has as many rows as the budget allows, none of them shared: what a step takes depends on the numbers
of rows alone. What does not fit the memory or the time has the metric `left_out` instead.

# Shape suffixes: B batch, L sequence, S active vocabulary, P languages of a step.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter

import numpy as np
import torch

from modtok.core.errors import UserError, require
from modtok.core.metrics import ALL, Metric
from modtok.evaluation.latency import Device
from modtok.modelling.architecture import Architecture
from modtok.modelling.batches import Batch
from modtok.modelling.forecast import check_need
from modtok.modelling.offload import OffloadedRows
from modtok.modelling.regimes import Draw
from modtok.modelling.settings import LAZY, Settings
from modtok.modelling.training import Trainer

DEVICE, OFFLOADED, STEP = "device_seconds", "offloaded_seconds", "step_seconds"
LEFT_OUT = "left_out"
_PROBE = {"cpu": 64}
"tokens of a step from which the time of all is foretold; on a GPU a whole sequence"


@dataclass(frozen=True)
class OffloadMetric(Metric):
    """A metric of a step; `vocabulary_size` is that of all languages held, `n` the number of steps."""

    model: str
    "name of models.tsv"
    batch: int
    "sequences of the step"
    others: int
    "languages that it has beside its own"
    languages: int
    "that the CPU's memory holds"
    device: str


@dataclass(frozen=True)
class Plan:
    """What is to be timed."""

    settings: Settings
    "of a training; model and batch are those of the case"
    batches: Sequence[int]
    others: Sequence[int]
    languages: Sequence[int]
    "the first model is timed with each of these numbers, the others with the first alone"
    budget: int
    "rows of a language"
    steps: int
    hours: float
    "that the timing of a case may take"

    def cases(self, models: Sequence[str]) -> Iterator["Case"]:
        """Every case, models first."""
        for place, model in enumerate(models):
            for languages in self.languages if place == 0 else self.languages[:1]:
                for batch in self.batches:
                    for others in self.others:
                        yield Case(model, batch, others, languages)


@dataclass(frozen=True)
class Case:
    """A model, and the rows of its vocabulary."""

    model: str
    batch: int
    others: int
    languages: int

    def __str__(self) -> str:
        return f"{self.model}, batch {self.batch}, {self.others} other languages of {self.languages}"


def offload_metrics(models: Mapping[str, str], plan: Plan, seed: int) -> list[OffloadMetric]:
    """All metrics, by case. The device is printed; a case that is left out is told on stderr.

    offload_metrics({"1B": "d=2048,layers=20"}, plan, seed=1)
    """
    device = Device.found()
    print(f"device: {device}", flush=True)
    return [
        metric
        for case in plan.cases([*models])
        for metric in _metrics(case, plan, device, _times(case, models[case.model], plan, device, seed))
    ]


def _times(case: Case, shape: str, plan: Plan, device: Device, seed: int) -> dict[str, list[float]]:
    """Seconds by metric; LEFT_OUT alone where the machine does not hold the case."""
    try:
        return _Steps(case, shape, plan, device, seed).times()
    except UserError as error:
        print(f"{case}: left out: {error}", file=sys.stderr, flush=True)
        return {LEFT_OUT: []}


def _metrics(
    case: Case, plan: Plan, device: Device, times: Mapping[str, Sequence[float]]
) -> Iterator[OffloadMetric]:
    for name, seconds in times.items():
        low, high = (min(seconds), max(seconds)) if seconds else (None, None)
        value, unit = (median(seconds), "s") if seconds else (1, "case")
        what = ("", case.languages * plan.budget, ALL, "", name, value, low, high, unit, len(seconds))
        yield OffloadMetric(*what, **vars(case), device=str(device))


class _Steps:
    """The steps of a case. Error: more memory than there is."""

    def __init__(self, case: Case, shape: str, plan: Plan, device: Device, seed: int) -> None:
        self.case, self.plan, self.device = case, plan, device
        self.rng = np.random.default_rng(seed)
        active = (1 + case.others) * plan.budget
        self.settings = _settings(plan.settings, shape, case.batch, active)
        architecture = Architecture(self.settings.shape, case.languages * plan.budget, self.settings.tied)
        check_need(self.settings, architecture, active, device.place)
        self.trainer = Trainer(self.settings, architecture, seed, device.place)
        assert isinstance(self.trainer.vocabulary, OffloadedRows)
        self.rows = self.trainer.vocabulary
        for moments in self.rows.moments.values():
            moments.fill_(0.0)  # memory that nothing was written to is not held

    def times(self) -> dict[str, list[float]]:
        """Seconds of each step, by metric. Error: more hours than there are."""
        self._foretell()
        self._together(1)
        steps = range(self.plan.steps)
        device = [self._on_device() for _ in steps]
        offloaded = [self._offloaded() for _ in steps]
        return {DEVICE: device, OFFLOADED: offloaded, STEP: self._together(self.plan.steps)}

    def _foretell(self) -> None:
        """Error: from a small step it can be seen that the others take too long."""
        length = min(
            _PROBE.get(self.device.place.type, self.settings.shape.context), self.settings.shape.context
        )
        small = self._batch(1, length)
        seconds = min(self.trainer.step(0, small).seconds_model for _ in range(2))
        steps = (3 * self.plan.steps + 2) * self.settings.tokens_per_step / length
        hours = steps * seconds / 3600
        limit = f"evaluation.offload.hours is {self.plan.hours:g}"
        require(
            hours <= self.plan.hours, f"it would take {hours:.1f} hours, {limit}; raise that, or take a GPU"
        )

    def _batch(self, sequences: int, length: int) -> Batch:
        """Random tokens in random languages."""
        langs_P = np.sort(self.rng.choice(self.case.languages, 1 + self.case.others, replace=False))
        ids_S = (langs_P[:, None] * self.plan.budget + np.arange(self.plan.budget)).ravel()
        return Batch(Draw("", 0, None), ids_S, self.rng.integers(0, len(ids_S), (sequences, length + 1)))

    def _whole(self) -> Batch:
        return self._batch(self.case.batch, self.settings.shape.context)

    def _seconds(self, batch: Batch, following: Batch | None = None) -> float:
        started = perf_counter()
        self.trainer.step(0, batch, following)
        self.device.wait()
        return perf_counter() - started

    def _on_device(self) -> float:
        """A step whose rows are there, and which leaves its update for later."""
        batch = self._whole()
        self.rows.finish()
        self.rows.ahead(torch.from_numpy(batch.ids_S))
        self.rows.wait()
        return self._seconds(batch)

    def _offloaded(self) -> float:
        """The update of a step, its gradients made up, and the rows of the next one."""
        own_S, next_S = (torch.from_numpy(self._batch(1, 1).ids_S) for _ in range(2))
        self.rows.finish()
        rows = self.rows.gather(own_S)
        for row in rows.tables.values():
            row.grad = torch.full_like(row, 1e-3)
        self.device.wait()
        started = perf_counter()
        self.rows.update(own_S, rows, 0.0)
        self.rows.ahead(next_S)
        self.rows.wait()
        seconds = perf_counter() - started
        self.rows.gather(next_S)
        return seconds

    def _together(self, steps: int) -> list[float]:
        """Steps as in a training. The first has no late update beside it, and the last no next rows."""
        made = [self._whole() for _ in range(steps + 2)]
        following = [*made[1:], None]
        return [self._seconds(*pair) for pair in zip(made, following, strict=True)][1:-1]


def _settings(settings: Settings, shape: str, batch: int, active: int) -> Settings:
    """Those of a training that are timed: as many sequences at once, and logits of one position at least."""
    at_once = min(batch, settings.batch // settings.accumulation)
    odd = f"a batch of {batch} is no multiple of {at_once}, pretraining.batch by pretraining.accumulation"
    require(batch % at_once == 0, f"{odd}; take another one")
    logits = max(active, settings.max_logits)
    return replace(
        settings,
        model=shape,
        batch=batch,
        accumulation=batch // at_once,
        max_logits=logits,
        rows=LAZY,
        offload=1,
    )
