"""What the rules take that time models with random weights: measure_latency and measure_offload.

Both leave out what does not fit the memory of the machine, or would take more hours than the config allows;
so does the forecast, by operations counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from modtok.core.model_shapes import ModelShape, find_shape
from modtok.planning.costs import Estimate
from modtok.planning.models import BYTES_A_TOKEN, LOADED_MB
from modtok.planning.speed import TRAINED, Speed, operations, settings
from modtok.planning.workload import Workload

STATES = 4
"times its weights that a training holds: gradients and two moments beside them"
Case = tuple[float, float]
"operations, and MB of memory"


def estimate_latency(work: Workload, speed: Speed, memory_mb: float) -> Estimate:
    """The job of measure_latency, on a machine of so much memory."""
    section = work.config["evaluation"]["latency"]
    sizes = _sizes(work)
    tokens = _tokens(section, work)
    passes = [
        (
            sum(operations(shape, size) for size in sizes) * tokens * section["rounds"],
            _weights_mb(shape, max(sizes)),
        )
        for shape in _shapes(section["timed"])
    ]
    return _within(passes, memory_mb, section["hours"], speed)


def estimate_offload(work: Workload, speed: Speed, memory_mb: float) -> Estimate:
    """The job of measure_offload."""
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
                    held = STATES * _weights_mb(shape, work.budget * languages)
                    cases.append((done, held))
    return _within(cases, memory_mb, section["hours"], speed)


def _within(cases: Sequence[Case], memory_mb: float, hours: float, speed: Speed) -> Estimate:
    """What is timed of the cases: those that fit the memory and the hours."""
    a_second = speed.products or speed.operations
    kept = [
        (wanted / a_second, held)
        for wanted, held in cases
        if held < memory_mb and wanted / a_second <= hours * 3600
    ]
    seconds = sum(each for each, _ in kept)
    memory = LOADED_MB + max((held for _, held in kept), default=0.0)
    return Estimate(seconds, memory, 1.0, seconds if speed.on_gpu else 0.0, memory if speed.on_gpu else 0.0)


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
