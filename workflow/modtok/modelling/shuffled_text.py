"""A language's documents in the order of training: one file of bytes that is read from anywhere.

The documents stand one after the other in an order drawn from the seed, UTF-8, each ended by the byte 0xFF,
which no UTF-8 has. Training maps the file into memory: where a sequence begins is a matter of arithmetic, so
any process can make any batch, and nothing is kept between batches.
"""

import mmap
from pathlib import Path

import numpy as np

from modtok.core.errors import DataError, require
from modtok.core.io import atomic
from modtok.core.texts import read_documents

SEPARATOR = b"\xff"
# How far behind its place a reading looks for a space to begin at, in bytes.
_REACH = 200


def write_shuffled(documents: Path, out: Path, seed: int) -> int:
    """Write the documents of a file in a shuffled order; their number.

    The file is read twice, first for the lengths: memory is 16 bytes a document. Errors: those of
    read_documents, a file without text.
    """
    sizes = np.array([len(text.encode()) + 1 for _, text in read_documents(documents)], np.int64)
    require(
        sizes.sum() > sizes.size, f"{documents}: no text to train on; add some, or leave its language out"
    )
    order = np.random.default_rng(seed).permutation(sizes.size)
    places = np.empty_like(sizes)
    places[order] = np.cumsum(sizes[order]) - sizes[order]
    with atomic(out) as partial, partial.open("r+b") as file:
        file.truncate(int(sizes.sum()))
        with mmap.mmap(file.fileno(), 0) as memory:
            for place, (_, text) in zip(places.tolist(), read_documents(documents), strict=True):
                data = text.encode() + SEPARATOR
                memory[place : place + len(data)] = data
            memory.flush()
    return sizes.size


Reading = tuple[bool, list[str]]
"whether a document begins where the reading does, and the parts of documents"


class ShuffledText:
    """What `write_shuffled` wrote, as a ring: behind the last document comes the first."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            require(size > 0, f"{path}: no text to train on; leave its language out")
            self._memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self._memory[-1:] != SEPARATOR:
            raise DataError(f"{path}: not a text that shuffle_documents wrote, or cut short; make it again")
        self.size = size

    def read(self, place: int, length: int) -> Reading:
        """About `length` bytes from a place: whether they begin with a document, and the documents' parts.

        The text begins at the first space, line or document behind the place and ends before one, so no word
        is cut. Any place will do: the text is a ring.
        """
        place %= self.size
        data = self._bytes(max(0, place - 1), length + _REACH)
        start = _boundary(data, 0) if place > 0 else 0
        data = data[start : _boundary(data, max(start + 1, len(data) - _REACH), last=True)]
        begins = place == 0 or data.startswith(SEPARATOR)
        parts = data.removeprefix(SEPARATOR).split(SEPARATOR)
        return begins, [part.decode("utf-8", "ignore") for part in parts]

    def _bytes(self, place: int, length: int) -> bytes:
        data = self._memory[place : place + length]
        while len(data) < length:
            data += self._memory[: length - len(data)]
        return data


def _boundary(data: bytes, start: int, last: bool = False) -> int:
    """The first (last) place of a space, line end or separator from `start` on; else `start` (the end)."""
    reach = len(data) if last else start + _REACH
    find = data.rfind if last else data.find
    found = [place for mark in (b" ", b"\n", SEPARATOR) if (place := find(mark, start, reach)) >= 0]
    if not found:
        return len(data) if last else start
    return max(found) if last else min(found)
