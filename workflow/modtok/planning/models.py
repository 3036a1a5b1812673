"""What training the run's models will take, from operations counted and steps that were timed (speed.py).

Hours on a GPU that is not there are those of one that does GPU_OPERATIONS.
"""

from collections.abc import Iterable
from math import comb
from typing import Any

from modtok.core.model_names import BASELINE, ModelName, Regime
from modtok.core.model_shapes import ModelShape
from modtok.modelling.settings import Settings
from modtok.planning.costs import Estimate
from modtok.planning.drivers import tokens
from modtok.planning.run import Job
from modtok.planning.speed import TRAINED, Speed, operations, settings
from modtok.planning.workload import KNOWN_SCRIPT, Workload

GPU_OPERATIONS = 4e14
"a second: an H100 at 40 % of what it can do in bfloat16"
GPU_MEMORY_MB = 85_000.0
"of one"
BYTES_A_TOKEN = 4.5
LOADED_MB, GPU_LOADED_MB = 450.0, 1500.0
"memory of a process that has loaded torch, and of one that uses a GPU"
OWN_SHARE = 0.5
"of the sampled steps that are in the language's own subtokenizer"
TOKEN_MB = 4e-4
"of a loaded subtokenizer, for each of its tokens"
OFFLOADED = ("vocabulary", "gradient of all rows")
"what `pretraining.offload` takes off a GPU, as modelling.forecast.check_need"
SUBTOKENIZERS = 64
"that a process keeps loaded: modelling.batches.CACHED"


def step_kinds(name: ModelName, work: Workload) -> list[tuple[float, float]]:
    """Shares of a model's steps, and their active rows."""
    regime, own, full = Regime(name.regime), float(work.budget), tokens(name.tokenizer, work)
    if name.regime == BASELINE:
        return [(1.0, full)]
    if regime.sampled is None:
        return [(1.0, own)]
    sampled = full if regime.others is None else own * (1 + KNOWN_SCRIPT * regime.others)
    alone = regime.start + (1 - regime.start) * OWN_SHARE
    return [(alone, own), (1 - alone, min(sampled, full))]


def rows_of_steps(jobs: Iterable[Job], work: Workload) -> set[float]:
    """Numbers of active rows that steps of the run's trainings have, and those of a language alone."""
    names = [ModelName.parse(job.wildcards["trained"]) for job in jobs if job.rule == "pretrain"]
    return {float(work.budget), *(active for name in names for _, active in step_kinds(name, work))}


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
    kinds, trained = step_kinds(name, work), given.steps * given.tokens_per_step
    wanted = trained * sum(share * TRAINED * operations(given.shape, active) for share, active in kinds)
    seconds = trained * sum(share * _token_seconds(given.shape, active, speed) for share, active in kinds)
    architecture = Architecture(given.shape, int(tokens(name.tokenizer, work)), given.tied)
    main, on_gpu = _memory(given, architecture, int(largest_active(name, work)), job.processes)
    main += TOKEN_MB * _tokens_loaded(name, work)
    return placed(seconds, wanted, speed, main, on_gpu, disk=4 * architecture.parameters / 1e6)


def _token_seconds(shape: ModelShape, active: float, speed: Speed) -> float:
    body = TRAINED * operations(shape, 0) / speed.operations
    return body + speed.row_seconds(active, shape.width)


def _tokens_loaded(name: ModelName, work: Workload) -> float:
    """Tokens of all subtokenizers that a training keeps, the full one and each language's own among them."""
    regime = Regime(name.regime)
    if name.regime == BASELINE:
        return tokens(name.tokenizer, work)
    sets = comb(len(work.langs), 1 + regime.others) if regime.others else 0
    return tokens_kept(work, tokens(name.tokenizer, work), sets, step_kinds(name, work)[-1][1])


def tokens_kept(work: Workload, full: float, sets: int, each: float) -> float:
    """Tokens of the full tokenizer, of each language's own, and of so many `sets` of `each` tokens."""
    own = min(SUBTOKENIZERS, len(work.langs))
    return full + own * work.budget + min(SUBTOKENIZERS - own, sets) * each


def placed(
    seconds: float,
    wanted: float,
    speed: Speed,
    memory: float,
    gpu_memory: float,
    disk: float,
) -> Estimate:
    """A job of so many seconds on this machine's GPU or on one core, and of so many operations elsewhere."""
    on_gpu = seconds if speed.on_gpu else wanted / GPU_OPERATIONS
    return Estimate(seconds, memory, disk, on_gpu, gpu_memory)


def _memory(given: Settings, architecture: Any, active: int, processes: int) -> tuple[float, float]:
    """MB of memory of a training on a CPU, and of each GPU's where so many processes have one."""
    try:
        import torch

        from modtok.modelling.forecast import forecast
    except ImportError:  # the extra `models` is not installed
        weights = 16 * architecture.parameters / 1e6
        return LOADED_MB + weights, GPU_LOADED_MB + weights
    cpu = forecast(given, architecture, active, torch.device("cpu"))
    gpu = forecast(given, architecture, active, torch.device("cuda"), processes)
    kept = sum(size for name, size in gpu.items() if given.offload is None or name not in OFFLOADED)
    return LOADED_MB + sum(cpu.values()) / 1e6, GPU_LOADED_MB + kept / 1e6
