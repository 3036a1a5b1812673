"""What the rules take that time models with random weights: measure_latency and measure_offload.

Both leave out what does not fit the memory of the machine, or would take more hours than the config allows;
so does the forecast, by operations counted. Without a GPU here it says both what this machine times in
core hours, and in GPU hours what one with a GPU does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modtok.core.model_shapes import ModelShape, find_shape
from modtok.planning.basis import Limits
from modtok.planning.costs import Estimate
from modtok.planning.models import BYTES_A_TOKEN, GPU_LOADED_MB, GPU_MEMORY_MB, GPU_OPERATIONS, LOADED_MB
from modtok.planning.run import Job
from modtok.planning.speed import TRAINED, Speed, operations, settings
from modtok.planning.workload import Workload

STATES = 4
"times its weights that a training holds: gradients and two moments beside them"
GPU_NUMBER = 0.5
"of the bytes that a weight has on a CPU: bfloat16 on a GPU (evaluation.latency.Device)"


@dataclass(frozen=True)
class Case:
    """What is timed at once, or left out."""

    operations: float
    memory_mb: float
    "on a CPU"
    gpu_memory_mb: float
    beside_mb: float = 0.0
    "of the machine's memory, where there is a GPU"


def estimate_latency(job: Job, work: Workload, speed: Speed, limits: Limits) -> Estimate:
    """The job of measure_latency."""
    section = work.config["evaluation"]["latency"]
    sizes = _sizes(work)
    tokens = _tokens(section, work)
    passes = []
    for shape in _shapes(section["timed"]):
        done = sum(operations(shape, size) for size in sizes) * tokens * section["rounds"]
        held = _weights_mb(shape, max(sizes))
        passes.append(Case(done, held, GPU_NUMBER * held))
    return _estimate(job, passes, section["hours"], speed, limits)


def estimate_offload(job: Job, work: Workload, speed: Speed, limits: Limits) -> Estimate:
    """The job of measure_offload, whose vocabulary is in the memory of the machine."""
    section = work.config["evaluation"]["offload"]
    positions = settings(work.config).shape.context
    steps = 3 * section["steps"] + 2  # as evaluation.offload foretells them: each is timed in three ways
    cases: list[Case] = []
    for number, shape in enumerate(_shapes(section["models"])):
        for languages in section["languages"] if number == 0 else section["languages"][:1]:
            for batch in section["batches"]:
                for others in section["others"]:
                    active = work.budget * (1 + others)
                    done = TRAINED * operations(shape, active) * batch * positions * steps
                    held, body = (STATES * _weights_mb(shape, rows) for rows in (work.budget * languages, 0))
                    on_gpu = STATES * _weights_mb(shape, active)
                    cases.append(Case(done, held, on_gpu, beside_mb=held - body))
    return _estimate(job, cases, section["hours"], speed, limits)


def _estimate(job: Job, cases: Sequence[Case], hours: float, speed: Speed, limits: Limits) -> Estimate:
    """What is timed of the cases, here and on a GPU: those that fit the memory and the hours."""
    a_second = speed.products or speed.operations
    gpu_speed = a_second if speed.on_gpu else GPU_OPERATIONS
    kept = _in_time(_on_gpu(job, cases, speed, limits), gpu_speed, hours)
    gpu_seconds = sum(case.operations for case in kept) / gpu_speed
    gpu_memory = GPU_LOADED_MB + max(case.gpu_memory_mb for case in kept) if kept else 0.0
    if speed.on_gpu:
        memory = LOADED_MB + max((case.beside_mb for case in kept), default=0.0)
        return Estimate(gpu_seconds, memory, 1.0, gpu_seconds, gpu_memory)
    here = _in_time([case for case in cases if case.memory_mb < limits.memory_mb], a_second, hours)
    seconds = sum(case.operations for case in here) / a_second
    memory = LOADED_MB + max((case.memory_mb for case in here), default=0.0)
    return Estimate(seconds, memory, 1.0, gpu_seconds, gpu_memory)


def _on_gpu(job: Job, cases: Sequence[Case], speed: Speed, limits: Limits) -> list[Case]:
    """What fits the GPU and the memory beside it: this machine's, or of another what the job asks for."""
    gpu = limits.gpu_memory_mb or GPU_MEMORY_MB
    beside = limits.memory_mb if speed.on_gpu else job.memory_mb or limits.memory_mb
    return [case for case in cases if case.gpu_memory_mb < gpu and case.beside_mb < beside]


def _in_time(cases: Sequence[Case], a_second: float, hours: float) -> list[Case]:
    return [case for case in cases if case.operations / a_second <= hours * 3600]


def _shapes(models: list[Any]) -> Iterator[ModelShape]:
    """Models as the config names them: rows of models.tsv, or {name: shape}."""
    for entry in models:
        for shape in entry.values() if isinstance(entry, Mapping) else [entry]:
            yield find_shape(str(shape))[1]


def _weights_mb(shape: ModelShape, rows: int) -> float:
    return 4 * shape.parameters(rows, tied=False) / 1e6


def _sizes(work: Workload) -> list[int]:
    """Vocabularies that are timed on each language: its own, joint and open ones, reduced ones."""
    shared = [*work.config["tokenizers"]["joint_sizes"], *work.open_tokens.values()]
    reduced = [size for size in work.config["evaluation"]["latency"]["sizes"] for _ in range(2)]
    return [work.budget, work.budget, int(work.modular_tokens(work.langs)), *shared, *reduced]


def _tokens(section: Mapping[str, Any], work: Workload) -> float:
    """Tokens of the lines of the first parallel set that are timed."""
    sets = max(1, len(work.config["evaluation"]["parallel"]))
    langs = work.langs if section["languages"] == "all" else section["languages"]
    asked = float("inf") if section["lines"] == "all" else section["lines"]
    found = [work.parallel[lang] for lang in langs if lang in work.parallel]
    shares = (min(1.0, asked * sets / one.lines) * one.bytes_mb / sets for one in found if one.lines)
    return sum(shares) * 1e6 / BYTES_A_TOKEN
