"""Captures of the smoke corpus: how a page travels (charset, encoding), and the pages that no reader expects.

A capture is the wire image of one page together with what a reader should find in it, so that a test can tell
a page that was lost from a page that never held anything.
"""

from __future__ import annotations

import codecs
import html
import json
import struct
import zlib
from dataclasses import dataclass, replace
from typing import NamedTuple

from page_templates import WORDS

BOMB_BYTES = 30_000_000
NESTED_DIVS = 20_000
GZIP, RAW_DEFLATE = 31, -15  # zlib window bits; the gzip header that zlib writes holds no time and no name
HTML = "text/html"
Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Capture:
    """One response as the crawler stored it, and what there is to find in it."""

    url: str
    kind: str
    """text, spam or again (a whole page under a second URL); else the name of what is odd about it."""
    lang: str
    body: bytes
    """As on the wire: after charset, content encoding and transfer encoding."""
    headers: Headers
    paragraphs: tuple[str, ...] = ()
    """Text a reader should find, each in one piece; empty where there is none or it cannot be decoded."""
    status: str = "200 OK"
    template: str = ""
    charset: str = ""
    declared: str = ""
    """Where the charset stands: header, meta, both, neither, bom; wrong or unknown if the header is."""
    encoding: str = "identity"
    damage: str = ""
    """What is wrong with its WARC record: length_long, length_short, header_line, truncated; else ''."""

    @property
    def intact(self) -> bool:
        """Whether every WARC reader has to return this response."""
        return not self.damage


class Form(NamedTuple):
    """How a page travels."""

    charset: str = "utf-8"
    declared: str = "both"
    encoding: str = "identity"

    @property
    def meta(self) -> str:
        """The label inside. A wrong header overrules a right meta element, so such a page has both."""
        return self.charset if self.declared in ("meta", "both", "wrong") else ""

    @property
    def content_type(self) -> str:
        wrong = "iso-8859-1" if self.charset == "utf-8" else "utf-8"
        label = {"header": self.charset, "both": self.charset, "wrong": wrong, "unknown": "x-user-defined-7"}
        return f"{HTML}; charset={label[self.declared]}" if self.declared in label else HTML


def to_bytes(text: str, form: Form) -> bytes:
    """The page in its charset; what the charset lacks becomes a numeric reference, as editors do."""
    if form.charset == "utf-16":
        return codecs.BOM_UTF16_LE + text.encode("utf-16-le")
    mark = codecs.BOM_UTF8 if form.declared == "bom" else b""
    return mark + text.encode(form.charset, errors="xmlcharrefreplace")


def deflated(data: bytes, window: int) -> bytes:
    return zlib.compress(data, level=6, wbits=window)


def chunked(data: bytes, size: int = 1500) -> bytes:
    """HTTP/1.1 chunks of `size` bytes, with the empty one that ends them."""
    parts = (data[start : start + size] for start in range(0, len(data), size))
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def on_the_wire(data: bytes, encoding: str) -> tuple[bytes, Headers]:
    """Body and headers of one of the ways in which servers and crawlers leave a body.

    `crawler` is CommonCrawl's own: the body is decoded already, and the server's header renamed. `deflate`
    means zlib by the standard and a bare deflate stream by some servers.
    """
    packed = {"gzip": GZIP, "chunked+gzip": GZIP, "deflate": zlib.MAX_WBITS, "bare-deflate": RAW_DEFLATE}
    headers: Headers = ()
    if encoding in packed:
        data = deflated(data, packed[encoding])
        headers = (("Content-Encoding", "gzip" if packed[encoding] == GZIP else "deflate"),)
    if encoding.startswith("chunked"):
        return chunked(data), (*headers, ("Transfer-Encoding", "chunked"))
    if encoding == "crawler":
        headers = (("X-Crawl-Content-Encoding", "gzip"),)
    return data, (*headers, ("Content-Length", str(len(data))))


def capture_page(url: str, kind: str, lang: str, page: str, form: Form, paragraphs: list[str]) -> Capture:
    """A page as it arrives in the given form; a wrongly declared one promises no paragraphs."""
    body, headers = on_the_wire(to_bytes(page, form), form.encoding)
    found = () if form.declared == "wrong" else tuple(paragraphs)
    headers = (("Content-Type", form.content_type), *headers)
    return Capture(url, kind, lang, body, headers, found, "200 OK", "", *form)


# What follows are the odd ones. Their texts say what they are, so that a stray one explains itself anywhere.


def role(kind: str) -> str:
    """English text for an odd page, long enough for a language identifier and unlike that of other pages."""
    return (
        f"This page belongs to the smoke corpus and stands for the kind of trouble that we call {kind}. "
        f"A reader that meets {kind} should either find this paragraph or say in the ledger why it did not, "
        "and in both cases it should go on with the next page as if nothing had happened."
    )


