"""Compression metrics: numbers worked by hand, and properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modtok.core.errors import DataError
from modtok.core.metrics import Metric
from modtok.evaluation.compression import by_family, count_words, gini, measure, monolingual_references, nsl
from modtok.evaluation.token_counts import ParallelSets, TokenCounts

# 2 lines: 3 words, 11 code points and 11 bytes of English; 2 words, 8 code points and 16 bytes of Greek.
SETS: ParallelSets = {"set": {"en": ["one two", "four"], "el": ["ένας", "δύοτ"]}}


def counts(tokenizer: str, size: int, **tokens: list[int]) -> TokenCounts:
    return TokenCounts(tokenizer, size, {("set", lang): np.array(values) for lang, values in tokens.items()})


MONO_EN = counts("mono-bpe-en", 10, en=[2, 2])
MONO_EL = counts("mono-bpe-el", 12, el=[3, 2])
JOINT = counts("joint-bpe-20", 20, en=[3, 3], el=[4, 6])


def measured(*tokenizers: TokenCounts, langs: tuple[str, ...] = ("en", "el")) -> list[Metric]:
    return measure(
        by_family(tokenizers), monolingual_references(tokenizers), SETS, langs, resamples=50, seed=1
    )


def values(metrics: list[Metric]) -> dict[tuple[str, str, str], float]:
    return {(metric.tokenizer, metric.lang, metric.metric): metric.value for metric in metrics}


def test_numbers_worked_by_hand() -> None:
    assert values(measured(MONO_EN, MONO_EL, JOINT)) == pytest.approx(
        {
            ("mono-bpe-en", "en", "nsl"): 1,
            ("mono-bpe-en", "en", "fertility"): 4 / 3,
            ("mono-bpe-en", "en", "tokens_per_character"): 4 / 11,
            ("mono-bpe-en", "en", "bytes_per_token"): 11 / 4,
            ("mono-bpe", "en", "parity"): 1,
            ("mono-bpe-el", "el", "nsl"): 1,
            ("mono-bpe-el", "el", "fertility"): 5 / 2,
            ("mono-bpe-el", "el", "tokens_per_character"): 5 / 8,
            ("mono-bpe-el", "el", "bytes_per_token"): 16 / 5,
            ("mono-bpe", "el", "parity"): 5 / 4,
            # Two values a < b have the Gini index (b - a) / (2 (a + b)).
            ("mono-bpe", "all", "gini"): (5 / 8 - 4 / 11) / (2 * (5 / 8 + 4 / 11)),
            ("mono-bpe", "all", "nsl"): 1,
            # Sums first: (3 + 3) / (2 + 2), (4 + 6) / (3 + 2).
            ("joint-bpe-20", "en", "nsl"): 1.5,
            ("joint-bpe-20", "en", "fertility"): 2,
            ("joint-bpe-20", "en", "tokens_per_character"): 6 / 11,
            ("joint-bpe-20", "en", "bytes_per_token"): 11 / 6,
            ("joint-bpe-20", "en", "parity"): 1,
            ("joint-bpe-20", "el", "nsl"): 2,
            ("joint-bpe-20", "el", "fertility"): 5,
            ("joint-bpe-20", "el", "tokens_per_character"): 10 / 8,
            ("joint-bpe-20", "el", "bytes_per_token"): 16 / 10,
            ("joint-bpe-20", "el", "parity"): 10 / 6,
            ("joint-bpe-20", "all", "gini"): (10 / 8 - 6 / 11) / (2 * (10 / 8 + 6 / 11)),
            ("joint-bpe-20", "all", "nsl"): 1.75,
        }
    )


def test_n_counts_lines_or_languages_and_the_family_has_its_largest_size() -> None:
    metrics = measured(MONO_EN, MONO_EL)
    assert {metric.n for metric in metrics} == {2}
    assert {(m.tokenizer, m.lang, m.vocabulary_size) for m in metrics if m.metric in ("parity", "gini")} == {
        ("mono-bpe", "en", 10),
        ("mono-bpe", "el", 12),
        ("mono-bpe", "all", 12),
    }


def test_without_english_there_is_no_parity() -> None:
    metrics = measured(MONO_EL, langs=("el",))
    assert {metric.metric for metric in metrics} == {
        "nsl",
        "fertility",
        "tokens_per_character",
        "bytes_per_token",
        "gini",
    }


def test_a_language_without_reference_has_no_nsl() -> None:
    keys = values(measured(MONO_EN, JOINT))
    assert ("joint-bpe-20", "en", "nsl") in keys
    assert ("joint-bpe-20", "el", "nsl") not in keys


def test_nsl_of_a_tokenizer_against_itself_is_one_in_every_resample() -> None:
    own = [m for m in measured(MONO_EN, MONO_EL) if m.metric == "nsl"]
    assert [(m.value, m.low, m.high) for m in own] == [(1.0, 1.0, 1.0)] * 3


def test_intervals_hold_the_value_between_the_extreme_lines() -> None:
    greek = next(
        m for m in measured(MONO_EN, MONO_EL, JOINT) if (m.lang, m.metric) == ("el", "nsl") and m.value == 2
    )
    # Line by line 4 / 3 and 6 / 2: no resample can lie outside.
    assert greek.low is not None
    assert greek.high is not None
    assert 4 / 3 <= greek.low <= 2 <= greek.high <= 3


def test_counts_of_another_set_are_refused() -> None:
    with pytest.raises(
        DataError, match="mono-bpe-en: 1 lines of en in set, but the set has 2; run count_tokens"
    ):
        measured(counts("mono-bpe-en", 10, en=[2]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("  ", 0),
        (" a  b ", 2),
        ("a\u00a0b\u2003c\u0085d", 4),
        ("a\x1cb\x1dc\x1ed\x1fe", 1),
        ("a\u200bb", 1),
    ],
)
def test_words_are_cut_by_unicode_white_space(text: str, words: int) -> None:
    assert count_words(text) == words


positive = st.floats(1e-3, 1e3)


@given(st.lists(positive, min_size=1, max_size=30))
def test_gini_lies_in_the_unit_interval(costs: list[float]) -> None:
    index = gini(np.array(costs)[:, None])[0]
    assert 0 <= index < 1
    pairwise = sum(abs(a - b) for a in costs for b in costs) / (2 * len(costs) * sum(costs))
    assert index == pytest.approx(pairwise, abs=1e-9)


@given(positive, st.integers(1, 30))
def test_gini_of_equal_costs_is_zero(cost: float, n: int) -> None:
    assert gini(np.full((n, 1), cost))[0] == pytest.approx(0, abs=1e-12)


@given(st.lists(positive, min_size=1, max_size=30), positive)
def test_gini_does_not_depend_on_the_unit_or_the_order(costs: list[float], factor: float) -> None:
    index = gini(np.array(costs)[:, None])
    assert gini(np.array(costs[::-1])[:, None] * factor) == pytest.approx(index, abs=1e-9)


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.integers(1, 1000))
def test_nsl_does_not_depend_on_how_often_the_text_is_repeated(
    tokens: int, reference: int, times: int
) -> None:
    once = nsl(np.array([float(tokens)]), np.array([float(reference)]))
    assert nsl(np.array([float(tokens * times)]), np.array([float(reference * times)])) == pytest.approx(once)


def test_the_same_seed_gives_the_same_intervals() -> None:
    assert measured(MONO_EN, MONO_EL, JOINT) == measured(MONO_EN, MONO_EL, JOINT)
