"""What routing by language identification costs and loses against knowing the language (ours).

The first half of a line of a parallel set is the prompt. Language identification sees it alone; the whole
line is cut, and its second half predicted, by the subtokenizer that was chosen. A policy decides for each:

| inference | subtokenizer |
|---|---|
| oracle | the language's own |
| one | that of the likeliest language, however unlikely |
| routed | by the run's two thresholds (Policy) |
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from modtok.core.metrics import ALL
from modtok.core.seeds import derive
from modtok.evaluation.answers import Answers
from modtok.evaluation.bootstrap import RESAMPLES, Series, resampling_weights
from modtok.evaluation.inference_names import langs_of
from modtok.evaluation.memory import forward_operations
from modtok.evaluation.model_metrics import Measured, ModelMetric, Trained, model_metric
from modtok.evaluation.routing import FULL, ONE, OPTIONS, ORACLE, UNION

ROUTED = "routed"
THRESHOLDS = (*(number / 10 for number in range(10)), 0.95, 0.99)
"of the curves; 0 trusts language identification always"
BITS, COST = "bits_per_byte_continued", "relative_cost"
_UNITS = {BITS: "bits/byte", COST: "ratio"}
Row = tuple[str, str, Series, int]
"language, metric, its series, and the number of lines or languages"


@dataclass(frozen=True)
class Policy:
    """When to trust language identification: Policy(sure=0.7, unsure=0.3).

    Where the likeliest language is sure, its own subtokenizer is taken; where it is less so, the union of the
    likeliest; where it is unsure, the full tokenizer. A prompt in none of the languages has no probable one,
    so that is its, too.
    """

    sure: float
    "probability from which the likeliest language's own subtokenizer is taken"
    unsure: float
    "probability below which the full tokenizer is; between the two, the union"

    def choice(self, best: float) -> str:
        """ONE, UNION or FULL, by the probability of the likeliest language."""
        if best >= self.sure:
            return ONE
        return UNION if best >= self.unsure else FULL


@dataclass(frozen=True)
class RoutingMetric(ModelMetric):
    """A metric of a policy, which `inference` names."""

    threshold: float | None
    "of a point of a curve; empty for the others"


@dataclass(frozen=True)
class Prompts:
    """The lines of a set under each option, in the order of routing.OPTIONS."""

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
    trained: Trained,
    answers: Sequence[Answers],
    policy: Policy,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[RoutingMetric]:
    """Metrics of routing between the languages of a run, from what routing_answers.py asked.

    routing_metrics(Trained.read(folder), read_answers(file, ROUTING), Policy(sure=0.7, unsure=0.3))
    """
    metrics = []
    for dataset, own in groupby(answers, key=lambda one: one.of["dataset"]):
        prompts = _prompts(trained, list(own))
        drawn = derive(seed, "bootstrap", dataset)
        weights_WN = resampling_weights(prompts.best_LN.shape[1], resamples, drawn)
        for decision in decisions(prompts.best_LN, policy):
            for row in _rows(prompts, decision, weights_WN):
                metrics.append(_metric(trained, dataset, decision, row))
    return metrics


def _prompts(trained: Trained, answers: Sequence[Answers]) -> Prompts:
    langs = list(dict.fromkeys(one.of["lang"] for one in answers))
    found = {(one.of["option"], one.of["lang"]): one for one in answers}

    def stacked(values: Callable[[Answers], Iterable[float]]) -> NDArray[np.float64]:
        return np.array([[list(values(found[option, lang])) for lang in langs] for option in OPTIONS], float)

    def of_lines(name: str) -> NDArray[np.float64]:
        return stacked(lambda one: one.values[name])[0]

    return Prompts(
        langs,
        bits_OLN=stacked(lambda one: one.values["nats_continued"]) / math.log(2),
        operations_OLN=stacked(lambda one: _operations(trained, one)),
        holds_OLN=stacked(_holds).astype(bool),
        bytes_LN=of_lines("bytes_continued"),
        best_LN=of_lines("best"),
        asking_LN=of_lines("asking"),
    )


def _operations(trained: Trained, answers: Answers) -> Iterator[float]:
    """Of a pass over each line and <s>."""
    shape, values = trained.architecture.shape, answers.values
    for size, tokens in zip(values["size"].tolist(), values["tokens"].tolist(), strict=True):
        yield float(forward_operations(shape, size, 1 + tokens))


def _holds(answers: Answers) -> Iterator[bool]:
    """Whether the subtokenizer of each line has its language."""
    for chosen in answers.values["chosen"]:
        langs = langs_of(chosen)
        yield langs is None or answers.of["lang"] in langs


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


def _metric(trained: Trained, dataset: str, decision: Decision, row: Row) -> RoutingMetric:
    lang, metric, series, n = row
    size = trained.architecture.vocabulary_size
    measured = Measured(decision.name, None, size, lang, metric, series, n)
    of_model = model_metric(trained, dataset, _UNITS.get(metric, "share"), measured)
    return RoutingMetric(**asdict(of_model), threshold=decision.threshold)
