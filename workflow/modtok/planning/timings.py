"""What the rules take that time models with random weights: measure_latency and measure_offload.

Both leave out what does not fit the memory of the machine, or would take more hours than the config allows;
so does the forecast, by operations counted.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from modtok.core.model_shapes import ModelShape, find_shape
from modtok.planning.costs import Estimate
from modtok.planning.models import BYTES_A_TOKEN, LOADED_MB, Speed, operations, settings
from modtok.planning.workload import Workload

TRAINED = 3
"times the operations of a forward pass that a step of training has"


def estimate_latency(work: Workload, speed: Speed, memory_mb: float, threads: int) -> Estimate:
    """The job of measure_latency, on a machine of so much memory."""
    section = work.config["evaluation"]["latency"]
    sizes = _sizes(work)
    tokens = _tokens(section, work)
    passes = {
        name: sum(operations(shape, size) for size in sizes) * tokens * section["rounds"]
        for name, shape in _shapes(section["timed"])
        if _weights_mb(shape, max(sizes)) < memory_mb
    }
    return _within(passes, dict(_shapes(section["timed"])), max(sizes), section["hours"], speed, threads)


def estimate_offload(work: Workload, speed: Speed, memory_mb: float, threads: int) -> Estimate:
    """The job of measure_offload."""
    section = work.config["evaluation"]["offload"]
    shapes, positions = dict(_shapes(section["models"])), settings(work.config).shape.context
    steps: dict[str, float] = {}
    for number, (name, shape) in enumerate(shapes.items()):
        for languages in section["languages"] if number == 0 else section["languages"][:1]:
            for batch in section["batches"]:
                for others in section["others"]:
                    case = f"{name} {languages} {batch} {others}"
                    active = work.budget * (1 + others)
                    done = TRAINED * operations(shape, active) * batch * positions * section["steps"]
                    if 4 * _weights_mb(shape, work.budget * languages) < memory_mb:
                        steps[case] = done
    largest = {case: shapes[case.partition(" ")[0]] for case in steps}
    return _within(steps, largest, work.budget, section["hours"], speed, threads, states=4)


def _within(
    wanted: Mapping[str, float],
    shapes: Mapping[str, ModelShape],
    rows: int,
    hours: float,
    speed: Speed,
    threads: int,
    states: int = 1,
) -> Estimate:
    """What is timed within the hours: operations of each case."""
    cores = 1 if speed.on_gpu else threads
    done = {case: each / speed.operations for case, each in wanted.items()}
    kept = {case: seconds for case, seconds in done.items() if seconds <= hours * 3600 * cores}
    seconds = sum(kept.values())
    memory = LOADED_MB + max((states * _weights_mb(shapes[case], rows) for case in kept), default=0.0)
    return Estimate(seconds, memory, 1.0, seconds if speed.on_gpu else 0.0, memory if speed.on_gpu else 0.0)


def _shapes(models: list[Any]) -> Iterator[tuple[str, ModelShape]]:
    """Models as the config names them: rows of models.tsv, or {name: shape}."""
    for entry in models:
        for name, shape in entry.items() if isinstance(entry, Mapping) else [(entry, entry)]:
            yield str(name), find_shape(str(shape))[1]


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
