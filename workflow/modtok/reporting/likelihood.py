"""What the table and the figures of likelihood select: values of models, by what they were trained as."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from modtok.core.errors import ConfigError, require
from modtok.core.model_names import ModelName
from modtok.reporting.run import Run

BITS, CONTINUED, FOREIGN, OPERATIONS = (
    "bits_per_byte",
    "bits_per_byte_continued",
    "foreign_mass",
    "training_operations",
)
ALL = "all"
KINDS = {"bpe": "BPE", "unigram": "Unigram"}
Trained = tuple[str, str]
"tokenizer and regime"
Repeat = tuple[str, int]
"run, empty for the run itself, and number of the repetition"


def mean(values: Iterable[float]) -> float:
    """mean([1.0, 2.0]) -> 1.5"""
    held = list(values)
    return sum(held) / len(held)


def _mean(column: Iterable[float]) -> float | None:
    """Of the numbers of a column; None where there are none."""
    known = [float(value) for value in column if pd.notna(value)]
    return mean(known) if known else None


@dataclass(frozen=True)
class Score:
    """A mean over seeds, with those of the ends of its 95 % interval; None where the metrics have none."""

    value: float
    low: float | None
    high: float | None

    def text(self, digits: int, scale: float = 1) -> str:
        """Score(0.383, 0.37, 0.394).text(1, 100) -> "38.3 [37.0, 39.4]" """
        value, low, high = (
            "" if one is None else f"{scale * one:.{digits}f}" for one in (self.value, self.low, self.high)
        )
        return f"{value} [{low}, {high}]" if low and high else value

    def of_mean(self, number: int) -> "Score":
        """With the interval that the mean of so many of its kind has, as far as they are independent.

        Score(0.25, 0.05, 0.45).of_mean(4) -> Score(0.25, 0.15, 0.35)
        """
        low, high = (
            None if end is None else self.value + (end - self.value) / math.sqrt(number)
            for end in (self.low, self.high)
        )
        return Score(self.value, low, high)

    def holds(self, value: float) -> bool:
        """Whether the interval holds a value."""
        return self.low is not None and self.high is not None and self.low <= value <= self.high


@dataclass(frozen=True)
class Likelihood:
    """Metrics of models, such as likelihood.tsv, on the parallel set that is shown."""

    frame: pd.DataFrame

    @classmethod
    def of(cls, item: str, metrics: pd.DataFrame, run: Run) -> "Likelihood":
        """Error: the run has no models."""
        empty = f"{item}: the run has no models; set pretraining.regimes and pretraining.tokenizers"
        require(len(metrics) > 0, empty, ConfigError)
        names = [ModelName.parse(str(name)) for name in metrics["model"]]
        shown = metrics.assign(trained=[name.tokenizer for name in names])
        if "run" not in shown:
            shown = shown.assign(run="")
        return cls(shown[shown["dataset"].isin(["", run.dataset])])

    @property
    def models(self) -> list[Trained]:
        """Tokenizers and regimes, in the order of the run."""
        pairs = zip(self.frame["trained"], self.frame["regime"], strict=True)
        return list(dict.fromkeys((str(tokenizer), str(regime)) for tokenizer, regime in pairs))

    def of_kind(self, kind: str) -> "Likelihood":
        """Models over tokenizers of a kind, `bpe` or `unigram`, the baseline's joint one among them."""
        return Likelihood(self.frame[self.frame["trained"].map(lambda name: kind in name.split("-"))])

    def values(
        self, trained: Trained, metric: str, inference: str = "", lang: str = ALL, tokens: int | None = None
    ) -> dict[Repeat, float]:
        """Values by run and repetition; none where the model has no such metric."""
        chosen = self._chosen(trained, metric, inference, lang)
        if tokens is not None:
            chosen = chosen[chosen["training_tokens"] == tokens]
        rows = zip(chosen["run"], chosen["repeat"], chosen["value"], strict=True)
        return {(str(run), int(repeat)): float(value) for run, repeat, value in rows}

    def _chosen(self, trained: Trained, metric: str, inference: str, lang: str) -> pd.DataFrame:
        tokenizer, regime = trained
        frame = self.frame
        return frame[
            (frame["trained"] == tokenizer)
            & (frame["regime"] == regime)
            & (frame["metric"] == metric)
            & (frame["inference"] == inference)
            & (frame["lang"] == lang)
        ]

    def count(self, trained: Trained, metric: str, inference: str, lang: str) -> str:
        """Of how many items a metric is, the mean over seeds; empty without any."""
        number = _mean(self._chosen(trained, metric, inference, lang)["n"])
        return "" if number is None else f"{number:.0f}"

    def score(self, trained: Trained, metric: str, inference: str, lang: str = ALL) -> Score | None:
        """A metric with its interval; None without one."""
        chosen = self._chosen(trained, metric, inference, lang)
        value, low, high = (_mean(chosen[column]) for column in ("value", "low", "high"))
        return None if value is None else Score(value, low, high)

    def lengths(self) -> Sequence[int]:
        """Tokens of training that the models have had, from few to many."""
        return sorted(int(length) for length in set(self.frame["training_tokens"]))
