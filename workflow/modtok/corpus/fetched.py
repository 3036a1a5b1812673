"""The files of a shard on this machine: local ones as they are, remote ones downloaded."""

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from modtok.core.errors import DataError, require
from modtok.core.io import read_tsv, write_tsv
from modtok.core.provenance import digest
from modtok.corpus.sources import Source

if TYPE_CHECKING:  # requests is slow to import, and those who only read the list do without
    from modtok.corpus.fetch import Fetcher

PAUSE = 1.0
"seconds between two downloads"


@dataclass(frozen=True)
class Fetched:
    """A source with the path of its file."""

    index: int
    kind: str
    lang: str
    path: str
    location: str
    size_bytes: int
    sha256: str
    "of a download; empty for a local file"

    @cached_property
    def name(self) -> str:
        """The file's own name, whatever folder it lies in. a.warc.gz"""
        return file_name(self.location)


def file_name(location: str) -> str:
    """The last part of a path or URL, as a name that stays in its folder."""
    path = urlsplit(location).path if "://" in location else location
    return Path(path).name.lstrip(".") or "file"


def download_path(folder: Path, url: str) -> Path:
    """Where a URL's copy lies: under a digest of the whole URL, as files of two URLs may have one name."""
    return folder / digest(url) / file_name(url)


def fetch_sources(
    sources: Sequence[Source], folder: Path, fetcher: "Fetcher", sleep: Callable[[float], None] = time.sleep
) -> Iterator[Fetched]:
    """Make every source a file; downloads go to `download_path(folder, url)`.

    Errors: DataError for a local file that is missing, and as `Fetcher.fetch`.
    """
    waiting = False
    for source in sources:
        if not source.remote:
            yield _local(source)
            continue
        if waiting:
            sleep(PAUSE)
        waiting = True
        path = download_path(folder, source.location)
        found = fetcher.fetch(source.location, path, source.sha256)
        yield Fetched(
            source.index, source.kind, source.lang, str(path), source.location, found.size_bytes, found.sha256
        )


def _local(source: Source) -> Fetched:
    path = Path(source.location)
    require(
        path.is_file(),
        f"{path}: this file of corpus.sources is gone; restore it, or mend the entry",
        DataError,
    )
    return Fetched(
        source.index, source.kind, source.lang, str(path), source.location, path.stat().st_size, ""
    )


COLUMNS = tuple(field.name for field in fields(Fetched))


def write_fetched(path: Path, fetched: Sequence[Fetched]) -> None:
    """Write a shard's files as TSV."""
    write_tsv(path, COLUMNS, map(asdict, fetched))


def read_fetched(path: Path) -> list[Fetched]:
    """Read what write_fetched wrote."""
    return [
        Fetched(index=int(row.pop("index")), size_bytes=int(row.pop("size_bytes")), **row)
        for row in read_tsv(path)
    ]


def delete_downloads(folder: Path) -> None:
    """Remove a shard's downloads; nothing happens where there are none."""
    shutil.rmtree(folder, ignore_errors=True)
