"""The n-gram model: the second document's figures, and a slow model written from the definition."""

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.core.errors import ConfigError, DataError
from modtok.evaluation.ngram import FALLBACK, NGramModel, bits_per_byte
from modtok.tokenization.loading import LoadedTokenizer, from_json

# --- the second document ---

CORPUS = ["I love Beijing", "I love Shanghai", "Beijing is capital", "Shanghai is city", "I love China"]
WORDS = {word: number for number, word in enumerate(sorted({*" ".join(CORPUS).split(), "Guangzhou"}))}


def of_words(sentence: str) -> list[int]:
    return [WORDS[word] for word in sentence.split()]


@pytest.fixture(scope="module")
def bigrams() -> NGramModel:
    return NGramModel(map(of_words, CORPUS), len(WORDS), n=2, discounts=[0, 0])


def test_bigrams_of_the_small_corpus(bigrams: NGramModel) -> None:
    begins, love, beijing, ends = bigrams.probabilities([of_words("I love Beijing")])
    assert (begins, love, beijing, ends) == (3 / 5, 1, 1 / 3, 1 / 2)
    assert bigrams.probabilities([of_words("I love Shanghai")])[2] == 1 / 3
    assert bigrams.bits([of_words("I love Beijing")]) == pytest.approx(-math.log2(0.1))


def test_a_pair_that_was_never_seen_has_no_probability_without_discounts(bigrams: NGramModel) -> None:
    assert bigrams.probabilities([of_words("I love Guangzhou")])[2] == 0
    assert bigrams.bits([of_words("I love Guangzhou")]) == math.inf


def test_with_discounts_it_has_some() -> None:
    model = NGramModel(map(of_words, CORPUS), len(WORDS), n=2)
    assert 0 < model.probabilities([of_words("I love Guangzhou")])[2] < 1 / len(WORDS)


# --- a slow model ---

END, BEGIN = "end", "begin"


class Slow:
    """The definition, read aloud."""

    def __init__(self, sequences: list[list[int]], size: int, n: int, discounts: list[float]) -> None:
        self.size, self.n, self.discounts, self.counts = size, n, discounts, Counter()
        for ids in sequences:
            marked = (BEGIN, *ids, END)
            for end in range(1, len(marked)):
                for length in range(1, min(n, end + 1) + 1):
                    self.counts[marked[end + 1 - length : end + 1]] += 1

    def followers(self, context: tuple) -> dict:
        return {gram[-1]: count for gram, count in self.counts.items() if gram[:-1] == context}

    def probability(self, token: object, context: tuple) -> float:
        followers = self.followers(context)
        shorter = (lambda one: self.probability(one, context[1:])) if context else self.uniform
        if not followers:
            return shorter(token)
        discount, total = self.discounts[len(context)], sum(followers.values())
        uncovered = 1 - sum(map(shorter, followers))
        if uncovered < 1e-12:
            return followers.get(token, 0) / total
        if token in followers:
            return (followers[token] - discount) / total
        return discount * len(followers) / total / uncovered * shorter(token)

    def uniform(self, _: object) -> float:
        return 1 / (self.size + 1)

    def probabilities(self, ids: list[int]) -> list[float]:
        marked = (BEGIN, *ids, END)
        starts = [max(0, end - self.n + 1) for end in range(1, len(marked))]
        return [self.probability(marked[end], marked[start:end]) for end, start in enumerate(starts, 1)]


SIZE = 5
SEQUENCES = st.lists(st.lists(st.integers(0, SIZE - 1), max_size=8), min_size=1, max_size=6)
DISCOUNTS = st.lists(st.floats(0.05, 0.95), min_size=4, max_size=4)


@given(SEQUENCES, st.lists(st.integers(0, SIZE - 1), max_size=6), st.integers(1, 4), DISCOUNTS)
@settings(deadline=None, max_examples=40)
def test_it_is_the_slow_model(sequences, measured, n, discounts) -> None:
    model = NGramModel(sequences, SIZE, n, discounts)
    slow = Slow(sequences, SIZE, n, discounts)
    for ids in (measured, *sequences):
        assert model.probabilities([ids]) == pytest.approx(slow.probabilities(ids), rel=1e-9)


@given(SEQUENCES, st.lists(st.integers(0, SIZE - 1), max_size=4), st.integers(1, 3))
@settings(deadline=None, max_examples=40)
def test_probabilities_of_what_may_come_next_add_up_to_one(sequences, before, n) -> None:
    model = NGramModel(sequences, SIZE, n)
    place = len(before)
    of_tokens = [model.probabilities([[*before, token]])[place] for token in range(SIZE)]
    assert sum(of_tokens) + model.probabilities([before])[place] == pytest.approx(1)


def test_sequences_do_not_see_each_other() -> None:
    model = NGramModel([[0, 1, 2], [2, 1], []], 3, n=3)
    apart = [*model.probabilities([[0, 1]]), *model.probabilities([[2]])]
    assert list(model.probabilities([[0, 1], [2]])) == apart


# --- discounts, texts, errors ---


def test_the_discount_is_that_of_ngrams_seen_once_and_twice() -> None:
    learned = [[0], [1], [2], [3, 3], [4, 4, 4]]  # once: 0, 1, 2; twice: 3; more often: 4 and the end
    expected = (3 - 3 / (3 + 2 * 1)) / (8 + 5)
    assert NGramModel(learned, SIZE + 1, n=1).probabilities([[4]])[0] == pytest.approx(expected)
    only_once = NGramModel([[0]], SIZE, n=1).probabilities([[0]])[0]
    assert only_once == pytest.approx((1 - FALLBACK) / 2)


def tokenizer_of(model: dict) -> LoadedTokenizer:
    return from_json({"version": "1.0", "added_tokens": [], "model": model}, "t")


def test_bits_per_byte_compares_tokenizers() -> None:
    letters = {"a": 0, "b": 1}
    model = {"type": "BPE", "vocab": letters, "merges": []}
    pairs = {"type": "BPE", "vocab": {**letters, "ab": 2}, "merges": [["a", "b"]]}
    learned, measured = ["abababab", "abab"] * 4, ["ababab"]
    by_letters, by_pairs = (
        bits_per_byte(tokenizer_of(one), learned, measured, n=2) for one in (model, pairs)
    )
    tokens = NGramModel([[2] * 4, [2] * 2] * 4, 3, n=2)
    assert by_pairs == pytest.approx(tokens.bits([[2] * 3]) / 6)
    assert by_letters != by_pairs


def test_errors_say_what_is_missing() -> None:
    with pytest.raises(ConfigError, match="no sequence to learn from"):
        NGramModel([], 3)
    with pytest.raises(ConfigError, match="n is 0; give 1 or more"):
        NGramModel([[1]], 3, n=0)
    with pytest.raises(DataError, match="an id is not in 0 to 2; take dense ids"):
        NGramModel([[1], [3]], 3)
    tokenizer = tokenizer_of({"type": "BPE", "vocab": {"a": 0}, "merges": []})
    with pytest.raises(ConfigError, match="the measured texts are empty"):
        bits_per_byte(tokenizer, ["a"], [""])
