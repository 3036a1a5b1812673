"""Forward times of a run's tokenizers as metrics (paper Table 3, Figure 1, A.6, Appendix F).

| metric | what | unit |
|---|---|---|
| forward_seconds | a pass over the lines; median over rounds, from the fastest to the slowest | s |
| forward_ratio | over the monolingual tokenizer's in the same round; the same spread | ratio |
| forward_ratio_predicted | the same by arithmetic, calibrated on the monolingual tokenizers' passes | ratio |

A model that is not to be measured, or that the machine's memory does not hold, has predictions alone.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modtok.core.errors import DataError, require
from modtok.core.metrics import Metric
from modtok.core.model_shapes import ModelShape
from modtok.core.seeds import derive
from modtok.evaluation.compression import REFERENCE_FAMILY
from modtok.evaluation.latency import (
    Device,
    RandomModel,
    Seconds,
    Workload,
    needed_memory,
    time_rounds,
)
from modtok.evaluation.latency_prediction import Calibration, work
from modtok.evaluation.token_counts import TokenCounts
from modtok.modelling.forecast import GB, free_memory

FARTHEST = 100
"""Times the parameters of the body up to which what a smaller model took says what a model takes. In a far
smaller one the overhead of each batch outweighs operations, which would look free."""
Workloads = Mapping[str, Mapping[str, Workload]]
"lang -> tokenizer -> its lines"


@dataclass(frozen=True)
class LatencyMetric(Metric):
    """A metric of a model and a tokenizer; `low` and `high` are the fastest and the slowest round."""

    model: str
    "name of models.tsv"
    device: str
    "what was measured on; empty for a prediction"


@dataclass(frozen=True)
class Passes:
    """What is to be timed."""

    dataset: str
    lines: int
    "of the parallel set, in each language"
    workloads: Workloads
    rounds: int
    hours: float
    "that the timing of a model may take"
    seed: int


def workloads_of(
    counts: Sequence[TokenCounts], dataset: str, langs: Sequence[str], lines: int | None
) -> tuple[int, dict[str, dict[str, Workload]]]:
    """The number of lines taken, and by language the workloads of all tokenizers that were counted on it.

    `lines` is how many lines of the set, spread evenly over it; None: all. Errors: a language that was not
    counted, or without its monolingual tokenizer.
    """
    total = {
        len(one.tokens[dataset, lang]) for one in counts for lang in langs if (dataset, lang) in one.tokens
    }
    require(
        len(total) == 1, f"latency: token counts of {dataset} have {sorted(total)} lines; count them again"
    )
    of_set = total.pop()
    chosen = np.linspace(0, of_set, min(lines or of_set, of_set), endpoint=False).astype(int)
    found = {
        lang: {
            one.tokenizer: Workload.of(one.vocabulary_size, one.tokens[dataset, lang][chosen].tolist())
            for one in counts
            if (dataset, lang) in one.tokens
        }
        for lang in langs
    }
    for lang, own in found.items():
        missing = f"latency: no token counts of {reference(lang)} on {dataset}; run count_tokens"
        require(reference(lang) in own, missing, DataError)
    return len(chosen), found


def reference(lang: str) -> str:
    """The tokenizer whose time others are divided by."""
    return f"{REFERENCE_FAMILY}-{lang}"


def latency_metrics(
    shapes: Mapping[str, ModelShape], timed: Collection[str], passes: Passes
) -> Iterator[LatencyMetric]:
    """Metrics of all models, from small to large; what is being done is printed.

    `timed`: those to measure, where they fit. A model that is not measured is predicted from the largest
    smaller one that is; by its operations alone without one, or if it is more than FARTHEST times as large.
    """
    device = Device.found()
    print(f"device: {device}", flush=True)
    calibration, reaches = Calibration.of_operations(), math.inf
    for model in sorted(shapes, key=lambda name: shapes[name].body_parameters):
        size = shapes[model].body_parameters
        times = _measured(model, shapes[model], passes, device) if model in timed else {}
        if times:
            calibration = _calibrated(shapes[model], passes.workloads, times, device)
            reaches = FARTHEST * size
            yield from _measured_metrics(model, passes, times, str(device))
        own = calibration if size <= reaches else Calibration.of_operations()
        yield from _predicted_metrics(model, shapes[model], passes, own, device)


def _measured(model: str, shape: ModelShape, passes: Passes, device: Device) -> dict[str, dict[str, Seconds]]:
    """Seconds by language and tokenizer; nothing where the model does not fit."""
    every = [one for own in passes.workloads.values() for one in own.values()]
    needed, free = needed_memory(shape, every, device.dtype), free_memory(device.place)
    said = f"{model}: needs {needed / GB:.1f} GB of memory, {free / GB:.1f} GB are free"
    if needed > free:
        print(f"{said}; its times are predicted", flush=True)
        return {}
    print(f"{said}; {device}", flush=True)
    random = RandomModel(shape, max(one.size for one in every), max(one.longest for one in every), device)
    hours = forecast_hours(random, shape, passes, device)
    print(f"{model}: timing takes some {hours:.2f} hours of {passes.hours:g}", flush=True)
    if hours > passes.hours:
        print(f"{model}: its times are predicted; time fewer lines or languages", flush=True)
        return {}
    seed = derive(passes.seed, "measure_latency")
    return {lang: time_rounds(random, own, passes.rounds, seed) for lang, own in passes.workloads.items()}


def forecast_hours(random: RandomModel, shape: ModelShape, passes: Passes, device: Device) -> float:
    """Hours that all rounds take, if all go as fast as the largest monolingual batch of one language."""
    lang, own = next(iter(passes.workloads.items()))
    largest = Workload(own[reference(lang)].size, own[reference(lang)].batches[:1])
    seconds = time_rounds(random, {"": largest}, 1, passes.seed)[""].sum()
    every = [largest, *(one for own in passes.workloads.values() for one in own.values())]
    first, *others = (work(shape, one, device.dtype.itemsize)[:, :, 0].sum() for one in every)
    return float(seconds / first * sum(others) * passes.rounds / 3600)


def _calibrated(
    shape: ModelShape, workloads: Workloads, times: Mapping[str, Mapping[str, Seconds]], device: Device
) -> Calibration:
    """From the monolingual tokenizers' batches, the median of each over rounds."""
    works = [work(shape, own[reference(lang)], device.dtype.itemsize) for lang, own in workloads.items()]
    return Calibration.fitted(works, [np.median(own[reference(lang)], axis=0) for lang, own in times.items()])


