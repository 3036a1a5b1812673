"""NSL of tokenizers of one to four languages, over combinations and orders of them (paper Table 7, A.4.2).

A tokenizer is named `{method}-order{n}+{langs}`: `sequential-bpe-order2+fr+en` is the subtokenizer of French
and English from the sequential BPE learned in the second order; `concatenated-bpe-order2+en+fr` the tables of
these languages concatenated as that order has them.

| tokenizer | lang | metric | what |
|---|---|---|---|
| sequential-bpe-order2+fr+en | fr | nsl | of this tokenizer on French |
| sequential-bpe-order2+2 | all | nsl | mean over all pairs of languages, each on both of its languages |
| sequential-bpe+2 | all | nsl, nsl_std, nsl_max | the same over all orders, its spread, and the worst |
| sequential-bpe+2 | all | nsl_order_range | highest less lowest of the orders' means |
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from modtok.core.metrics import ALL, Metric
from modtok.core.seeds import derive
from modtok.core.tokenizer_names import full_name
from modtok.evaluation.bootstrap import RESAMPLES, Series, interval, resampled_sums, resampling_weights
from modtok.evaluation.compression import nsl
from modtok.evaluation.token_counts import TokenCounts

Groups = Mapping[tuple[str, int, int], Sequence[Series]]
"(method, order, number of languages) -> NSL of each combination on each of its languages"


@dataclass(frozen=True)
class _Measured:
    """NSL of one tokenizer on one of its languages."""

    counts: TokenCounts
    lang: str
    series: Series

    @property
    def group(self) -> tuple[str, int, int]:
        """Method, order, number of languages."""
        method, _, order = full_name(self.counts.tokenizer).rpartition("-order")
        return method, int(order), self.counts.tokenizer.count("+")


def measure_combinations(
    counts: Iterable[TokenCounts],
    references: Mapping[str, TokenCounts],
    dataset: str,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Metric]:
    """NSL on one parallel set of each tokenizer, and over combinations, orders and both; for its languages.

    `references`: language -> the monolingual BPE tokenizer that NSL divides by.
    """
    inside = {lang: one for lang, one in references.items() if (dataset, lang) in one.tokens}
    if not inside:
        return []
    lines = {lang: one.tokens[dataset, lang] for lang, one in inside.items()}
    n_lines = len(next(iter(lines.values())))
    weights = resampling_weights(n_lines, resamples, derive(seed, "bootstrap", dataset))
    whole = {lang: resampled_sums(weights, tokens) for lang, tokens in lines.items()}
    measured = [
        _Measured(one, lang, nsl(resampled_sums(weights, tokens), whole[lang]))
        for one in counts
        for (of, lang), tokens in one.tokens.items()
        if of == dataset
    ]
    rows = [_row(one, dataset, n_lines) for one in measured]
    groups: dict[tuple[str, int, int], list[Series]] = {}
    for one in measured:
        groups.setdefault(one.group, []).append(one.series)
    return rows + _by_order(groups, dataset) + _over_orders(groups, dataset)


def _row(one: _Measured, dataset: str, n_lines: int) -> Metric:
    name, size = one.counts.tokenizer, one.counts.vocabulary_size
    value, bounds = float(one.series[0]), interval(one.series)
    return Metric(name, size, one.lang, dataset, "nsl", value, *bounds, "ratio", n_lines)


def _summary(name: str, dataset: str, metric: str, series: Series, n: int) -> Metric:
    """A figure over combinations; they have no one vocabulary size."""
    return Metric(name, 0, ALL, dataset, metric, float(series[0]), *interval(series), "ratio", n)


def _by_order(groups: Groups, dataset: str) -> list[Metric]:
    return [
        _summary(f"{method}-order{order}+{size}", dataset, "nsl", np.mean(group, axis=0), len(group))
        for (method, order, size), group in groups.items()
    ]


def _over_orders(groups: Groups, dataset: str) -> list[Metric]:
    pooled: dict[tuple[str, int], list[Sequence[Series]]] = {}
    for (method, _, size), group in groups.items():
        pooled.setdefault((method, size), []).append(group)
    return [
        _summary(f"{method}+{size}", dataset, metric, series, n)
        for (method, size), of_orders in pooled.items()
        for metric, series, n in _pooled(of_orders)
    ]


def _pooled(of_orders: Sequence[Sequence[Series]]) -> list[tuple[str, Series, int]]:
    """Metric, series and n over the groups of all orders."""
    every = np.array([series for group in of_orders for series in group])
    means = [np.mean(group, axis=0) for group in of_orders]
    return [
        ("nsl", every.mean(axis=0), len(every)),
        ("nsl_std", every.std(axis=0), len(every)),
        ("nsl_max", every.max(axis=0), len(every)),
        ("nsl_order_range", np.ptp(means, axis=0), len(means)),
    ]
