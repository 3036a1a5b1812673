"""Documents that are almost a copy of an earlier one, by MinHash over word 5-grams (ours; off by default).

The paper removes exact paragraphs only. Memory: about a kilobyte a document kept (signature and index).
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from datasketch import MinHash, MinHashLSH
from numpy.typing import NDArray

SHINGLE_WORDS = 5
# Shingles hashed at a time: each costs `permutations` numbers for a moment, and a page can have a million
# words.
BATCH_SHINGLES = 4096


class NearDuplicates:
    """Remembers documents; the same documents in the same order get the same answers for the same seed.

    NearDuplicates(threshold=0.8, permutations=128, seed=1).is_copy(text)
    """

    def __init__(self, threshold: float, permutations: int, seed: int) -> None:
        self._threshold = threshold
        self._empty = MinHash(num_perm=permutations, seed=seed % 2**32)
        self._index = MinHashLSH(threshold=threshold, num_perm=permutations)
        self._signatures: list[NDArray[np.unsignedinteger]] = []

    def is_copy(self, text: str) -> bool:
        """Whether a document remembered earlier is as similar as the threshold; if not, remember this one.

        The index proposes, the signatures decide: the share of equal values estimates the Jaccard similarity.
        """
        signature = self._signature(text)
        candidates = self._index.query(signature)
        if any(self._similarity(signature, key) >= self._threshold for key in candidates):
            return True
        self._index.insert(len(self._signatures), signature)
        self._signatures.append(signature.hashvalues)
        return False

    def _signature(self, text: str) -> MinHash:
        signature = self._empty.copy()
        words = shingles(text)
        while batch := list(islice(words, BATCH_SHINGLES)):
            signature.update_batch(batch)
        return signature

    def _similarity(self, signature: MinHash, key: int) -> float:
        return float(np.mean(signature.hashvalues == self._signatures[key]))


def shingles(text: str) -> Iterator[bytes]:
    """Runs of 5 words as UTF-8; a text of fewer words is one run.

    list(shingles("a b c d e f")) -> [b"a b c d e", b"b c d e f"]
    """
    words = text.split()
    for start in range(max(1, len(words) - SHINGLE_WORDS + 1)):
        yield " ".join(words[start : start + SHINGLE_WORDS]).encode()
