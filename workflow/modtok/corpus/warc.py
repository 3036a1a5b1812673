"""WARC files read to their end, whatever is broken in between (page 3, "Bad input").

fastwarc reads the records; it stops at the first fault and does not see a wrong Content-Length, so each
record is held back until the next one has been found where it should be. After a fault the reader looks for
the next place where a record begins (a gzip member that holds one, or a line that opens one) and goes on
from there.
"""

import re
import zlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

_GZIP_MAGIC = b"\x1f\x8b\x08"
_HEADER_END = b"\r\n\r\n"
_PIECE = 1 << 20
_HEADER_LIMIT = 1 << 16
"a record's header block must end within so many bytes"
_RECORD_START = re.compile(rb"(?<=\n)WARC/\d\.\d\r?\n")


@dataclass(frozen=True)
class Record:
    """A record of a WARC file, or the fault that stands in its place."""

    offset: int
    "in the file as stored, so for .gz the offset of the gzip member"
    size_bytes: int
    "length of the block; of a fault: bytes of the file that were passed over"
    block: bytes = b""
    "HTTP header and body as recorded; empty unless `reason` is"
    record_id: str = ""
    url: str = ""
    reason: str = ""
    """why the record is not used: not_response, too_large, bad_header, wrong_length, truncated, corrupt_gzip;
    empty for a sound response"""


def read_warc(path: Path, max_bytes: int = 1 << 24) -> Iterator[Record]:
    """The records of a WARC file, plain or gzip, in the order of the file, faults among them.

    A block over `max_bytes` is passed over (too_large). Errors: OSError where the disk fails, never for the
    content. A file compressed as one single gzip member (not the practice) has no offsets of its records, so
    theirs are only ascending numbers there, and what follows a fault is lost.

    [record.reason for record in read_warc(Path("a.warc.gz"))] -> ["not_response", "", "corrupt_gzip", ""]
    """
    with path.open("rb") as file:
        gzipped = file.read(2) == _GZIP_MAGIC[:2] or path.suffix == ".gz"
        position: int | None = 0
        while position is not None:
            fault = yield from _sound_records(file, position, max_bytes)
            position = None
            if fault is not None:
                position = _next_start(file, fault.offset + 1, gzipped)
                end = position if position is not None else file.seek(0, 2)
                yield replace(fault, block=b"", size_bytes=end - fault.offset)


def _sound_records(file: IO[bytes], start: int, max_bytes: int) -> Generator[Record, None, Record | None]:
    """Yield records up to the first fault, and return the fault, or None at the end of the file."""
    file.seek(start)
    if not file.read(1):
        return None
    file.seek(start)
    archive = ArchiveIterator(file, parse_http=False)
    held: Record | None = None
    while True:
        try:
            found = next(archive, None)
        except OSError as error:
            if error.errno is not None:  # the disk, not the content
                raise
            fault = _locate(file, held, start, str(error))
            if held is not None and fault.offset != held.offset:
                yield held
            return fault
        if held is not None and held.reason in _FAULTS:
            return held
        if held is not None:
            yield held
        if found is None:
            return None if held is not None else Record(start, 0, reason="bad_header")
        held = _record(found, max_bytes, after=-1 if held is None else held.offset)


_FAULTS = {"bad_header", "truncated"}


def _record(found: WarcRecord, max_bytes: int, after: int) -> Record:
    headers = found.headers
    record = Record(
        offset=max(found.stream_pos, after + 1),
        size_bytes=found.content_length,
        record_id=headers.get("WARC-Record-ID") or "",
        url=headers.get("WARC-Target-URI") or "",
    )
    if not (headers.get("Content-Length") or "").strip().isdigit():
        return replace(record, reason="bad_header")
    if found.record_type != WarcRecordType.response or found.content_length > max_bytes:
        reason = "not_response" if found.record_type != WarcRecordType.response else "too_large"
        whole = found.reader.consume() == found.content_length
        return replace(record, reason=reason if whole else "truncated")
    block = found.reader.read()
    return replace(record, block=block, reason="" if len(block) == found.content_length else "truncated")


def _locate(file: IO[bytes], held: Record | None, start: int, message: str) -> Record:
    """The fault behind an error: the record held back where its length is wrong, else what follows it."""
    reason = "corrupt_gzip" if "zip" in message else "bad_header"
    if held is None:
        return Record(start, 0, reason=reason)
    if held.reason in _FAULTS:
        return held
    end = _end_of(file, held)
    return replace(held, reason="wrong_length") if end is None else Record(end, 0, reason=reason)


def _end_of(file: IO[bytes], record: Record) -> int | None:
    """The file offset just after a record; None unless the record ends exactly where its header says."""
    file.seek(record.offset)
    head = file.read(_HEADER_LIMIT)
    if head.startswith(_GZIP_MAGIC):
        return _end_of_member(file, record)
    header_bytes = head.find(_HEADER_END) + len(_HEADER_END)
    file.seek(record.offset + header_bytes + record.size_bytes)
    return file.tell() if file.read(len(_HEADER_END)) == _HEADER_END else None


def _end_of_member(file: IO[bytes], record: Record) -> int | None:
    file.seek(record.offset)
    member = zlib.decompressobj(31)
    length = header_bytes = used = 0
    try:
        while not member.eof and (piece := member.unconsumed_tail or file.read(_HEADER_LIMIT)):
            plain = member.decompress(piece, _PIECE)
            used += len(piece) - len(member.unconsumed_tail) - len(member.unused_data)
            header_bytes = header_bytes or plain.find(_HEADER_END) + len(_HEADER_END)
            length += len(plain)
    except zlib.error:
        return None
    exact = length == header_bytes + record.size_bytes + len(_HEADER_END)
    return record.offset + used if member.eof and exact else None


def _next_start(file: IO[bytes], position: int, gzipped: bool) -> int | None:
    """The offset of the first place from `position` on where a record can begin; None where there is none."""
    overlap = 64
    while True:
        file.seek(position)
        piece = file.read(_PIECE + overlap)
        for found in re.finditer(re.escape(_GZIP_MAGIC), piece) if gzipped else _RECORD_START.finditer(piece):
            offset = position + found.start()
            if not gzipped or _opens_record(file, offset):
                return offset
        if len(piece) < _PIECE + overlap:
            return None
        position += _PIECE


def _opens_record(file: IO[bytes], offset: int) -> bool:
    file.seek(offset)
    try:
        return zlib.decompressobj(31).decompress(file.read(1 << 12), 16).startswith(b"WARC/")
    except zlib.error:
        return False
