r"""The pre-tokens of `gpt2` in many of `whitespace` at once, as one Arrow array.

A pre-token of `whitespace` is white space alone, which `gpt2` leaves whole, or one U+0020 at most and then
none. In the latter the pattern of `gpt2` cuts wherever letters, numbers and others meet, but not after the
U+0020. So cuts are arithmetic on classes of characters. Words that hold an apostrophe, where a contraction
(`'s`) may stand, or characters whose class Python does not know, are cut one by one, by `split_word`.
"""

import unicodedata
from functools import cache
from itertools import chain

import numpy as np
import pyarrow as pa

from modtok.core.columns import of_numbers, texts
from modtok.core.text_blocks import block_of
from modtok.tokenization.pretokenization import WHITE_SPACE, split_word

LETTER, NUMBER, OTHER, WHITE, UNSURE = range(5)
_CATEGORIES = {"L": LETTER, "N": NUMBER}
_UNASSIGNED = "Cn"


def gpt2_pretokens(words: pa.LargeStringArray) -> tuple[pa.LargeStringArray, np.ndarray]:
    """The pre-tokens of `gpt2` in those of `whitespace`, and the row (int64) of the word that holds each.

    They come by row, except that those of the words that are cut one by one come last.

    gpt2_pretokens(words) of ["it's", " n5"] -> [" n", "5", "it", "'s"], [1, 1, 0, 0]
    """
    bounds, text = texts(words)
    starts = bounds[:-1]
    places, classes = _characters(text)
    unsure = np.unique(np.searchsorted(starts, places[classes == UNSURE], "right") - 1)
    cuts, rows = _cuts(starts, places, classes)
    pieces = _slices(np.append(cuts, len(text)), text)
    if not len(unsure):
        return pieces, rows
    sure = np.flatnonzero(~np.isin(rows, unsure))
    others, counts = _cut_one_by_one(words.take(of_numbers(unsure)))
    pieces = pa.concat_arrays([pieces.take(of_numbers(sure)), others])
    return pieces, np.concatenate([rows[sure], np.repeat(unsure, counts)])


def _characters(text: pa.Buffer) -> tuple[np.ndarray, np.ndarray]:
    """The offset of each character in UTF-8, and its class."""
    is_first_byte = np.frombuffer(text, dtype=np.uint8) & 0xC0 != 0x80
    codes = np.frombuffer(str(text, "utf-8").encode("utf-32-le"), dtype=np.uint32)
    classes = np.zeros(codes.max() + 1, dtype=np.uint8)
    classes[codes] = 1
    present = np.flatnonzero(classes)
    classes[present] = [_class(code) for code in present.tolist()]
    return np.flatnonzero(is_first_byte), classes[codes]


@cache
def _class(code: int) -> int:
    character = chr(code)
    category = unicodedata.category(character)
    if character == "'" or category == _UNASSIGNED:
        return UNSURE
    return WHITE if character in WHITE_SPACE else _CATEGORIES.get(category[0], OTHER)


def _cuts(starts: np.ndarray, places: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The offset where each pre-token starts, and the row of its word."""
    is_start = np.zeros(places[-1] + 1, dtype=bool)
    is_start[starts] = True
    is_cut = is_start[places]
    is_cut[1:] |= (classes[1:] != classes[:-1]) & (classes[:-1] != WHITE)
    cuts = places[is_cut]
    return cuts, np.cumsum(is_start[cuts]) - 1


def _slices(cuts: np.ndarray, text: pa.Buffer) -> pa.LargeStringArray:
    return pa.LargeStringArray.from_buffers(len(cuts) - 1, pa.py_buffer(cuts), text)


def _cut_one_by_one(words: pa.LargeStringArray) -> tuple[pa.LargeStringArray, list[int]]:
    """All pre-tokens, and how many each word has."""
    cut = [split_word(word) for word in words.to_pylist()]
    block = block_of(list(chain.from_iterable(cut)))
    return _slices(np.append(0, block.ends), pa.py_buffer(block.data)), [len(pieces) for pieces in cut]
