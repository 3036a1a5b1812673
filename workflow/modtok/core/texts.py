"""Reading text files: txt, jsonl and parquet, each optionally gz or zst, `-` for standard input.

The unit is what word counts count: each line of a text file without its line end, each row of a jsonl or parquet
file whole. Bytes that are not UTF-8 are replaced by U+FFFD and counted; nothing else is changed.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from modtok.core.errors import DataError

STDIN = Path("-")


@dataclass
class TextCounts:
    """What the reader has seen so far."""

    texts: int = 0
    size_bytes: int = 0
    undecodable: int = 0
    "texts in which bytes that are not UTF-8 were replaced"


def read_texts(path: Path, counts: TextCounts | None = None, column: str = "text") -> Iterator[str]:
    """Yield the texts of a file; `column` names the field of jsonl and parquet rows.

    A row without text (null) is skipped. Errors: a missing column, a jsonl line that is no object.
    """
    counts = TextCounts() if counts is None else counts
    if path.suffix == ".parquet":
        return _parquet_texts(path, counts, column)
    lines = _decoded(path, counts)
    if path.with_suffix("").suffix == ".jsonl" or path.suffix == ".jsonl":
        return _jsonl_texts(path, lines, column)
    return lines


def _parquet_texts(path: Path, counts: TextCounts, column: str) -> Iterator[str]:
    file = _parquet_file(path, column)
    for batch in file.iter_batches(batch_size=1024, columns=[column]):
        for text in batch.column(0):
            if text.is_valid:
                counts.texts += 1
                counts.size_bytes += len(text.as_buffer())
                yield text.as_py()


def _parquet_file(path: Path, column: str) -> pq.ParquetFile:
    try:
        file = pq.ParquetFile(path)
    except pa.ArrowInvalid as error:
        raise DataError(f"{path}: not a parquet file ({error})") from error
    if column not in file.schema_arrow.names:
        raise DataError(f"{path}: no column '{column}'; it has {', '.join(file.schema_arrow.names)}")
    return file


def _jsonl_texts(path: Path, lines: Iterator[str], column: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            text = _json_field(path, number, line, column)
            if text is not None:
                yield text


def _json_field(path: Path, number: int, line: str, column: str) -> str | None:
    try:
        text = json.loads(line)[column]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{path}, line {number}: not a JSON object with a field '{column}'") from error
    if not isinstance(text, str | None):
        raise DataError(f"{path}, line {number}: field '{column}' is not a string")
    return text


def _decoded(path: Path, counts: TextCounts) -> Iterator[str]:
    """Lines as str; a line ends at LF alone, one CR before it is part of the line end."""
    with open_binary(path) as file:
        for raw in _lines(path, file):
            line = raw.removesuffix(b"\n").removesuffix(b"\r")
            counts.texts += 1
            counts.size_bytes += len(line)
            text = line.decode("utf-8", "replace")
            counts.undecodable += "�" in text and "�".encode() not in line
            yield text


def _lines(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    try:
        yield from file
    except (EOFError, gzip.BadGzipFile, OSError) as error:
        raise DataError(f"{path}: broken compressed data ({error}); fetch or pack the file again") from error


def open_binary(path: Path) -> IO[bytes]:
    """Open a file for reading bytes, decompressing .gz and .zst; `-` is standard input."""
    if path == STDIN:
        return sys.stdin.buffer
    if path.suffix == ".gz":
        return gzip.open(path, "rb")
    if path.suffix == ".zst":
        return BufferedReader(pa.PythonFile(pa.input_stream(str(path), compression="zstd"), "r"))
    return path.open("rb")
