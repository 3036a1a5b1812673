"""Turn the texts of the smoke corpus into WARC files, so that the smoke run starts where CommonCrawl starts.

    python tests/smoke/make_warcs.py [--out DIR]

Each document of text/ and spam/ becomes one page in one of four templates; see `page_templates` for their
looks and `page_captures` for charsets, encodings and the broken ones. Nothing is random: every choice follows
from the place of a document in its file, so that a run gives the same bytes as the one before. Tests import
`captures` from here (as `smoke.make_warcs`) to learn what each record is.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import re
import sys
import uuid
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

# The two modules beside this one are found whether it runs as a script or is imported by a test.
sys.path.append(str(Path(__file__).resolve().parent))

from page_captures import GZIP, Capture, Form, capture_page, last_capture, odd_captures
from page_templates import TEMPLATES, WORDS, render

HERE = Path(__file__).resolve().parent
FILES = 4
FIRST_FETCH = datetime(2025, 1, 15, 6, 0, tzinfo=UTC)
UTF_8_DECLARED = ("both", "header", "meta", "neither", "both", "bom", "header")
LEGACY = {
    "bg": ("windows-1251",),
    "el": ("iso-8859-7", "windows-1253"),
    "fi": ("iso-8859-1", "windows-1252"),
    "fr": ("windows-1252", "iso-8859-1"),
}
LEGACY_DECLARED = ("header", "meta", "both", "neither")
ENCODINGS = ("crawler", "chunked", "identity", "gzip", "crawler", "chunked+gzip", "identity", "deflate")
# Documents (language, place in text/) that travel in a form of their own.
SPECIAL = {
    ("bg", 5): Form("windows-1251", "wrong"),
    ("el", 5): Form("iso-8859-7", "wrong", "gzip"),
    ("fr", 5): Form("utf-8", "wrong"),
    ("fi", 5): Form("utf-8", "unknown"),
    ("te", 5): Form("utf-8", "unknown", "chunked"),
    ("en", 5): Form("utf-16", "bom"),
    ("en", 8): Form("utf-8", "both", "bare-deflate"),
}


def read_documents(path: Path) -> list[list[str]]:
    """The documents of a text file, each as its lines: a title, then one paragraph a line."""
    if not path.exists():
        return []
    return [part.split("\n") for part in re.split(r"\n\n+", path.read_text(encoding="utf-8").strip())]


def form_of(kind: str, lang: str, number: int) -> Form:
    """UTF-8 for most; for every third page of a language that had one, its charset of the years before."""
    if kind == "text" and (lang, number) in SPECIAL:
        return SPECIAL[lang, number]
    encoding = ENCODINGS[number % len(ENCODINGS)]
    turn, legacy = divmod(number, 3)
    if legacy == 1 and lang in LEGACY:
        charsets = LEGACY[lang]
        declared = LEGACY_DECLARED[turn // len(charsets) % len(LEGACY_DECLARED)]
        return Form(charsets[turn % len(charsets)], declared, encoding)
    return Form("utf-8", UTF_8_DECLARED[number % len(UTF_8_DECLARED)], encoding)


def page_of(kind: str, lang: str, number: int, document: list[str]) -> Capture:
    """One document as a page; every third one ends with the paragraph that its site says about itself."""
    title, *paragraphs = document
    if number % 3 == 0:
        paragraphs.append(WORDS[lang].about)
    template = sorted(TEMPLATES)[(number + number // 4) % len(TEMPLATES)]
    form = form_of(kind, lang, number)
    page = render(template, lang, title, paragraphs, form.meta, number)
    host = "offers" if kind == "spam" else template
    url = f"https://{host}.{lang}.example/{lang}/{number:04d}"
    return replace(capture_page(url, kind, lang, page, form, paragraphs), template=template)


def document_pages(folder: Path) -> Iterator[Capture]:
    """A page for each document of text/ and spam/; every twelfth text page again, under another URL."""
    for kind in ("text", "spam"):
        for lang in WORDS:
            for number, document in enumerate(read_documents(folder / kind / f"{lang}.txt")):
                page = page_of(kind, lang, number, document)
                yield page
                if kind == "text" and number % 12 == 7:
                    yield replace(page, kind="again", url=page.url + "?utm_source=feed")


def captures(folder: Path = HERE) -> list[list[Capture]]:
    """What each WARC file holds, in file order: the truth that tests compare a reader with.

    Pages are shuffled by a digest of their URL, so that languages and troubles spread over the files. The
    capture whose record is cut off ends the last file; nothing comes after it.
    """
    pages = [*document_pages(folder), *odd_captures()]
    pages.sort(key=lambda page: hashlib.blake2b(page.url.encode()).digest())
    files = [pages[start::FILES] for start in range(FILES)]
    files[-1].append(last_capture())
    return files


def digest(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def record_id(role: str, url: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{role} {url}')}>"


def record(kind: str, url: str, date: str, block: bytes, fields: dict[str, str], damage: str = "") -> bytes:
    """One WARC record as a gzip member. `damage` spoils its header the way `Capture.damage` says."""
    length = len(block) + {"length_long": 64, "length_short": -64}.get(damage, 0)
    named = {"WARC-Type": kind, "WARC-Date": date, "WARC-Record-ID": record_id(kind, url)} | fields
    lines = ["WARC/1.0", *(f"{name}: {value}" for name, value in named.items())]
    if damage == "header_line":
        lines.append("WARC-Refers-To no colon in this line")
    head = "\r\n".join([*lines, f"Content-Length: {length}"]).encode()
    return zlib.compress(head + b"\r\n\r\n" + block + b"\r\n\r\n", level=6, wbits=GZIP)


def http_response(page: Capture) -> bytes:
    fields = "".join(f"{name}: {value}\r\n" for name, value in page.headers)
    return f"HTTP/1.1 {page.status}\r\nServer: nginx\r\n{fields}\r\n".encode() + page.body


def http_request(page: Capture) -> bytes:
    host, path = page.url.removeprefix("https://").split("/", 1)
    return f"GET /{path} HTTP/1.1\r\nUser-Agent: CCBot/2.0\r\nHost: {host}\r\n\r\n".encode()


def page_records(page: Capture, date: str, info: str) -> Iterator[bytes]:
    """Request, response and metadata of a page, in the order in which CommonCrawl writes them."""
    common = {"WARC-Warcinfo-ID": info, "WARC-Target-URI": page.url}
    linked = {"WARC-Concurrent-To": record_id("request", page.url), "WARC-IP-Address": "192.0.2.7"}
    request, response = http_request(page), http_response(page)
    http = "application/http; msgtype="
    yield record("request", page.url, date, request, common | {"Content-Type": f"{http}request"})
    digests = {"WARC-Payload-Digest": digest(page.body), "WARC-Block-Digest": digest(response)}
    fields = {"Content-Type": f"{http}response"} | common | linked | digests
    yield record("response", page.url, date, response, fields, page.damage)
    fields = common | {"Content-Type": "application/warc-fields"}
    yield record("metadata", page.url, date, b"fetchTimeMs: 120\r\ncharset-detected: UTF-8\r\n", fields)


def stamp(date: datetime) -> str:
    return f"{date:%Y-%m-%dT%H:%M:%SZ}"


def warc_file(name: str, pages: Iterable[Capture]) -> Iterator[bytes]:
    """The gzip members of one file. After a capture cut short there is nothing, not even its metadata."""
    date = FIRST_FETCH
    info = record_id("warcinfo", name)
    block = b"isPartOf: smoke\r\nformat: WARC File Format 1.0\r\nsoftware: tests/smoke/make_warcs.py\r\n"
    fields = {"WARC-Filename": name, "Content-Type": "application/warc-fields"}
    yield record("warcinfo", name, stamp(date), block, fields)
    for page in pages:
        date += timedelta(seconds=1)
        request, response, metadata = page_records(page, stamp(date), info)
        if page.damage == "truncated":
            yield request
            yield response[: len(response) // 2]
            return
        yield request + response + metadata


def write_warcs(out: Path, folder: Path = HERE) -> list[Path]:
    """Write the files, each aside first, so that a killed run leaves no half file under a final name."""
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, pages in enumerate(captures(folder)):
        path = out / f"smoke-{number:05d}.warc.gz"
        aside = path.with_name(f".{path.name}.{os.getpid()}")
        aside.write_bytes(b"".join(warc_file(path.name, pages)))
        aside.replace(path)
        paths.append(path)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the WARC files of the smoke corpus.")
    parser.add_argument("--out", type=Path, default=HERE / "warc", help="their folder (default: %(default)s)")
    out = parser.parse_args().out
    if not any(document_pages(HERE)):
        sys.exit(f"no documents in {HERE / 'text'}: the checkout is not complete")
    for path in write_warcs(out):
        print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
