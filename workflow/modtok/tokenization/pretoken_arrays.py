r"""The pre-tokens of `whitespace` for many texts at once, as one Arrow array and without a Python object for each.

The pattern ` ?[^\s]+|\s+(?!\S)|\s+` only ever looks at neighbours, so its cuts are arithmetic on the places of
white space in the UTF-8 bytes. A pre-token starts
- where a text starts;
- at white space that follows something else (the start of a run, or of " word");
- at the last white space of a run of two or more that something else follows;
- after white space other than U+0020 that something else follows.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from modtok.tokenization.pretokenization import WHITE_SPACE

SPACE = ord(" ")
# The first bytes of white space characters, among others' first bytes; the rest is looked at only there.
_LEADS = np.zeros(256, dtype=bool)
_LEADS[[character.encode()[0] for character in WHITE_SPACE]] = True
_LENGTHS = np.ones(256, dtype=np.int64)
_LENGTHS[[character.encode()[0] for character in WHITE_SPACE]] = [len(c.encode()) for c in WHITE_SPACE]
_CODES = np.sort([int.from_bytes(character.encode()) for character in WHITE_SPACE])


def pretokens(texts: Sequence[str]) -> pa.LargeStringArray:
    """The pre-tokens of all texts, in their order; no pre-token spans two texts.

    pretokens(["two  words", "b"]).to_pylist() -> ["two", " ", " words", "b"]
    """
    encoded = [text.encode() for text in texts]
    data = b"".join(encoded)
    ends = np.cumsum([0, *map(len, encoded)])
    cuts = _cuts(np.frombuffer(data, dtype=np.uint8), ends)
    return pa.LargeStringArray.from_buffers(len(cuts) - 1, pa.py_buffer(cuts), pa.py_buffer(data))


def _cuts(data: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Offsets (int64) at which pre-tokens start, and the end of the data; `ends`: 0 and the end of each text."""
    starts, lengths = _white_space(data)
    is_edge = np.zeros(len(data) + 1, dtype=bool)
    is_edge[ends] = True
    joins_next = np.append(starts[1:] == starts[:-1] + lengths[:-1], False) if len(starts) else starts == -1
    joins_next &= ~is_edge[starts + lengths]
    joins_last = np.append(False, joins_next[:-1]) if len(starts) else joins_next
    before_word = ~joins_next & ~is_edge[starts + lengths]
    is_cut = is_edge
    is_cut[starts[~joins_last | before_word]] = True
    is_cut[(starts + lengths)[before_word & (data[starts] != SPACE)]] = True
    return np.flatnonzero(is_cut)


def _white_space(data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The offset and the length in bytes of each white space character."""
    starts = np.flatnonzero(_LEADS[data])
    lengths = _LENGTHS[data[starts]]
    codes = _codes(data, starts, lengths)
    found = _CODES[np.searchsorted(_CODES, codes).clip(max=len(_CODES) - 1)] == codes
    return starts[found], lengths[found]


def _codes(data: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The first `lengths` bytes at each start as one number, big end first."""
    codes = np.zeros(len(starts), dtype=np.int64)
    for offset in range(int(lengths.max(initial=0))):
        inside = lengths > offset
        codes[inside] = (codes[inside] << 8) | data[starts[inside] + offset]
    return codes
