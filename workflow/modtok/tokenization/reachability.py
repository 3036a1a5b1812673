"""Which tokens of a BPE file text can reach: exactly, by merging each token's own base units.

Where merges make tokens in the order of their ids, each token once, as ours do, all tokens are segmented at
once by the compiled segmentation; any other table goes token by token through RankedEncoder.
"""

from itertools import chain

import numpy as np

from modtok.tokenization.alphabet import BREAK
from modtok.tokenization.bpe_file import BPEFile
from modtok.tokenization.bpe_state import Tokens, Words, room_for_tokens
from modtok.tokenization.native_loop import load_loop
from modtok.tokenization.ranked_encoder import RankedEncoder


def unreachable(file: BPEFile) -> list[str]:
    """The tokens that ranked merging of their own base units does not give back, by id."""
    tokens = sorted(file.vocabulary.items(), key=lambda item: item[1])
    inside = [(surface, number) for surface, number in tokens if surface not in file.outside]
    spelled = [_units(file, surface) for surface, _ in inside]
    state = _tokens_in_order(file)
    if state is None:
        encoder = RankedEncoder(file.table)
        found = [
            encoder.encode(units) == [number] for units, (_, number) in zip(spelled, inside, strict=True)
        ]
    else:
        found = (_first_ids(spelled, state) == [number for _, number in inside]).tolist()
    return [surface for (surface, _), reached in zip(inside, found, strict=True) if not reached]


def _units(file: BPEFile, surface: str) -> list[int]:
    """The base ids of a surface; none where one is missing."""
    ids = [file.vocabulary.get(symbol, BREAK) for symbol in surface]
    return ids if BREAK not in ids else file.units(surface) or []


def _tokens_in_order(file: BPEFile) -> Tokens | None:
    """The tokens as the compiled segmentation takes them; None where ids are not in the order of merges."""
    table = file.table
    if not table.is_proper() or np.any(np.diff(table.result) <= 0):
        return None
    state = room_for_tokens(max(file.vocabulary.values(), default=0) + 1)
    state.left[table.result], state.right[table.result] = table.left, table.right
    surfaces = {number: surface for surface, number in file.vocabulary.items()}
    state.length[table.result] = [len(_units(file, surfaces[number])) for number in table.result.tolist()]
    joined = state.length[table.left] + state.length[table.right]
    return state if np.array_equal(joined, state.length[table.result]) else None


def _first_ids(spelled: list[list[int]], state: Tokens) -> np.ndarray:
    """The first id of each word's segmentation: a token's own id only where it is all there is."""
    symbol = np.array([*chain.from_iterable([BREAK, *units] for units in spelled), BREAK], dtype=np.int32)
    starts = np.flatnonzero(symbol == BREAK)[:-1] + 1
    words = Words(symbol, np.array([symbol.size], dtype=np.int32), np.ones(1, dtype=np.int64))
    load_loop().segment(words, state, state.left.size)
    return symbol[starts]
