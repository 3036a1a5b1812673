"""Reading text files: txt, jsonl and parquet, each optionally gz or zst; `-` for lines from standard input.

The unit is what word counts count: each line of a text file without its line end, each row of a jsonl or
parquet file whole. A line ends at LF alone, and one CR before the LF belongs to the line end. What cannot be
Unicode text (bytes that are not UTF-8, a lone surrogate in a JSON escape) is replaced by U+FFFD and counted.
A UTF-8 byte order mark at the start of a text or jsonl file is no text and dropped; nothing else is changed.
"""

import gzip
import json
import re
import shutil
import sys
import tempfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from itertools import groupby
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from modtok.core.errors import DataError, require

STDIN = Path("-")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass
class TextCounts:
    """What the reader has yielded so far."""

    texts: int = 0
    size_bytes: int = 0
    "bytes of the texts as they were read, without line ends"
    undecodable: int = 0
    "texts in which U+FFFD stands for what cannot be Unicode text"

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
    counts = TextCounts() if counts is None else counts
    match _format(path):
        case ".parquet":
            return _parquet_texts(path, counts, column)
        case ".jsonl":
            return _jsonl_texts(path, counts, column)
        case _:
            return _line_texts(path, counts)


def _format(path: Path) -> str:
    return (path.with_suffix("") if path.suffix in (".gz", ".zst") else path).suffix


def _line_texts(path: Path, counts: TextCounts) -> Iterator[str]:
    for line in _lines(path):
        text, undecodable = _decode(line)
        counts.add(len(line), undecodable)
        yield text


def _decode(data: bytes) -> tuple[str, bool]:
    """The text, and whether bytes of it had to be replaced."""
    try:
        return data.decode(), False
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), True


def _jsonl_texts(path: Path, counts: TextCounts, column: str) -> Iterator[str]:
    for number, raw in enumerate(_lines(path), 1):
        line, undecodable = _decode(raw)
        if line.strip() and (escaped := _json_field(path, number, line, column)) is not None:
            text, replaced = _LONE_SURROGATE.subn("\ufffd", escaped)
            counts.add(len(text.encode()), undecodable or replaced > 0)
            yield text


def _json_field(path: Path, number: int, line: str, column: str) -> str | None:
    try:
        text = json.loads(line)[column]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{path}, line {number}: not a JSON object with a field '{column}'") from error
    if not isinstance(text, str | None):
        raise DataError(f"{path}, line {number}: field '{column}' is not a string")
    return text


def read_documents(path: Path, counts: TextCounts | None = None, column: str = "text") -> Iterator[str]:
    """Yield the documents of a file: rows of jsonl and parquet; in text, the lines between blank lines."""
    texts = read_texts(path, counts, column)
    if _format(path) in (".jsonl", ".parquet"):
        return texts
    groups = groupby(texts, key=lambda line: not line.strip())
    return ("\n".join(lines) for is_blank, lines in groups if not is_blank)


def _parquet_texts(path: Path, counts: TextCounts, column: str) -> Iterator[str]:
    with _seekable(path) as source, broken_data(path):
        file = pq.ParquetFile(source)
        _require_text_column(path, file.schema_arrow, column)
        for batch in file.iter_batches(batch_size=1024, columns=[column]):
            for value in batch.column(0):
                if value.is_valid:
                    data = value.as_buffer().to_pybytes()
                    text, undecodable = _decode(data)
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
    """The lines of a file without their line ends and without a byte order mark at the start."""
    with open_binary(path) as file, broken_data(path):
        mark = BOM_UTF8
        for raw in file:
            line = raw.removeprefix(mark)
            mark = b""
            yield line[:-2] if line.endswith(b"\r\n") else line.removesuffix(b"\n")


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
        return sys.stdin.buffer
    if path.suffix == ".gz":
        return BufferedReader(gzip.open(path, "rb"))
    if path.suffix == ".zst":
        return BufferedReader(pa.input_stream(str(path), compression="zstd"))
    return path.open("rb")
