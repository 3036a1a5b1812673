"""How fast this machine trains and computes, from steps of the run's model that are timed.

A training step has six operations for each parameter that a token is multiplied with, a forward pass two; to
these come attention's. Active rows are timed apart from the body, in as many as the run has: what they take
depends on caches and on `max_logits`, and is more than their operations say. The timed steps are of the
configured shape, made smaller where they would take too long.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from modtok.core.model_shapes import ModelShape
from modtok.modelling.settings import Settings, settings_of

CPU_OPERATIONS = 2e10
"a second of one core, where torch is not installed and no step can be timed"
TIMED_OPERATIONS = 3e10
"of each step that is timed"
TIMED_NUMBERS = 12e6
"of a table of rows in a timed step"
FEW_ROWS = 256
"beside which only the body counts"
TRAINED = 3
"times the operations of a forward pass that a step of training has"


@dataclass(frozen=True)
class Speed:
    """What training takes, and where: on the GPU of this machine, or on one core."""

    operations: float
    "a second, of a model's body"
    on_gpu: bool = False
    timed: bool = False
    products: float | None = None
    "operations a second of large products of matrices, in models that are wider; None: the same"
    rows: tuple[tuple[float, float], ...] = ()
    "numbers of active rows, ascending, and what they took of a step, in seconds for each token"

    def row_seconds(self, active: float, width: int) -> float:
        """What active rows of the run's width take of a training step, for each token."""
        if not self.rows:
            return TRAINED * 2 * active * width / self.operations
        sizes, seconds = zip(*self.rows, strict=True)
        beyond = max(1.0, active / sizes[-1])
        return beyond * float(np.interp(active, (0, *sizes), (0, *seconds)))


def settings(config: Mapping[str, Any]) -> Settings:
    """The settings of a run's trainings."""
    section = config["pretraining"]
    return settings_of({field.name: section[field.name] for field in fields(Settings)})


def operations(shape: ModelShape, active: float) -> float:
    """Of a forward pass for one token, with so many active rows and half a context before it."""
    return (
        2 * (shape.matrix_parameters + active * shape.width) + 2 * shape.layers * shape.width * shape.context
    )


def time_training(config: Mapping[str, Any], active: Iterable[float]) -> Speed:
    """Time training steps of the run's model, or of a smaller one, with few rows and with those `active`."""
    try:
        import torch

        from modtok.modelling.architecture import Architecture
        from modtok.modelling.device import find_device
        from modtok.modelling.training import Trainer
    except ImportError:
        return Speed(CPU_OPERATIONS)
    device = find_device()
    on_gpu = device.type == "cuda"
    most = int(TIMED_NUMBERS / settings(config).shape.width)
    sizes = sorted({FEW_ROWS, *(max(2 * FEW_ROWS, min(int(rows), most)) for rows in active)})
    given = smaller(settings(config), sizes[-1], TIMED_OPERATIONS * (1000 if on_gpu else 1))
    trainer = Trainer(given, Architecture(given.shape, sizes[-1], given.tied), 1, device)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    few, *more = (min(_timed_step(trainer, number, rows) for number in range(3)) for rows in sizes)
    products = _time_products(device)
    torch.set_num_threads(threads)
    done = given.tokens_per_step
    rows = tuple(
        (float(size), max(0.0, took - few) / done) for size, took in zip(sizes[1:], more, strict=True)
    )
    body = TRAINED * operations(given.shape, FEW_ROWS) * done / few
    return Speed(body, on_gpu, timed=True, products=products, rows=rows)


def _time_products(device: Any) -> float:
    """Operations a second of a product such as a layer of a wide model has."""
    import torch

    left_LD, right_DE = torch.ones(256, 1024, device=device), torch.ones(1024, 4096, device=device)
    clock, seconds = _clock(device), []
    for _ in range(5):
        start = clock()
        (left_LD @ right_DE).sum().item()  # a GPU is waited for
        seconds.append(clock() - start)
    return 2 * 256 * 1024 * 4096 / min(seconds)


def _clock(device: Any) -> Callable[[], float]:
    """Processor time where that works: other processes do not count then."""
    return time.process_time if device.type == "cpu" else time.perf_counter


def smaller(given: Settings, rows: int, most: float) -> Settings:
    """Settings whose step has some `most` operations: fewer sequences, then layers, then context."""
    shape = given.shape

    def step(shape: ModelShape, batch: int) -> float:
        return TRAINED * operations(shape, rows) * batch * shape.context

    batch = max(1, min(given.batch, int(most / step(shape, 1))))
    while step(shape, batch) > most and shape.layers > 1:
        shape = replace(shape, layers=(shape.layers + 1) // 2)
    while step(shape, batch) > most and shape.context > 32:
        shape = replace(shape, context=shape.context // 2)
    written = ",".join(f"{key}={value}" for key, value in vars(shape).items())
    return replace(given, model=written, batch=batch, accumulation=1, compile=False)


def _timed_step(trainer: Any, number: int, rows: int) -> float:
    from modtok.modelling.batches import Batch
    from modtok.modelling.regimes import Draw

    shape = (trainer.settings.batch, trainer.settings.shape.context + 1)
    random = np.random.default_rng(number)
    batch = Batch(Draw("en", number, None), np.arange(rows), random.integers(0, rows, shape))
    clock = _clock(trainer.device)
    start = clock()
    trainer.step(number, batch)
    return clock() - start
