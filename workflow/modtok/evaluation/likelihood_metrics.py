"""Bits per byte of parallel text for each inference tokenizer of a model (ours; paper section 6.2).

The inference tokenizers are those of inference_tokenizers.py; text in one language has no `en-lang-split`.

| metric | what | unit |
|---|---|---|
| bits_per_byte | -log2 probability of a line's tokens, over its UTF-8 bytes | bits/byte |
| bits_per_byte_continued | the same of a line's second half, after the first | bits/byte |
| foreign_mass | probability outside of the language's own tokens under `full`, mean over tokens | share |
| training_operations | of the model's training, by arithmetic; `inference` is empty | operations |

Sums over lines are divided once; intervals are bootstrap intervals over lines; `all` is the mean over
languages. Text that a model is to predict cannot hold tokens that it must not choose: so `full-lang` has the
second halves only, as in generation after a prompt. Halves part at a space, where no token crosses, so for
the others a line costs what its halves cost. The end of a line is not predicted. English is its own union
with English: its `en-lang-union` is its `lang`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from modtok.core.model_names import ModelName
from modtok.core.seeds import derive
from modtok.evaluation.bootstrap import Series, resampled_sums, resampling_weights
from modtok.evaluation.compression import ALL, PIVOT, RESAMPLES
from modtok.evaluation.inference_tokenizers import (
    FULL,
    LANG,
    SPLIT,
    UNION,
    Cutter,
    Inference,
    inferences,
)
from modtok.evaluation.likelihood import Scorer, Scores, Text
from modtok.evaluation.memory import forward_operations
from modtok.evaluation.model_metrics import Measured, ModelMetric, model_metric
from modtok.evaluation.token_counts import ParallelSets
from modtok.modelling.batches import Subtokenizers
from modtok.modelling.checkpoint import Model

OPERATIONS = "training_operations"
UNITS = {
    OPERATIONS: "operations",
    "bits_per_byte": "bits/byte",
    "bits_per_byte_continued": "bits/byte",
    "foreign_mass": "share",
}
BACKWARD = 2
"operations of a backward pass over those of a forward pass"


def likelihood_metrics(
    name: ModelName,
    model: Model,
    subtokenizers: Subtokenizers,
    sets: ParallelSets,
    langs: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[ModelMetric]:
    """All likelihood metrics of a model, ordered by parallel set, inference tokenizer and language.

    likelihood_metrics(ModelName("sequential-bpe", "samp-sub2"), read_model(folder), tokenizers, sets, ["en"])
    """
    tokens = int(model.about["settings"]["tokens"])
    metrics = []
    for dataset, texts in sets.items():
        measured = _OnSet(model, subtokenizers, texts, resamples, derive(seed, "bootstrap", dataset))
        for row in measured.rows([lang for lang in langs if lang in texts]):
            metrics.append(model_metric(name, tokens, dataset, UNITS[row.metric], row))
    return metrics


def training_metric(name: ModelName, model: Model, log: Sequence[Mapping[str, str]]) -> ModelMetric:
    """Operations of a model's training, from the active rows of each step in the rows of its train_log.tsv.

    They say what a regime costs on an idle machine of any kind; seconds are in the log.
    """
    settings, shape = model.about["settings"], model.architecture.shape
    sequences = settings["batch"]
    forward = sum(
        sequences * forward_operations(shape, int(row["active_rows"]), shape.context) for row in log
    )
    value = np.array([float((1 + BACKWARD) * forward)])
    row = Measured("", None, model.architecture.vocabulary_size, ALL, OPERATIONS, value, len(log))
    return model_metric(name, int(settings["tokens"]), "", UNITS[OPERATIONS], row)


@dataclass(frozen=True)
class _OnSet:
    """A model on one parallel set."""

    model: Model
    subtokenizers: Subtokenizers
    texts: Mapping[str, list[str]]
    resamples: int
    seed: int

    @cached_property
    def weights(self) -> Series:
        lines = len(next(iter(self.texts.values())))
        return resampling_weights(lines, self.resamples, self.seed)

    def rows(self, langs: Sequence[str]) -> Iterator[Measured]:
        by_name: dict[tuple[str, str], list[Measured]] = {}
        for lang in langs:
            for row in self._rows_of(lang, langs):
                by_name.setdefault((row.inference, row.metric), []).append(row)
        for (name, metric), rows in by_name.items():
            yield from rows
            mean = np.mean([row.series for row in rows], axis=0)
            largest = max(row.size for row in rows)
            yield Measured(name, None, largest, ALL, metric, mean, len(rows))

    def _rows_of(self, lang: str, langs: Sequence[str]) -> Iterator[Measured]:
        """A language's rows, by inference tokenizer."""
        rows = [
            row
            for inference in inferences(self.subtokenizers, lang, langs)
            if inference.name != SPLIT
            for row in self._of_language(lang, inference)
        ]
        own = [row for row in rows if row.inference == LANG] if lang == PIVOT else []
        return iter([*rows, *(replace(row, inference=UNION) for row in own)])

    def _of_language(self, lang: str, inference: Inference) -> Iterator[Measured]:
        lines = self.texts[lang]
        halves = [halved(line) for line in lines]
        read, predicted = ([half[number] for half in halves] for number in (0, 1))
        cutter, alike = Cutter(self.subtokenizers, inference), inference.uniform
        begun, ended = cutter.target(read), cutter.predicted(predicted)
        texts = [
            Text([*first, *second], 0 if alike else len(first))
            for first, second in zip(begun, ended, strict=True)
        ]
        has_sets = self.subtokenizers.modular is not None
        members = torch.from_numpy(self.subtokenizers.ids((lang,))) if has_sets else None
        members = members if inference.name == FULL else None
        scores = Scorer(self.model, cutter.chosen_S, members).score(texts)
        counts = np.array([len(first) if alike else 0 for first in begun])
        for metric, series in self._metrics(lines, predicted, scores, counts, members is not None).items():
            if alike or metric == "bits_per_byte_continued":
                size = len(cutter.chosen_S)
                yield Measured(inference.name, inference.chosen, size, lang, metric, series, len(lines))

    def _metrics(
        self,
        lines: Sequence[str],
        predicted: Sequence[str],
        scores: Sequence[Scores],
        counts: NDArray[np.int64],
        foreign: bool,
    ) -> dict[str, Series]:
        """Series of the metrics; the first `counts` scores of a line are those of its first half."""
        weights = self.weights

        def bits_per_byte(of: Sequence[str], bits: Sequence[float]) -> Series:
            sizes = np.array([len(text.encode()) for text in of])
            return _ratio(weights @ np.array(bits), resampled_sums(weights, sizes))

        whole = [one.nats.sum() / math.log(2) for one in scores]
        second = [one.nats[count:].sum() / math.log(2) for one, count in zip(scores, counts, strict=True)]
        series = {"bits_per_byte": bits_per_byte(lines, whole)}
        series["bits_per_byte_continued"] = bits_per_byte(predicted, second)
        if foreign:
            tokens = resampled_sums(weights, np.array([len(one.outside) for one in scores]))
            series["foreign_mass"] = _ratio(weights @ np.array([one.outside.sum() for one in scores]), tokens)
        return series


def halved(line: str) -> tuple[str, str]:
    """A line parted before the space behind a word that is nearest to its middle; without one, second half.

    A run of white space is never parted: it may be cut otherwise in two parts than as one.

    halved("one two three") -> ("one two", " three")
    """
    pairs = enumerate(pairwise(line), 1)
    places = [place for place, (before, here) in pairs if here == " " and not before.isspace()]
    middle = min(places, key=lambda place: abs(2 * place - len(line)), default=0)
    return line[:middle], line[middle:]


def _ratio(numerator: Series, denominator: Series) -> Series:
    # A resample of empty lines only has no ratio; interval() leaves it out.
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(numerator / denominator)
