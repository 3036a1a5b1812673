"""Metrics of what models have written: how near to references, in which language, of which tokens.

| metric | what | unit |
|---|---|---|
| bleu, spbleu, chrf | of translations (text_metrics.py) | % |
| rouge1, rouge2, rougeL | of summaries | % |
| off_target | outputs that language identification puts in another language | share of outputs with text |
| english | those that it puts in English; not of English itself | the same |
| off_target_reference | what it says of the references, which are in the language: its own error | share |
| foreign_tokens | tokens of outputs that are not in the language's own set | share |
| empty | outputs without text | share |
| unfinished | outputs that the model did not end | share |
| shots | shots that a prompt had room for | mean |
| cut | prompts whose own text had no room | share |

Intervals are bootstrap intervals over items; `all` is the mean over languages. Lines of a parallel set are
drawn for all languages together; one that is empty in a language counts for the others alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from modtok.core.model_names import ModelName
from modtok.core.seeds import derive
from modtok.corpus.language_id import Identifier
from modtok.evaluation.bootstrap import Series, resampling_weights
from modtok.evaluation.compression import ALL, PIVOT, RESAMPLES
from modtok.evaluation.generation import TRANSLATION, Output, Task, generate
from modtok.evaluation.inference import Engine
from modtok.evaluation.inference_tokenizers import (
    FULL,
    FULL_LANG,
    LANG,
    SPLIT,
    UNION,
    Cutter,
    Inference,
    inferences,
)
from modtok.evaluation.model_metrics import Measured, ModelMetric, model_metric
from modtok.evaluation.text_metrics import Score, rouge_scores, translation_scores
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model

# Of a translation's prompt half is English, of a summary's nothing.
_INFERENCES = {TRANSLATION: (FULL, FULL_LANG, UNION, SPLIT)}
_MONOLINGUAL = (LANG, FULL, FULL_LANG)
_UNITS = {
    "bleu": "%",
    "spbleu": "%",
    "chrf": "%",
    "rouge1": "%",
    "rouge2": "%",
    "rougeL": "%",
    "shots": "shots",
}


@dataclass(frozen=True)
class GenerationMetric(ModelMetric):
    """A metric of what a model has written."""

    task: str
    "`translation` or `summarization`"
    signature: str
    "how the figure was computed, by sacrebleu's or our own signature; empty for plain shares"


@dataclass(frozen=True)
class Judges:
    """What outputs are judged by, besides their references."""

    identifier: Identifier
    labels: Mapping[str, Sequence[str]]
    "of the language-ID model, by language"
    spbleu: Path | None
    "SentencePiece model of spBLEU, which is left out without one"


@dataclass(frozen=True)
class Written:
    """All that a model has written: its metrics, and the outputs to be read."""

    metrics: list[GenerationMetric]
    records: list[dict[str, Any]]
    "one for each item: what was read, the reference, and the output by inference tokenizer"


@dataclass(frozen=True)
class _OfTask:
    """A task by one inference tokenizer."""

    task: Task
    inference: Inference
    size: int
    "tokens to choose among"
    outputs: list[Output]
    scores: Mapping[str, Score]


def generation_metrics(
    name: ModelName,
    model: Model,
    subtokenizers: Subtokenizers,
    tasks: Sequence[Task],
    langs: Sequence[str],
    judges: Judges,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Written:
    """Let a model do all tasks by each inference tokenizer that it has for them; `langs`: the run's."""
    metrics: list[GenerationMetric] = []
    records: list[dict[str, Any]] = []
    for task_name, dataset in dict.fromkeys((task.name, task.dataset) for task in tasks):
        of_set = [task for task in tasks if (task.name, task.dataset) == (task_name, dataset)]
        measured = []
        for task, weights in zip(of_set, _drawn(of_set, resamples, seed), strict=True):
            found = list(_measure(model, subtokenizers, task, langs, judges, weights))
            records += _records(task, found)
            measured += found
        metrics += _metrics(name, int(model.about["settings"]["tokens"]), measured)
    return Written(metrics, records)


def _drawn(tasks: Sequence[Task], resamples: int, seed: int) -> Iterator[Series]:
    """How often each item of a set's tasks is drawn: a line of a parallel set as often in each language."""
    drawn = derive(seed, "bootstrap", tasks[0].dataset)
    every = sorted({item.line for task in tasks for item in task.items})
    for task in tasks:
        lines = [item.line for item in task.items]
        of_all = every if task.name == TRANSLATION else lines
        weights = resampling_weights(len(of_all), resamples, drawn)
        yield weights[:, np.searchsorted(of_all, lines)]


