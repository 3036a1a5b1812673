"""Segmenting words by a full tokenizer, and adopting its tokens into a language's set; compiled."""

import heapq

import numpy as np
from numba import njit

from modtok.tokenization.bpe_state import Table
from modtok.tokenization.pair_index import pair_key, slot_of

GONE = -2
"Stands where a token began that is now inside a longer one."
# Entries of Candidates.state: place of the next candidate; how many tokens the set may still take; how many
# candidates were adopted, how many ancestors came along, and how many candidates did not fit.
NEXT, ROOM, ADOPTED, ANCESTORS, PASSED_OVER = 0, 1, 2, 3, 4


@njit(cache=True)
def segment(words, tokens, n_tokens):  # type: ignore[no-untyped-def]
    """Segment words that are spelled in base ids by the merges of the first `n_tokens` tokens, in place.

    The lowest id is merged first, of equal ones the leftmost: merges must have been made in the order of ids.
    Returns how often each token stands in the words, (n_tokens,) int64.
    """
    symbol = words.symbol
    table = _results(tokens, n_tokens)
    heap = [np.int64(0) for _ in range(0)]
    for place in range(1, symbol.size):
        if symbol[place] >= 0:
            if symbol[place - 1] >= 0:
                _propose(heap, symbol[place - 1], symbol[place], place - 1, table)
        elif len(heap) > 0:
            _merge_all(heap, symbol, tokens, table)
    return _frequencies(words, tokens.length, n_tokens)


@njit(cache=True)
def _results(tokens, n_tokens):  # type: ignore[no-untyped-def]
    """A table from the pair of a merge to its result."""
    size = 1024
    while size < 2 * n_tokens:
        size *= 2
    table = Table(np.zeros(size, np.int64), np.empty(size, np.int32))
    for token in range(n_tokens):
        if tokens.left[token] >= 0:
            key = pair_key(tokens.left[token], tokens.right[token])
            slot = slot_of(table.key, key)
            table.key[slot] = key
            table.pair[slot] = token
    return table


@njit(cache=True)
def _propose(heap, left, right, place, table):  # type: ignore[no-untyped-def]
    """Put the merge of a pair that begins at `place`, if there is one, into the heap."""
    key = pair_key(left, right)
    slot = slot_of(table.key, key)
    if table.key[slot] == key:
        heapq.heappush(heap, pair_key(table.pair[slot], place))


@njit(cache=True)
def _merge_all(heap, symbol, tokens, table):  # type: ignore[no-untyped-def]
    """Make the merges of the heap and those that they bring, until none is left."""
    lengths = tokens.length
    while len(heap) > 0:
        entry = heapq.heappop(heap)
        new, place = entry >> 32, entry & 0xFFFFFFFF
        left = tokens.left[new]
        middle = place + lengths[left]
        if symbol[place] != left or symbol[middle] != tokens.right[new]:
            continue
        after = place + lengths[new]
        symbol[middle] = GONE
        symbol[place] = new
        symbol[after - 1] = new
        before = symbol[place - 1]
        if before >= 0:
            _propose(heap, before, new, place - lengths[before], table)
        if symbol[after] >= 0:
            _propose(heap, new, symbol[after], place, table)


@njit(cache=True)
def _frequencies(words, lengths, n_tokens):  # type: ignore[no-untyped-def]
    """How often each token stands in the words."""
    symbol, ends, weights = words.symbol, words.end, words.weight
    frequency = np.zeros(n_tokens, np.int64)
    place, run = 0, 0
    while place < symbol.size:
        token = symbol[place]
        if token < 0:
            place += 1
            continue
        while ends[run] <= place:
            run += 1
        frequency[token] += weights[run]
        place += lengths[token]
    return frequency


@njit(cache=True)
def next_frequency(candidates, tokens):  # type: ignore[no-untyped-def]
    """The frequency of the next candidate that is no member yet, 0 where there is none."""
    state = candidates.state
    while state[NEXT] < candidates.token.size:
        if not tokens.member[candidates.token[state[NEXT]]]:
            return candidates.frequency[state[NEXT]]
        state[NEXT] += 1  # it came along as an ancestor
    return 0


@njit(cache=True)
def adopt_next(candidates, tokens):  # type: ignore[no-untyped-def]
    """Make the next candidate and its ancestors members, or pass it over for good where they do not fit.

    For good: whatever is taken later takes at least as much of the room as it spares of the ancestors.
    """
    state = candidates.state
    taken = _take(candidates.token[state[NEXT]], tokens, state[ROOM])
    state[NEXT] += 1
    if taken == 0:
        state[PASSED_OVER] += 1
    else:
        state[ROOM] -= taken
        state[ADOPTED] += 1
        state[ANCESTORS] += taken - 1


@njit(cache=True)
def _take(token, tokens, room):  # type: ignore[no-untyped-def]
    """Make a token and its missing ancestors members; return how many. Not if over `room`: then 0."""
    left, member = tokens.left, tokens.member
    todo = np.empty(tokens.length[token] + 1, np.int32)
    taken = np.empty(2 * tokens.length[token], np.int32)
    todo[0], n_todo, n_taken = token, 1, 0
    while n_todo > 0 and n_taken <= room:
        n_todo -= 1
        one = todo[n_todo]
        if not member[one]:
            member[one] = 1
            taken[n_taken] = one
            n_taken += 1
            if left[one] >= 0:
                todo[n_todo], todo[n_todo + 1] = left[one], tokens.right[one]
                n_todo += 2
    if n_taken <= room:
        return n_taken
    member[taken[:n_taken]] = 0
    return 0
