r"""Word counts as files: parquet with the columns word and count, or TSV `word<TAB>count` without a header.

In TSV a backslash, TAB, LF and CR inside a word are written \\ \t \n \r, and a line ends at LF alone. A word
is taken as it is, never stripped or split again; one that comes twice, in one file or in several, adds up.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from modtok.core.errors import ConfigError, DataError, require
from modtok.core.io import unescape
from modtok.core.texts import broken_data, open_binary
from modtok.tokenization.pretokenization import PATTERNS

SCHEMA = pa.schema([("word", pa.string()), ("count", pa.uint64())])
PRETOKENIZATION = b"pretokenization"
"key in the metadata of a parquet file of counts"
MAX_COUNT = 2**64 - 1
TEXT_TYPES = (pa.string(), pa.large_string(), pa.string_view())
# Inside, words are large_string: a table may hold more than 2 GiB of them.
WORDS = pa.schema([("word", pa.large_string()), ("count", pa.uint64())])


@dataclass(frozen=True)
class WordCounts:
    """Words and how often each occurs, by falling count, then by word (code points)."""

    words: list[str]
    counts: np.ndarray
    "uint64, positive, as many as words"
    source: str = "the counts"
    "the files, for errors"


def read_counts(paths: Sequence[Path]) -> WordCounts:
    """Read and add up files of word counts, .parquet or else TSV (optionally .gz or .zst).

    The sum over all words fits 64 bits. Errors name file and line: no words, not UTF-8, missing columns,
    counts that are not positive integers, a sum beyond 2^64 - 1.

    read_counts([Path("fr.parquet")]).words[0]
    """
    tables = [_read_parquet(path) if path.suffix == ".parquet" else _read_tsv(path) for path in paths]
    table = pa.concat_tables(tables)
    names = ", ".join(map(str, paths))
    require(table.num_rows > 0, f"{names}: no words; count some text first (modtok count)")
    total = exact_sum(table["count"])
    require(total <= MAX_COUNT, f"{names}: the counts add up to {total}, more than 2^64 - 1; scale them down")
    read = WordCounts(table["word"].to_pylist(), numbers(table["count"]), names)
    if _in_order(read):
        return read
    table = by_count(sum_by_word(table))
    return WordCounts(table["word"].to_pylist(), numbers(table["count"]), names)


def numbers(column: pa.ChunkedArray) -> np.ndarray:
    """A column of integers without empty cells as numpy; Arrow's to_numpy imports pandas, 0.3 s and 50 MB."""
    chunks = [np.from_dlpack(column.chunk(i)) for i in range(column.num_chunks)]
    return np.concatenate(chunks) if chunks else np.empty(0, dtype=np.uint64)


def _in_order(read: WordCounts) -> bool:
    """Whether no word comes twice and all are by falling count, then by word: as our own files are."""
    words, counts = read.words, read.counts
    ties = np.flatnonzero(counts[1:] == counts[:-1]).tolist()
    falling = bool(np.all(counts[1:] <= counts[:-1])) and all(words[i] < words[i + 1] for i in ties)
    return falling and len(set(words)) == len(words)


def counts_schema(pretokenization: str) -> pa.Schema:
    """The schema of a parquet file of counts; its metadata say how the text was cut."""
    return SCHEMA.with_metadata({PRETOKENIZATION: pretokenization})


def recorded_pretokenization(paths: Sequence[Path], given: str | None = None) -> str:
    """How the words of all files were cut: what the files say, else `given`, else `whitespace`.

    TSV files say nothing. Error: files, or a file and `given`, that differ.
    """
    said = {path: name for path in paths if (name := _said(path)) is not None}
    names = set(said.values()) | ({given} if given else set())
    listed = ", ".join(f"{path} {name}" for path, name in said.items())
    message = f"counts of different pre-tokenizations cannot be joined: {listed}"
    require(len(names) <= 1, f"{message}; asked for: {given}" if given else message, ConfigError)
    return names.pop() if names else "whitespace"


