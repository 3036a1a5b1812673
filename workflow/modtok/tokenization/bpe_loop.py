"""The inner loop of BPE training, compiled: count pairs, choose one, merge it everywhere.

The layout is bpe_state's. A new pair always holds the new token, so what a merge changes is gathered by the
neighbour's id, in arrays, and the hash table of pairs is asked once per neighbour, not per place.

Arrays are taken out of their tuples before a loop: inside, each access would count references, which
costs more than the loop itself.
"""

import numpy as np
from numba import njit

from modtok.tokenization.adoption import GONE, ROOM, adopt_next, next_frequency
from modtok.tokenization.alphabet import BREAK
from modtok.tokenization.pair_index import (
    EMPTY,
    PAIRS,
    PLACES_USED,
    TOKENS,
    add_pair,
    best_pair,
    drop_top,
    left_of,
    pair_key,
    push,
    right_of,
    roomy,
    slot_of,
)

# Columns of Gathered.before and .after, by neighbour: count gained by its pair with the new token, count
# lost by its pair with the old part, places of the new pair, and where its next place goes (-1: the pair
# is not kept).
GAIN, LOSS, FOUND, NEXT = 0, 1, 2, 3


@njit(cache=True)
def run_of(ends, place):  # type: ignore[no-untyped-def]
    """The run of equally frequent words that holds a position."""
    low, high = 0, ends.size - 1
    while low < high:
        middle = (low + high) >> 1
        if ends[middle] > place:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True)
def index_pairs(words, tokens, pairs, table):  # type: ignore[no-untyped-def]
    """Count all adjacent pairs, list their places, fill the heap; return the table, grown to hold them."""
    symbol, ends, weights, lengths = words.symbol, words.end, words.weight, tokens.length
    frequency, n_places = pairs.frequency, pairs.end
    pair_at = np.empty(symbol.size, np.int32)
    place, run = 0, 0
    while place < symbol.size:
        pair_at[place] = -1
        left = symbol[place]
        after = place + (lengths[left] if left >= 0 else 1)
        if left >= 0 and symbol[after] >= 0:
            key = pair_key(left, symbol[after])
            slot = slot_of(table.key, key)
            if table.key[slot] == EMPTY:
                table = roomy(table, pairs, 1)
                pair = add_pair(pairs, table, key, 0)
                n_places[pair] = 0
            else:
                pair = table.pair[slot]
            while ends[run] <= place:
                run += 1
            frequency[pair] += weights[run]
            n_places[pair] += 1
            pair_at[place] = pair
        place = after
    _lay_out(words, tokens, pairs, pair_at)
    for pair in range(pairs.used[PAIRS]):
        push(pairs, pair)
    return table


@njit(cache=True)
def _lay_out(words, tokens, pairs, pair_at):  # type: ignore[no-untyped-def]
    """Turn the number of places in `end` into slices, and fill them in ascending order of place."""
    symbol, lengths, starts, ends, places = words.symbol, tokens.length, pairs.start, pairs.end, pairs.places
    used = 0
    for pair in range(pairs.used[PAIRS]):
        starts[pair] = used
        used += ends[pair]
        ends[pair] = starts[pair]
    pairs.used[PLACES_USED] = used
    place = 0
    while place < pair_at.size:
        pair = pair_at[place]
        if pair >= 0:
            places[ends[pair]] = place
            ends[pair] += 1
        left = symbol[place]
        place += lengths[left] if left >= 0 else 1


@njit(cache=True)
def merge_pair(pair, new, words, tokens, pairs, table, gathered, min_frequency):  # type: ignore[no-untyped-def]
    """Replace the pair by token `new` everywhere, left to right without overlap; return the count replaced.

    All other counts are brought up to date; new pairs that reach `min_frequency` are listed and pushed.
    """
    left, right = tokens.left[new], tokens.right[new]
    merged, n_before, n_after = _replace(pair, left, right, new, words, tokens, pairs, gathered)
    pairs.frequency[pair] = 0
    _settle(gathered.before_found, n_before, gathered.before, left, new, True, pairs, table, min_frequency)
    _settle(gathered.after_found, n_after, gathered.after, right, new, False, pairs, table, min_frequency)
    return merged