def simple_page(kind: str, inside: str = "") -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{kind}</title></head>'
        f"<body><h1>{kind}</h1><p>{role(kind)}</p>{inside}</body></html>"
    )


def odd(kind: str, body: bytes, *found: str, status: str = "200 OK", **headers: str) -> Capture:
    """A capture that is not made from a document; `headers` are written as content_type="text/html"."""
    named = tuple((name.replace("_", "-").title(), value) for name, value in headers.items())
    url = f"https://odd.example/{kind}"
    return Capture(url, kind, "en", body, (*named, ("Content-Length", str(len(body)))), tuple(found), status)


def odd_html(kind: str, inside: str = "", *found: str) -> Capture:
    """A readable page with something unusual inside; `found` is what else a reader should bring home."""
    body = simple_page(kind, inside).encode()
    return odd(kind, body, role(kind), *found, content_type="text/html; charset=utf-8")


def damaged_records() -> list[Capture]:
    """Responses that are fine in themselves; the WARC writer breaks their records, as `damage` says."""
    kinds = ("length_long", "length_short", "header_line")
    return [replace(odd(kind, simple_page(kind).encode(), content_type=HTML), damage=kind) for kind in kinds]


def not_pages() -> list[Capture]:
    """Answers that hold no page: other media types, other statuses, nothing at all."""
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBB", 13, b"IHDR", 1, 1, 8, 0, 0, 0, 0) + bytes(256)
    pdf = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n" + bytes(range(128, 256)) * 4 + b"\n%%EOF\n"
    record = json.dumps({"kind": "json", "text": role("json")}).encode()
    return [
        odd("not_found", simple_page("not_found").encode(), status="404 Not Found", content_type=HTML),
        odd("redirect", b"", status="301 Moved", content_type=HTML, location="https://odd.example/"),
        odd("pdf", pdf, content_type="application/pdf"),
        odd("image", png, content_type="image/png"),
        odd("json", record, content_type="application/json"),
        odd("plain_text", role("plain_text").encode(), content_type="text/plain; charset=utf-8"),
        odd("empty_body", b"", content_type=HTML),
        odd("markup_only", b"<html><body><div><img src=a.png><hr></div></body>", content_type=HTML),
        odd("tiny", b"<p>Hi.</p>", content_type=HTML),
    ]


def hostile_bodies() -> list[Capture]:
    """Bodies that break a decoder or a parser, or that cost one far more than their size says."""
    corrupt = bytearray(deflated(simple_page("corrupt_gzip").encode(), GZIP))
    corrupt[40:60] = bytes(20)
    bomb = deflated(simple_page("bomb").encode() + b"<p>bomb</p>\n" * (BOMB_BYTES // 12), GZIP)
    nested = "<div>" * NESTED_DIVS + role("nested inside") + "</div>" * NESTED_DIVS
    invalid = simple_page("invalid_utf8", "<p>broken \xff\xfe\xc3( bytes</p>").encode("latin-1")
    return [
        odd("corrupt_gzip", bytes(corrupt), content_type=HTML, content_encoding="gzip"),
        odd("bomb", bomb, content_type=HTML, content_encoding="gzip"),
        odd("nested", simple_page("nested", nested).encode(), content_type=HTML),
        odd("invalid_utf8", invalid, role("invalid_utf8"), content_type="text/html; charset=utf-8"),
    ]


def odd_texts() -> list[Capture]:
    """Readable pages whose text is a trap for a tokenizer, or that say nothing of their own type."""
    names = "Text may hold \u2581 and <s> and </s> and <unk> and <0x41>, and they are only text."
    no_type = odd("no_content_type", simple_page("no_content_type").encode(), role("no_content_type"))
    return [
        no_type,
        odd_html("nul_bytes", "<p>one\0two \0\0 three</p>"),
        odd_html("token_names", f"<p>{html.escape(names)}</p>", names),
        odd_html("private_use", "<p>\ue000\uf8ff and a lone surrogate &#xD800; between words</p>"),
        odd_html("long_word", f"<p>{'lo' * 500_000}ng</p>"),
    ]


def odd_captures() -> list[Capture]:
    """Each kind of trouble once; the one whose record is cut short is `last_capture`: it ends a file."""
    return [*damaged_records(), *not_pages(), *hostile_bodies(), *odd_texts()]


def last_capture() -> Capture:
    """The page in the last gzip member of the last file, which a full disk cut in half."""
    page = simple_page("truncated", f"<p>{WORDS['en'].about}</p>").encode()
    return replace(odd("truncated", page, content_type=HTML), damage="truncated")
