"""Leaf pruning, the deletion that goes with continued BPE (Purason et al. 2025; third document, section 2).

A leaf is a token that no merge has as a part. Deleting one takes its own merges away and breaks no other
token: no derivation but its own ends in it.
"""

import heapq

import numpy as np

from modtok.core.errors import require
from modtok.surgery.byte_level import ByteLevelBPE


def leaves(tokenizer: ByteLevelBPE, frequency: np.ndarray, slots: int) -> list[int]:
    """The ids of `slots` leaves, the least frequent first; a part becomes one once all it is in are deleted.

    `frequency`: by id, how often a token stands in a corpus. What a deleted token stood for goes to the parts
    of its first merge. Ties: the larger id first. Protected tokens stay. Error: fewer leaves than slots.

    leaves(tokenizer, token_frequencies(tokenizer, corpora), 3_000)
    """
    merges, frequency = _Merges(tokenizer), frequency.copy()
    open_to_deletion = [number for number in tokenizer.surfaces if number not in tokenizer.protected]
    heap = [(frequency[number], -number) for number in open_to_deletion if merges.uses[number] == 0]
    heapq.heapify(heap)
    deleted: list[int] = []
    while heap and len(deleted) < slots:
        expected, negative = heapq.heappop(heap)
        leaf = -negative
        if expected != frequency[leaf]:  # a longer token's text has come to it meanwhile
            heapq.heappush(heap, (frequency[leaf], negative))
            continue
        deleted.append(leaf)
        for part in merges.first_parts(leaf):
            frequency[part] += frequency[leaf]
        freed = merges.remove(leaf)
        for part in sorted(freed - tokenizer.protected):
            heapq.heappush(heap, (frequency[part], -part))
    require(
        len(deleted) == slots,
        f"{slots} slots: leaf pruning can free {len(deleted)} tokens; ask for no more",
    )
    return deleted


class _Merges:
    """Merges by result, and in how many merges each token is a part."""

    def __init__(self, tokenizer: ByteLevelBPE) -> None:
        table = tokenizer.table
        self.parts: dict[int, list[tuple[int, int]]] = {}
        rows = zip(table.result.tolist(), table.left.tolist(), table.right.tolist(), strict=True)
        for result, left, right in rows:
            self.parts.setdefault(result, []).append((left, right))
        size = max(tokenizer.surfaces) + 1
        self.uses = np.bincount(table.left, minlength=size) + np.bincount(table.right, minlength=size)

    def first_parts(self, token: int) -> tuple[int, ...]:
        """The parts of a token's merge of lowest rank; none for one without merges."""
        return self.parts.get(token, [()])[0]

    def remove(self, token: int) -> set[int]:
        """Take a token's merges away; return the parts that no merge uses any more."""
        freed: set[int] = set()
        for pair in self.parts.pop(token, ()):
            for part in pair:
                self.uses[part] -= 1
                if self.uses[part] == 0:
                    freed.add(part)
        return freed
