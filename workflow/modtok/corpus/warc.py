"""WARC files read to their end, whatever is broken in between (page 3, "Bad input").

fastwarc reads the records; it stops at the first fault and does not see a wrong Content-Length, so each
record is held back until the next one has been found where it should be. After a fault the reader looks for
the next place where a record begins (a gzip member that holds one, or a line that opens one) and goes on
from there.
"""

import math
import os
import re
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

_GZIP_MAGIC = b"\x1f\x8b\x08"
_HEADER_END = b"\r\n\r\n"
_PIECE = 1 << 17
_HEADER_LIMIT = 1 << 16
"a record's header block must end within so many bytes"
_START = re.compile(
    # A version line and a header without another one in it, so that a search reads few bytes twice. The group
    # is not possessive: Python 3.11.2 then takes half an iteration for a whole one.
    rb"WARC/\d\.\d\r?\n(?:[^\r\n]++(?<!WARC/\d\.\d)\r?\n)+\r?\n|" + re.escape(_GZIP_MAGIC)
)
_FAULTS = {"bad_header", "truncated", "wrong_length", "corrupt_gzip"}


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
    try:
        with path.open("rb") as file:
            yield from _records(file, max_bytes)
    except OSError as error:
        error.filename = str(path)
        raise


def _records(file: IO[bytes], max_bytes: int) -> Iterator[Record]:
    position: int | None = 0
    while position is not None:
        fault = yield from _sound_records(file, position, max_bytes)
        position = None
        if fault is not None:
            position = _next_start(file, fault.offset + 1)
            end = position if position is not None else file.seek(0, 2)
            yield fault._replace(block=b"", size_bytes=end - fault.offset, reason=_cause(file, fault))


def _sound_records(file: IO[bytes], start: int, max_bytes: int) -> Generator[Record, None, Record | None]:
    """Yield records up to the first fault, and return the fault, or None at the end of the file."""
    if not os.pread(file.fileno(), 1, start):
        return None
    file.seek(start)
    archive = ArchiveIterator(file, parse_http=False, max_header_len=_HEADER_LIMIT)
    held: Record | None = None
    while True:
        try:
            found = next(archive, None)
        except Exception as error:
            _raise_if_disk(error)
            fault = _locate(file, held, start, str(error))
            if held is not None and fault.offset != held.offset:
                yield held
            return fault
        if held is not None:
            yield held
        if found is None:
            return Record(start, 0, reason="bad_header") if held is None else _rest(file, held)
        held = _record(file, found, max_bytes, -1 if held is None else held.offset, faulty=start > 0)
        if held.reason in _FAULTS:
            return held


def _raise_if_disk(error: Exception) -> None:
    if isinstance(error, OSError) and error.errno is not None:
        raise error


def _record(file: IO[bytes], found: WarcRecord, max_bytes: int, after: int, faulty: bool) -> Record:
    """A record with its block, or its fault; where the file is `faulty`, lengths are tested before use."""
    headers, size = found.headers, found.content_length
    offset = max(found.stream_pos, after + 1)
    if size == 0 and (headers.get("Content-Length") or "").strip() != "0":
        return Record(offset, size, reason="bad_header")
    if contradiction := _contradiction(file, offset, size, faulty):
        return Record(offset, size, reason=contradiction)
    is_response = found.record_type == WarcRecordType.response
    try:
        block = found.reader.read() if is_response and size <= max_bytes else b""
        whole = (len(block) if block else found.reader.consume()) == size
    except Exception as error:
        _raise_if_disk(error)
        return Record(offset, size, reason="corrupt_gzip")
    if not is_response or size > max_bytes:
        reason = "too_large" if is_response else "not_response"
        return Record(offset, size, reason=reason if whole else "truncated")
    record_id, url = headers.get("WARC-Record-ID") or "", headers.get("WARC-Target-URI") or ""
    return Record(offset, size, block, record_id, url, "" if whole else "truncated")


def _contradiction(file: IO[bytes], offset: int, size: int, faulty: bool) -> str:
    """Why a record is not as long as it says; "" where it may be.

    Without this a file of short records that all claim to be long would be read once for each of them. A gzip
    member has to be unpacked for it, so that is only done where a fault has been met.
    """
    head = os.pread(file.fileno(), _HEADER_LIMIT, offset)
    if head.startswith(_GZIP_MAGIC):
        member = _member(file, offset, size + _HEADER_LIMIT) if faulty else None
        is_short = member is not None and member.ended and member.size_bytes < member.header_bytes + size
        return "wrong_length" if is_short else ""
    opening = _START.match(head)
    if opening is None:  # a record within a member
        return ""
    end = offset + opening.end() + size
    if end > os.fstat(file.fileno()).st_size:
        return "truncated"
    tail = os.pread(file.fileno(), len(_HEADER_END) + len(b"WARC/"), end)
    sound = not tail.strip() or tail.startswith(_HEADER_END) or tail.lstrip().startswith(b"WARC/")
    return "" if sound else "wrong_length"


