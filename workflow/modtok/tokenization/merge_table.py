"""The merge table: the ordered merges (left, right) -> result of a BPE tokenizer, as ids.

A subtokenizer is a set of ids closed under ancestors; its merges are the table's merges whose three parts
are in the set, in the table's order.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from modtok.tokenization.bpe_state import Merges


@dataclass(frozen=True)
class MergeTable:
    """Merges by rank. Example: MergeTable.of([(4, 5, 6), (6, 4, 7)]).ancestors([7]) -> [4, 5, 6, 7]."""

    left: np.ndarray
    "(merges,) int32"
    right: np.ndarray
    result: np.ndarray

    @classmethod
    def of(cls, merges: Iterable[tuple[int, int, int]]) -> "MergeTable":
        """A table from (left, right, result) triples by rank."""
        rows = np.array(list(merges), dtype=np.int32).reshape(-1, 3)
        return cls(rows[:, 0], rows[:, 1], rows[:, 2])

    def __len__(self) -> int:
        return len(self.result)

    @property
    def arrays(self) -> Merges:
        """The merges as compiled code takes them: it reads whatever it gets as contiguous."""
        return Merges(*map(np.ascontiguousarray, (self.left, self.right, self.result)))

    def is_proper(self) -> bool:
        """Whether the parts of each merge are base tokens or results of earlier merges."""
        return len(self.improper_ranks()) == 0

    def improper_ranks(self) -> np.ndarray:
        """Ranks of the merges with a part that is only made by itself or later."""
        size = max(
            (int(ids.max()) + 1 for ids in (self.left, self.right, self.result) if len(ids)), default=0
        )
        ranks = np.arange(len(self))
        first_made = np.full(size, -1)
        first_made[self.result[::-1]] = ranks[::-1]  # of several merges with one result the first stays
        return np.flatnonzero(np.maximum(first_made[self.left], first_made[self.right]) >= ranks)

    def has_one_merge_each(self) -> bool:
        """Whether no token is the result of two merges."""
        return len(np.unique(self.result)) == len(self)

    def ancestors(self, ids: Iterable[int]) -> list[int]:
        """The ids with all tokens of their derivations, sorted; each token must have one merge."""
        parts = dict(
            zip(self.result.tolist(), zip(self.left.tolist(), self.right.tolist(), strict=True), strict=True)
        )
        closed: set[int] = set()
        todo = list(ids)
        while todo:
            token = todo.pop()
            if token not in closed:
                closed.add(token)
                todo.extend(parts.get(token, ()))
        return sorted(closed)

    def restricted(self, ids: Iterable[int]) -> "MergeTable":
        """The merges whose three parts are all in `ids`, in this table's order, with the same ids."""
        chosen = np.fromiter(ids, dtype=np.int32)
        keep = np.isin(self.left, chosen) & np.isin(self.right, chosen) & np.isin(self.result, chosen)
        return MergeTable(self.left[keep], self.right[keep], self.result[keep])
