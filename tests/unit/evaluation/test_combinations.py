"""NSL over combinations and orders, with numbers worked by hand."""

import numpy as np
import pytest

from modtok.evaluation.combinations import measure_combinations
from modtok.evaluation.token_counts import TokenCounts


def counted(name: str, size: int = 10, **tokens: list[int]) -> TokenCounts:
    return TokenCounts(name, size, {("set", lang): np.array(line) for lang, line in tokens.items()})


REFERENCES = {"el": counted("mono-bpe-el", el=[4, 6]), "en": counted("mono-bpe-en", en=[5, 5])}
COUNTED = [
    counted("sequential-bpe-order1+el", el=[5, 6]),
    counted("sequential-bpe-order1+en", en=[5, 5]),
    counted("sequential-bpe-order1+el+en", 18, el=[4, 6], en=[4, 5]),
    counted("sequential-bpe-order2+el", el=[6, 6]),
    counted("sequential-bpe-order2+en", en=[5, 5]),
    counted("sequential-bpe-order2+el+en", 18, el=[5, 6], en=[5, 5]),
]


@pytest.fixture(scope="module")
def values() -> dict[tuple[str, str, str], float]:
    metrics = measure_combinations(COUNTED, REFERENCES, "set", resamples=20, seed=1)
    assert all(m.low <= m.value <= m.high or m.metric == "nsl_order_range" for m in metrics)
    return {(m.tokenizer, m.lang, m.metric): m.value for m in metrics}


def test_a_set_that_has_none_of_the_languages_says_nothing() -> None:
    assert measure_combinations(COUNTED, REFERENCES, "another", resamples=5, seed=1) == []


def test_a_combination_has_the_nsl_of_each_of_its_languages(values: dict) -> None:
    assert values["sequential-bpe-order1+el+en", "el", "nsl"] == pytest.approx(1.0)
    assert values["sequential-bpe-order1+el+en", "en", "nsl"] == pytest.approx(0.9)


def test_an_orders_mean_is_over_combinations_and_their_languages(values: dict) -> None:
    assert values["sequential-bpe-order1+1", "all", "nsl"] == pytest.approx((1.1 + 1.0) / 2)
    assert values["sequential-bpe-order2+2", "all", "nsl"] == pytest.approx((1.1 + 1.0) / 2)


def test_orders_are_pooled_and_compared(values: dict) -> None:
    pooled = [1.0, 0.9, 1.1, 1.0]
    assert values["sequential-bpe+2", "all", "nsl"] == pytest.approx(np.mean(pooled))
    assert values["sequential-bpe+2", "all", "nsl_std"] == pytest.approx(np.std(pooled))
    assert values["sequential-bpe+2", "all", "nsl_max"] == pytest.approx(1.1)
    assert values["sequential-bpe+2", "all", "nsl_order_range"] == pytest.approx(1.05 - 0.95)
