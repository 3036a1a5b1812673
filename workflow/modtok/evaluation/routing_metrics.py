"""What routing by language identification costs and loses against knowing the language (ours).

The first half of a line of a parallel set is the prompt. Language identification sees it alone; the whole
line is cut, and its second half predicted, by the subtokenizer that was chosen. A policy decides for each:

| inference | subtokenizer |
|---|---|
| oracle | the language's own |
| one | that of the likeliest language, however unlikely |
| routed | by the run's two thresholds (routing.py) |
| full | the full tokenizer, without language identification |
| one-union, one-full | of the likeliest language from `threshold` on, else the union, or the full one |

| metric | what | unit |
|---|---|---|
| bits_per_byte_continued | -log2 probability of second halves after the first, by their bytes | bits/byte |
| relative_cost | operations on whole lines, and of asking, over those of the oracle | ratio |
| held | prompts whose language is among those of the subtokenizer | share |
| to_one, to_union, to_full | prompts that got one language, the union, the full tokenizer | share |

Operations are counted by arithmetic; the oracle and `full` ask nobody. Sums over lines are divided once,
intervals are bootstrap intervals over lines, `all` is the mean over languages; curves have `all` alone.

# Shape suffixes: O options, L languages, N lines, W the sample and its resamples.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from modtok.core.model_names import ModelName
from modtok.core.seeds import derive
from modtok.evaluation.bootstrap import Series, resampling_weights
from modtok.evaluation.compression import ALL, RESAMPLES
from modtok.evaluation.inference_tokenizers import Langs
from modtok.evaluation.likelihood import Scorer, Text
from modtok.evaluation.likelihood_metrics import halved
from modtok.evaluation.memory import forward_operations
from modtok.evaluation.model_metrics import Measured, ModelMetric, model_metric
from modtok.evaluation.routing import FULL, ONE, UNION, Policy, Router, choices
from modtok.evaluation.token_counts import ParallelSets
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model

ORACLE, ROUTED = "oracle", "routed"
OPTIONS = (ORACLE, ONE, UNION, FULL)
"what a prompt may be cut by, in the order of O"
THRESHOLDS = (*(number / 10 for number in range(10)), 0.95, 0.99)
"of the curves; 0 trusts language identification always"
BITS, COST = "bits_per_byte_continued", "relative_cost"
_UNITS = {BITS: "bits/byte", COST: "ratio"}
Row = tuple[str, str, Series, int]
"language, metric, its series, and the number of lines or languages"


@dataclass(frozen=True)
class RoutingMetric(ModelMetric):
    """A metric of a policy, which `inference` names."""

    threshold: float | None
    "of a point of a curve; empty for the others"


@dataclass(frozen=True)
class Prompts:
    """The lines of a set under each option."""

    langs: Sequence[str]
    bits_OLN: NDArray[np.float64]
    "of second halves"
    operations_OLN: NDArray[np.float64]
    "of whole lines"
    holds_OLN: NDArray[np.bool_]
    "whether the option has the line's language"
    bytes_LN: NDArray[np.float64]
    "of second halves"
    best_LN: NDArray[np.float64]
    "probability of the likeliest language"
    asking_LN: NDArray[np.float64]
    "operations of language identification"


@dataclass(frozen=True)
class Decision:
    """What a policy does with each prompt."""

    name: str
    option_LN: NDArray[np.int64]
    "places in OPTIONS"
    asks: bool
    "whether language identification had to be asked"
    threshold: float | None = None


def routing_metrics(
    name: ModelName,
    model: Model,
    subtokenizers: Subtokenizers,
    sets: ParallelSets,
    labels: Mapping[str, Sequence[str]],
    router: Router,
    policy: Policy,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[RoutingMetric]:
    """Metrics of routing between the languages of `labels`; none where the tokenizer has no sets.

    `labels`: those of the language-ID model that count as a language, for each language of the run.
    """
    if subtokenizers.modular is None:
        return []
    metrics = []
    for dataset, texts in sets.items():
        if not labels.keys() & texts.keys():  # a set of other languages
            continue
        prompts = read_prompts(model, subtokenizers, texts, labels, router, policy.candidates)
        drawn = derive(seed, "bootstrap", dataset)
        weights_WN = resampling_weights(prompts.best_LN.shape[1], resamples, drawn)
        for decision in decisions(prompts.best_LN, policy):
            for row in _rows(prompts, decision, weights_WN):
                metrics.append(_metric(name, model, dataset, decision, row))
    return metrics


def read_prompts(
    model: Model,
    subtokenizers: Subtokenizers,
    texts: Mapping[str, Sequence[str]],
    labels: Mapping[str, Sequence[str]],
    router: Router,
    candidates: int,
) -> Prompts:
    """Score the lines of a set under each option; lines that share a subtokenizer are scored together."""
    langs = [lang for lang in labels if lang in texts]
    halves = [[halved(line) for line in texts[lang]] for lang in langs]
    likely = [router.probabilities([begun for begun, _ in own], labels) for own in halves]
    shape = (len(OPTIONS), len(langs), len(halves[0]))
    bits_OLN, operations_OLN, holds_OLN = np.zeros(shape), np.zeros(shape), np.zeros(shape, bool)
    places: dict[Langs, list[tuple[int, int, int]]] = {}
    for row, column in np.ndindex(shape[1:]):
        chosen = {ORACLE: (langs[row],), **choices(likely[row][column], list(labels), candidates)}
        for option, name in enumerate(OPTIONS):
            places.setdefault(chosen[name], []).append((option, row, column))
    for held, cells in places.items():
        lines = list(dict.fromkeys((row, column) for _, row, column in cells))
        costs = _costs(model, subtokenizers, held, [halves[row][column] for row, column in lines])
        of_line = dict(zip(lines, costs, strict=True))
        for option, row, column in cells:
            bits_OLN[option, row, column], operations_OLN[option, row, column] = of_line[row, column]
            holds_OLN[option, row, column] = held is None or langs[row] in held
    return Prompts(
        langs,
        bits_OLN,
        operations_OLN,
        holds_OLN,
        bytes_LN=np.array([[float(len(ended.encode())) for _, ended in own] for own in halves]),
        best_LN=np.array([row_NL.max(axis=1) for row_NL in likely]),
        asking_LN=np.array([[float(router.operations(begun)) for begun, _ in own] for own in halves]),
    )


def _costs(
    model: Model, subtokenizers: Subtokenizers, langs: Langs, halves: Sequence[tuple[str, str]]
) -> Iterator[tuple[float, float]]:
    """Of each line the bits of its second half, and the operations of a pass over all of it and <s>."""
    used = subtokenizers.of(langs)
    begun, ended = (used.tokenizer.encode_batch([half[part] for half in halves]) for part in (0, 1))
    texts = [
        Text(used.ids_S[[*first, *second]].tolist(), len(first))
        for first, second in zip(begun, ended, strict=True)
    ]
    scores = Scorer(model, torch.from_numpy(used.ids_S.astype(np.int64))).score(texts)
    shape, size = model.architecture.shape, len(used.ids_S)
    for text, score in zip(texts, scores, strict=True):
        yield score.nats.sum() / math.log(2), float(forward_operations(shape, size, 1 + len(text.ids)))


def decisions(best_LN: NDArray[np.float64], policy: Policy) -> Iterator[Decision]:
    """What each policy does, the run's own and the points of the curves."""
    oracle, one, union, full = range(len(OPTIONS))

    def everywhere(option: int) -> NDArray[np.int64]:
        return np.full(best_LN.shape, option)

    yield Decision(ORACLE, everywhere(oracle), asks=False)
    yield Decision(ONE, everywhere(one), asks=True)
    routed = [[OPTIONS.index(policy.choice(best)) for best in own] for own in best_LN]
    yield Decision(ROUTED, np.array(routed), asks=True)
    yield Decision(FULL, everywhere(full), asks=False)
    for name, other in ((f"{ONE}-{UNION}", union), (f"{ONE}-{FULL}", full)):
        for threshold in THRESHOLDS:
            yield Decision(name, np.where(best_LN >= threshold, one, other), True, threshold)


