"""Merged Unigram: the union of monolingual vocabularies with re-estimated scores (paper 4.1, Algorithm 1).

V is the union of the languages' vocabularies V_i. Its probabilities are re-estimated by EM (see em) over the
words of all languages, their counts added unweighted. The subtokenizer of a language keeps the pieces of V_i
with the scores of V, not renormalised.

EM reads all words, those that cannot pass SentencePiece's TSV, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from modtok.core.errors import ConfigError, require
from modtok.tokenization.em import Corpus, fit
from modtok.tokenization.modular_unigram import module
from modtok.tokenization.piece_trie import UNKNOWN_PENALTY, trie_of, words_of
from modtok.tokenization.unigram import UnigramModel, on_grid
from modtok.tokenization.word_count_files import WordCounts

Start = Literal["mean", "uniform"]
ITERATIONS, TOLERANCE = 20, 1e-5


@dataclass(frozen=True)
class MergedUnigram:
    """The full model, each language's part of it, and how EM went."""

    model: UnigramModel
    "pieces in the order in which the languages bring them"
    modules: dict[str, np.ndarray]
    "language -> sorted ids, special and byte tokens included"
    log_likelihoods: list[float]
    "of the words, before each M-step"


def merge_unigrams(
    models: Mapping[str, UnigramModel],
    counts: WordCounts,
    *,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
    init: Start = "mean",
    threads: int = 1,
) -> MergedUnigram:
    """Merge trained monolingual models (language -> model, in order); `counts`: words of all languages.

    EM starts from the mean over languages of p_i(v), normalised, or from equal probabilities (`uniform`).
    It stops after `iterations`, or when the log-likelihood gains less than `tolerance` of itself. The result
    does not depend on `threads`.

    merge_unigrams({"fi": fi, "et": et}, read_counts([Path("fi.parquet"), Path("et.parquet")])).modules["fi"]
    """
    require(len(models) > 0, "no languages to merge", ConfigError)
    require(iterations >= 1, f"iterations {iterations}: EM needs one at least", ConfigError)
    require(tolerance >= 0, f"tolerance {tolerance}: must not be negative", ConfigError)
    pieces = list(dict.fromkeys(piece for model in models.values() for piece in model.pieces))
    numbers = {piece: number for number, piece in enumerate(pieces)}
    places = {lang: np.array([numbers[p] for p in model.pieces]) for lang, model in models.items()}
    start = mean_start(list(models.values()), list(places.values()), len(pieces))
    if init == "uniform":
        start = np.full(len(pieces), 1 / len(pieces))
    corpus = Corpus.of(words_of(counts.words), counts.counts, trie_of(pieces))
    fitted = fit(corpus, start, iterations=iterations, tolerance=tolerance, threads=threads)
    model = on_grid(UnigramModel(pieces, written_scores(fitted.probability)))
    return MergedUnigram(model, {lang: module(at) for lang, at in places.items()}, fitted.log_likelihoods)


def mean_start(models: Sequence[UnigramModel], places: Sequence[np.ndarray], size: int) -> np.ndarray:
    """The mean over languages of p_i(v), normalised: (size,) float64; `places`: where their pieces stand."""
    start = np.zeros(size)
    for model, at in zip(models, places, strict=True):
        start[at] += np.exp(model.scores)
    return start / start.sum()


def written_scores(probability: np.ndarray) -> np.ndarray:
    """Log-probabilities; a piece that EM has brought to 0 gets the lowest of the others less 10."""
    possible = probability > 0
    scores = np.log(probability, where=possible, out=np.zeros(len(probability)))
    scores[~possible] = scores[possible].min() - UNKNOWN_PENALTY
    return scores
