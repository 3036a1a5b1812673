"""A hash table from pairs of numbers to a number, compiled: the children of a trie, the merges of a table."""

from typing import NamedTuple

import numpy as np
from numba import njit

from modtok.tokenization.pair_index import pair_key, slot_of

NONE = -1
"The value of a pair that the table does not hold."


class PairTable(NamedTuple):
    """Open addressing; make one with `room_for`, fill it with `put`, ask it with `find`."""

    key: np.ndarray
    "int64 by slot, a power of two of them; 0: free"
    value: np.ndarray
    "int32 by slot"


def room_for(pairs: int) -> PairTable:
    """An empty table for so many pairs, at most half full."""
    size = 1 << (2 * max(pairs, 1) - 1).bit_length()
    return PairTable(np.zeros(size, np.int64), np.full(size, NONE, np.int32))


@njit(cache=True)
def put(keys, values, first, second, value):  # type: ignore[no-untyped-def]
    """Set the value of a pair; numbers are at least 0 and below 2^31 - 1."""
    key = pair_key(first, second)
    slot = slot_of(keys, key)
    keys[slot] = key
    values[slot] = value


@njit(cache=True, inline="always")
def find(keys, values, first, second):  # type: ignore[no-untyped-def]
    """The value of a pair, NONE where there is none."""
    return values[slot_of(keys, pair_key(first, second))]
