"""The HTTP response in a WARC record: header, chunked transfer, compressed content with a hard stop."""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import brotli
import zstandard

_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})")
_HEADER_END = re.compile(rb"\r?\n\r?\n")
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\r\n]*)?\r?\n")
_MAX_CODINGS = 3
"more layers of compression than that come from nobody but an attacker"
_FED_BYTES = 512
_SIGNATURES = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}


class BadResponseError(Exception):
    """A response that cannot be used; the argument is the ledger's reason."""


@dataclass(frozen=True)
class Response:
    """Status, header fields (names in lower case) and body of an HTTP response."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


def parse_response(block: bytes) -> Response:
    """Split a record's block; of a field that comes twice the last one counts.

    Errors: BadResponseError("bad_http_header") without a status line or an end of the header.
    """
    status = _STATUS_LINE.match(block)
    end = _HEADER_END.search(block)
    if status is None or end is None:
        raise BadResponseError("bad_http_header")
    lines = block[: end.start()].decode("latin-1").split("\n")[1:]
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return Response(int(status[1]), block[end.end() :], headers)


def decoded_body(response: Response, max_bytes: int) -> bytes:
    """The body without transfer and content encodings.

    A body that is not encoded though the header says so is taken as it is: crawlers decode and keep the
    header. Errors: BadResponseError("broken_encoding") for data that cannot be decoded to its end or an
    unknown encoding, BadResponseError("too_large") as soon as more than `max_bytes` come out.
    """
    body = response.body
    if "chunked" in response.headers.get("transfer-encoding", "").lower():
        body = _dechunked(body)
    names = response.headers.get("content-encoding", "").lower().split(",")
    codings = [name for part in names if (name := part.strip()) not in ("", "identity", "none")]
    if len(codings) > _MAX_CODINGS:
        raise BadResponseError("broken_encoding")
    for coding in reversed(codings):
        body = _decompressed(body, coding, max_bytes)
    if len(body) > max_bytes:
        raise BadResponseError("too_large")
    return body


def _dechunked(body: bytes) -> bytes:
    size = _CHUNK_SIZE.match(body)
    if size is None:
        return body
    pieces: list[bytes] = []
    while size is not None and (length := int(size[1], 16)):
        end = min(size.end() + length, len(body))
        pieces.append(body[size.end() : end])
        # A chunk cut short, or one without a size after it, ends the page there, as in a browser.
        size = _CHUNK_SIZE.match(body, end + len(b"\r\n"))
    return b"".join(pieces)


def _decompressed(body: bytes, coding: str, max_bytes: int) -> bytes:
    """Decompress one layer."""
    if not body.startswith(_SIGNATURES.get(coding, b"")):
        return body
    decoder = _DECODERS.get(coding)
    if decoder is None:
        raise BadResponseError("broken_encoding")
    try:
        return decoder(body, max_bytes)
    except (zlib.error, brotli.error, zstandard.ZstdError) as error:
        if coding in _UNSIGNED and _looks_like_markup(body):
            return body
        raise BadResponseError("broken_encoding") from error


_UNSIGNED = {"deflate", "br"}
"encodings whose data opens with no signature"


def _looks_like_markup(body: bytes) -> bool:
    return body[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _inflated(data: bytes, max_bytes: int, window_bits: int) -> bytes:
    decompressor = zlib.decompressobj(window_bits)
    plain = decompressor.decompress(data, max_bytes + 1)
    return _checked(plain, decompressor.eof, max_bytes)


def _checked(plain: bytes, ended: bool, max_bytes: int) -> bytes:
    if len(plain) > max_bytes:
        raise BadResponseError("too_large")
    if not ended:
        raise BadResponseError("broken_encoding")
    return plain


def _gunzipped(data: bytes, max_bytes: int) -> bytes:
    return _inflated(data, max_bytes, zlib.MAX_WBITS | 16)


def _deflated(data: bytes, max_bytes: int) -> bytes:
    """`deflate` is zlib's format by the standard, and raw deflate data from some servers."""
    try:
        return _inflated(data, max_bytes, zlib.MAX_WBITS)
    except zlib.error:
        return _inflated(data, max_bytes, -zlib.MAX_WBITS)


def _unbrotlied(data: bytes, max_bytes: int) -> bytes:
    decompressor = brotli.Decompressor()
    pieces = [decompressor.process(data, output_buffer_limit=max_bytes + 1)]
    while not decompressor.is_finished() and sum(map(len, pieces)) <= max_bytes:
        piece = decompressor.process(b"", output_buffer_limit=max_bytes + 1)
        if not piece:
            break
        pieces.append(piece)
    return _checked(b"".join(pieces), decompressor.is_finished(), max_bytes)


def _unzstded(data: bytes, max_bytes: int) -> bytes:
    # The window is what a frame makes the decoder allocate; a browser accepts at most 8 MiB (RFC 9659).
    decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 23).decompressobj()
    pieces: list[bytes] = []
    length = 0
    # Four bytes can stand for 128 KiB, so what is fed at a time bounds what comes out beyond the limit.
    for start in range(0, len(data), _FED_BYTES):
        pieces.append(decompressor.decompress(data[start : start + _FED_BYTES]))
        length += len(pieces[-1])
        if decompressor.eof or length > max_bytes:
            break
    return _checked(b"".join(pieces), decompressor.eof, max_bytes)


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gunzipped,
    "x-gzip": _gunzipped,
    "deflate": _deflated,
    "br": _unbrotlied,
    "zstd": _unzstded,
}
