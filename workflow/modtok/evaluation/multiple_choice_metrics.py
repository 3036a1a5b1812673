"""Multiple choice in cloze form, through lm-eval, by each inference tokenizer (paper section 6.1).

| metric | what | unit |
|---|---|---|
| accuracy | items whose right choice is the likeliest, normalised as OLMES asks of the task | share |
| accuracy_raw | the same, of plain log-probabilities | share |
| chance | what guessing gives; its interval: in 95 % of cases | share |
| shots | shots that contexts had room for, mean over items | shots |
| cut | items whose own text lost its beginning, since the model's context is short | share |

`dataset` is a task of tasks/; `mcq` is the paper's MCQ, the mean over a language's tasks. A task with
subjects (MMLU) is the mean over these, each with shots of its own. Intervals are bootstrap intervals over a
task's items, in which each subject weighs the same; the draws are the same in all languages. `lang` `all` is
the mean over languages. English is its own union with English: its `en-lang-union` is its `lang`.

# Shape suffixes: N items, W the sample and its resamples.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modtok.core.languages import PIVOT
from modtok.core.metrics import ALL
from modtok.core.seeds import derive
from modtok.evaluation.answers import Answers
from modtok.evaluation.bootstrap import RESAMPLES, Series, resampling_weights
from modtok.evaluation.inference_names import LANG, UNION, langs_of
from modtok.evaluation.model_metrics import Measured, ModelMetric, Trained, model_metric
from modtok.evaluation.multiple_choice_tasks import Benchmark, lm_eval_tasks

MCQ, CHANCE = "mcq", "chance"
UNITS = {"accuracy": "share", "accuracy_raw": "share", CHANCE: "share", "shots": "shots", "cut": "share"}
NORMALISED, RAW = ("acc_norm", "acc_mutual_info"), "acc"
"lm-eval's metrics"
Values = Mapping[str, NDArray[np.float64]]
"of each item of a subject, by metric"


@dataclass(frozen=True)
class Subject:
    """What the answers to a subject's items are scored by."""

    task: Any
    "lm-eval's"
    documents: Sequence[Mapping[str, Any]]
    "of its items, in their order"


Subjects = Mapping[tuple[str, str, str], Subject]
"by task, language and subject"


def read_subjects(benchmarks: Sequence[Benchmark]) -> Subjects:
    """The subjects of benchmarks. Errors: those of Benchmark.subjects."""
    return {
        (one.task, one.lang, subject): Subject(task, list(task.test_docs()))
        for one in benchmarks
        for subject, task in lm_eval_tasks(one).items()
    }


