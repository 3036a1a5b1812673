"""The pairs of adjacent tokens: their counts and places, a hash table by key, a heap by count; compiled.

Counts of a known pair only fall during training (new adjacencies always involve the token just made), so
a heap entry is an upper bound: the top is right when it equals the pair's count, else it is put back with
that count.
"""

import numpy as np
from numba import njit

from modtok.tokenization.bpe_state import Table

EMPTY = 0
"Key of a free slot; no pair has it."
MULTIPLIER = -7046029254386353131  # 2^64 over the golden ratio, odd: spreads the low bits of a key

# Entries of Pairs.used: how many tokens, pairs, places and heap entries are in use.
TOKENS, PAIRS, PLACES_USED, HEAP = 0, 1, 2, 3


@njit(cache=True, inline="always")
def pair_key(left, right):  # type: ignore[no-untyped-def]
    """One number for two, in their order, never EMPTY; they are at least 0 and below 2^31 - 1."""
    return ((np.int64(left) + 1) << 32) | np.int64(right)


@njit(cache=True, inline="always")
def left_of(key):  # type: ignore[no-untyped-def]
    return (key >> 32) - 1


@njit(cache=True, inline="always")
def right_of(key):  # type: ignore[no-untyped-def]
    return key & 0xFFFFFFFF


@njit(cache=True)
def slot_of(keys, key):  # type: ignore[no-untyped-def]
    """The slot of a table's keys that holds `key`, or the free slot where it would go."""
    mask = keys.size - 1
    slot = ((key * MULTIPLIER) >> 31) & mask
    while keys[slot] != key and keys[slot] != EMPTY:
        slot = (slot + 1) & mask
    return slot


@njit(cache=True)
def roomy(table, pairs, coming):  # type: ignore[no-untyped-def]
    """The table, or a larger one where `coming` more pairs would fill more than half of it."""
    n_pairs = pairs.used[PAIRS]
    size = table.key.size
    while size < 2 * (n_pairs + coming):
        size *= 2
    if size == table.key.size:
        return table
    larger = Table(np.zeros(size, np.int64), np.empty(size, np.int32))
    for pair in range(n_pairs):
        slot = slot_of(larger.key, pairs.key[pair])
        larger.key[slot] = pairs.key[pair]
        larger.pair[slot] = pair
    return larger


@njit(cache=True)
def add_pair(pairs, table, key, count):  # type: ignore[no-untyped-def]
    """Append a pair that the table does not hold; it has no places yet."""
    pair = pairs.used[PAIRS]
    pairs.used[PAIRS] = pair + 1
    slot = slot_of(table.key, key)
    table.key[slot] = key
    table.pair[slot] = pair
    pairs.key[pair] = key
    pairs.frequency[pair] = count
    return pair


@njit(cache=True)
def comes_before(count, key, other_count, other_key):  # type: ignore[no-untyped-def]
    """The order of the heap: higher count first, ties to the smaller (left id, right id)."""
    return count > other_count or (count == other_count and key < other_key)


@njit(cache=True)
def push(pairs, pair):  # type: ignore[no-untyped-def]
    keys, counts, numbers = pairs.key, pairs.heap_frequency, pairs.heap_pair
    count, key, entry = pairs.frequency[pair], keys[pair], pairs.used[HEAP]
    pairs.used[HEAP] = entry + 1
    while entry > 0:
        parent = (entry - 1) >> 1
        if not comes_before(count, key, counts[parent], keys[numbers[parent]]):
            break
        counts[entry] = counts[parent]
        numbers[entry] = numbers[parent]
        entry = parent
    counts[entry] = count
    numbers[entry] = pair


@njit(cache=True)
def replace_top(pairs, pair):  # type: ignore[no-untyped-def]
    """Put `pair` in the place of the top and let it sink."""
    keys, counts, numbers = pairs.key, pairs.heap_frequency, pairs.heap_pair
    count, key, size = pairs.frequency[pair], keys[pair], pairs.used[HEAP]
    entry = 0
    while 2 * entry + 1 < size:
        child = 2 * entry + 1
        second = child + 1
        if second < size and comes_before(
            counts[second], keys[numbers[second]], counts[child], keys[numbers[child]]
        ):
            child = second
        if comes_before(count, key, counts[child], keys[numbers[child]]):
            break
        counts[entry] = counts[child]
        numbers[entry] = numbers[child]
        entry = child
    counts[entry] = count
    numbers[entry] = pair


@njit(cache=True)
def drop_top(pairs):  # type: ignore[no-untyped-def]
    pairs.used[HEAP] -= 1
    if pairs.used[HEAP] > 0:
        replace_top(pairs, pairs.heap_pair[pairs.used[HEAP]])


@njit(cache=True)
def best_pair(pairs, min_frequency):  # type: ignore[no-untyped-def]
    """The pair with the highest count, left at the top of the heap; -1 when none reaches `min_frequency`."""
    while pairs.used[HEAP] > 0:
        pair = pairs.heap_pair[0]
        if pairs.frequency[pair] < min_frequency:
            drop_top(pairs)
        elif pairs.frequency[pair] != pairs.heap_frequency[0]:
            replace_top(pairs, pair)
        else:
            return pair
    return -1