def _measured_metrics(
    model: str, passes: Passes, times: Mapping[str, Mapping[str, Seconds]], device: str
) -> Iterator[LatencyMetric]:
    for lang, own in times.items():
        base = own[reference(lang)].sum(axis=(1, 2))
        for tokenizer, seconds in own.items():
            of_rounds = seconds.sum(axis=(1, 2))
            named = (tokenizer, lang, model, device)
            yield _metric(passes, *named, "forward_seconds", of_rounds, "s")
            yield _metric(passes, *named, "forward_ratio", of_rounds / base, "ratio")


def _metric(
    passes: Passes,
    tokenizer: str,
    lang: str,
    model: str,
    device: str,
    metric: str,
    values: NDArray[np.float64],
    unit: str,
) -> LatencyMetric:
    """The median of rounds and their range; one value has none."""
    middle, low, high = float(np.median(values)), float(values.min()), float(values.max())
    size = passes.workloads[lang][tokenizer].size
    spread = (low, high) if len(values) > 1 else (None, None)
    named = (tokenizer, size, lang, passes.dataset, metric, middle, spread[0], spread[1])
    return LatencyMetric(*named, unit, passes.lines, model, device)


def _predicted_metrics(
    model: str, shape: ModelShape, passes: Passes, calibration: Calibration, device: Device
) -> Iterator[LatencyMetric]:
    for lang, own in passes.workloads.items():
        seconds = {
            name: calibration.seconds(work(shape, one, device.dtype.itemsize)) for name, one in own.items()
        }
        for name, value in seconds.items():
            ratio = np.array([value / seconds[reference(lang)]])
            yield _metric(passes, name, lang, model, "", "forward_ratio_predicted", ratio, "ratio")
