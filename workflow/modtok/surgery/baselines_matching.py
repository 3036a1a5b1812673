"""Longest match at run time: AdaptBPE (Balde et al. 2024), as the third document's section 2 cites it.

The stored merges stay, and the encoder is patched: what an added token spells is taken out of a pre-token
first, the longest match from the left, and merging starts from these pieces and the bytes between them. It
needs its own encoder wherever the model runs; no tokenizer.json can say it.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from modtok.surgery.byte_level import ByteLevelBPE
from modtok.surgery.segmentation import Segmenter
from modtok.tokenization.pretokens import Pretokens
from modtok.tokenization.ranked_encoder import RankedEncoder


class LongestMatch:
    """A tokenizer whose added tokens are matched before merging. Counts tokens; it has no file of its own.

    LongestMatch(tokenizer, added).count_batch(["Київ"])
    """

    def __init__(self, tokenizer: ByteLevelBPE, added: Iterable[int]) -> None:
        self._tokenizer = tokenizer
        self._added = {tokenizer.tokens[number]: number for number in added}
        self._longest = max(map(len, self._added), default=0)
        self._pretokens = Pretokens(tokenizer.frame)
        self._segmenter, self._encoder = Segmenter(tokenizer), RankedEncoder(tokenizer.table)
        self._lengths: dict[bytes, int] = {}

    @property
    def vocabulary_size(self) -> int:
        added = {token["content"] for token in self._tokenizer.frame.get("added_tokens") or ()}
        return len(added.union(self._tokenizer.surfaces.values()))

    def count_batch(self, texts: Sequence[str]) -> np.ndarray:
        """Number of tokens of each text, (texts,) int64."""
        counts = [sum(map(self._length, self._pretokens.of(text))) for text in texts]
        return np.array(counts, dtype=np.int64)

    def ids(self, pretoken: bytes) -> list[int]:
        """The ids of one pre-token."""
        units = self._units(pretoken)
        if units == self._tokenizer.units(pretoken):
            return self._segmenter.ids(pretoken)  # nothing matched: plain merging, which is quicker there
        return self._encoder.encode(units)

    def _length(self, pretoken: bytes) -> int:
        if pretoken not in self._lengths:
            self._lengths[pretoken] = len(self.ids(pretoken))
        return self._lengths[pretoken]

    def _units(self, pretoken: bytes) -> list[int]:
        """What merging starts from: added tokens where they match, bytes elsewhere."""
        units: list[int] = []
        start = 0
        while start < len(pretoken):
            lengths = range(min(self._longest, len(pretoken) - start), 1, -1)
            ends = (start + length for length in lengths)
            end = next((end for end in ends if pretoken[start:end] in self._added), start + 1)
            units.append(self._added.get(pretoken[start:end], self._tokenizer.base[pretoken[start]]))
            start = end
        return units
