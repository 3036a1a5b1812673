"""What the compiled loop of BPE training works on: plain arrays, made here without the compiler.

Layout, since memory access bounds the loop. All words stand in one array of base positions. A token's id
is written at its first and at its last position, so the neighbours of the token at p are symbol[p - 1]
and symbol[p + length]: no linked list, and a merge touches the one or two cache lines of its word. A pair
remembers the places where it arose; a place that no longer holds it shows in `symbol` alone.
"""

from mmap import mmap
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike


class Words(NamedTuple):
    """The words as segmented now. P positions: one per base unit, BREAK at both ends and between words."""

    symbol: np.ndarray
    "(P,) int32: the token's id at its first and last position; the others hold what is never read"
    end: np.ndarray
    "(runs,) int32: where each run of equally frequent words ends; words by falling count make few runs"
    weight: np.ndarray
    "(runs,) int64: how often each word of the run occurs"


class Tokens(NamedTuple):
    """By token id, with room for all that training may make."""

    length: np.ndarray
    "int32, in base positions"
    left: np.ndarray
    "int32: the left part, -1 for a base token; segmentation notes it where a table gives a token several"
    right: np.ndarray
    member: np.ndarray
    "uint8: 1 for the tokens of the language that is trained, 0 for other languages' tokens"


class Merges(NamedTuple):
    """What segmentation goes by: (merges,) int32 each, by rank."""

    left: np.ndarray
    right: np.ndarray
    result: np.ndarray


class Candidates(NamedTuple):
    """Other languages' tokens that stand in the words, open to adoption (empty where there is one language).

    Their frequencies never change: merges use up members only.
    """

    token: np.ndarray
    "(candidates,) int32, by falling frequency, then by id"
    frequency: np.ndarray
    "(candidates,) int64"
    state: np.ndarray
    "(5,) int64, entries NEXT to PASSED_OVER"

    @property
    def room(self) -> int:
        """How many tokens may still be taken."""
        return int(self.state[1])


class Gathered(NamedTuple):
    """What one merge changes, by neighbour; all zero between merges."""

    before: np.ndarray
    "(ids, 4) int64, columns GAIN to NEXT: tokens that stand before the new one"
    after: np.ndarray
    before_found: np.ndarray
    "(2, P) int32: neighbour and place of each new pair found"
    after_found: np.ndarray


class Pairs(NamedTuple):
    """Pairs by order of birth, their places, and the heap over them, with room for all that may come."""

    key: np.ndarray
    "int64: left << 32 | right"
    frequency: np.ndarray
    "int64: adjacent positions weighted by word count, overlapping ones too"
    start: np.ndarray
    "int32: the pair's places are places[start:end]"
    end: np.ndarray
    places: np.ndarray
    "int32: where the left token begins, ascending within a pair"
    heap_frequency: np.ndarray
    heap_pair: np.ndarray
    used: np.ndarray
    "(4,) int64, entries TOKENS to HEAP"

    @property
    def n_tokens(self) -> int:
        """How many tokens there are."""
        return int(self.used[0])


class Table(NamedTuple):
    """A hash table, pair key to pair number: open addressing, a power of two of slots, at most half full."""

    key: np.ndarray
    pair: np.ndarray


def room_for_tokens(ids: int) -> Tokens:
    """Tokens with room for so many ids, all of them members, and base tokens of one position, at first."""
    left, right = (np.full(ids, -1, dtype=np.int32) for _ in range(2))
    return Tokens(np.ones(ids, dtype=np.int32), left, right, np.ones(ids, dtype=np.uint8))


def candidates(room: int, frequency: np.ndarray, member: np.ndarray, min_frequency: int) -> Candidates:
    """The tokens to adopt: no member yet, and frequent enough. `room`: the tokens that may still come.

    `frequency`: (tokens,) int64, by id
    """
    token = np.flatnonzero((member[: frequency.size] == 0) & (frequency >= min_frequency))
    token = token[np.argsort(-frequency[token], kind="stable")]
    return Candidates(token.astype(np.int32), frequency[token], np.array([0, room, 0, 0, 0]))


def room_for_pairs(positions: int, n_tokens: int) -> tuple[Pairs, Table]:
    """No pairs, and room for all that words of so many positions can bring.

    Each replacement shortens the words by one and brings two new places, so 3 * positions places and
    pairs are enough; what is never written never becomes memory.
    """
    room = 3 * positions
    pairs = Pairs(
        key=_unwritten(room, np.int64),
        frequency=_unwritten(room, np.int64),
        start=_unwritten(room, np.int32),
        end=_unwritten(room, np.int32),
        places=_unwritten(room, np.int32),
        heap_frequency=_unwritten(room, np.int64),
        heap_pair=_unwritten(room, np.int32),
        used=np.array([n_tokens, 0, 0, 0]),
    )
    return pairs, Table(np.zeros(1024, dtype=np.int64), np.empty(1024, dtype=np.int32))


def _unwritten(room: int, dtype: DTypeLike) -> np.ndarray:
    """An array that becomes memory page by page as it is written; numpy's own comes in pages of 2 MB."""
    return np.frombuffer(mmap(-1, room * np.dtype(dtype).itemsize), dtype=dtype)


def room_to_gather(positions: int, ids: int) -> Gathered:
    """Scratch space for one merge after the other."""
    rows = (np.zeros((ids, 4), dtype=np.int64) for _ in range(2))
    found = (_unwritten(2 * positions, np.int32).reshape(2, positions) for _ in range(2))
    return Gathered(*rows, *found)
