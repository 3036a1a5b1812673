"""The smoke corpus as WARC files: the same bytes each time, and what a WARC reader finds in them."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from smoke import make_warcs

DAMAGED = {"length_long", "length_short", "header_line", "truncated"}
NOT_PAGES = {
    "not_found",
    "redirect",
    "pdf",
    "image",
    "json",
    "plain_text",
    "empty_body",
    "markup_only",
    "tiny",
}
HOSTILE = {"corrupt_gzip", "bomb", "nested", "invalid_utf8"}
ODD_TEXTS = {"no_content_type", "nul_bytes", "token_names", "private_use", "long_word"}
# Title and three paragraphs; all scripts in one, so that each legacy charset lacks some of the letters.
DOCUMENT = "Title {n}\nFirst & foremost {n} – é ä.\nВторой «абзац» {n}, ο ίδιος.\nమూడవ {n}, the last one."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small corpus in the layout of tests/smoke."""
    folder = tmp_path_factory.mktemp("smoke")
    for kind, size in (("text", 24), ("spam", 3)):
        (folder / kind).mkdir()
        for lang in make_warcs.WORDS:
            documents = "\n\n".join(DOCUMENT.format(n=f"{lang} {kind} {n}") for n in range(size))
            (folder / kind / f"{lang}.txt").write_text(documents + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def warcs(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_warcs.write_warcs(tmp_path_factory.mktemp("warc"), folder)


def flat(folder: Path) -> Iterator[make_warcs.Capture]:
    return (page for pages in make_warcs.captures(folder) for page in pages)


def responses(path: Path) -> dict[str, bytes]:
    """URL -> body of every response that fastwarc returns; quirks mode reads on after a wrong length."""
    with path.open("rb") as stream:
        options = {"record_types": WarcRecordType.response, "quirks_mode": True, "auto_decode": "none"}
        return {r.headers["WARC-Target-URI"]: r.reader.read() for r in ArchiveIterator(stream, **options)}


def run_with_hash_seed(seed: str, out: Path) -> dict[str, bytes]:
    command = [sys.executable, str(make_warcs.HERE / "make_warcs.py"), "--out", str(out)]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONHASHSEED": seed}, stdout=subprocess.DEVNULL)
    return {path.name: path.read_bytes() for path in out.iterdir()}


def test_same_bytes_under_any_hash_seed(tmp_path):
    first = run_with_hash_seed("1", tmp_path / "first")
    assert sorted(first) == [f"smoke-{number:05d}.warc.gz" for number in range(make_warcs.FILES)]
    assert run_with_hash_seed("2", tmp_path / "second") == first


def test_the_corpus_stays_small():
    files = make_warcs.captures()
    members = [b"".join(make_warcs.warc_file("any", pages)) for pages in files]
    assert sum(map(len, files)) <= 350
    assert sum(map(len, members)) < 3_000_000


def test_each_trouble_comes_once(folder):
    kinds = sorted(page.kind for page in flat(folder) if page.kind not in ("text", "spam", "again"))
    assert kinds == sorted(DAMAGED | NOT_PAGES | HOSTILE | ODD_TEXTS)
    assert make_warcs.captures(folder)[-1][-1].kind == "truncated"


def test_only_damaged_records_are_not_intact(folder):
    assert {page.kind for page in flat(folder) if not page.intact} == DAMAGED


def test_every_charset_declaration_and_encoding_occurs(folder):
    pages = [page for page in flat(folder) if page.template]
    legacy = {charset for charsets in make_warcs.LEGACY.values() for charset in charsets}
    declared = {"header", "meta", "both", "neither", "bom", "wrong", "unknown"}
    assert {page.charset for page in pages} == legacy | {"utf-8", "utf-16"}
    assert {page.declared for page in pages} == declared
    assert {page.encoding for page in pages} == {*make_warcs.ENCODINGS, "bare-deflate"}
    assert {page.template for page in pages} == set(make_warcs.TEMPLATES)


def test_urls_name_one_capture_each(folder):
    urls = [page.url for page in flat(folder)]
    assert len(urls) == len(set(urls))


def test_fastwarc_reads_every_intact_response(folder, warcs):
    for path, pages in zip(warcs, make_warcs.captures(folder), strict=True):
        found = responses(path)
        assert [page.url for page in pages if page.intact and found.get(page.url) is None] == []


def test_bodies_come_through_unchanged(folder, warcs):
    """With decoding off, what fastwarc reads is what the capture says is on the wire."""
    for path, pages in zip(warcs, make_warcs.captures(folder), strict=True):
        found = responses(path)
        assert [page.url for page in pages if page.intact and found[page.url] != page.body] == []


def test_promised_paragraphs_are_the_text_of_the_page(folder):
    """A page that is not packed, its markup taken away, holds each promised paragraph in one piece."""
    for page in flat(folder):
        if page.template and page.encoding in ("identity", "crawler"):
            text = " ".join(html.unescape(re.sub(r"<[^>]*>", "", page.body.decode(page.charset))).split())
            assert [paragraph for paragraph in page.paragraphs if paragraph not in text] == [], page.url


def test_a_wrongly_declared_page_promises_nothing(folder):
    pages = [page for page in flat(folder) if page.declared == "wrong"]
    assert len(pages) == 3
    assert all(page.paragraphs == () for page in pages)
