"""Encoding and decoding of streams, line by line, as `modtok encode` and `modtok decode` do.

Bytes in, bytes out: a line ends at LF alone, and a last line without LF stays without, so `encode | decode`
gives back every byte of UTF-8 text.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import IO

from modtok.core.errors import DataError, require
from modtok.tokenization.loading import LoadedTokenizer

# Lines that are encoded at once.
BATCH = 1024


def encode_lines(
    loaded: LoadedTokenizer, source: IO[bytes], sink: IO[bytes], *, tokens: bool = False
) -> None:
    """Write the ids of each line, separated by spaces; with `tokens` their surfaces, as JSON strings.

    Errors: a line that is not UTF-8, by its number.
    """
    for first, batch in _batches(source):
        texts = [_text(first + row, line) for row, line in enumerate(batch)]
        for line, ids in zip(batch, loaded.encode_batch(texts), strict=True):
            shown = map(_quoted, loaded.tokens(ids)) if tokens else map(str, ids)
            sink.write(" ".join(shown).encode() + _line_end(line))
    sink.flush()


def decode_lines(loaded: LoadedTokenizer, source: IO[bytes], sink: IO[bytes]) -> None:
    """Write the text of each line of ids. Errors: a word that is no id, by line."""
    for first, batch in _batches(source):
        for row, line in enumerate(batch):
            sink.write(_decoded(loaded, first + row, line).encode() + _line_end(line))
    sink.flush()


def _batches(source: IO[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    """Lines in batches, with the number of the first, from 1."""
    first = 1
    while batch := list(islice(source, BATCH)):
        yield first, batch
        first += len(batch)


def _text(number: int, line: bytes) -> str:
    try:
        return line.removesuffix(b"\n").decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"line {number}: not UTF-8 ({error.reason} at byte {error.start + 1}); convert it"
        ) from error


def _decoded(loaded: LoadedTokenizer, number: int, line: bytes) -> str:
    words = line.split()
    # int() alone would take "+5" and "7_0"; no id has 20 digits
    are_ids = all(word.isdigit() and len(word) < 20 for word in words)
    require(are_ids, f"line {number}: not ids separated by spaces; give what `modtok encode` prints")
    try:
        return loaded.decode([int(word) for word in words])
    except DataError as error:
        raise DataError(f"line {number}: {error}") from error


def _line_end(line: bytes) -> bytes:
    return b"\n" if line.endswith(b"\n") else b""


def _quoted(token: str) -> str:
    return json.dumps(token, ensure_ascii=False)
