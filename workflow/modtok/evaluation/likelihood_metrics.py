"""Bits per byte of parallel text for each inference tokenizer of a model (ours; paper section 6.2).

The inference tokenizers are those of inference_tokenizers.py.

| metric | what | unit |
|---|---|---|
| bits_per_byte | -log2 probability of a line's tokens, over its UTF-8 bytes | bits/byte |
| bits_per_byte_continued | the same of a line's second half, after the first | bits/byte |
| foreign_mass | probability outside of the language's own tokens under `full`, mean over tokens | share |
| training_operations | of the model's training, by arithmetic; `inference` is empty | operations |

Sums over lines are divided once; intervals are bootstrap intervals over lines; `all` is the mean over
languages. `full-lang` has the second halves of lines only. English is its own union with English: its
`en-lang-union` is its `lang`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from modtok.core.io import read_tsv, write_tsv
from modtok.core.languages import PIVOT
from modtok.core.metrics import ALL
from modtok.core.seeds import derive
from modtok.evaluation.answers import Answers
from modtok.evaluation.bootstrap import RESAMPLES, Series, resampled_sums, resampling_weights
from modtok.evaluation.inference_names import LANG, UNION, langs_of
from modtok.evaluation.memory import forward_operations
from modtok.evaluation.model_metrics import Measured, ModelMetric, Trained, model_metric

OPERATIONS = "training_operations"
UNITS = {
    OPERATIONS: "operations",
    "bits_per_byte": "bits/byte",
    "bits_per_byte_continued": "bits/byte",
    "foreign_mass": "share",
}
# Metric -> what is added up over lines, how much of it makes one, and what it is divided by.
_PARTS = {
    "bits_per_byte": ("nats", math.log(2), "bytes"),
    "bits_per_byte_continued": ("nats_continued", math.log(2), "bytes_continued"),
    "foreign_mass": ("outside", 1.0, "tokens"),
}
BACKWARD = 2
"operations of a backward pass over those of a forward pass"


def likelihood_metrics(
    trained: Trained, answers: Sequence[Answers], *, resamples: int = RESAMPLES, seed: int = 0
) -> list[ModelMetric]:
    """All likelihood metrics of a model, ordered by parallel set, inference tokenizer and language.

    likelihood_metrics(Trained.read(folder), read_answers(file, LIKELIHOOD))
    """
    metrics = []
    for dataset, group in groupby(answers, key=lambda one: one.of["dataset"]):
        own = list(group)
        drawn = derive(seed, "bootstrap", dataset)
        weights = resampling_weights(len(own[0].values["line"]), resamples, drawn)
        for row in _of_set(own, weights):
            metrics.append(model_metric(trained, dataset, UNITS[row.metric], row))
    return metrics


def training_metric(trained: Trained, log: Sequence[Mapping[str, str]]) -> ModelMetric:
    """Operations of a model's training, from the active rows of each step in the rows of its train_log.tsv.

    They say what a regime costs on an idle machine of any kind; seconds are in the log.
    """
    shape, sequences = trained.architecture.shape, trained.settings["batch"]
    forward = sum(
        sequences * forward_operations(shape, int(row["active_rows"]), shape.context) for row in log
    )
    value = np.array([float((1 + BACKWARD) * forward)])
    row = Measured("", None, trained.architecture.vocabulary_size, ALL, OPERATIONS, value, len(log))
    return model_metric(trained, "", UNITS[OPERATIONS], row)


def write_training(out: Path, tables: Sequence[tuple[str, Path]]) -> None:
    """The rows of tables of several runs, each given with its name, which stands in the column `run`.

    write_training(Path("training.tsv"), [("", Path("likelihood.tsv")), ("longer", Path("theirs.tsv"))])
    """
    columns = [*(field.name for field in fields(ModelMetric)), "run"]
    write_tsv(out, columns, [row | {"run": run} for run, file in tables for row in read_tsv(file)])


def _of_set(answers: Sequence[Answers], weights: Series) -> Iterator[Measured]:
    """For each inference tokenizer and metric the rows of languages, then their mean."""
    by_name: dict[tuple[str, str], list[Measured]] = {}
    for lang, own in groupby(answers, key=lambda one: one.of["lang"]):
        rows = [row for one in own for row in _of_language(one, weights)]
        union = [row for row in rows if row.inference == LANG] if lang == PIVOT else []
        for row in [*rows, *(replace(row, inference=UNION) for row in union)]:
            by_name.setdefault((row.inference, row.metric), []).append(row)
    for (name, metric), rows in by_name.items():
        yield from rows
        mean = np.mean([row.series for row in rows], axis=0)
        largest = max(row.size for row in rows)
        yield Measured(name, None, largest, ALL, metric, mean, len(rows))


def _of_language(answers: Answers, weights: Series) -> Iterator[Measured]:
    """A language's rows by one inference tokenizer."""
    of, values = answers.of, answers.values
    for metric, (name, unit, per) in _PARTS.items():
        if name in values:
            sums = weights @ (values[name] / unit)
            series = _ratio(sums, resampled_sums(weights, values[per]))
            chosen, lines = langs_of(of["chosen"]), len(values["line"])
            yield Measured(of["inference"], chosen, of["size"], of["lang"], metric, series, lines)


def _ratio(numerator: Series, denominator: NDArray[np.float64]) -> Series:
    # A resample of empty lines only has no ratio; interval() leaves it out.
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(numerator / denominator)