def _locate(file: IO[bytes], held: Record | None, start: int, message: str) -> Record:
    """The fault behind an error: the record held back where its length is wrong, else what follows it."""
    end = start if held is None else _end_of(file, held)
    if held is not None and end is None:
        return held._replace(reason="wrong_length")
    assert end is not None
    return Record(end, 0, reason="corrupt_gzip" if "zip" in message else "bad_header")


def _rest(file: IO[bytes], last: Record) -> Record | None:
    """What is left after the last record that was found: the start of a member that was cut off, or junk."""
    end = _end_of(file, last)
    rest = b"" if end is None else os.pread(file.fileno(), _HEADER_LIMIT, end)
    return Record(end, 0, reason="bad_header") if end is not None and rest.strip() else None


def _cause(file: IO[bytes], fault: Record) -> str:
    """The ledger's reason for a fault, which can lie in its gzip member, or not, whatever it looked like."""
    if fault.reason not in ("bad_header", "corrupt_gzip"):
        return fault.reason
    if os.pread(file.fileno(), len(_GZIP_MAGIC), fault.offset) != _GZIP_MAGIC:
        return fault.reason
    member = _member(file, fault.offset)
    if member.corrupt or not member.ended:
        return "corrupt_gzip" if member.corrupt else "truncated"
    return "wrong_length" if fault.reason == "corrupt_gzip" else fault.reason


def _end_of(file: IO[bytes], record: Record) -> int | None:
    """The file offset just after a record; None unless the record ends exactly where its header says."""
    head = os.pread(file.fileno(), _HEADER_LIMIT, record.offset)
    if head.startswith(_GZIP_MAGIC):
        member = _member(file, record.offset)
        exact = member.size_bytes == member.header_bytes + record.size_bytes + len(_HEADER_END)
        return record.offset + member.packed_bytes if member.ended and exact else None
    header_bytes = head.find(_HEADER_END) + len(_HEADER_END)
    end = record.offset + header_bytes + record.size_bytes
    closed = os.pread(file.fileno(), len(_HEADER_END), end) == _HEADER_END
    return end + len(_HEADER_END) if closed else None


class _Member(NamedTuple):
    """What unpacking a gzip member has shown."""

    size_bytes: int
    header_bytes: int
    "of the record in it"
    packed_bytes: int
    ended: bool
    corrupt: bool


def _member(file: IO[bytes], offset: int, enough: float = math.inf) -> _Member:
    """Unpack a member to its end, its fault or `enough` bytes."""
    member = zlib.decompressobj(31)
    size = header_bytes = used = 0
    corrupt = False
    piece = os.pread(file.fileno(), _HEADER_LIMIT, offset)
    try:
        while piece and not member.eof and size < enough:
            plain = member.decompress(piece, _PIECE)
            used += len(piece) - len(member.unconsumed_tail) - len(member.unused_data)
            header_bytes = header_bytes or plain.find(_HEADER_END) + len(_HEADER_END)
            size += len(plain)
            piece = member.unconsumed_tail or os.pread(file.fileno(), _HEADER_LIMIT, offset + used)
    except zlib.error:
        corrupt = True
    return _Member(size, header_bytes, used, member.eof, corrupt)


def _next_start(file: IO[bytes], position: int) -> int | None:
    """The offset of the first place from `position` on where a record begins; None where there is none.

    Plain or packed: what a file is called does not tell, and some are both.
    """
    while piece := os.pread(file.fileno(), _PIECE + _HEADER_LIMIT, position):
        for found in _START.finditer(piece):
            if found.start() >= _PIECE:
                break
            if len(found[0]) > len(_GZIP_MAGIC) or _opens_record(piece, found.start()):
                return position + found.start()
        position += _PIECE
    return None


def _opens_record(piece: bytes, start: int) -> bool:
    try:
        return zlib.decompressobj(31).decompress(piece[start : start + (1 << 12)], 16).startswith(b"WARC/")
    except zlib.error:
        return False
