"""Which tokens of a BPE file text can reach: exactly, by merging each token's own base units.

All tokens are segmented at once by the compiled segmentation. It counts on it that the parts of a merge are
together as long as its result, in base units; a table where they are not goes token by token through
RankedEncoder.
"""

from itertools import chain

import numpy as np

from modtok.tokenization.alphabet import BREAK
from modtok.tokenization.bpe_file import BPEFile
from modtok.tokenization.bpe_state import Tokens, Words, room_for_tokens
from modtok.tokenization.merge_table import MergeTable
from modtok.tokenization.native_loop import load_loop
from modtok.tokenization.ranked_encoder import RankedEncoder


def unreachable(file: BPEFile) -> list[str]:
    """The tokens that ranked merging of their own base units does not give back, by id."""
    tokens = sorted(file.vocabulary.items(), key=lambda item: item[1])
    inside = [(surface, number) for surface, number in tokens if surface not in file.outside]
    spelled = [_units(file, surface) for surface, _ in inside]
    state = _room(file)
    if state is None:
        encoder = RankedEncoder(file.table)
        found = [
            encoder.encode(units) == [number] for units, (_, number) in zip(spelled, inside, strict=True)
        ]
    else:
        reached = segment_tokens(spelled, state, file.table)
        found = (reached == [number for _, number in inside]).tolist()
    return [surface for (surface, _), reached in zip(inside, found, strict=True) if not reached]


def _units(file: BPEFile, surface: str) -> list[int]:
    """The base ids of a surface; none where one is missing."""
    ids = [file.vocabulary.get(symbol, BREAK) for symbol in surface]
    return ids if BREAK not in ids else file.units(surface) or []


def _room(file: BPEFile) -> Tokens | None:
    """The tokens with their lengths in base units; None where those of a merge do not add up."""
    table = file.table
    state = room_for_tokens(max(file.vocabulary.values(), default=0) + 1)
    for surface, number in file.vocabulary.items():
        if surface not in file.outside:
            state.length[number] = len(_units(file, surface))
    joined = state.length[table.left] + state.length[table.right]
    return state if np.array_equal(joined, state.length[table.result]) else None


def segment_tokens(spelled: list[list[int]], state: Tokens, table: MergeTable) -> np.ndarray:
    """The first id of each spelled token's segmentation: its own id only where that is all there is.

    `state` gets the parts that each token is made of, where it can be reached.
    """
    symbol = np.array([*chain.from_iterable([BREAK, *units] for units in spelled), BREAK], dtype=np.int32)
    starts = np.flatnonzero(symbol == BREAK)[:-1] + 1
    words = Words(symbol, np.array([symbol.size], dtype=np.int32), np.ones(1, dtype=np.int64))
    load_loop().segment(words, state, table.arrays)
    return symbol[starts]
