"""Bytes of a web page to text, whatever its labels say.

Candidates come from the byte order mark, the HTTP header, the page's meta element and the content itself, in
that order; unknown names are skipped. Labels that the bytes contradict are passed over:

- A byte order mark settles it. A label of a wide or East Asian encoding holds where the bytes are valid in
  it.
- Bytes that are valid UTF-8 are UTF-8, whatever a label of another encoding says: legacy text never is by
  chance.
- Bytes with more than two UTF-8 characters beyond ASCII for each broken place are UTF-8 with broken places.
- Else the candidate that leaves the fewest undecodable bytes. `windows-1252` (and its alias `iso-8859-1`) is
  what servers say of pages that they know nothing of, so it comes after what the content looks like.
"""

import re
from functools import cache
from typing import NamedTuple

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

REPLACEMENT = "\ufffd"
_META_BYTES = 4096
_META = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_TRUSTED = {
    "utf-16-le", "utf-16-be", "gbk", "gb18030", "big5", "euc_jp", "euc_kr", "shift_jis", "iso2022_jp",
}  # fmt: skip
_LATIN = "cp1252"
_C1_BYTES = re.compile(rb"[\x80-\x9f]")


class Decoded(NamedTuple):
    """A page's text and what it took."""

    text: str
    charset: str
    replaced: int
    "undecodable sequences, each now one U+FFFD"


def decode(data: bytes, header_charset: str | None = None) -> Decoded:
    """Decode a page; `header_charset` is the name that the HTTP header gives, if any.

    decode("Γειά".encode("cp1253"), "windows-1253").text -> "Γειά"
    """
    for mark, codec in _BOMS:
        if data.startswith(mark):
            return _replacing(data[len(mark) :], codec)
    declared = _declared(data, header_charset)
    if declared and declared[0] in _TRUSTED and (trusted := _strict(data, declared[0])) is not None:
        return Decoded(trusted, declared[0], 0)
    if (plain := _strict(data, "utf-8")) is not None:
        return Decoded(plain, "utf-8", 0)
    return _best(data, declared)


def _declared(data: bytes, header_charset: str | None) -> list[str]:
    """Codecs named by header and meta, known ones only."""
    meta = _META.search(data, 0, _META_BYTES)
    named = _codec(meta[1].decode("ascii")) if meta else None
    # A meta element that could be read byte by byte is not in UTF-16 (WHATWG's rule).
    from_meta = "utf-8" if named in ("utf-16-le", "utf-16-be") else named
    from_header = _codec(header_charset) if header_charset else None
    return [codec for codec in (from_header, from_meta) if codec is not None]


@cache
def _codec(name: str) -> str | None:
    """Python's codec for a label of the web; None where there is no such encoding."""
    codec = map_encoding_to_html5(name.strip().strip("\"'"), False)
    try:
        b"".decode(codec or "unknown")
    except LookupError:
        return None
    return codec


def _strict(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _replacing(data: bytes, codec: str) -> Decoded:
    text = data.decode(codec, "replace")
    already = data.count(REPLACEMENT.encode()) if codec == "utf-8" else 0
    return Decoded(text, codec, text.count(REPLACEMENT) - already)


def _best(data: bytes, declared: list[str]) -> Decoded:
    """The decoding of bytes that are not valid UTF-8."""
    as_utf8 = _replacing(data, "utf-8")
    if _beyond_ascii(as_utf8.text) - as_utf8.replaced > 2 * as_utf8.replaced:
        return as_utf8
    named = [codec for codec in declared if codec not in ("utf-8", _LATIN)]
    candidates = [_replacing(data, codec) for codec in dict.fromkeys([*named, _detected(data), _LATIN])]
    return min(candidates, key=lambda decoded: decoded.replaced)


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _detected(data: bytes) -> str:
    codec = _codec(detect_encoding(data)) or _LATIN
    # The detector does not tell the two Baltic encodings apart, which differ in the bytes of the C1 controls.
    return "cp1257" if codec == "iso8859-13" and _C1_BYTES.search(data) else codec
