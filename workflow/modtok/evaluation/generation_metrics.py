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
from itertools import groupby
from pathlib import Path

import numpy as np

from modtok.core.languages import PIVOT
from modtok.core.metrics import ALL
from modtok.core.seeds import derive
from modtok.corpus.language_id import Identifier
from modtok.evaluation.bootstrap import RESAMPLES, Series, resampling_weights
from modtok.evaluation.generation_files import TRANSLATION, Written
from modtok.evaluation.inference_names import langs_of
from modtok.evaluation.model_metrics import Measured, ModelMetric, Trained, model_metric
from modtok.evaluation.text_metrics import Score, rouge_scores, translation_scores

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
class _Scored:
    """What was written for a task by one inference tokenizer, and its scores."""

    written: Written
    scores: Mapping[str, Score]


def generation_metrics(
    trained: Trained,
    written: Sequence[Written],
    judges: Judges,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[GenerationMetric]:
    """Metrics of all that a model has written, in the order of generation_files.read_written.

    generation_metrics(Trained.read(folder), read_written(file), Judges(Identifier(), labels, None))
    """
    metrics: list[GenerationMetric] = []
    for _, group in groupby(written, key=lambda one: (one.task, one.dataset)):
        of_set = list(group)
        drawn = _drawn(of_set, resamples, seed)
        scored = [
            _Scored(one, _scores(one, judges, weights)) for one, weights in zip(of_set, drawn, strict=True)
        ]
        metrics += _metrics(trained, scored)
    return metrics


def _drawn(written: Sequence[Written], resamples: int, seed: int) -> Iterator[Series]:
    """How often each item of a set's tasks is drawn: a line of a parallel set as often in each language."""
    drawn = derive(seed, "bootstrap", written[0].dataset)
    every = sorted({item.line for one in written for item in one.items})
    for one in written:
        lines = [item.line for item in one.items]
        of_all = every if one.task == TRANSLATION else lines
        weights = resampling_weights(len(of_all), resamples, drawn)
        yield weights[:, np.searchsorted(of_all, lines)]


def _scores(written: Written, judges: Judges, weights: Series) -> dict[str, Score]:
    outputs, lang = written.outputs, written.lang
    texts, references = [output.text for output in outputs], [item.written for item in written.items]
    if written.task == TRANSLATION:
        scores = translation_scores(texts, references, weights, judges.spbleu)
    else:
        scores = rouge_scores(texts, references, weights)
    scores |= off_target(texts, lang, judges, weights)
    scores["off_target_reference"] = off_target(references, lang, judges, weights)["off_target"]
    every = [1] * len(outputs)
    foreign = [output.foreign for output in outputs if output.foreign is not None]
    if foreign:
        scores["foreign_tokens"] = _share(foreign, [output.tokens for output in outputs], weights)
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


def _metrics(trained: Trained, scored: Sequence[_Scored]) -> Iterator[GenerationMetric]:
    """Rows of one set: for each inference tokenizer and metric those of languages, then their mean."""
    for inference in dict.fromkeys(one.written.inference for one in scored):
        of_it = [one for one in scored if one.written.inference == inference]
        for metric in dict.fromkeys(metric for one in of_it for metric in one.scores):
            having = [one for one in of_it if metric in one.scores and one.scores[metric].n > 0]
            scores = [one.scores[metric] for one in having]
            for one, score in zip(having, scores, strict=True):
                chosen, lang = langs_of(one.written.chosen), one.written.lang
                row = Measured(inference, chosen, one.written.size, lang, metric, score.series, score.n)
                yield _metric(trained, one.written, row, score.signature)
            if scores:
                mean = np.mean([score.series for score in scores], axis=0)
                largest = max(one.written.size for one in having)
                row = Measured(inference, None, largest, ALL, metric, mean, len(scores))
                yield _metric(trained, having[0].written, row, scores[0].signature)


def _metric(trained: Trained, written: Written, row: Measured, signature: str) -> GenerationMetric:
    of_model = model_metric(trained, written.dataset, _UNITS.get(row.metric, "share"), row)
    return GenerationMetric(**asdict(of_model), task=written.task, signature=signature)