def _said(path: Path) -> str | None:
    if path.suffix != ".parquet":
        return None
    with _parquet(path) as file:
        said = (file.schema_arrow.metadata or {}).get(PRETOKENIZATION)
    name = said and said.decode("utf-8", "replace")
    known = name is None or name in PATTERNS
    require(known, f"{path}: its metadata name the pre-tokenization {name!r}; count the text again")
    return name


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


def exact_sum(counts: pa.ChunkedArray) -> int:
    """The sum of uint64 counts as a Python int, which has no end: Arrow's own sum wraps at 2^64."""
    values = numbers(counts)
    high, low = values >> np.uint64(32), values & np.uint64(2**32 - 1)
    return (int(high.sum()) << 32) + int(low.sum())


def _read_parquet(path: Path) -> pa.Table:
    with _system_memory(), _parquet(path) as file:
        table = file.read(use_threads=False)  # read_table loads Arrow's data sets, too
    for name in SCHEMA.names:
        has = ", ".join(table.column_names)
        require(table.column_names.count(name) == 1, f"{path}: needs one column '{name}'; it has {has}")
    counts = _checked_counts(path, table["count"])
    return pa.table([_checked_words(path, table["word"]), counts], schema=WORDS)


@contextmanager
def _parquet(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a parquet file; Arrow's faults at reading it are the user's."""
    with open_binary(path) as file:
        try:
            yield pq.ParquetFile(file)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{path}: not a parquet file ({error}); count the text again") from error


@contextmanager
def _system_memory() -> Iterator[None]:
    """Let Arrow take memory from the system: its own pool holds on to 20 MB, more than most word counts."""
    pool = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(pool)


def _checked_counts(path: Path, counts: pa.ChunkedArray) -> pa.ChunkedArray:
    require(pa.types.is_integer(counts.type), f"{path}: column 'count' holds {counts.type}, not integers")
    require(counts.null_count == 0, f"{path}: column 'count' has empty cells")
    lowest = pc.min(counts).as_py()
    require(lowest is None or lowest > 0, f"{path}: column 'count' holds {lowest}; counts are at least 1")
    return counts.cast(pa.uint64())


def _checked_words(path: Path, words: pa.ChunkedArray) -> pa.ChunkedArray:
    require(words.null_count == 0, f"{path}: column 'word' has empty cells")
    require(words.type in TEXT_TYPES, f"{path}: column 'word' holds {words.type}, not text")
    words = words.cast(pa.large_string())
    try:
        words.validate(full=True)
    except pa.ArrowInvalid as error:
        raise DataError(f"{path}: column 'word' is not UTF-8 ({error}); count the text again") from error
    return words


def _read_tsv(path: Path) -> pa.Table:
    words, counts = [], []
    for number, line in enumerate(_tsv_lines(path), 1):
        word, count = _tsv_row(line)
        valid = 0 < count <= MAX_COUNT
        require(valid, f"{path}, line {number}: not a word, a TAB and a whole number from 1 to 2^64 - 1")
        words.append(word)
        counts.append(count)
    return pa.table([words, counts], schema=WORDS)


def _tsv_lines(path: Path) -> Iterator[str]:
    with open_binary(path) as file, broken_data(path):
        for number, line in enumerate(file, 1):
            try:
                yield line.removesuffix(b"\n").decode()
            except UnicodeDecodeError as error:
                raise DataError(f"{path}, line {number}: not UTF-8; convert the file") from error


def _tsv_row(line: str) -> tuple[str, int]:
    """The word and its count; 0 where the line has none."""
    # int() alone would take " 1_0" and the digits of other scripts
    word, _, count = line.partition("\t")
    valid = count.isascii() and count.isdigit() and len(count) <= len(str(MAX_COUNT))
    return unescape(word), int(count) if valid else 0
