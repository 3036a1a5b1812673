r"""Word counts as files: parquet with the columns word and count, or TSV `word<TAB>count` without a header.

In TSV a backslash, TAB, LF and CR inside a word are written \\ \t \n \r, and a line ends at LF alone. A word
is taken as it is, never stripped or split again; one that comes twice, in one file or in several, adds up.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from modtok.core.columns import numbers
from modtok.core.errors import ConfigError, DataError, require
from modtok.core.io import unescape
from modtok.core.texts import broken_data, open_binary
from modtok.tokenization.pretokenization import PATTERNS

SCHEMA = pa.schema([("word", pa.string()), ("count", pa.uint64())])
PRETOKENIZATION = b"pretokenization"
"key in the metadata of a parquet file of counts"
MAX_COUNT = 2**64 - 1
TEXT_TYPES = (pa.string(), pa.large_string(), pa.string_view())
# Rows read at a time: more would be memory that nothing needs afterwards.
BATCH_ROWS = 1024
Counted = tuple[list[str], np.ndarray]
"words and their counts (uint64)"


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
    words: list[str] = []
    parts: list[np.ndarray] = []
    for path in paths:
        read = _read_parquet if path.suffix == ".parquet" else _read_tsv
        for some_words, some_counts in read(path):
            words += some_words
            parts.append(some_counts)
    names = ", ".join(map(str, paths))
    require(bool(words), f"{names}: no words; count some text first (modtok count)")
    counts = np.concatenate(parts)
    total = exact_sum(counts)
    require(total <= MAX_COUNT, f"{names}: the counts add up to {total}, more than 2^64 - 1; scale them down")
    return WordCounts(words, counts, names) if _in_order(words, counts) else _summed(words, counts, names)


def _summed(words: Sequence[str], counts: np.ndarray, source: str) -> WordCounts:
    """Word counts of words that may come more than once."""
    sums: Counter[str] = Counter()
    for word, count in zip(words, counts.tolist(), strict=True):
        sums[word] += count
    return from_sums(sums, source)


def from_sums(sums: Mapping[str, int], source: str) -> WordCounts:
    """Word counts in their order, words that never occur left out. from_sums({"a": 3}, "fr").counts"""
    words = sorted((word for word, count in sums.items() if count > 0), key=lambda word: (-sums[word], word))
    return WordCounts(words, np.array([sums[word] for word in words], dtype=np.uint64), source)


def exact_sum(counts: np.ndarray) -> int:
    """The sum of uint64 counts as a Python int, which has no end: numpy's own sum wraps at 2^64."""
    high, low = counts >> np.uint64(32), counts & np.uint64(2**32 - 1)
    return (int(high.sum()) << 32) + int(low.sum())


def _in_order(words: list[str], counts: np.ndarray) -> bool:
    """Whether no word comes twice and all are by falling count, then by word: as our own files are."""
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


def _read_parquet(path: Path) -> Iterator[Counted]:
    with _system_memory(), _parquet(path) as file:
        columns = [_column(path, file, name) for name in SCHEMA.names]
        holds = file.schema_arrow.types
        word_type, count_type = (holds[column] for column in columns)
        require(word_type in TEXT_TYPES, f"{path}: column 'word' holds {word_type}, not text")
        integers = pa.types.is_integer(count_type)
        require(integers, f"{path}: column 'count' holds {count_type}, not integers")
        for batch in file.iter_batches(BATCH_ROWS, columns=SCHEMA.names, use_threads=False):
            yield _words(path, batch["word"]), _counts(path, batch["count"])


def _column(path: Path, file: pq.ParquetFile, name: str) -> int:
    names = file.schema_arrow.names
    require(names.count(name) == 1, f"{path}: needs one column '{name}'; it has {', '.join(names)}")
    return names.index(name)


def _words(path: Path, column: pa.Array) -> list[str]:
    require(column.null_count == 0, f"{path}: column 'word' has empty cells")
    try:
        return column.to_pylist()
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: column 'word' is not UTF-8 ({error}); count the text again") from error


def _counts(path: Path, column: pa.Array) -> np.ndarray:
    require(column.null_count == 0, f"{path}: column 'count' has empty cells")
    counts = numbers(column)
    lowest = counts.min(initial=1)
    require(lowest > 0, f"{path}: column 'count' holds {lowest}; counts are at least 1")
    return counts.astype(np.uint64)


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


def _read_tsv(path: Path) -> Iterator[Counted]:
    words, counts = [], []
    for number, line in enumerate(_tsv_lines(path), 1):
        word, count = _tsv_row(line)
        valid = 0 < count <= MAX_COUNT
        require(valid, f"{path}, line {number}: not a word, a TAB and a whole number from 1 to 2^64 - 1")
        words.append(word)
        counts.append(count)
    yield words, np.array(counts, dtype=np.uint64)


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
