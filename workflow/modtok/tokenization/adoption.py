"""Segmenting words by a full tokenizer, and adopting its tokens into a language's set; compiled."""

import heapq

import numpy as np
from numba import njit

from modtok.tokenization.pair_index import left_of, pair_key, right_of
from modtok.tokenization.pair_table import NONE, PairTable, find, put

GONE = -2
"Stands where a token began that is now inside a longer one."
# Entries of Candidates.state: place of the next candidate; how many tokens the set may still take; how many
# candidates were adopted, how many ancestors came along, and how many candidates did not fit.
NEXT, ROOM, ADOPTED, ANCESTORS, PASSED_OVER = 0, 1, 2, 3, 4


@njit(cache=True)
def segment(words, tokens, merges):  # type: ignore[no-untyped-def]
    """Segment words that are spelled in base ids by ranked merges, in place.

    The lowest rank is merged first, of equal ones the leftmost; a pair that is listed twice has its last
    rank, as Hugging Face reads it. `tokens` gets the parts that each token found was made of: they are the
    same wherever it is made (see modular). Returns how often each token stands in the words, (ids,) int64.
    """
    symbol = words.symbol
    ranks = _ranks(merges)
    heap = [np.int64(0) for _ in range(0)]
    for place in range(1, symbol.size):
        if symbol[place] >= 0:
            if symbol[place - 1] >= 0:
                _propose(heap, symbol[place - 1], symbol[place], place - 1, ranks)
        elif len(heap) > 0:
            _merge_all(heap, symbol, tokens, merges, ranks)
    return _frequencies(words, tokens.length)


@njit(cache=True)
def _ranks(merges):  # type: ignore[no-untyped-def]
    """A table from the pair of a merge to its rank."""
    size = 1024
    while size < 2 * merges.left.size:
        size *= 2
    ranks = PairTable(np.zeros(size, np.int64), np.full(size, NONE, np.int32))
    for rank in range(merges.left.size):
        put(ranks.key, ranks.value, merges.left[rank], merges.right[rank], rank)
    return ranks


@njit(cache=True)
def _propose(heap, left, right, place, ranks):  # type: ignore[no-untyped-def]
    """Put the merge of a pair that begins at `place`, if there is one, into the heap."""
    rank = find(ranks.key, ranks.value, left, right)
    if rank != NONE:
        heapq.heappush(heap, pair_key(rank, place))


@njit(cache=True)
def _merge_all(heap, symbol, tokens, merges, ranks):  # type: ignore[no-untyped-def]
    """Make the merges of the heap and those that they bring, until none is left."""
    lengths, lefts, rights = tokens.length, tokens.left, tokens.right
    ranked_left, ranked_right, results = merges.left, merges.right, merges.result
    while len(heap) > 0:
        entry = heapq.heappop(heap)
        rank, place = left_of(entry), right_of(entry)
        left, right, new = ranked_left[rank], ranked_right[rank], results[rank]
        middle = place + lengths[left]
        if symbol[place] != left or symbol[middle] != right:
            continue
        after = place + lengths[new]
        symbol[middle] = GONE
        symbol[place] = new
        symbol[after - 1] = new
        lefts[new], rights[new] = left, right
        before = symbol[place - 1]
        if before >= 0:
            _propose(heap, before, new, place - lengths[before], ranks)
        if symbol[after] >= 0:
            _propose(heap, new, symbol[after], place, ranks)


@njit(cache=True)
def _frequencies(words, lengths):  # type: ignore[no-untyped-def]
    """How often each token stands in the words."""
    symbol, ends, weights = words.symbol, words.end, words.weight
    frequency = np.zeros(lengths.size, np.int64)
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
