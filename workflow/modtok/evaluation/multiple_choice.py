"""Multiple choice in cloze form, through lm-eval, by each inference tokenizer (paper section 6.1).

| metric | what | unit |
|---|---|---|
| accuracy | items whose right choice is the likeliest, normalised as OLMES asks of the task | share |
| accuracy_raw | the same, of plain log-probabilities | share |
| chance | what guessing gives | share |
| shots | shots that contexts had room for, mean over items | shots |
| cut | items whose own text lost its beginning, since the model's context is short | share |

`dataset` is a task of tasks/; `mcq` is the paper's MCQ, the mean over a language's tasks. A task with
subjects (MMLU) is the mean over these, each with shots of its own. Intervals are bootstrap intervals over
items, within subjects; a task's items have the same draws in all languages. `lang` `all` is the mean over
languages. English is its own union with English: its `en-lang-union` is its `lang`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from lm_eval.api.task import ConfigurableTask
from lm_eval.evaluator import evaluate
from numpy.typing import NDArray

from modtok.core.model_names import ModelName
from modtok.core.seeds import derive
from modtok.evaluation.bootstrap import Series, resampling_weights
from modtok.evaluation.compression import ALL, PIVOT, RESAMPLES
from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_tokenizers import LANG, SPLIT, UNION, Cutter, Inference, inferences
from modtok.evaluation.model_metrics import Measured, ModelMetric, model_metric
from modtok.evaluation.multiple_choice_adapter import InferenceModel, Losses
from modtok.evaluation.multiple_choice_tasks import Benchmark, lm_eval_tasks, shot_texts
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model

MCQ = "mcq"
UNITS = {"accuracy": "share", "accuracy_raw": "share", "chance": "share", "shots": "shots", "cut": "share"}
NORMALISED, RAW = ("acc_norm", "acc_mutual_info"), "acc"
"lm-eval's metrics"
Values = Mapping[str, NDArray[np.float64]]
"of each item of a subject, by metric"
Tasks = Mapping[str, Mapping[str, ConfigurableTask]]
"lm-eval's tasks by their names, one per subject, by the benchmark's task"


def multiple_choice_metrics(
    name: ModelName,
    model: Model,
    subtokenizers: Subtokenizers,
    benchmarks: Sequence[Benchmark],
    langs: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[ModelMetric]:
    """All metrics of a model on benchmarks, by inference tokenizer, task and language; `langs`: the run's.

    multiple_choice_metrics(ModelName("sequential-bpe", "samp-sub2"), model, tokenizers, benchmarks, ["en"])
    """
    found: dict[tuple[str, str, str], list[Measured]] = {}
    for lang in dict.fromkeys(benchmark.lang for benchmark in benchmarks):
        own = [benchmark for benchmark in benchmarks if benchmark.lang == lang]
        for task, row in _of_language(model, subtokenizers, own, lang, langs, resamples, seed):
            found.setdefault((row.inference, task, row.metric), []).append(row)
    tokens = int(model.about["settings"]["tokens"])
    return [
        model_metric(name, tokens, task, UNITS[metric], row)
        for (_, task, metric), rows in found.items()
        for row in (*rows, _mean(rows))
    ]


def _of_language(
    model: Model,
    subtokenizers: Subtokenizers,
    benchmarks: Sequence[Benchmark],
    lang: str,
    langs: Sequence[str],
    resamples: int,
    seed: int,
) -> Iterator[tuple[str, Measured]]:
    """Tasks and rows of a language."""
    tasks = {benchmark.task: lm_eval_tasks(benchmark) for benchmark in benchmarks}
    neutral = {name: one.neutral for one in benchmarks for name in tasks[one.task]}
    for inference in inferences(subtokenizers, lang, langs):
        if inference.name == SPLIT:
            continue
        cutter = Cutter(subtokenizers, inference)
        values = _asked(Engine(model, cutter.chosen_S), cutter, tasks, neutral)
        for task, row in _rows(inference, len(cutter.chosen_S), lang, values, resamples, seed):
            yield task, row
            if lang == PIVOT and row.inference == LANG:
                yield task, replace(row, inference=UNION)


def _asked(
    engine: Engine, cutter: Cutter, tasks: Tasks, neutral: Mapping[str, str]
) -> dict[str, list[Values]]:
    """What a model makes of the items of each task's subjects."""
    named = {name: task for own in tasks.values() for name, task in own.items()}
    shots = {name: shot_texts(task) for name, task in named.items()}
    asked = InferenceModel(engine, cutter, shots, neutral)
    results = evaluate(asked, named, bootstrap_iters=0)
    assert results is not None, "this process is the only one"
    samples = results["samples"]
    return {
        task: [_values(samples[name], asked.losses[name], len(shots[name])) for name in own]
        for task, own in tasks.items()
    }


def _values(samples: Sequence[Mapping[str, Any]], losses: Losses, shots: int) -> Values:
    """Values of each item in lm-eval's records of them, in their order."""
    samples = sorted(samples, key=lambda sample: int(sample["doc_id"]))
    choices = np.array([len(sample["doc"]["choices"]) for sample in samples])
    normalised = next(metric for metric in NORMALISED if metric in samples[0])
    # Requests come in the order of items, those of an item's choices together.
    firsts = np.concatenate([[0], np.cumsum(choices)[:-1]])
    return {
        "accuracy": np.array([float(sample[normalised]) for sample in samples]),
        "accuracy_raw": np.array([float(sample[RAW]) for sample in samples]),
        "chance": 1 / choices,
        "shots": shots - np.maximum.reduceat(np.array(losses.shots, float), firsts),
        "cut": np.maximum.reduceat(np.array(losses.cut, float), firsts),
    }


def _rows(
    inference: Inference,
    size: int,
    lang: str,
    values: Mapping[str, Sequence[Values]],
    resamples: int,
    seed: int,
) -> Iterator[tuple[str, Measured]]:
    """A language's rows: each task, the mean over its subjects, then the mean of all tasks."""
    means: dict[str, list[Series]] = {metric: [] for metric in UNITS}
    counts = []
    for task, subjects in values.items():
        sizes = [len(one["chance"]) for one in subjects]
        counts.append(sum(sizes))
        drawn = [
            resampling_weights(items, resamples, derive(seed, "bootstrap", task, str(number))) / items
            for number, items in enumerate(sizes)
        ]
        for metric in UNITS:
            parts = [weights @ one[metric] for weights, one in zip(drawn, subjects, strict=True)]
            means[metric].append(np.mean(parts, axis=0))
    for number, task in enumerate([*values, MCQ]):
        for metric, series in means.items():
            shown = np.mean(series, axis=0) if task == MCQ else series[number]
            count = sum(counts) if task == MCQ else counts[number]
            yield task, Measured(inference.name, inference.chosen, size, lang, metric, shown, count)


def _mean(rows: Sequence[Measured]) -> Measured:
    """The mean over languages."""
    series = np.mean([row.series for row in rows], axis=0)
    largest = max(row.size for row in rows)
    return replace(rows[0], chosen=None, size=largest, lang=ALL, series=series, n=len(rows))
