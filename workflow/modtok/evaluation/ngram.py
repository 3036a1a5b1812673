"""An n-gram model over token ids: a probe of tokenizers that needs neither a GPU nor hours of training.

Absolute discounting with back-off. Let h be a context, h' the context without its first token, c counts:

    P(w | h) = (c(h w) - D) / c(h)   where h w was seen,   else  a(h) P(w | h'),
    a(h) = (D n(h) / c(h)) / (1 - sum of P(w | h') over the w seen after h),

n(h) being how many different tokens followed h, so that probabilities add up to 1. A context that was never
seen leaves the token to h', the empty one to a uniform distribution. D is that of Ney, Essen and Kneser
(1994), n1 / (n1 + 2 n2), of the n-grams seen once and twice. With D = 0 P is the quotient of counts that the
second document begins with.

A sequence begins after a mark that is a context only, and ends with a mark that is predicted like a token.
Bits per byte of text compare tokenizers, whatever their tokens are.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modtok.core.errors import ConfigError, require
from modtok.tokenization.loading import LoadedTokenizer

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]
UNSEEN = -1
FALLBACK = 0.5
"D of an order that has no n-gram seen once, or none seen twice"
_NOTHING = 1e-12
"a mass that is only rounding"


@dataclass(frozen=True)
class _Order:
    """The n-grams of one length n; their contexts are the n-grams of length n - 1, by place."""

    keys: Ids
    "(n-grams,) sorted: place of the context times number of symbols, plus the token"
    probabilities: Reals
    "(n-grams,) of the token after its context"
    back_off: Reals
    "(contexts,) a(h); 1 where nothing was seen after h"


class NGramModel:
    """Of n-grams of length n: NGramModel([[5, 7], [5, 8]], vocabulary_size=9, n=2).bits([[5, 7]]) -> 3.0…

    `discounts`: D of each order from 1 to n, estimated where None. Error: an id not below `vocabulary_size`.
    """

    def __init__(
        self,
        sequences: Iterable[Sequence[int]],
        vocabulary_size: int,
        n: int = 3,
        discounts: Sequence[float] | None = None,
    ) -> None:
        require(n >= 1, f"n-gram model: n is {n}; give 1 or more", ConfigError)
        self.end, self.begin = vocabulary_size, vocabulary_size + 1
        self.symbols = vocabulary_size + 2
        symbols = self._joined(sequences)
        require(len(symbols) > 0, "n-gram model: no sequence to learn from; give some text", ConfigError)
        self.orders: list[_Order] = []
        lower, contexts = self._start(symbols)
        for number in range(n):
            discount = None if discounts is None else discounts[number]
            order = self._count(symbols, contexts, lower, discount)
            if len(order.keys) == 0:  # no sequence is as long
                break
            self.orders.append(order)
            lower, contexts = self._step(number, symbols, contexts, lower)

    def bits(self, sequences: Iterable[Sequence[int]]) -> float:
        """-log2 of the probability of all sequences, their end marks included; infinite where it is 0."""
        with np.errstate(divide="ignore"):
            return float(-np.log2(self.probabilities(sequences)).sum())

    def probabilities(self, sequences: Iterable[Sequence[int]]) -> Reals:
        """Of each token and end mark after all that stands before it, one sequence behind the other."""
        symbols = self._joined(sequences)
        lower, contexts = self._start(symbols)
        for number in range(len(self.orders)):
            lower, contexts = self._step(number, symbols, contexts, lower)
        return lower[symbols != self.begin]

    def _joined(self, sequences: Iterable[Sequence[int]]) -> Ids:
        """All symbols, each sequence between its marks."""
        parts = [np.array([self.begin, *ids, self.end], np.int64) for ids in sequences]
        for part in parts:
            fits = part.min() >= 0 and (part[1:-1] < self.end).all()
            require(bool(fits), f"n-gram model: an id is not in 0 to {self.end - 1}; take dense ids")
        return np.concatenate([np.zeros(0, np.int64), *parts])

    def _start(self, symbols: Ids) -> tuple[Reals, Ids]:
        """The uniform distribution over tokens and end mark, and the one empty context."""
        return np.full(len(symbols), 1 / (self.end + 1)), np.zeros(len(symbols), np.int64)

    def _count(self, symbols: Ids, contexts: Ids, lower: Reals, discount: float | None) -> _Order:
        """The n-grams of one length in the training sequences.

        `contexts`: place of each symbol's context, UNSEEN where the sequence is too short for one; `lower`:
        each symbol's probability after the shorter context.
        """
        of = (symbols != self.begin) & (contexts != UNSEEN)
        keys, first, counts = np.unique(
            contexts[of] * self.symbols + symbols[of], return_index=True, return_counts=True
        )
        discount = _discount(counts) if discount is None else discount
        owners, n_contexts = keys // self.symbols, self._contexts(len(self.orders))
        totals = np.bincount(owners, counts, n_contexts)
        uncovered = 1 - np.bincount(owners, lower[of][first], n_contexts)
        # Where every token has been seen there is nothing to back off to, so nothing is taken off.
        discounts = np.where(uncovered > _NOTHING, discount, 0.0)
        left = discounts * np.bincount(owners, minlength=n_contexts) / np.maximum(totals, 1)
        back_off = np.where(totals > 0, left / np.maximum(uncovered, _NOTHING), 1.0)
        return _Order(keys, (counts - discounts[owners]) / totals[owners], back_off)

    def _contexts(self, number: int) -> int:
        """How many contexts the order of that number has: the mark of a beginning is one more."""
        return 1 if number == 0 else len(self.orders[number - 1].keys) + (number == 1)

    def _step(self, number: int, symbols: Ids, contexts: Ids, lower: Reals) -> tuple[Reals, Ids]:
        """Each symbol's probability under an order, and its context in the next one."""
        order, keys = self.orders[number], contexts * self.symbols + symbols
        places = np.minimum(np.searchsorted(order.keys, keys), len(order.keys) - 1)
        seen = (contexts != UNSEEN) & (order.keys[places] == keys)
        backed = np.where(contexts == UNSEEN, 1.0, order.back_off[contexts]) * lower
        grams = np.where(seen, places, UNSEEN)
        if number == 0:
            grams[symbols == self.begin] = len(order.keys)
        next_contexts = np.concatenate([[UNSEEN], grams[:-1]])
        return np.where(seen, order.probabilities[places], backed), next_contexts


def _discount(counts: Ids) -> float:
    """D of Ney, Essen and Kneser for n-grams counted so often each."""
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    return once / (once + 2 * twice) if once and twice else FALLBACK


def bits_per_byte(
    tokenizer: LoadedTokenizer, learned: Sequence[str], measured: Sequence[str], n: int = 3
) -> float:
    """Bits per UTF-8 byte of the measured texts under a model learned from others, both cut by a tokenizer.

    The end of each text counts as a token. Error: no byte to measure.

    bits_per_byte(load(Path("mono-bpe-fi")), corpus_lines, parallel_lines)
    """
    size = sum(len(text.encode()) for text in measured)
    require(size > 0, "n-gram model: the measured texts are empty; give some text", ConfigError)
    model = NGramModel(tokenizer.encode_batch(learned), tokenizer.vocabulary_size, n)
    return model.bits(tokenizer.encode_batch(measured)) / size
