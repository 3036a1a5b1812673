"""Shards: the pages and texts of a block of sources as one parquet file, sorted by language.

Rows arrive in the order (source, offset) and are spilled by language, so that the file is sorted without
holding it in memory; row groups end at language borders, so that one language can be read alone.
"""

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import zstandard

from modtok.core.provenance import digest
from modtok.core.stages import ALL_LANGUAGES, EXTRACT, KEPT, LANGUAGE_ID, READ
from modtok.corpus.documents import DEDUPLICATED, Document, document_writer
from modtok.corpus.fetched import Fetched
from modtok.corpus.ledger import Ledger
from modtok.corpus.page_assignment import PageSettings
from modtok.corpus.page_stream import PageStream
from modtok.corpus.text_sources import read_text_source

_SPILL_CHARACTERS = 16 << 20
"text held in memory before it is spilled"


@dataclass
class ShardCounts:
    """What became of the records of a shard."""

    ledger: Ledger = field(default_factory=Ledger)
    "stages read, extract, language_id"
    repairs: Counter[str] = field(default_factory=Counter)
    "what was mended in the texts that went on"


def extract_shard(sources: Sequence[Fetched], out: Path, settings: PageSettings) -> ShardCounts:
    """Write the shard of `sources`, which are in ascending order of their index.

    The rows of a source do not depend on the shard that it is in. Errors: DataError as `PageStream` and
    `text_sources`.
    """
    counts = ShardCounts()
    # The writer is opened first: its lock keeps an orphan of a killed run out of the folder of spilled rows.
    with document_writer(out, DEDUPLICATED) as writer, _spill(out) as spill:
        for document in _documents(sources, settings, counts):
            spill.add(document)
        for language in spill.languages():
            for document in spill.read(language):
                writer.add(document)
            writer.flush()
    return counts


def _documents(sources: Sequence[Fetched], settings: PageSettings, counts: ShardCounts) -> Iterator[Document]:
    for kind, group in groupby(sources, key=lambda source: source.kind):
        if kind == "warc":
            yield from _pages(list(group), settings, counts)
        else:
            for source in group:
                yield from _texts(source, settings, counts)


def _pages(sources: Sequence[Fetched], settings: PageSettings, counts: ShardCounts) -> Iterator[Document]:
    paths = [Path(source.path) for source in sources]
    stream = PageStream(paths, settings, counts.ledger, counts.repairs)
    for page in stream.pages():
        source = sources[page.position]
        yield Document(
            record_id=page.record_id or derived_id(source.location, page.offset),
            url=page.url,
            warc=source.name,
            source=source.index,
            offset=page.offset,
            language=page.language,
            language_score=page.language_score,
            text=page.text,
        )


def _texts(source: Fetched, settings: PageSettings, counts: ShardCounts) -> Iterator[Document]:
    for found in read_text_source(Path(source.path), settings.max_bytes, counts.repairs):
        size = found.size_bytes
        counts.ledger.add(READ, ALL_LANGUAGES, KEPT, size_bytes=size)
        counts.ledger.add(EXTRACT, ALL_LANGUAGES, found.reason or KEPT, size_bytes=size)
        if found.reason:
            continue
        counts.ledger.add(LANGUAGE_ID, source.lang, KEPT, size_bytes=len(found.text.encode()))
        yield Document(
            record_id=derived_id(source.location, found.offset),
            url="",
            warc=source.name,
            source=source.index,
            offset=found.offset,
            language=source.lang,
            language_score=1.0,
            text=found.text,
        )


def derived_id(location: str, offset: int) -> str:
    """The id of a record that comes without one: a digest of its place. derived_id("fi.txt", 0)"""
    return f"blake2b:{digest(location, str(offset))}"


@contextmanager
def _spill(out: Path) -> Iterator["_Spill"]:
    """A folder of spilled rows beside `out`; what a killed run left in it is removed first."""
    folder = out.with_name(f".{out.name}.spill")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield _Spill(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Spill:
    """Rows by language, in the order in which they were added: one file each of compressed JSON lines."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, list[Document]] = {}
        self._characters = 0
        self._files: dict[str, Path] = {}

    def add(self, document: Document) -> None:
        self._held.setdefault(document.language, []).append(document)
        self._characters += len(document.text)
        if self._characters >= _SPILL_CHARACTERS:
            self._write()

    def languages(self) -> list[str]:
        return sorted(self._files.keys() | self._held.keys())

    def read(self, language: str) -> Iterator[Document]:
        if language in self._files:
            with self._files[language].open("rb") as file:
                reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
                for line in _lines(reader):
                    yield Document(*json.loads(line))
        yield from self._held.get(language, [])

    def _write(self) -> None:
        for language, documents in self._held.items():
            # Numbered names: a label comes from a model file, and is no file name.
            path = self._files.setdefault(language, self._folder / f"{len(self._files)}.jsonl.zst")
            lines = "".join(json.dumps(_fields(document)) + "\n" for document in documents)
            with path.open("ab") as file:
                file.write(zstandard.compress(lines.encode(), 1))
        self._held, self._characters = {}, 0


def _fields(document: Document) -> list[Any]:
    return [getattr(document, name) for name in DEDUPLICATED.names]


def _lines(reader: zstandard.ZstdDecompressionReader) -> Iterator[bytes]:
    rest = b""
    while piece := reader.read(1 << 20):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
