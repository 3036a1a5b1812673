"""The inner loop of BPE training, compiled: count pairs, choose one, merge it everywhere.

The layout is bpe_state's. A new pair always holds the new token, so what a merge changes is gathered by the
neighbour's id, in arrays, and the hash table of pairs is asked once per neighbour, not per place.
"""

import numpy as np
from numba import njit

from modtok.tokenization.alphabet import BREAK
from modtok.tokenization.pair_index import (
    EMPTY,
    PAIRS,
    PLACES_USED,
    TOKENS,
    add_pair,
    best_pair,
    drop_top,
    pair_key,
    push,
    roomy,
    slot_of,
)

GONE = -2
"Stands where a token began that is now inside a longer one."
# Columns of Gathered.before and .after, by neighbour: count gained by its pair with the new token, count
# lost by its pair with the old part, places of the new pair, and where its next place goes (-1: the pair
# is not kept).
GAIN, LOSS, FOUND, NEXT = 0, 1, 2, 3


@njit(cache=True)
def run_of(words, place):  # type: ignore[no-untyped-def]
    """The run of equally frequent words that holds a position."""
    low, high = 0, words.end.size - 1
    while low < high:
        middle = (low + high) >> 1
        if words.end[middle] > place:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True)
def index_pairs(words, tokens, pairs, table):  # type: ignore[no-untyped-def]
    """Count all adjacent pairs, list their places, fill the heap; return the table, grown to hold them."""
    symbol = words.symbol
    pair_at = np.empty(symbol.size, np.int32)
    place, run = 0, 0
    while place < symbol.size:
        pair_at[place] = -1
        left = symbol[place]
        after = place + (tokens.length[left] if left >= 0 else 1)
        if left >= 0 and symbol[after] >= 0:
            key = pair_key(left, symbol[after])
            slot = slot_of(table, key)
            if table.key[slot] == EMPTY:
                table = roomy(table, pairs, 1)
                pair = add_pair(pairs, table, key, 0)
                pairs.end[pair] = 0
            else:
                pair = table.pair[slot]
            while words.end[run] <= place:
                run += 1
            pairs.frequency[pair] += words.weight[run]
            pairs.end[pair] += 1
            pair_at[place] = pair
        place = after
    _lay_out(words, tokens, pairs, pair_at)
    for pair in range(pairs.used[PAIRS]):
        push(pairs, pair)
    return table


@njit(cache=True)
def _lay_out(words, tokens, pairs, pair_at):  # type: ignore[no-untyped-def]
    """Turn the number of places in `end` into slices, and fill them in ascending order of place."""
    used = 0
    for pair in range(pairs.used[PAIRS]):
        pairs.start[pair] = used
        used += pairs.end[pair]
        pairs.end[pair] = pairs.start[pair]
    pairs.used[PLACES_USED] = used
    place = 0
    while place < pair_at.size:
        pair = pair_at[place]
        if pair >= 0:
            pairs.places[pairs.end[pair]] = place
            pairs.end[pair] += 1
        left = words.symbol[place]
        place += tokens.length[left] if left >= 0 else 1


@njit(cache=True)
def merge_pair(pair, new, words, tokens, pairs, table, gathered, min_frequency):  # type: ignore[no-untyped-def]
    """Replace the pair by token `new` everywhere, left to right without overlap; return the count replaced.

    All other counts are brought up to date; new pairs that reach `min_frequency` are listed and pushed.
    """
    left, right = tokens.left[new], tokens.right[new]
    merged, n_before, n_after = _replace(pair, left, right, new, words, tokens, pairs, gathered)
    pairs.frequency[pair] = 0
    before, after = gathered.before, gathered.after
    found = gathered.before_found
    for i in range(n_before):
        other = found[0, i]
        if before[other, FOUND] > 0:
            _settle(before[other], pair_key(other, left), pair_key(other, new), pairs, table, min_frequency)
        _place(before[other], found[1, i], pairs)
    found = gathered.after_found
    for i in range(n_after):
        other = found[0, i]
        if after[other, FOUND] > 0:
            _settle(after[other], pair_key(right, other), pair_key(new, other), pairs, table, min_frequency)
        _place(after[other], found[1, i], pairs)
    return merged