def multiple_choice_metrics(
    trained: Trained,
    answers: Sequence[Answers],
    subjects: Subjects,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[ModelMetric]:
    """All metrics of a model on benchmarks, by inference tokenizer, task and language.

    multiple_choice_metrics(Trained.read(folder), read_answers(file, MULTIPLE_CHOICE), subjects)
    """
    found: dict[tuple[str, str, str], list[Measured]] = {}
    for lang, group in groupby(answers, key=lambda one: one.of["lang"]):
        for _, own in groupby(group, key=lambda one: one.of["inference"]):
            for task, row in _of_language(list(own), subjects, resamples, seed):
                found.setdefault((row.inference, task, row.metric), []).append(row)
                if lang == PIVOT and row.inference == LANG:
                    union = replace(row, inference=UNION)
                    found.setdefault((UNION, task, row.metric), []).append(union)
    return [
        model_metric(trained, task, UNITS[metric], row)
        for (_, task, metric), rows in found.items()
        for row in (*rows, _mean(rows))
    ]


def _of_language(
    answers: Sequence[Answers], subjects: Subjects, resamples: int, seed: int
) -> Iterator[tuple[str, Measured]]:
    """Tasks and rows of a language by one inference tokenizer."""
    values: dict[str, list[Values]] = {}
    for one in answers:
        of = one.of
        subject = subjects[of["task"], of["lang"], of["subject"]]
        values.setdefault(of["task"], []).append(_values(subject, one.values))
    yield from _rows(answers[0].of, values, resamples, seed)


def _values(subject: Subject, answers: Mapping[str, NDArray[Any]]) -> Values:
    """Values of each item, in their order, by lm-eval's own scoring of what it would have been answered."""
    firsts = np.flatnonzero(answers["choice"] == 0)
    choices = np.diff([*firsts, len(answers["choice"])])
    metrics = [
        subject.task.process_results(document, _responses(answers, slice(first, first + count)))
        for document, first, count in zip(subject.documents, firsts, choices, strict=True)
    ]
    normalised = next(metric for metric in NORMALISED if metric in metrics[0])
    return {
        "accuracy": np.array([float(one[normalised]) for one in metrics]),
        "accuracy_raw": np.array([float(one[RAW]) for one in metrics]),
        CHANCE: 1 / choices,
        "shots": np.minimum.reduceat(answers["shots"].astype(float), firsts),
        "cut": np.maximum.reduceat(answers["cut"].astype(float), firsts),
    }


def _responses(answers: Mapping[str, NDArray[Any]], item: slice) -> list[tuple[float, bool]]:
    """What lm-eval is given for an item: its choices; then, if the task asks for them, choices alone."""
    likely, greedy = (answers[name][item] for name in ("log_likelihood", "greedy"))
    alone = answers["neutral"][item] if "neutral" in answers else np.zeros(0)
    neutral = [(nats, False) for nats in alone.tolist()]
    return [*zip(likely.tolist(), greedy.astype(bool).tolist(), strict=True), *neutral]


def _rows(
    of: Mapping[str, Any], values: Mapping[str, Sequence[Values]], resamples: int, seed: int
) -> Iterator[tuple[str, Measured]]:
    """A language's rows: each task, then the mean of all tasks."""
    tasks = {
        task: _series(subjects, resamples, seed, (task, of["lang"])) for task, subjects in values.items()
    }
    mean = {metric: np.mean([one[metric] for one in tasks.values()], axis=0) for metric in UNITS}
    counts = {task: sum(len(one[CHANCE]) for one in subjects) for task, subjects in values.items()}
    counts[MCQ] = sum(counts.values())
    chosen = langs_of(of["chosen"])
    for task, found in (tasks | {MCQ: mean}).items():
        for metric in UNITS:
            named = (of["inference"], chosen, of["size"], of["lang"], metric)
            yield task, Measured(*named, found[metric], counts[task])


def _series(
    subjects: Sequence[Values], resamples: int, seed: int, named: tuple[str, str]
) -> dict[str, Series]:
    """The metrics of a task in a language, in which each subject weighs the same."""
    sizes = [len(one[CHANCE]) for one in subjects]
    drawn_WN = resampling_weights(sum(sizes), resamples, derive(seed, "bootstrap", named[0]))
    of_subjects = np.split(drawn_WN, np.cumsum(sizes)[:-1], axis=1)
    parts = list(zip(of_subjects, subjects, sizes, strict=True))
    weight_W = sum(own_WN.sum(axis=1) / size for own_WN, _, size in parts)
    # Sums within a subject are of whole numbers, so exact in whatever order they are added.
    sums = {
        metric: sum(own_WN @ values[metric] / size for own_WN, values, size in parts)
        for metric in UNITS
        if metric != CHANCE
    }
    guessed = guesses([one[CHANCE] for one in subjects], resamples, derive(seed, "guess", *named))
    return {metric: sum_W / weight_W for metric, sum_W in sums.items()} | {CHANCE: guessed}


def guesses(chances: Sequence[Series], tries: int, seed: int) -> Series:
    """The share of items that guessing has right: on average, then in each of so many tries.

    `chances`: of each item of each subject.
    guesses([np.array([0.25, 0.5])], 2, 0) -> array([0.375, 0.5, 1.0])
    """
    random = np.random.default_rng(seed)
    found = [
        np.append(chance_N.mean(), (random.random((tries, len(chance_N))) < chance_N).mean(axis=1))
        for chance_N in chances
    ]
    return np.asarray(np.mean(found, axis=0))


def _mean(rows: Sequence[Measured]) -> Measured:
    """The mean over languages."""
    series = np.mean([row.series for row in rows], axis=0)
    largest = max(row.size for row in rows)
    return replace(rows[0], chosen=None, size=largest, lang=ALL, series=series, n=len(rows))
