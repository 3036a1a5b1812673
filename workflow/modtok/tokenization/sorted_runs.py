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

from modtok.tokenization.word_count_files import MAX_COUNT

# Words are large_string: a table may hold more than 2 GiB of them.
WORDS = pa.schema([("word", pa.large_string()), ("count", pa.uint64())])
Key = Callable[[pa.Table, int], tuple[int, str]]
# Rows of a run that are in memory at a time while runs are merged.
BATCH_ROWS = 1 << 14
# Bytes that stand for one word where words are longer than usual.
WORD_BYTES = 64


def word_key(table: pa.Table, row: int) -> tuple[int, str]:
    """The key by which sums are sorted."""
    return 0, table["word"][row].as_py()


def count_key(table: pa.Table, row: int) -> tuple[int, str]:
    """The key of the final order: falling count, then word."""
    return -table["count"][row].as_py(), table["word"][row].as_py()


def sum_by_word(table: pa.Table) -> pa.Table:
    """One row per word, by word (code points, which is UTF-8's order); the sums must fit 64 bits."""
    encoded = table["word"].combine_chunks().dictionary_encode()
    sums = np.zeros(len(encoded.dictionary), dtype=np.uint64)
    np.add.at(sums, encoded.indices.to_numpy(), table["count"].to_numpy())
    order = pc.sort_indices(encoded.dictionary)
    return pa.table([encoded.dictionary.take(order), sums[order.to_numpy()]], schema=WORDS)


def by_count(table: pa.Table) -> pa.Table:
    """Rows that are sorted by word, sorted by falling count, then by word."""
    return table.take(pa.array(np.argsort(MAX_COUNT - table["count"].to_numpy(), kind="stable")))


class WordSums:
    """Adds up counts by word, with at most about `memory_words` words in memory.

    sums = WordSums(folder, memory_words=1000)
    sums.add(pa.table([["a", "a"], [1, 2]], schema=WORDS))
    [table.to_pydict() for table in sums.tables()] -> [{"word": ["a"], "count": [3]}]
    """

    def __init__(self, folder: Path, memory_words: int) -> None:
        self._folder = folder
        self._memory_words = memory_words
        self._parts: list[pa.Table] = []
        self._size = 0
        self._runs: list[Path] = []

    def add(self, table: pa.Table) -> None:
        """Add rows; a word may come any number of times."""
        self._parts.append(table)
        self._size += size_words(table)
        if self._size > self._memory_words:
            self._combine()

    def _combine(self) -> None:
        """Sum what is in memory; where that does not make room for as much again, write it as a run."""
        table = sum_by_word(pa.concat_tables(self._parts))
        self._parts, self._size = [table], size_words(table)
        if self._size > self._memory_words // 2:
            self._runs.append(write_run(self._folder / f"words-{len(self._runs)}.arrow", table))
            self._parts, self._size = [], 0

    def tables(self) -> Iterator[pa.Table]:
        """Tables with one row per word, by word, and each table after the one before. Ends the adding."""
        last = sum_by_word(pa.concat_tables([WORDS.empty_table(), *self._parts]))
        self._parts = []
        if not self._runs:
            return iter([last])
        runs = [*self._runs, write_run(self._folder / "words-last.arrow", last)]
        return map(sum_by_word, merge(runs, word_key))


def sort_by_count(tables: Iterable[pa.Table], folder: Path, memory_words: int) -> Iterator[pa.Table]:
    """Sort the rows of tables that are in order of words by falling count, then word."""
    parts: list[pa.Table] = []
    runs: list[Path] = []
    for table in tables:
        parts.append(table)
        if sum(map(size_words, parts)) > memory_words:
            runs.append(write_run(folder / f"counts-{len(runs)}.arrow", by_count(pa.concat_tables(parts))))
            parts = []
    last = by_count(pa.concat_tables([WORDS.empty_table(), *parts]))
    if not runs:
        return iter([last])
    runs.append(write_run(folder / "counts-last.arrow", last))
    return (by_count(sum_by_word(piece)) for piece in merge(runs, count_key))


def size_words(table: pa.Table) -> int:
    """The size of a table in words of usual length."""
    return max(table.num_rows, table.nbytes // WORD_BYTES)


def write_run(path: Path, table: pa.Table) -> Path:
    """Write a sorted table as a run."""
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
        self.head = WORDS.empty_table()
        self._refill()

    def _refill(self) -> None:
        batch = next(self._batches, None)
        self.head = WORDS.empty_table() if batch is None else pa.Table.from_batches([batch])

    def take(self, end: tuple[int, str], key: Key) -> pa.Table:
        """The rows up to and with the key `end`, which is not beyond the last key of the head."""
        rows = range(self.head.num_rows)
        count = bisect_right(rows, end, key=lambda row: key(self.head, row))
        taken, self.head = self.head.slice(0, count), self.head.slice(count)
        if not self.head.num_rows:
            self._refill()
        return taken