@njit(cache=True)
def _replace(pair, left, right, new, words, tokens, pairs, gathered):  # type: ignore[no-untyped-def]
    """Rewrite the words; gather what changes by neighbour; return the count replaced and what was found."""
    symbol, ends, weights, lengths = words.symbol, words.end, words.weight, tokens.length
    before, after = gathered.before, gathered.after
    before_found, after_found = gathered.before_found, gathered.after_found
    places = pairs.places[pairs.start[pair] : pairs.end[pair]]
    left_length, length = lengths[left], lengths[new]
    merged, n_before, n_after, run = 0, 0, 0, 0
    for i in range(places.size):
        place = places[i]
        middle = place + left_length
        if symbol[place] != left or symbol[middle] != right:
            continue
        if ends[run] <= place:
            run = run_of(ends, place)
        weight = weights[run]
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
            before_found[0, n_before] = other
            before_found[1, n_before] = place - lengths[other]
            n_before += 1
        other = symbol[place + length]
        if other >= 0:
            after[other, LOSS] += weight
            after[other, GAIN] += weight
            after[other, FOUND] += 1
            after_found[0, n_after] = other
            after_found[1, n_after] = place
            n_after += 1
    return merged, n_before, n_after


@njit(cache=True)
def _settle(found, n_found, rows, part, new, before, pairs, table, min_frequency):  # type: ignore[no-untyped-def]
    """For each neighbour found, before or after: take what it lost from its old pair, list its new pair with
    its places if frequent enough, and clear its row.
    """
    frequency, places, keys, numbers = pairs.frequency, pairs.places, table.key, table.pair
    for i in range(n_found):
        other = found[0, i]
        if rows[other, FOUND] > 0:
            lost, gained = rows[other, LOSS], rows[other, GAIN]
            if lost > 0:
                key = pair_key(other, part) if before else pair_key(part, other)
                slot = slot_of(keys, key)
                if keys[slot] == key:
                    frequency[numbers[slot]] -= lost
            rows[other, NEXT] = -1
            if gained >= min_frequency:
                key = pair_key(other, new) if before else pair_key(new, other)
                rows[other, NEXT] = _born(key, gained, rows[other, FOUND], pairs, table)
            rows[other, GAIN] = 0
            rows[other, LOSS] = 0
            rows[other, FOUND] = 0
        following = rows[other, NEXT]
        if following >= 0:
            places[following] = found[1, i]
            rows[other, NEXT] = following + 1


@njit(cache=True)
def _born(key, frequency, n_places, pairs, table):  # type: ignore[no-untyped-def]
    """List a new pair and push it; return where its places go."""
    pair = add_pair(pairs, table, key, frequency)
    start = pairs.used[PLACES_USED]
    pairs.used[PLACES_USED] = start + n_places
    pairs.start[pair] = start
    pairs.end[pair] = start + n_places
    push(pairs, pair)
    return start


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
def train(steps, words, tokens, pairs, table, gathered, candidates, min_frequency, banned):  # type: ignore[no-untyped-def]
    """Take up to `steps` steps of Algorithm 2; return how many were taken, and the table.

    A step adopts the most frequent candidate if no pair is more frequent, else merges the most frequent pair.
    One that may not be taken is let go, which is a step, too. Fewer steps than asked for: no room is left, or
    nothing reaches `min_frequency` any more.
    """
    for step in range(steps):
        if candidates.state[ROOM] == 0:
            return step, table
        pair = best_pair(pairs, min_frequency)
        frequency = pairs.frequency[pair] if pair >= 0 else 0
        if next_frequency(candidates, tokens) >= max(frequency, 1):
            adopt_next(candidates, tokens)
        elif pair < 0:
            return step, table
        elif _may_merge(left_of(pairs.key[pair]), right_of(pairs.key[pair]), tokens, banned):
            table = _merge_best(pair, words, tokens, pairs, table, gathered, min_frequency)
            candidates.state[ROOM] -= 1
        else:
            drop_top(pairs)
    return steps, table


@njit(cache=True)
def _may_merge(left, right, tokens, banned):  # type: ignore[no-untyped-def]
    """Whether both are members (a part that was passed over never becomes one) and spell no banned name."""
    return tokens.member[left] and tokens.member[right] and not is_banned(left, right, tokens, banned)


@njit(cache=True)
def _merge_best(pair, words, tokens, pairs, table, gathered, min_frequency):  # type: ignore[no-untyped-def]
    """Make a new token of the pair at the top of the heap, and merge it everywhere; return the table."""
    drop_top(pairs)
    new = pairs.used[TOKENS]
    pairs.used[TOKENS] = new + 1
    left, right = left_of(pairs.key[pair]), right_of(pairs.key[pair])
    tokens.left[new], tokens.right[new] = left, right
    tokens.length[new] = tokens.length[left] + tokens.length[right]
    table = roomy(table, pairs, 2 * min(pairs.end[pair] - pairs.start[pair], new))
    merge_pair(pair, new, words, tokens, pairs, table, gathered, min_frequency)
    return table
