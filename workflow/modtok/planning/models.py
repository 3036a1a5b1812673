"""What training the run's models will take, from operations counted and a step that was timed.

A training step has six operations for each parameter that a token is multiplied with, a forward pass two; to
these come attention's. The timed step is of the configured shape, made smaller where it would take too long.
Hours on a GPU that is not there are those of one that does GPU_OPERATIONS.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from modtok.core.model_names import BASELINE, ModelName, Regime
from modtok.core.model_shapes import ModelShape
from modtok.modelling.settings import Settings, settings_of
from modtok.planning.costs import Estimate
from modtok.planning.drivers import tokens
from modtok.planning.run import Job
from modtok.planning.workload import KNOWN_SCRIPT, Workload

GPU_OPERATIONS = 4e14
"a second: an H100 at 40 % of what it can do in bfloat16"
CPU_OPERATIONS = 2e10
"a second of one core, where torch is not installed and no step can be timed"
TIMED_OPERATIONS = 3e10
"of the step that is timed"
BYTES_A_TOKEN = 4.5
LOADED_MB, GPU_LOADED_MB = 450.0, 1500.0
"memory of a process that has loaded torch, and of one that uses a GPU"
OWN_SHARE = 0.5
"of the sampled steps that are in the language's own subtokenizer"


@dataclass(frozen=True)
class Speed:
    """Operations a second in training, and where: on the GPU of this machine, or on one core."""

    operations: float
    on_gpu: bool = False
    timed: bool = False


def settings(config: Mapping[str, Any]) -> Settings:
    """The settings of a run's trainings."""
    section = config["pretraining"]
    return settings_of({field.name: section[field.name] for field in fields(Settings)})


def operations(shape: ModelShape, active: float) -> float:
    """Of a forward pass for one token, with so many active rows and half a context before it."""
    return (
        2 * (shape.matrix_parameters + active * shape.width) + 2 * shape.layers * shape.width * shape.context
    )


def mean_active(name: ModelName, work: Workload) -> float:
    """Active rows of a step on average."""
    regime, own, full = Regime(name.regime), float(work.budget), tokens(name.tokenizer, work)
    if name.regime == BASELINE:
        return full
    if regime.sampled is None:
        return own
    sampled = full if regime.others is None else own * (1 + KNOWN_SCRIPT * regime.others)
    late = regime.start + (1 - regime.start) * OWN_SHARE
    return late * own + (1 - late) * min(sampled, full)


def largest_active(name: ModelName, work: Workload) -> float:
    """Active rows of a step at most."""
    regime, full = Regime(name.regime), tokens(name.tokenizer, work)
    if name.regime == BASELINE or (regime.sampled and regime.others is None):
        return full
    return min(full, work.budget * (1.0 + (regime.others or 0)))


def estimate_training(job: Job, work: Workload, speed: Speed) -> Estimate:
    """A job of the rule pretrain."""
    from modtok.modelling.architecture import Architecture

    given, name = settings(work.config), ModelName.parse(job.wildcards["trained"])
    rows = int(tokens(name.tokenizer, work))
    active = mean_active(name, work)
    wanted = 3 * operations(given.shape, active) * given.steps * given.tokens_per_step
    architecture = Architecture(given.shape, rows, given.tied)
    main, on_gpu = _memory(given, architecture, int(largest_active(name, work)))
    disk = 4 * architecture.parameters / 1e6
    return placed(wanted, speed, main, on_gpu, disk)


def placed(
    wanted: float, speed: Speed, memory: float, gpu_memory: float, disk: float, start: float = 0.0
) -> Estimate:
    """A job of so many operations, on this machine's GPU or on one core, after `start` seconds of loading."""
    seconds = wanted / speed.operations
    on_gpu = seconds if speed.on_gpu else wanted / GPU_OPERATIONS
    return Estimate(start + seconds, memory, disk, on_gpu, gpu_memory)


def _memory(given: Settings, architecture: Any, active: int) -> tuple[float, float]:
    """MB of memory of a training on a CPU, and of a GPU's on a GPU."""
    try:
        import torch

        from modtok.modelling.forecast import forecast
    except ImportError:  # the extra `models` is not installed
        weights = 16 * architecture.parameters / 1e6
        return LOADED_MB + weights, GPU_LOADED_MB + weights
    cpu, gpu = (
        sum(forecast(given, architecture, active, torch.device(kind)).values()) for kind in ("cpu", "cuda")
    )
    return LOADED_MB + cpu / 1e6, GPU_LOADED_MB + gpu / 1e6


def time_training(config: Mapping[str, Any], budget: int) -> Speed:
    """Operations a second in a training step of the run's model, or of a smaller one."""
    try:
        import torch

        from modtok.modelling.architecture import Architecture
        from modtok.modelling.training import Trainer
    except ImportError:
        return Speed(CPU_OPERATIONS)
    on_gpu = torch.cuda.is_available()
    given = smaller(settings(config), budget, TIMED_OPERATIONS * (1000 if on_gpu else 1))
    rows = min(budget, 8000)
    device = torch.device("cuda" if on_gpu else "cpu")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    trainer = Trainer(given, Architecture(given.shape, rows, given.tied), 1, device)
    seconds = [_timed_step(trainer, number, rows, on_gpu) for number in range(3)]
    torch.set_num_threads(threads)
    done = 3 * operations(given.shape, rows) * given.tokens_per_step
    return Speed(done / min(seconds), on_gpu, timed=True)


def smaller(given: Settings, budget: int, most: float) -> Settings:
    """Settings whose step has some `most` operations: fewer sequences, then layers, then context."""
    shape = given.shape
    rows = min(budget, 8000)

    def step(shape: ModelShape, batch: int) -> float:
        return 3 * operations(shape, rows) * batch * shape.context

    batch = max(1, min(given.batch, int(most / step(shape, 1))))
    while step(shape, batch) > most and shape.layers > 1:
        shape = replace(shape, layers=(shape.layers + 1) // 2)
    while step(shape, batch) > most and shape.context > 32:
        shape = replace(shape, context=shape.context // 2)
    written = ",".join(f"{key}={value}" for key, value in vars(shape).items())
    return replace(given, model=written, batch=batch, accumulation=1, compile=False)


def _timed_step(trainer: Any, number: int, rows: int, on_gpu: bool) -> float:
    import numpy as np

    from modtok.modelling.batches import Batch
    from modtok.modelling.regimes import Draw

    shape = (trainer.settings.batch, trainer.settings.shape.context + 1)
    random = np.random.default_rng(number)
    batch = Batch(Draw("en", number, None), np.arange(rows), random.integers(0, rows, shape))
    clock = time.perf_counter if on_gpu else time.process_time
    start = clock()
    trainer.step(number, batch)
    return clock() - start
