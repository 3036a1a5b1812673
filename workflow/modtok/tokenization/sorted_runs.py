"""Sums and sorting in bounded memory: what does not fit is written as sorted runs and merged at the end.

A table has the columns of WORDS. Merging takes, from all runs at once, the rows up to the
first key at which some run needs its next batch; a piece lies wholly before the next one, so that it can be
summed or sorted on its own.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from modtok.core.columns import numbers, of_numbers, texts

# Words are large_string: a table may hold more than 2 GiB of them.
WORDS = pa.schema([("word", pa.large_string()), ("count", pa.uint64())])
# Schema.empty_table() would import pandas.
NO_WORDS = pa.Table.from_batches([], WORDS)
Key = Callable[[pa.Table, int], tuple[int, str]]
# Rows of a run that are in memory at a time while runs are merged.
BATCH_ROWS = 1 << 14
# Bytes that stand for one word where words are longer than usual.
WORD_BYTES = 64
MAX_16_BITS = 2**16 - 1


def word_key(table: pa.Table, row: int) -> tuple[int, str]:
    """The key by which sums are sorted."""
    return 0, table["word"][row].as_py()


def count_key(table: pa.Table, row: int) -> tuple[int, str]:
    """The key of the final order: falling count, then word."""
    return -table["count"][row].as_py(), table["word"][row].as_py()


def summed(table: pa.Table) -> pa.Table:
    """One row per word, in no particular order; the sums must fit 64 bits."""
    encoded = table["word"].combine_chunks().dictionary_encode()
    sums = np.zeros(len(encoded.dictionary), dtype=np.uint64)
    np.add.at(sums, numbers(encoded.indices), numbers(table["count"].combine_chunks()))
    return pa.table([encoded.dictionary, of_numbers(sums)], schema=WORDS)


def by_word(table: pa.Table) -> pa.Table:
    """The rows by word: by code points, which is the order of UTF-8's bytes."""
    table = table.combine_chunks()
    return table.take(pc.sort_indices(table["word"]))


def by_count(table: pa.Table) -> pa.Table:
    """The rows by falling count, then by word."""
    table = _nearly_by_count(table.combine_chunks())
    return table.take(pc.sort_indices(table, sort_keys=[("count", "descending"), ("word", "ascending")]))


def _nearly_by_count(table: pa.Table) -> pa.Table:
    """The rows by falling count as far as 16 bits tell, then by eight bytes of the word.

    Arrow then sorts in half the time, and numpy sorts 16-bit numbers by their digits, in next to none.
    """
    if not table.num_rows:
        return table
    falling = ~np.minimum(numbers(table["count"].chunk(0)), MAX_16_BITS).astype(np.uint16)
    parts = np.ascontiguousarray(_first_bytes(table["word"].chunk(0)).view(np.uint16).reshape(-1, 4).T)
    return table.take(of_numbers(np.lexsort((*parts, falling)))).combine_chunks()


def _first_bytes(words: pa.LargeStringArray) -> np.ndarray:
    """The first eight bytes of each word as a number, big end first, zeros after the word's end."""
    bounds, text = texts(words)
    padded = np.append(np.frombuffer(text, dtype=np.uint8), np.zeros(8, dtype=np.uint8))
    eights = np.ndarray(len(padded) - 7, ">u8", padded.data, strides=(1,))
    missing_bits = 8 * np.maximum(8 - np.diff(bounds), 0).astype(np.uint64)
    return eights[bounds[:-1]].astype(np.uint64) >> missing_bits << missing_bits


class WordSums:
    """Adds up counts by word, with at most about `memory_words` words in memory.

    sums = WordSums(folder, memory_words=1000)
    sums.add(pa.table([["a"], [1]], schema=WORDS))
    sums.add(pa.table([["a"], [2]], schema=WORDS))
    [table.to_pydict() for table in sums.tables()] -> [{"word": ["a"], "count": [3]}]
    """

    def __init__(self, folder: Path, memory_words: int) -> None:
        self._folder = folder
        self._memory_words = memory_words
        self._parts: list[pa.Table] = []
        self._size = 0
        self._runs: list[Path] = []

    def add(self, table: pa.Table) -> None:
        """Add rows; within one table a word comes once."""
        self._parts.append(table)
        self._size += size_words(table)
        if self._size > self._memory_words:
            self._combine()

    def _combine(self) -> None:
        """Sum what is in memory; where that does not make room for as much again, write it as a run."""
        table = self._sum()
        if size_words(table) > self._memory_words // 2:
            self._write(f"words-{len(self._runs)}.arrow", table)
        else:
            self._parts, self._size = [table], size_words(table)

    def _sum(self) -> pa.Table:
        parts, self._parts, self._size = self._parts or [NO_WORDS], [], 0
        return parts[0] if len(parts) == 1 else summed(pa.concat_tables(parts))

    def _write(self, name: str, table: pa.Table) -> None:
        self._runs.append(write_run(self._folder / name, by_word(table)))

    def tables(self) -> Iterator[pa.Table]:
        """Tables with one row per word, all words of a table before those of the next. Ends the adding."""
        last = self._sum()
        if not self._runs:
            return iter([last])
        self._write("words-last.arrow", last)
        return map(summed, merge(self._runs, word_key))


def sort_by_count(tables: Iterable[pa.Table], folder: Path, memory_words: int) -> Iterator[pa.Table]:
    """Sort the rows of tables, no word of which comes twice, by falling count, then word."""
    parts: list[pa.Table] = []
    runs: list[Path] = []
    for table in tables:
        parts.append(table)
        if sum(map(size_words, parts)) > memory_words:
            runs.append(write_run(folder / f"counts-{len(runs)}.arrow", by_count(pa.concat_tables(parts))))
            parts = []
    last = by_count(pa.concat_tables([NO_WORDS, *parts]))
    if not runs:
        return iter([last])
    runs.append(write_run(folder / "counts-last.arrow", last))
    return map(by_count, merge(runs, count_key))


def size_words(table: pa.Table) -> int:
    """The size of a table in words of usual length."""
    return max(table.num_rows, table.nbytes // WORD_BYTES)


def write_run(path: Path, table: pa.Table) -> Path:
    """Write a sorted table as a run; its folder is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with pa.ipc.new_file(path, WORDS, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table, max_chunksize=BATCH_ROWS)
    return path


def merge(paths: Iterable[Path], key: Key) -> Iterator[pa.Table]:
    """Pieces of all runs; no row of a piece comes after any of the next piece. Keys within a run differ."""
    with ExitStack() as stack:
        runs = [_Run(stack.enter_context(pa.memory_map(str(path)))) for path in paths]
        while runs := [run for run in runs if run.head.num_rows]:
            end = min(key(run.head, run.head.num_rows - 1) for run in runs)
            yield pa.concat_tables([run.take(end, key) for run in runs])


class _Run:
    """A sorted run and the rows at its head that are in memory."""

    def __init__(self, source: pa.NativeFile) -> None:
        reader = pa.ipc.open_file(source)
        self._batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
        self.head = NO_WORDS
        self._refill()

    def _refill(self) -> None:
        batch = next(self._batches, None)
        self.head = NO_WORDS if batch is None else pa.Table.from_batches([batch])

    def take(self, end: tuple[int, str], key: Key) -> pa.Table:
        """The rows up to and with the key `end`, which is not beyond the last key of the head."""
        rows = range(self.head.num_rows)
        count = bisect_right(rows, end, key=lambda row: key(self.head, row))
        taken, self.head = self.head.slice(0, count), self.head.slice(count)
        if not self.head.num_rows:
            self._refill()
        return taken
