"""The full table of sequential BPE: all tokens by id, and how base tokens spell words."""

from dataclasses import dataclass

import numpy as np

from modtok.tokenization.alphabet import BaseAlphabet, Kind, Spelling
from modtok.tokenization.bpe_state import Tokens, room_for_tokens
from modtok.tokenization.merge_table import MergeTable
from modtok.tokenization.pretokenization import BYTE_TOKENS, SPECIAL_TOKENS


@dataclass(frozen=True)
class FullTable:
    """All tokens by id: specials, base, and, language by language, new characters and merge results."""

    spelling: Spelling
    surfaces: list[str]
    left: np.ndarray
    "(tokens,) int32: left part, -1 for a special or base token"
    right: np.ndarray

    @classmethod
    def empty(cls, kind: Kind) -> "FullTable":
        """The special tokens and the 256 bytes, or byte tokens."""
        base = BaseAlphabet(kind)
        none = np.full(len(base.tokens), -1, dtype=np.int32)
        return cls(base.spelling, list(base.tokens), none, none)

    @property
    def n_base(self) -> int:
        """Tokens that every language has: specials and bytes, or byte tokens."""
        return len(SPECIAL_TOKENS) + len(BYTE_TOKENS)

    @property
    def merges(self) -> MergeTable:
        """The merges in the order of their results."""
        result = np.flatnonzero(self.left >= 0).astype(np.int32)
        return MergeTable(self.left[result], self.right[result], result)

    def with_characters(self, characters: str) -> "FullTable":
        """The table with those characters that it has not; they take the next ids, by code point."""
        new = sorted(set(characters) - self.spelling.numbers.keys())
        numbers = {character: number for number, character in enumerate(new, len(self.surfaces))}
        spelling = Spelling(self.spelling.kind, {**self.spelling.numbers, **numbers})
        none = np.full(len(new), -1, dtype=np.int32)
        left, right = np.append(self.left, none), np.append(self.right, none)
        return FullTable(spelling, self.surfaces + new, left, right)

    def with_merges(self, left: np.ndarray, right: np.ndarray) -> "FullTable":
        """The table with more merges; their results take the next ids."""
        surfaces = list(self.surfaces)
        for parts in zip(left.tolist(), right.tolist(), strict=True):
            surfaces.append(surfaces[parts[0]] + surfaces[parts[1]])
        return FullTable(self.spelling, surfaces, np.append(self.left, left), np.append(self.right, right))

    def room_for(self, more: int) -> Tokens:
        """The tokens as the training loop wants them, all members, with room for so many more."""
        n_tokens = len(self.surfaces)
        tokens = room_for_tokens(n_tokens + more)
        tokens.left[:n_tokens], tokens.right[:n_tokens] = self.left, self.right
        results = np.flatnonzero(self.left >= 0)
        tokens.length[results] = [len(self.surfaces[number]) for number in results.tolist()]
        return tokens
