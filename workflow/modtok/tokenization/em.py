"""Exact EM for the probabilities of unigram pieces over word counts (paper Algorithm 1), compiled.

The E-step sums over all segmentations of each word, by the forward-backward algorithm on its lattice; the
M-step is p(v) = E[c(v)] / sum of E[c]: no digamma, no pruning. Probabilities are multiplied as they are; a
word too unlikely for that (a very long one) is done again with logarithms.

An unknown edge (piece_trie) has one fixed weight, and its count takes no part in the M-step. So a character
that no piece covers multiplies the likelihood of its words by a constant and changes no expected count.

Words are cut into BLOCKS blocks whatever the number of threads, and their sums are added in order: the same
bits for any number of threads.
"""

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numba import njit

from modtok.core.errors import require
from modtok.tokenization.piece_trie import (
    UNKNOWN_PENALTY,
    PieceTrie,
    Room,
    Words,
    list_edges,
    room_to_segment,
)

BLOCKS = 16
"Also the most threads that are of use."
# Probabilities of words from which products of doubles still hold 15 digits.
LEAST = 1e-250
# By how much of itself, and of the number of words, rounding may lower the log-likelihood.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Corpus:
    """Words with their counts and a trie of pieces, cut into blocks of about as many characters."""

    words: Words
    weights: np.ndarray
    "(words,) float64"
    trie: PieceTrie
    bounds: np.ndarray
    "(BLOCKS + 1,): first word of each block, and the number of words"
    room: Room
    "the size that working space needs"

    @classmethod
    def of(cls, words: Words, counts: np.ndarray, trie: PieceTrie) -> "Corpus":
        """A corpus of words with their counts."""
        shares = np.linspace(0, words.unit.size, BLOCKS + 1)[1:-1]
        bounds = np.concatenate([[0], np.searchsorted(words.end, shares), [words.end.size]])
        return cls(words, counts.astype(np.float64), trie, bounds, room_to_segment(words, trie))


@dataclass(frozen=True)
class Fitted:
    """What EM has come to."""

    probability: np.ndarray
    "(pieces,) float64, sum 1; 0 for a piece whose expected count is 0"
    log_likelihoods: list[float]
    "of the counted words, before each M-step; never falling"


def fit(corpus: Corpus, start: np.ndarray, *, iterations: int, tolerance: float, threads: int = 1) -> Fitted:
    """Re-estimate `start` (pieces,), positive with sum 1.

    Stops after `iterations` M-steps, or with the one whose likelihood gained less than `tolerance` times its
    absolute value on the one before. Error: words that hold no piece at all.
    """
    probability, log_likelihoods = start, list[float]()
    unknown = float(np.log(start.min())) - UNKNOWN_PENALTY
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(iterations):
            counts, log_likelihood = expected_counts(corpus, probability, unknown, pool)
            require(
                counts.sum() > 0, "the words hold none of the pieces; are the counts of the same languages?"
            )
            probability = counts / counts.sum()
            log_likelihoods.append(log_likelihood)
            if len(log_likelihoods) > 1 and _gain(corpus, log_likelihoods) < tolerance * abs(log_likelihood):
                break
    return Fitted(probability, log_likelihoods)


def _gain(corpus: Corpus, log_likelihoods: list[float]) -> float:
    before, now = log_likelihoods[-2:]
    slack = ROUNDING * (abs(before) + float(corpus.weights.sum()))
    assert now - before >= -slack, "EM has lowered the likelihood"
    return now - before


def expected_counts(
    corpus: Corpus, probability: np.ndarray, unknown: float, pool: Executor
) -> tuple[np.ndarray, float]:
    """The E-step: the expected count of each piece (pieces,), and the log-likelihood of the words.

    `unknown`: log-weight of an unknown edge.
    """
    with np.errstate(divide="ignore"):  # a piece may have come to 0
        log_p = np.append(np.log(probability), unknown)
    p = np.append(probability, np.exp(unknown))
    blocks = list(pool.map(lambda block: _block(corpus, block, p, log_p), _blocks(corpus)))
    total = np.zeros(len(p))
    for counts, _ in blocks:
        total += counts
    assert np.all(np.isfinite(total)), "every word has a segmentation"
    return total[: corpus.trie.n_pieces], sum(log_likelihood for _, log_likelihood in blocks)


