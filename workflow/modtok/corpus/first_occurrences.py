"""Which of a long list of 64-bit hashes come for the first time, in bounded memory.

The hashes lie in a file, in order. They go, in that order, through an open-addressing table of bare hashes:
one that is not in the table yet is a first occurrence. So no positions are kept and nothing is sorted: the
table has 10.7 bytes a hash (8 bytes a slot, three quarters filled at most), the answer one bit. Where that is
more than the memory allowed, the table holds one range of hash values at a time and the file is read once per
range, which gives the same bits.

Two different paragraphs share a 64-bit hash with probability n^2 / 2^65: 3 % for one pair anywhere in 10^9
paragraphs.
"""

from collections.abc import Iterator
from typing import IO

import numpy as np
from numba import njit
from numpy.typing import NDArray

HASH_BYTES = 8
CHUNK_HASHES = 1 << 20
SLOTS_PER_HASH = 4 / 3


def first_occurrences(file: IO[bytes], memory_bytes: int) -> NDArray[np.uint8]:
    """A bit for each 8-byte little-endian hash in `file`: 1 where its value comes for the first time.

    Returns ceil(n / 8) bytes, the first hash in the lowest bit; `iterate_bits` reads them. `memory_bytes`
    bounds the table; one range is never made smaller than 1/4096 of all hashes.
    """
    n = file.seek(0, 2) // HASH_BYTES
    partitions = int(min(4096, max(1, -(-n * HASH_BYTES * SLOTS_PER_HASH // memory_bytes))))
    sizes = np.zeros(partitions, np.int64)
    for chunk in _chunks(file):
        sizes += np.bincount(_partition_of(chunk, np.uint64(partitions)), minlength=partitions)
    bits = np.zeros(-(-n // 8), np.uint8)
    for partition, size in enumerate(sizes):
        table = np.zeros(int(size * SLOTS_PER_HASH) + 1, np.uint64)
        start = 0
        for chunk in _chunks(file):
            _mark(chunk, start, np.uint64(partition), np.uint64(partitions), table, bits)
            start += len(chunk)
    return bits


def iterate_bits(bits: NDArray[np.uint8]) -> Iterator[bool]:
    """The bits one by one, from the lowest bit of the first byte on."""
    for start in range(0, len(bits), CHUNK_HASHES // 8):
        chunk = np.unpackbits(bits[start : start + CHUNK_HASHES // 8], bitorder="little")
        yield from chunk.view(np.bool_).tolist()


def _chunks(file: IO[bytes]) -> Iterator[NDArray[np.uint64]]:
    file.seek(0)
    while data := file.read(CHUNK_HASHES * HASH_BYTES):
        yield np.frombuffer(data, "<u8")


def _partition_of(hashes: NDArray[np.uint64], partitions: np.uint64) -> NDArray[np.int64]:
    """The range that each hash is in: its upper half scaled to the number of ranges. As in `_mark`."""
    shift = np.uint64(32)
    return ((hashes >> shift) * partitions >> shift).astype(np.int64)


@njit(cache=True)
def _mark(
    hashes: NDArray[np.uint64],
    start: int,
    partition: np.uint64,
    partitions: np.uint64,
    table: NDArray[np.uint64],
    bits: NDArray[np.uint8],
) -> None:
    """Put the hashes of one range into the table and set the bits of those that were not in it."""
    shift, capacity, empty = np.uint64(32), np.uint64(len(table)), np.uint64(0)
    for i in range(len(hashes)):
        value = hashes[i]
        if ((value >> shift) * partitions) >> shift != partition:
            continue
        key = max(value, np.uint64(1))  # 0 marks an empty slot
        slot = key % capacity
        while table[slot] != empty and table[slot] != key:
            slot += np.uint64(1)
            if slot == capacity:
                slot = np.uint64(0)
        if table[slot] == empty:
            table[slot] = key
            position = start + i
            bits[position >> 3] |= np.uint8(1 << (position & 7))
