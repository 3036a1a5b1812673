"""WARC files for tests, record by record."""

import gzip
from collections.abc import Sequence
from pathlib import Path


def http(
    body: bytes, content_type: str = "text/html; charset=utf-8", status: str = "200 OK", **more: str
) -> bytes:
    """An HTTP response; `more` are header fields, content_encoding="gzip"."""
    fields = {"Content-Type": content_type, **{name.replace("_", "-"): value for name, value in more.items()}}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


def record(block: bytes, number: int = 0, kind: str = "response", length: int | str | None = None) -> bytes:
    """A WARC record; `length` is what its header claims, by default the truth."""
    claimed = len(block) if length is None else length
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{number}>\r\n"
        f"WARC-Target-URI: https://site.example/{number}\r\nContent-Length: {claimed}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def page(number: int, words: str = "This is an English page about the weather in the hills") -> bytes:
    """A sound page's record."""
    return record(http(f"<html><body><p>{words}, number {number}.</p></body></html>".encode()), number)


def write_gz(path: Path, records: Sequence[bytes]) -> Path:
    """Each record a gzip member, as in practice; bytes that are no record are taken as members already."""
    members = (
        item if item[:5] != b"WARC/" and item[:5] != b"WARX/" else gzip.compress(item, mtime=0)
        for item in records
    )
    path.write_bytes(b"".join(members))
    return path
