"""Encoding with the subtokenizer of some languages, by the ids of the full tokenizer.

These are the ids that a model of the full vocabulary knows; an extracted folder is for dense ids.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from modtok.core.errors import DataError
from modtok.tokenization.loading import LoadedTokenizer, from_json
from modtok.tokenization.modular import Modular


class FullIdTokenizer:
    """A LoadedTokenizer over an extracted one that speaks in ids of the full tokenizer."""

    def __init__(self, extracted: LoadedTokenizer, full_ids: np.ndarray) -> None:
        self.extracted, self.full_ids = extracted, full_ids

    @property
    def vocabulary_size(self) -> int:
        return self.extracted.vocabulary_size

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.full_ids[ids].tolist() for ids in self.extracted.encode_batch(texts)]

    def count_batch(self, texts: Sequence[str]) -> np.ndarray:
        return self.extracted.count_batch(texts)

    def decode(self, ids: Sequence[int]) -> str:
        return self.extracted.decode(self._dense(ids))

    def tokens(self, ids: Sequence[int]) -> list[str]:
        return self.extracted.tokens(self._dense(ids))

    def _dense(self, ids: Sequence[int]) -> list[int]:
        """Positions of full ids in the set. Error: an id that is not in it."""
        known = np.isin(ids, self.full_ids)
        if not known.all():
            strange = list(ids)[int(np.argmin(known))]
            raise DataError(f"the id {strange} is not in the sets of these languages")
        return np.searchsorted(self.full_ids, ids).tolist()


def load_subtokenizer(directory: Path, langs: Sequence[str]) -> FullIdTokenizer:
    """The subtokenizer of some languages of a modular tokenizer. Errors: those of Modular.

    load_subtokenizer(Path("sequential-bpe"), ["fr", "en"]).encode_batch(["bonjour"])
    """
    extracted = Modular.load(directory).extract(langs)
    loaded = from_json(extracted.tokenizer_json, f"{directory}/tokenizer.json")
    return FullIdTokenizer(loaded, extracted.full_ids)