def _rows(prompts: Prompts, decision: Decision, weights_WN: Series) -> Iterator[Row]:
    """By language, and the mean; points of a curve have the mean alone."""
    series = {lang: _series(prompts, row, decision, weights_WN) for row, lang in enumerate(prompts.langs)}
    for metric in next(iter(series.values())):
        if decision.threshold is None:
            for lang, of_lang in series.items():
                yield lang, metric, of_lang[metric], weights_WN.shape[1]
        yield ALL, metric, np.mean([own[metric] for own in series.values()], axis=0), len(series)


def _series(prompts: Prompts, row: int, decision: Decision, weights_WN: Series) -> dict[str, Series]:
    """The metrics of a language, whose place is `row`."""
    option_N = decision.option_LN[row]

    def sums(values_ON: NDArray[np.float64]) -> Series:
        return np.asarray(weights_WN @ np.take_along_axis(values_ON, option_N[None], axis=0)[0])

    def share(which_N: NDArray[np.bool_]) -> Series:
        return np.asarray(weights_WN @ which_N / which_N.size)

    asking_W = weights_WN @ prompts.asking_LN[row] if decision.asks else 0.0
    oracle_W = weights_WN @ prompts.operations_OLN[OPTIONS.index(ORACLE), row]
    with np.errstate(divide="ignore", invalid="ignore"):  # a resample of empty lines alone has no ratio
        series = {
            BITS: sums(prompts.bits_OLN[:, row]) / (weights_WN @ prompts.bytes_LN[row]),
            COST: (sums(prompts.operations_OLN[:, row]) + asking_W) / oracle_W,
        }
    series["held"] = sums(prompts.holds_OLN[:, row].astype(float)) / option_N.size
    return series | {f"to_{name}": share(option_N == place) for place, name in enumerate(OPTIONS) if place}


def _metric(name: ModelName, model: Model, dataset: str, decision: Decision, row: Row) -> RoutingMetric:
    lang, metric, series, n = row
    tokens, size = int(model.about["settings"]["tokens"]), model.architecture.vocabulary_size
    measured = Measured(decision.name, None, size, lang, metric, series, n)
    of_model = model_metric(name, tokens, dataset, _UNITS.get(metric, "share"), measured)
    return RoutingMetric(**asdict(of_model), threshold=decision.threshold)
