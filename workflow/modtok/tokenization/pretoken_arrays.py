r"""The pre-tokens of `whitespace` of many texts at once, as one Arrow array, with no Python object for each.

The pattern ` ?[^\s]+|\s+(?!\S)|\s+` only ever looks at neighbours, so its cuts are arithmetic on the places
of white space in the UTF-8 bytes. A pre-token starts
- where a text starts;
- at white space that follows something else (the start of a run, or of " word");
- at the last white space of a run of two or more that something else follows;
- after white space other than U+0020 that something else follows.
"""

import numpy as np
import pyarrow as pa

from modtok.core.text_blocks import TextBlock
from modtok.tokenization.pretokenization import WHITE_SPACE

SPACE = ord(" ")
# The first bytes of white space characters, among others' first bytes; the rest is looked at only there.
_FIRST_BYTES = [character.encode()[0] for character in WHITE_SPACE]
_LENGTHS = np.ones(256, dtype=np.int64)
_LENGTHS[_FIRST_BYTES] = [len(character.encode()) for character in WHITE_SPACE]
# A table for bytes.translate, which is faster than numpy's look-up.
_IS_FIRST = bytes(byte in _FIRST_BYTES for byte in range(256))
_CODES = np.array([int.from_bytes(character.encode()) for character in WHITE_SPACE])


def pretokens(texts: TextBlock) -> pa.LargeStringArray:
    """The pre-tokens of all texts, in their order; no pre-token spans two texts.

    pretokens(block_of(["two  words", "b"])).to_pylist() -> ["two", " ", " words", "b"]
    """
    cuts = _cuts(texts.data, texts.ends)
    return pa.LargeStringArray.from_buffers(len(cuts) - 1, pa.py_buffer(cuts), pa.py_buffer(texts.data))


def _cuts(text: bytes, ends: np.ndarray) -> np.ndarray:
    """Offsets (int64) where pre-tokens start, and the end of the text."""
    data = np.frombuffer(text, dtype=np.uint8)
    starts, lengths = _white_space(text, data)
    afters = starts + lengths
    is_end = np.zeros(len(data) + 1, dtype=bool)
    is_end[ends] = True
    at_end = is_end[afters]
    joins_next = np.append(afters[:-1] == starts[1:], False)[: len(starts)] & ~at_end
    before_word = ~(joins_next | at_end)
    is_cut = before_word.copy()
    is_cut[:1] = True
    is_cut[1:] |= ~joins_next[:-1]
    bare = before_word & (data[starts] != SPACE)
    cuts = np.concatenate([[0], starts[is_cut], ends, afters[bare]])
    cuts.sort(kind="stable")  # each part is in order, and numpy's stable sort merges what is
    return cuts[np.append(True, cuts[1:] != cuts[:-1])]


def _white_space(text: bytes, data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The offset and the length in bytes of each white space character."""
    starts = np.flatnonzero(np.frombuffer(text.translate(_IS_FIRST), dtype=bool))
    lengths = _LENGTHS[data[starts]]
    long = np.flatnonzero(lengths > 1)
    other = long[~np.isin(_codes(data, starts[long], lengths[long]), _CODES)]
    return (np.delete(starts, other), np.delete(lengths, other)) if len(other) else (starts, lengths)


def _codes(data: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The two or three bytes (`lengths`) at each start as one number, big end first."""
    codes = (data[starts].astype(np.int64) << 8) | data[starts + 1]
    three = lengths == 3
    codes[three] = (codes[three] << 8) | data[starts[three] + 2]
    return codes
