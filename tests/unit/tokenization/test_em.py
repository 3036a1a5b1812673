"""When EM stops, the same bits for any number of threads, counts as weights. Oracle: tests/oracle."""

import numpy as np
import pytest

from modtok.core.errors import DataError
from modtok.tokenization.em import BLOCKS, Corpus, fit
from modtok.tokenization.piece_trie import trie_of, words_of

PIECES = ["a", "b", "ab", "ba", "aba"]
EQUAL = np.full(len(PIECES), 1 / len(PIECES))


def corpus(words: list[str], counts: list[int] | None = None) -> Corpus:
    return Corpus.of(words_of(words), np.array(counts or [1] * len(words)), trie_of(PIECES))


def many_words() -> list[str]:
    rng = np.random.default_rng(5)
    return ["".join(rng.choice(["a", "b", "x"], size=rng.integers(1, 12))) for _ in range(500)]


def test_any_number_of_threads_gives_the_same_bits():
    results = [fit(corpus(many_words()), EQUAL, iterations=5, tolerance=0, threads=n) for n in (1, 2, 5)]
    assert len({result.probability.tobytes() for result in results}) == 1
    assert len({tuple(result.log_likelihoods) for result in results}) == 1


def test_blocks_hold_every_word_once():
    bounds = corpus(many_words()).bounds
    assert (bounds[0], bounds[-1], len(bounds)) == (0, 500, BLOCKS + 1)
    assert np.all(np.diff(bounds) > 0)


def test_stops_after_the_iterations_or_with_a_gain_below_the_tolerance():
    words = corpus(many_words())
    assert len(fit(words, EQUAL, iterations=3, tolerance=0).log_likelihoods) == 3
    curve = fit(words, EQUAL, iterations=100, tolerance=1e-3).log_likelihoods
    gains = np.diff(curve) / np.abs(curve[1:])
    assert 2 < len(curve) < 100
    assert np.all(gains[:-1] >= 1e-3)
    assert gains[-1] < 1e-3


def test_a_piece_that_no_word_holds_comes_to_zero_and_the_sum_stays_one():
    probability = fit(corpus(["aa", "ab"], [5, 5]), EQUAL, iterations=1, tolerance=0).probability
    assert probability[PIECES.index("aba")] == 0
    assert probability.sum() == pytest.approx(1)


def test_a_character_without_a_piece_changes_no_expected_count():
    """x is forced to be unknown, so a x ab has the counts of a and ab, and its constant in the likelihood."""
    apart = fit(corpus(["a", "ab"]), EQUAL, iterations=1, tolerance=0)
    joined = fit(corpus(["axab"]), EQUAL, iterations=1, tolerance=0)
    assert joined.probability == pytest.approx(apart.probability, rel=1e-12)
    constant = np.log(EQUAL.min()) - 10
    assert joined.log_likelihoods[0] == pytest.approx(apart.log_likelihoods[0] + constant)


def test_counts_are_weights():
    weighted = fit(corpus(["ab", "ba"], [3, 1]), EQUAL, iterations=4, tolerance=0)
    repeated = fit(corpus(["ab", "ab", "ba", "ab"]), EQUAL, iterations=4, tolerance=0)
    assert weighted.probability == pytest.approx(repeated.probability)


def test_a_word_of_a_million_characters():
    result = fit(corpus(["ab" * 500_000, "a"]), EQUAL, iterations=2, tolerance=0)
    assert np.all(np.isfinite(result.probability))
    assert np.isfinite(result.log_likelihoods).all()


def test_words_that_hold_no_piece_are_an_error():
    with pytest.raises(DataError, match="hold none of the pieces"):
        fit(corpus(["xyz"]), EQUAL, iterations=2, tolerance=0)
