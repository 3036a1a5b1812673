"""The full table of sequential BPE: all tokens by id, and how base tokens spell words."""

from dataclasses import dataclass, field, replace

import numpy as np

from modtok.tokenization.alphabet import BaseAlphabet, Kind, Spelling
from modtok.tokenization.bpe_state import Tokens, room_for_tokens
from modtok.tokenization.merge_table import MergeTable
from modtok.tokenization.pretokenization import SPECIAL_TOKENS


@dataclass(frozen=True)
class Start:
    """What a table starts from and keeps as it is: base tokens, or a whole foreign table (seed_table)."""

    every: np.ndarray
    "(ids,) sorted: what every language has, special and base tokens"
    n_special: int
    merges: MergeTable = field(default_factory=lambda: MergeTable.of([]))
    "merges of a foreign table, by rank"
    size: int = 0
    "how many ids a foreign table has"
    taken: tuple[str, ...] = ()
    "surfaces that no new merge may spell: special tokens, and tokens that cannot be reached"


@dataclass(frozen=True)
class FullTable:
    """All tokens by id: the start, and, language by language, new characters and merge results."""

    start: Start
    spelling: Spelling
    surfaces: list[str]
    left: np.ndarray
    "(tokens,) int32: left part, -1 for a special or base token, and for one that cannot be reached"
    right: np.ndarray

    @classmethod
    def empty(cls, kind: Kind) -> "FullTable":
        """The special tokens and the 256 bytes, or byte tokens."""
        base = BaseAlphabet(kind)
        none = np.full(len(base.tokens), -1, dtype=np.int32)
        start = Start(np.arange(len(base.tokens)), len(SPECIAL_TOKENS))
        return cls(start, base.spelling, list(base.tokens), none, none)

    @property
    def merges(self) -> MergeTable:
        """The merges by rank: those of the start, then the others in the order of their results."""
        new = self.start.size + np.flatnonzero(self.left[self.start.size :] >= 0).astype(np.int32)
        first, then = self.start.merges, MergeTable(self.left[new], self.right[new], new)
        parts = ((first.left, then.left), (first.right, then.right), (first.result, then.result))
        return MergeTable(*map(np.concatenate, parts))

    def with_characters(self, characters: str) -> "FullTable":
        """The table with those characters that it has not; they take the next ids, by code point."""
        new = sorted(set(characters) - self.spelling.numbers.keys())
        numbers = {character: number for number, character in enumerate(new, len(self.surfaces))}
        spelling = Spelling(self.spelling.kind, {**self.spelling.numbers, **numbers})
        none = np.full(len(new), -1, dtype=np.int32)
        left, right = np.append(self.left, none), np.append(self.right, none)
        return replace(self, spelling=spelling, surfaces=self.surfaces + new, left=left, right=right)

    def with_merges(self, left: np.ndarray, right: np.ndarray) -> "FullTable":
        """The table with more merges; their results take the next ids."""
        surfaces = list(self.surfaces)
        for parts in zip(left.tolist(), right.tolist(), strict=True):
            surfaces.append(surfaces[parts[0]] + surfaces[parts[1]])
        left, right = np.append(self.left, left), np.append(self.right, right)
        return replace(self, surfaces=surfaces, left=left, right=right)

    def room_for(self, more: int) -> Tokens:
        """The tokens as the training loop wants them, all members, with room for so many more."""
        n_tokens = len(self.surfaces)
        tokens = room_for_tokens(n_tokens + more)
        tokens.left[:n_tokens], tokens.right[:n_tokens] = self.left, self.right
        results = np.flatnonzero(self.left >= 0)
        tokens.length[results] = [len(self.surfaces[number]) for number in results.tolist()]
        return tokens
