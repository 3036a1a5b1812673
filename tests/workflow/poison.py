"""Poisoned pages and cut WARC files, and what reading them must come to: nothing lost, all of it counted."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from modtok.core.stages import ALL_LANGUAGES, EXTRACT, KEPT, READ
from modtok.corpus.page_assignment import PageSettings
from modtok.corpus.page_stream import PageStream
from smoke.make_warcs import captures, http_response
from unit.corpus.warc_bytes import page, record, write_gz
from workflow.outcome import Outcome

SETTINGS = PageSettings(max_bytes=1_000_000, timeout_s=5)
# What breaks parsers: depth, open ends, wrong characters, endless attributes, other documents inside.
INSERTS = [
    b"<div>" * 20_000,
    b"<table><tr><td>" * 3_000,
    b"<!--",
    b"<script>",
    b"<![CDATA[",
    b"<textarea><title>",
    b"<p " + b"a='" * 2_000,
    b"<svg><foreignObject><math><mi>",
    b"</body></html></html>",
    b"&#0;&#xD800;&#x110000;&#99999999999;&amp" * 50,
    b"\x00" * 100,
    b"\xff\xfe\xf4\x90\x80\x80\xc0\x80" * 20,
    "‮\ufffe\U000e0001".encode() * 100,
    b"<meta charset=utf-7>",
    b"<meta charset='" + b"x" * 5_000 + b"'>",
    b"w" * 50_000,
]


def base_pages() -> list[bytes]:
    """HTTP responses of the smoke run's pages, which look as those of the web do."""
    return [
        http_response(one) for file in captures() for one in file if one.kind == "text" and not one.damage
    ]


def insert(page: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(page))
    return page[:place] + draw.choice(INSERTS) + page[place:]


def cut(page: bytes, draw: random.Random) -> bytes:
    return page[: draw.randrange(len(page))]


def flip(page: bytes, draw: random.Random) -> bytes:
    changed = bytearray(page)
    for _ in range(draw.randint(1, 200)):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def repeat(page: bytes, draw: random.Random) -> bytes:
    start, end = sorted(draw.randrange(len(page)) for _ in range(2))
    return page[:start] + page[start:end] * draw.randint(2, 50) + page[end:]


def drop(page: bytes, draw: random.Random) -> bytes:
    start, end = sorted(draw.randrange(len(page)) for _ in range(2))
    return page[:start] + page[end:]


MUTATIONS: list[Callable[[bytes, random.Random], bytes]] = [insert, cut, flip, repeat, drop]


def mutated(number: int, seed: int) -> Iterator[bytes]:
    """So many pages, each with one to four mutations."""
    draw, pages = random.Random(seed), base_pages()
    for _ in range(number):
        changed = draw.choice(pages)
        for _ in range(draw.randint(1, 4)):
            changed = draw.choice(MUTATIONS)(changed, draw) or b"\n"
        yield changed


def poison_pages(folder: Path, number: int, seed: int = 1) -> Outcome:
    """Mutated pages through the process that reads pages; each must be kept or dropped for a reason."""
    records = [record(changed, place) for place, changed in enumerate(mutated(number, seed))]
    stream = PageStream([write_gz(folder / "poisoned.warc.gz", records)], SETTINGS)
    kept = {int(found.url.rpartition("/")[2]) for found in stream.pages()}
    # A page may be dropped for a reason before its text is looked for, as too large.
    passed_on, extracted = stream.ledger.records(READ, ALL_LANGUAGES, KEPT), stream.ledger.records(EXTRACT)
    survived = stream.ledger.records(READ) - abs(passed_on - extracted)
    reasons = {reason: count for stage, _, reason, count, _ in stream.ledger if stage in (READ, EXTRACT)}
    about = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
    return Outcome("pages", number, survived, f"{len(kept)} with a language; {about}")


def cut_warcs(folder: Path, step: int = 1) -> Outcome:
    """A file cut at every `step`-th byte of its last record, which is counted; those before it are there."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = write_gz(folder / "whole.warc.gz", [page(0), page(1), page(2)]).read_bytes()
    start = len(write_gz(folder / "before.warc.gz", [page(0), page(1)]).read_bytes())
    files: list[Path] = []
    for place in range(start, len(whole), step):
        files.append(folder / f"{place}.warc.gz")
        files[-1].write_bytes(whole[:place])
    stream = PageStream(files, SETTINGS)
    found: dict[int, list[int]] = {}
    for one in stream.pages():
        found.setdefault(one.position, []).append(int(one.url.rpartition("/")[2]))
    survived = sum(found.get(position, [])[:2] == [0, 1] for position in range(len(files)))
    read = stream.ledger.records(READ)
    wanted = 3 * len(files) - 1  # of the file that ends before the record, there is nothing to count
    return Outcome(
        "cuts", len(files), survived if read == wanted else 0, f"{read} of {wanted} records counted"
    )