def _measure(
    model: Model,
    subtokenizers: Subtokenizers,
    task: Task,
    langs: Sequence[str],
    judges: Judges,
    weights: Series,
) -> Iterator[_OfTask]:
    own = None if subtokenizers.modular is None else subtokenizers.ids((task.lang,))
    for inference in inferences(subtokenizers, task.lang, langs):
        if inference.name in _INFERENCES.get(task.name, _MONOLINGUAL):
            cutter = Cutter(subtokenizers, inference)
            outputs = generate(Engine(model, cutter.chosen_S), cutter, task, own)
            scores = _scores(task, outputs, own is not None, judges, weights)
            yield _OfTask(task, inference, len(cutter.chosen_S), outputs, scores)


def _scores(
    task: Task, outputs: Sequence[Output], modular: bool, judges: Judges, weights: Series
) -> dict[str, Score]:
    texts, references = [output.text for output in outputs], [item.written for item in task.items]
    if task.name == TRANSLATION:
        scores = translation_scores(texts, references, weights, judges.spbleu)
    else:
        scores = rouge_scores(texts, references, weights)
    scores |= off_target(texts, task.lang, judges, weights)
    scores["off_target_reference"] = off_target(references, task.lang, judges, weights)["off_target"]
    every = [1] * len(outputs)
    tokens = [output.tokens for output in outputs]
    if modular:
        scores["foreign_tokens"] = _share([output.foreign for output in outputs], tokens, weights)
    scores["empty"] = _share([not text for text in texts], every, weights)
    scores["unfinished"] = _share([not output.ended for output in outputs], every, weights)
    scores["shots"] = _share([output.shots for output in outputs], every, weights)
    scores["cut"] = _share([output.cut for output in outputs], every, weights)
    return scores


def off_target(texts: Sequence[str], lang: str, judges: Judges, weights: Series) -> dict[str, Score]:
    """Shares of the texts, without empty ones, that are in another language and, of these, in English."""
    found = [label for label, _ in judges.identifier.identify_all(texts)]
    named = [bool(text.strip()) for text in texts]

    def labelled(labels: Sequence[str]) -> list[bool]:
        return [label in labels for label in found]

    other = [has and not own for has, own in zip(named, labelled(judges.labels[lang]), strict=True)]
    shares = {"off_target": _share(other, named, weights)}
    if lang != PIVOT and PIVOT in judges.labels:
        shares["english"] = _share(labelled(judges.labels[PIVOT]), named, weights)
    return shares


def _share(parts: Sequence[float], wholes: Sequence[float], weights: Series) -> Score:
    """Sums over items are divided once; of nothing there is no share (NaN)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        series = (weights @ np.array(parts, float)) / (weights @ np.array(wholes, float))
    return Score(series, int(sum(wholes)))


def _metrics(name: ModelName, tokens: int, measured: Sequence[_OfTask]) -> Iterator[GenerationMetric]:
    """Rows of one set: for each inference tokenizer and metric those of languages, then their mean."""
    for inference in dict.fromkeys(one.inference.name for one in measured):
        of_it = [one for one in measured if one.inference.name == inference]
        for metric in dict.fromkeys(metric for one in of_it for metric in one.scores):
            having = [one for one in of_it if metric in one.scores and one.scores[metric].n > 0]
            scores = [one.scores[metric] for one in having]
            for one, score in zip(having, scores, strict=True):
                chosen, lang = one.inference.chosen, one.task.lang
                row = Measured(inference, chosen, one.size, lang, metric, score.series, score.n)
                yield _metric(name, tokens, one.task, row, score.signature)
            if scores:
                mean = np.mean([score.series for score in scores], axis=0)
                largest = max(one.size for one in having)
                row = Measured(inference, None, largest, ALL, metric, mean, len(scores))
                yield _metric(name, tokens, having[0].task, row, scores[0].signature)


def _metric(name: ModelName, tokens: int, task: Task, row: Measured, signature: str) -> GenerationMetric:
    of_model = model_metric(name, tokens, task.dataset, _UNITS.get(row.metric, "share"), row)
    return GenerationMetric(**asdict(of_model), task=task.name, signature=signature)


def _records(task: Task, measured: Sequence[_OfTask]) -> Iterator[dict[str, Any]]:
    """What was read and written, item by item, for reading."""
    for number, item in enumerate(task.items):
        outputs = {one.inference.name: one.outputs[number].text for one in measured}
        yield {
            "task": task.name,
            "dataset": task.dataset,
            "lang": task.lang,
            "line": item.line,
            "read": item.read,
            "reference": item.written,
            "outputs": outputs,
        }
