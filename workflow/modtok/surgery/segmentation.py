"""Counted words cut by a byte-level table, through Hugging Face's merging: what a table makes of a corpus."""

from collections.abc import Iterator, Mapping

import numpy as np
from tokenizers.models import BPE

from modtok.surgery.byte_level import ByteLevelBPE
from modtok.tokenization.alphabet import surface_of
from modtok.tokenization.word_count_files import WordCounts


class Segmenter:
    """Ranked merging of single pre-tokens, `ignore_merges` off.

    Segmenter(tokenizer).ids(" привіт".encode())
    """

    def __init__(self, tokenizer: ByteLevelBPE) -> None:
        surfaces = tokenizer.surfaces
        numbers = {surface: number for number, surface in surfaces.items()}
        table = tokenizer.table
        parts = zip(table.left.tolist(), table.right.tolist(), strict=True)
        merges = [(surfaces[left], surfaces[right]) for left, right in parts]
        self._model = BPE(numbers, merges)

    def ids(self, word: bytes) -> list[int]:
        """The ids of one pre-token."""
        return [token.id for token in self._model.tokenize(surface_of(word))]


def segmented(tokenizer: ByteLevelBPE, counts: WordCounts) -> Iterator[list[int]]:
    """The ids of each counted word."""
    segmenter = Segmenter(tokenizer)
    return (segmenter.ids(word.encode()) for word in counts.words)


def token_frequencies(tokenizer: ByteLevelBPE, corpora: Mapping[str, WordCounts]) -> np.ndarray:
    """How often each token stands in the corpora, by id: (largest id + 1,) float64.

    Each corpus (language -> its words) weighs alike, whatever its size: frequencies are shares of its tokens.
    """
    frequency = np.zeros(max(tokenizer.surfaces) + 1)
    for counts in corpora.values():
        ids = list(segmented(tokenizer, counts))
        weights = np.repeat(counts.counts.astype(np.int64), list(map(len, ids)))
        own = np.bincount([number for word in ids for number in word], weights, frequency.size)
        frequency += own / own.sum()
    return frequency