@njit(cache=True)
def _replace(pair, left, right, new, words, tokens, pairs, gathered):  # type: ignore[no-untyped-def]
    """Rewrite the words; gather what changes by neighbour; return the count replaced and what was found."""
    symbol, before, after = words.symbol, gathered.before, gathered.after
    left_length, length = tokens.length[left], tokens.length[new]
    merged, n_before, n_after, run = 0, 0, 0, 0
    for i in range(pairs.start[pair], pairs.end[pair]):
        place = pairs.places[i]
        middle = place + left_length
        if symbol[place] != left or symbol[middle] != right:
            continue
        if words.end[run] <= place:
            run = run_of(words, place)
        weight = words.weight[run]
        merged += weight
        symbol[middle] = GONE
        symbol[place] = new
        symbol[place + length - 1] = new
        other = symbol[place - 1]
        if other >= 0:
            if other == new:  # its pair with our left part was gained a moment ago
                after[left, GAIN] -= weight
            else:
                before[other, LOSS] += weight
            before[other, GAIN] += weight
            before[other, FOUND] += 1
            gathered.before_found[0, n_before] = other
            gathered.before_found[1, n_before] = place - tokens.length[other]
            n_before += 1
        other = symbol[place + length]
        if other >= 0:
            after[other, LOSS] += weight
            after[other, GAIN] += weight
            after[other, FOUND] += 1
            gathered.after_found[0, n_after] = other
            gathered.after_found[1, n_after] = place
            n_after += 1
    return merged, n_before, n_after


@njit(cache=True)
def _settle(row, old_key, new_key, pairs, table, min_frequency):  # type: ignore[no-untyped-def]
    """Take what a neighbour lost from its old pair, list its new pair if frequent enough, clear its row."""
    if row[LOSS] > 0:
        slot = slot_of(table, old_key)
        if table.key[slot] == old_key:
            pairs.frequency[table.pair[slot]] -= row[LOSS]
    row[NEXT] = -1
    if row[GAIN] >= min_frequency:
        pair = add_pair(pairs, table, new_key, row[GAIN])
        start = pairs.used[PLACES_USED]
        pairs.used[PLACES_USED] = start + row[FOUND]
        pairs.start[pair] = start
        pairs.end[pair] = start + row[FOUND]
        row[NEXT] = start
        push(pairs, pair)
    row[GAIN] = 0
    row[LOSS] = 0
    row[FOUND] = 0


@njit(cache=True)
def _place(row, place, pairs):  # type: ignore[no-untyped-def]
    """Write a place into the slice of its neighbour's new pair."""
    if row[NEXT] >= 0:
        pairs.places[row[NEXT]] = place
        row[NEXT] += 1


@njit(cache=True)
def is_banned(left, right, tokens, banned):  # type: ignore[no-untyped-def]
    """Whether left + right spells a row of `banned`: (names, longest) int32 base ids, padded with BREAK."""
    length = tokens.length[left] + tokens.length[right]
    if length > banned.shape[1]:
        return False
    spelled = np.full(banned.shape[1], BREAK, np.int32)
    todo = np.empty(length, np.int32)
    todo[0], todo[1], n_todo, n_spelled = right, left, 2, 0
    while n_todo > 0:
        n_todo -= 1
        token = todo[n_todo]
        if tokens.left[token] < 0:
            spelled[n_spelled] = token
            n_spelled += 1
        else:
            todo[n_todo], todo[n_todo + 1] = tokens.right[token], tokens.left[token]
            n_todo += 2
    for row in range(banned.shape[0]):
        column = 0
        while column < spelled.size and banned[row, column] == spelled[column]:
            column += 1
        if column == spelled.size:
            return True
    return False


@njit(cache=True)
def train(merges, words, tokens, pairs, table, gathered, min_frequency, banned):  # type: ignore[no-untyped-def]
    """Make up to `merges` more merges; return how many were made, and the table.

    Fewer than asked for: no pair reaches `min_frequency` any more.
    """
    for made in range(merges):
        pair = best_pair(pairs, min_frequency)
        while pair >= 0 and is_banned(pairs.key[pair] >> 32, pairs.key[pair] & 0xFFFFFFFF, tokens, banned):
            drop_top(pairs)
            pair = best_pair(pairs, min_frequency)
        if pair < 0:
            return made, table
        drop_top(pairs)
        new = pairs.used[TOKENS]
        pairs.used[TOKENS] = new + 1
        left, right = pairs.key[pair] >> 32, pairs.key[pair] & 0xFFFFFFFF
        tokens.left[new], tokens.right[new] = left, right
        tokens.length[new] = tokens.length[left] + tokens.length[right]
        table = roomy(table, pairs, 2 * min(pairs.end[pair] - pairs.start[pair], new))
        merge_pair(pair, new, words, tokens, pairs, table, gathered, min_frequency)
    return merges, table
