"""WARC files read to their end, whatever is broken in between (page 3, "Bad input").

fastwarc reads the records; it stops at the first fault and does not see a wrong Content-Length, so each
record is held back until the next one has been found where it should be. After a fault the reader looks for
the next place where a record begins (a gzip member that holds one, or a line that opens one) and goes on
from there.
"""

import re
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

_GZIP_MAGIC = b"\x1f\x8b\x08"
_HEADER_END = b"\r\n\r\n"
_PIECE = 1 << 20
_HEADER_LIMIT = 1 << 16
"a record's header block must end within so many bytes"
_RECORD_START = re.compile(rb"(?<=\n)WARC/\d\.\d\r?\n")


class Record(NamedTuple):
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
                reason = _cause(file, fault)
                yield fault._replace(block=b"", size_bytes=end - fault.offset, reason=reason)


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
    headers, size = found.headers, found.content_length
    offset = max(found.stream_pos, after + 1)
    is_response = found.record_type == WarcRecordType.response
    block = found.reader.read() if is_response and size <= max_bytes else b""
    whole = (len(block) if block else found.reader.consume()) == size
    reason = "" if is_response else "not_response"
    if is_response and size > max_bytes:
        reason = "too_large"
    if not whole:
        reason = "truncated"
    if size == 0 and (headers.get("Content-Length") or "").strip() != "0":
        reason = "bad_header"
    if reason in ("", "truncated"):
        record_id, url = headers.get("WARC-Record-ID") or "", headers.get("WARC-Target-URI") or ""
        return Record(offset, size, block, record_id, url, reason)
    return Record(offset, size, reason=reason)


def _locate(file: IO[bytes], held: Record | None, start: int, message: str) -> Record:
    """The fault behind an error: the record held back where its length is wrong, else what follows it."""
    if held is not None and held.reason in _FAULTS:
        return held
    end = start if held is None else _end_of(file, held)
    if held is not None and end is None:
        return held._replace(reason="wrong_length")
    assert end is not None
    return Record(end, 0, reason="corrupt_gzip" if "zip" in message else "bad_header")


def _cause(file: IO[bytes], fault: Record) -> str:
    """The ledger's reason for a fault: a header can look bad because its gzip member is broken."""
    if fault.reason != "bad_header":
        return fault.reason
    file.seek(fault.offset)
    member = zlib.decompressobj(31)
    piece = file.read(_HEADER_LIMIT)
    if not piece.startswith(_GZIP_MAGIC):
        return fault.reason
    try:
        while piece and not member.eof:
            member.decompress(piece, _PIECE)
            piece = member.unconsumed_tail or file.read(_HEADER_LIMIT)
    except zlib.error:
        return "corrupt_gzip"
    return fault.reason if member.eof else "truncated"


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
