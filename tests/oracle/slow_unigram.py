"""Unigram by trying every way to cut a word: nothing here is shared with the code it checks."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import exp, inf, log, prod


def segmentations(word: str, pieces: Mapping[str, float]) -> Iterator[list[str]]:
    """Every way to cut a word into pieces and, where one character is no piece, that character."""
    for n in range(len(word)):
        for cuts in combinations(range(1, len(word)), n):
            parts = [word[i:j] for i, j in zip((0, *cuts), (*cuts, len(word)), strict=True)]
            if all(part in pieces or len(part) == 1 for part in parts):
                yield parts
    if not word:
        yield []


def expectations(
    words: Mapping[str, int], pieces: Mapping[str, float], unknown: float
) -> tuple[dict[str, float], float]:
    """Expected count of each piece, and the log-likelihood; `pieces`: probabilities."""
    counts, log_likelihood = dict.fromkeys(pieces, 0.0), 0.0
    for word, times in words.items():
        ways = list(segmentations(word, pieces))
        weights = [prod(pieces.get(part, unknown) for part in parts) for parts in ways]
        log_likelihood += times * log(sum(weights))
        for parts, weight in zip(ways, weights, strict=True):
            for part in parts:
                if part in counts:
                    counts[part] += times * weight / sum(weights)
    return counts, log_likelihood


def log_expectations(
    words: Mapping[str, int], log_p: Mapping[str, float], unknown: float
) -> tuple[dict[str, float], float]:
    """The same by forward and backward sums of logarithms, for words too long to try every way."""
    counts, log_likelihood = dict.fromkeys(log_p, 0.0), 0.0
    for word, times in words.items():
        n = len(word)
        edges = [(i, j) for i in range(n) for j in range(i + 1, n + 1) if word[i:j] in log_p or j == i + 1]
        forward, backward = [0.0] + [-inf] * n, [-inf] * n + [0.0]
        for i, j in edges:
            forward[j] = log_sum(forward[j], forward[i] + log_p.get(word[i:j], unknown))
        for i, j in reversed(edges):
            backward[i] = log_sum(backward[i], log_p.get(word[i:j], unknown) + backward[j])
        log_likelihood += times * forward[n]
        for i, j in edges:
            if word[i:j] in counts:
                share = forward[i] + log_p[word[i:j]] + backward[j] - forward[n]
                counts[word[i:j]] += times * exp(share)
    return counts, log_likelihood


def log_sum(a: float, b: float) -> float:
    high = max(a, b)
    return high if high == -inf else high + log(exp(a - high) + exp(b - high))
