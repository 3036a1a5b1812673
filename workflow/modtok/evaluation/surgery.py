"""What surgery does to text: tokens of each language and group of languages before and after.

| metric | what | unit |
|---|---|---|
| tokens | tokens of all lines | tokens |
| fertility | tokens per white-space word | tokens/word |
| change | tokens after over tokens before, less one, on the same lines | percent |

A group of languages (`cs+de+fr+pl`) counts the tokens of all its lines together. Intervals are 95 % bootstrap
intervals over lines. A tokenizer, the subject, has its own name before; after, `surgery-{method}-{subject}`.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from modtok.core.metrics import Metric
from modtok.core.seeds import derive
from modtok.evaluation.bootstrap import Series, interval, resampled_sums, resampling_weights
from modtok.evaluation.compression import count_words
from modtok.evaluation.token_counts import ParallelSets, TokenCounts

UNITS = {"tokens": "tokens", "fertility": "tokens/word", "change": "percent"}
JOIN = "+"


def columns_of(target: str, groups: Sequence[Sequence[str]]) -> list[str]:
    """What is measured, in the order of the table's columns: the target, then each group and its members.

    columns_of("uk", [["en"], ["cs", "pl"]]) -> ["uk", "en", "cs+pl", "cs", "pl"]
    """
    names = [target]
    for group in filter(None, groups):
        names += [JOIN.join(group), *group] if len(group) > 1 else group
    return names


def measure_surgery(
    before: TokenCounts,
    after: Mapping[str, TokenCounts],
    sets: ParallelSets,
    columns: Sequence[str],
    *,
    resamples: int,
    seed: int,
) -> list[Metric]:
    """Metrics of one subject and what became of it (name -> counts), by dataset, tokenizer, column.

    A column that a set has not wholly is left out of that set.
    """
    tokenizers = {before.tokenizer: before, **after}
    return [
        metric
        for dataset, texts in sets.items()
        if texts
        for weights in [_weights(texts, resamples, derive(seed, "bootstrap", dataset))]
        for name, counts in tokenizers.items()
        for column in columns
        if all(lang in texts for lang in column.split(JOIN))
        for metric in _of_column(name, counts, before, dataset, texts, column, weights)
    ]


def _weights(texts: Mapping[str, list[str]], resamples: int, seed: int) -> Series:
    return resampling_weights(len(next(iter(texts.values()))), resamples, seed)


def _of_column(
    name: str,
    counts: TokenCounts,
    before: TokenCounts,
    dataset: str,
    texts: Mapping[str, list[str]],
    column: str,
    weights: Series,
) -> Iterator[Metric]:
    langs = column.split(JOIN)
    lines = [line for lang in langs for line in texts[lang]]
    tokens = _sums(counts, dataset, langs, weights)
    words = sum(map(count_words, lines))
    series = {"tokens": tokens, "fertility": tokens / words}
    if counts is not before:
        with np.errstate(divide="ignore", invalid="ignore"):  # a resample of empty lines has no ratio
            series["change"] = 100 * (tokens / _sums(before, dataset, langs, weights) - 1)
    for metric, values in series.items():
        low, high = interval(values) if metric == "change" else (None, None)
        value = float(values[0])
        yield Metric(
            name, counts.vocabulary_size, column, dataset, metric, value, low, high, UNITS[metric], len(lines)
        )


def _sums(counts: TokenCounts, dataset: str, langs: Sequence[str], weights: Series) -> Series:
    """Tokens of all languages together, in the sample and in each resample."""
    tokens = np.sum([counts.tokens[dataset, lang] for lang in langs], axis=0)
    return resampled_sums(weights, tokens)