def _blocks(corpus: Corpus) -> Iterator[tuple[int, int]]:
    return zip(corpus.bounds[:-1].tolist(), corpus.bounds[1:].tolist(), strict=True)


def _block(
    corpus: Corpus, block: tuple[int, int], p: np.ndarray, log_p: np.ndarray
) -> tuple[np.ndarray, float]:
    counts = np.zeros(len(p))
    room = Room(*map(np.empty_like, corpus.room))
    return counts, _add_block(corpus.words, corpus.weights, corpus.trie, *block, p, log_p, room, counts)


@njit(cache=True, nogil=True)
def _add_block(words, weights, trie, begin, end, p, log_p, room, counts):  # type: ignore[no-untyped-def]
    """Add the expected counts of words `begin` to `end`; return their log-likelihood."""
    units, starts, ends = words.unit, words.start, words.end
    keys, children, pieces, unknown = trie.key, trie.child, trie.piece, trie.n_pieces
    first, edge_end, edge_piece = room.first, room.end, room.piece
    forward, backward = np.empty(first.size), np.empty(first.size)
    total = 0.0
    for word in range(begin, end):
        length = ends[word] - starts[word]
        list_edges(
            units, starts[word], ends[word], keys, children, pieces, unknown, first, edge_end, edge_piece
        )
        likelihood = _forward(length, first, edge_end, edge_piece, p, forward)
        if likelihood > LEAST:
            scale = weights[word] / likelihood
            _backward(length, first, edge_end, edge_piece, p, forward, backward, scale, counts)
            total += weights[word] * np.log(likelihood)
        else:
            total += weights[word] * _log_word(
                length, first, edge_end, edge_piece, log_p, forward, backward, weights[word], counts
            )
    return total


@njit(cache=True, nogil=True)
def _forward(length, first, edge_end, edge_piece, p, forward):  # type: ignore[no-untyped-def]
    """Fill forward[i], the probability of the first i characters; return that of the word."""
    forward[: length + 1] = 0.0
    forward[0] = 1.0
    for place in range(length):
        here = forward[place]
        for edge in range(first[place], first[place + 1]):
            forward[edge_end[edge]] += here * p[edge_piece[edge]]
    return forward[length]


@njit(cache=True, nogil=True)
def _backward(length, first, edge_end, edge_piece, p, forward, backward, scale, counts):  # type: ignore[no-untyped-def]
    """Fill backward[i], the probability of what follows i characters, and add the expected counts."""
    backward[length] = 1.0
    for place in range(length - 1, -1, -1):
        here = 0.0
        before = forward[place] * scale
        for edge in range(first[place], first[place + 1]):
            piece = edge_piece[edge]
            onward = p[piece] * backward[edge_end[edge]]
            here += onward
            counts[piece] += before * onward
        backward[place] = here


@njit(cache=True, nogil=True)
def _log_word(length, first, edge_end, edge_piece, log_p, forward, backward, weight, counts):  # type: ignore[no-untyped-def]
    """As _forward and _backward with logarithms; return the log-probability of the word."""
    forward[: length + 1] = -np.inf
    forward[0] = 0.0
    for place in range(length):
        for edge in range(first[place], first[place + 1]):
            after = edge_end[edge]
            forward[after] = log_add(forward[after], forward[place] + log_p[edge_piece[edge]])
    backward[length] = 0.0
    for place in range(length - 1, -1, -1):
        here = -np.inf
        for edge in range(first[place], first[place + 1]):
            onward = log_p[edge_piece[edge]] + backward[edge_end[edge]]
            here = log_add(here, onward)
            counts[edge_piece[edge]] += weight * np.exp(forward[place] + onward - forward[length])
        backward[place] = here
    return forward[length]


@njit(cache=True, nogil=True)
def log_add(a, b):  # type: ignore[no-untyped-def]
    """log(exp(a) + exp(b)), for -inf, too."""
    low, high = min(a, b), max(a, b)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))
