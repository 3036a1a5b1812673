"""Reading text files: txt, jsonl and parquet, each optionally gz or zst; `-` for lines from standard input.

The unit is what word counts count: each line of a text file without its line end, each row of a jsonl or
parquet file whole. A line ends at LF alone, and one CR before the LF belongs to the line end. What cannot be
Unicode text (bytes that are not UTF-8, a lone surrogate in a JSON escape) is replaced by U+FFFD and counted.
A UTF-8 byte order mark at the start of a text or jsonl file is no text and dropped; nothing else is changed.
"""

import gzip
import json
import math
import re
import shutil
import sys
import tempfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from modtok.core.errors import DataError, require

STDIN = Path("-")
BLOCK_BYTES = 1 << 18
"of a text file that are read at once: few enough that memory of one block serves the next"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass
class TextCounts:
    """What the reader has yielded so far."""

    texts: int = 0
    size_bytes: int = 0
    "bytes of the texts as they were read, without line ends"
    undecodable: int = 0
    "texts in which U+FFFD stands for what cannot be Unicode text"
    cut_documents: int = 0
    "cuts in documents over `max_bytes`"

    def add(self, size_bytes: int, undecodable: bool) -> None:
        """Count one text."""
        self.texts += 1
        self.size_bytes += size_bytes
        self.undecodable += undecodable


def read_texts(path: Path, counts: TextCounts | None = None, column: str = "text") -> Iterator[str]:
    """Yield the texts of a file; `column` names the field of jsonl and parquet rows.

    A row without text (null) is skipped. Errors: broken compressed data, a missing or non-text column, a
    jsonl line that is no object; OSError for a file that cannot be opened.

    list(read_texts(Path("fr.jsonl.zst")))
    """
    rows = _rows(path, TextCounts() if counts is None else counts, column)
    return (text for text in rows if text is not None)


def read_documents(
    path: Path, counts: TextCounts | None = None, column: str = "text", max_bytes: float = math.inf
) -> Iterator[tuple[int, str]]:
    """Yield the documents of a file with their places: rows, or in a text file the lines between blank ones.

    The place counts from 0: the row of a parquet file, the (first) line of the others. A document of lines
    that is longer than `max_bytes` is cut at line ends; rows and lines stay whole. Errors: as read_texts.

    list(read_documents(Path("fr.txt"))) -> [(0, "two\nlines"), (3, "the next document")]
    """
    counts = TextCounts() if counts is None else counts
    rows = _rows(path, counts, column)
    if has_rows(path):
        return ((number, text) for number, text in enumerate(rows) if text is not None)
    return _groups((line or "" for line in rows), max_bytes, counts)


def has_rows(path: Path) -> bool:
    """Whether a file's documents are its rows (jsonl, parquet). has_rows(Path("fi.jsonl.gz")) -> True"""
    return _format(path) in (".jsonl", ".parquet")


def _format(path: Path) -> str:
    return (path.with_suffix("") if path.suffix in (".gz", ".zst") else path).suffix


def _rows(path: Path, counts: TextCounts, column: str) -> Iterator[str | None]:
    """The text of each row or line in its order, None for a row without text."""
    match _format(path):
        case ".parquet":
            return _parquet_texts(path, counts, column)
        case ".jsonl":
            return _jsonl_texts(path, counts, column)
        case _:
            return _line_texts(path, counts)


def _groups(lines: Iterable[str], max_bytes: float, counts: TextCounts) -> Iterator[tuple[int, str]]:
    """(number of the first line, text) of each group of lines between blank ones."""
    group: list[str] = []
    start = size = 0
    for number, line in enumerate(lines):
        blank = not line.strip()
        line_bytes = len(line.encode()) + 1
        too_long = bool(group) and not blank and size + line_bytes > max_bytes
        counts.cut_documents += too_long
        if group and (blank or too_long):
            yield start, "\n".join(group)
            group, size = [], 0
        if not blank:
            start = start if group else number
            group.append(line)
            size += line_bytes
    if group:
        yield start, "\n".join(group)


def _line_texts(path: Path, counts: TextCounts) -> Iterator[str]:
    for line in _lines(path):
        text, undecodable = decode(line)
        counts.add(len(line), undecodable)
        yield text


