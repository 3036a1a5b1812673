"""Expected counts and likelihood of EM against every segmentation of every word."""

import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modtok.tokenization.em import Corpus, expected_counts, fit
from modtok.tokenization.piece_trie import trie_of, words_of
from oracle.slow_unigram import expectations, log_expectations

PIECES = st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=12, unique=True)
# d is in no piece, nor is a character that has no piece of its own
WORDS = st.dictionaries(st.text("abcd", max_size=8), st.integers(1, 1000), min_size=1, max_size=12)


def corpus_of(words: Mapping[str, int], pieces: list[str]) -> Corpus:
    counts = np.array(list(words.values()), dtype=np.uint64)
    return Corpus.of(words_of(list(words)), counts, trie_of(pieces))


def e_step(words: Mapping[str, int], pieces: Mapping[str, float], unknown: float) -> tuple[np.ndarray, float]:
    """Expected counts by the code under test; `pieces`: probabilities, `unknown`: a logarithm."""
    with ThreadPoolExecutor(2) as pool:
        corpus = corpus_of(words, list(pieces))
        return expected_counts(corpus, np.array(list(pieces.values())), unknown, pool)


@st.composite
def models(draw: st.DrawFn) -> dict[str, float]:
    pieces = draw(PIECES)
    weights = draw(st.lists(st.floats(1e-6, 1), min_size=len(pieces), max_size=len(pieces)))
    return {piece: weight / sum(weights) for piece, weight in zip(pieces, weights, strict=True)}


def test_worked_example():
    """The seed's abc: 0.4 * 0.1 for ab c and 0.3 * 0.2 * 0.1 for a b c, 0.046 in all."""
    counts, log_likelihood = e_step({"abc": 1}, {"a": 0.3, "b": 0.2, "c": 0.1, "ab": 0.4}, -10.0)
    assert math.exp(log_likelihood) == pytest.approx(0.046)
    assert counts == pytest.approx([0.006 / 0.046, 0.006 / 0.046, 1, 0.04 / 0.046])


@settings(max_examples=200, deadline=None)
@given(words=WORDS, model=models())
def test_expected_counts_are_those_of_all_segmentations(words, model):
    counts, log_likelihood = e_step(words, model, math.log(1e-9))
    wanted, wanted_likelihood = expectations(words, model, 1e-9)
    assert counts == pytest.approx(list(wanted.values()), rel=1e-9, abs=1e-12)
    assert log_likelihood == pytest.approx(wanted_likelihood, rel=1e-12, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(word=st.text("abcd", min_size=100, max_size=200), model=models())
def test_words_too_unlikely_for_plain_products_are_as_exact(word, model):
    """Hundreds of unknown characters at exp(-20) each, far below what a double holds."""
    words = {word + "d" * 50: 3}
    counts, log_likelihood = e_step(words, model, -20.0)
    wanted, wanted_likelihood = log_expectations(words, {p: math.log(q) for p, q in model.items()}, -20.0)
    assert counts == pytest.approx(list(wanted.values()), rel=1e-8, abs=1e-8)
    assert log_likelihood == pytest.approx(wanted_likelihood, rel=1e-12)


@settings(max_examples=100, deadline=None)
@given(words=WORDS, pieces=PIECES)
def test_the_likelihood_never_falls_and_each_step_is_the_definition(words, pieces):
    start = np.full(len(pieces), 1 / len(pieces))
    assume(any(piece in word for piece in pieces for word in words))
    unknown = start.min() * math.exp(-10)
    fitted = fit(corpus_of(words, pieces), start, iterations=8, tolerance=0)
    p, likelihoods = dict(zip(pieces, start.tolist(), strict=True)), []
    for _ in fitted.log_likelihoods:
        counts, log_likelihood = expectations(words, p, unknown)
        likelihoods.append(log_likelihood)
        p = {piece: count / sum(counts.values()) for piece, count in counts.items()}
    assert fitted.log_likelihoods == pytest.approx(likelihoods, rel=1e-9, abs=1e-9)
    assert all(after >= before - 1e-9 * abs(before) for before, after in pairwise(likelihoods))
    assert fitted.probability == pytest.approx(list(p.values()), rel=1e-6, abs=1e-9)
