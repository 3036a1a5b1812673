"""Ranked merging by ids, without pre-tokenization: the exact encoder that the audit holds tokens against."""

from collections.abc import Iterator, Sequence

from modtok.tokenization.merge_table import MergeTable

NEVER = 1 << 62
"Rank of a pair that has no merge."


class RankedEncoder:
    """Merges the pair of lowest rank first, of equal ones the leftmost, one at a time.

    RankedEncoder(MergeTable.of([(4, 5, 6)])).encode([4, 5, 5]) -> [6, 5]
    """

    def __init__(self, table: MergeTable) -> None:
        pairs = zip(table.left.tolist(), table.right.tolist(), strict=True)
        self._ranks = {pair: rank for rank, pair in enumerate(pairs)}
        self._results: list[int] = table.result.tolist()

    def append(self, left: int, right: int, result: int) -> None:
        """Add a merge behind all others; its pair must have none yet."""
        self._ranks[left, right] = len(self._results)
        self._results.append(result)

    def pop(self) -> None:
        """Take away the merge that was appended last."""
        self._ranks.popitem()
        self._results.pop()

    def encode(self, units: Sequence[int]) -> list[int]:
        """The ids that are left when no adjacent pair has a merge. Quadratic in the number of units."""
        ids, ranks = self._start(units)
        while self._merge_lowest(ids, ranks):
            pass
        return ids

    def steps(self, units: Sequence[int]) -> Iterator[list[int]]:
        """The ids before the first merge and after each. encode() is the last of them."""
        ids, ranks = self._start(units)
        yield list(ids)
        while self._merge_lowest(ids, ranks):
            yield list(ids)

    def _start(self, units: Sequence[int]) -> tuple[list[int], list[int]]:
        """The ids, and the rank of each adjacent pair."""
        ids = list(units)
        return ids, [self._rank(ids, position) for position in range(len(ids) - 1)]

    def _merge_lowest(self, ids: list[int], ranks: list[int]) -> bool:
        """Merge once, in place; False where nothing can be merged."""
        lowest = min(ranks, default=NEVER)
        if lowest == NEVER:
            return False
        position = ranks.index(lowest)
        ids[position : position + 2] = [self._results[lowest]]
        del ranks[position]
        for changed in (position - 1, position):
            if 0 <= changed < len(ranks):
                ranks[changed] = self._rank(ids, changed)
        return True

    def _rank(self, ids: list[int], position: int) -> int:
        return self._ranks.get((ids[position], ids[position + 1]), NEVER)