def decode(data: bytes) -> tuple[str, bool]:
    """The text, and whether bytes of it had to be replaced. decode(b"a\\xff") -> ("a\\ufffd", True)"""
    try:
        return data.decode(), False
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), True


def _jsonl_texts(path: Path, counts: TextCounts, column: str) -> Iterator[str | None]:
    for number, raw in enumerate(_lines(path), 1):
        line, undecodable = decode(raw)
        escaped = _json_field(path, number, line, column) if line.strip() else None
        if escaped is None:
            yield None
            continue
        text, replaced = _LONE_SURROGATE.subn("\ufffd", escaped)
        counts.add(len(text.encode()), undecodable or replaced > 0)
        yield text


def _json_field(path: Path, number: int, line: str, column: str) -> str | None:
    try:
        # of the numbers nothing is asked, and int() refuses those of some 4,300 digits
        text = json.loads(line, parse_int=float)[column]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(
            f"{path}, line {number}: not a JSON object with a field '{column}'; mend or remove it"
        ) from error
    if not isinstance(text, str | None):
        raise DataError(f"{path}, line {number}: field '{column}' is not a string; mend or remove it")
    return text


def _parquet_texts(path: Path, counts: TextCounts, column: str) -> Iterator[str | None]:
    with _seekable(path) as source, broken_data(path):
        file = pq.ParquetFile(source)
        _require_text_column(path, file.schema_arrow, column)
        for batch in file.iter_batches(batch_size=1024, columns=[column]):
            for value in batch.column(0):
                if not value.is_valid:
                    yield None
                    continue
                data = value.as_buffer().to_pybytes()
                text, undecodable = decode(data)
                counts.add(len(data), undecodable)
                yield text


def _require_text_column(path: Path, schema: pa.Schema, column: str) -> None:
    names = ", ".join(schema.names)
    require(schema.names.count(column) == 1, f"{path}: needs one column '{column}'; it has {names}")
    kind = schema.field(column).type
    is_text = any(
        is_kind(kind) for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    )
    require(is_text, f"{path}: column '{column}' is {kind}, not text")


@contextmanager
def _seekable(path: Path) -> Iterator[IO[bytes]]:
    """Parquet is read from its end, so a packed one is unpacked to an unnamed temporary file first."""
    with open_binary(path) as file:
        if path.suffix == ".parquet":
            yield file
            return
        with tempfile.TemporaryFile() as unpacked:
            with broken_data(path):
                shutil.copyfileobj(file, unpacked)
            yield unpacked


def _lines(path: Path) -> Iterator[bytes]:
    for block in line_blocks(path):
        yield from block.split(b"\n")


def line_blocks(path: Path, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """The lines of a file by the rules above, as blocks of some `size` bytes: lines with LF between them.

    Errors: broken compressed data; OSError for a file that cannot be opened.

    list(line_blocks(Path("fr.txt"))) -> [b"one\\ntwo"]
    """
    with open_binary(path) as file, broken_data(path):
        mark = BOM_UTF8
        while raw := file.read(size) + file.readline():
            # looking for CR alone is ten times as fast as looking for CR LF
            lines = raw.replace(b"\r\n", b"\n") if b"\r" in raw else raw
            yield lines.removeprefix(mark).removesuffix(b"\n")
            mark = b""


@contextmanager
def broken_data(path: Path) -> Iterator[None]:
    """Turn what decompressors and pyarrow raise for damaged files into an error for the user."""
    try:
        yield
    except (EOFError, OSError, zlib.error, pa.ArrowException) as error:
        raise DataError(f"{path}: broken data ({error}); fetch or pack the file again") from error


def open_binary(path: Path) -> IO[bytes]:
    """Open a file for reading bytes, decompressing .gz and .zst; `-` is standard input."""
    if path == STDIN:
        require(sys.stdin is not None, "standard input: it is closed; give it a file or a pipe")
        return sys.stdin.buffer
    if path.suffix == ".gz":
        return BufferedReader(gzip.open(path, "rb"))
    if path.suffix == ".zst":
        return BufferedReader(pa.CompressedInputStream(path.open("rb"), "zstd"))
    return path.open("rb")
