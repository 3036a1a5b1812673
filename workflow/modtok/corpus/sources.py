"""The run's sources: what `corpus.sources` of the config names, as one ordered list of files.

The order is that of the config; globs are sorted by path, lists keep their order. A document's place in the
run is (index of its source, offset in it), so the order decides which of two equal paragraphs is the first.
"""

import glob
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from modtok.core.errors import ConfigError, DataError, require
from modtok.core.io import read_tsv, write_tsv

LIST_SUFFIXES = (".paths", ".txt", ".paths.gz", ".txt.gz")
# The bucket of CommonCrawl answers over https, without an account.
COMMONCRAWL, OVER_HTTPS = "s3://commoncrawl/", "https://data.commoncrawl.org/"
Fetch = Callable[[str], Path]
"downloads a URL and returns the path of the copy"


@dataclass(frozen=True)
class Source:
    """A file to read. Example: Source(3, "text", "fi", "data/fi.txt.gz")"""

    index: int
    "place in the run's order of sources"
    kind: str
    "warc or text"
    lang: str
    "language of a text source, empty for warc"
    location: str
    "path, relative to the run's folder or absolute, or URL"
    sha256: str = ""
    "published checksum, where the list has one"

    @property
    def remote(self) -> bool:
        return is_url(self.location)


def is_url(location: str) -> bool:
    """Whether a location is to be downloaded."""
    return location.startswith(("https://", "http://"))


def over_https(location: str) -> str:
    """A location in CommonCrawl's bucket as the URL under which anyone may read it; others as they are.

    over_https("s3://commoncrawl/crawl-data/a.warc.gz") -> "https://data.commoncrawl.org/crawl-data/a.warc.gz"
    Error: another bucket.
    """
    if location.startswith(COMMONCRAWL):
        return OVER_HTTPS + location.removeprefix(COMMONCRAWL)
    require(
        not location.startswith("s3://"),
        f"corpus.sources: {shown(location)}: of s3 only {COMMONCRAWL}… is read; give the bucket's https "
        "address, or a local copy",
        ConfigError,
    )
    return location


def shown(location: str) -> str:
    """A location as it may be shown: a URL without user, password and query, which may be secrets.

    shown("https://me:word@host/a.warc.gz?signature=1f") -> "https://host/a.warc.gz"
    """
    return re.sub(r"(?<=://)[^/?#]*@|[?#].*", "", location) if "://" in location else location


def shown_config(config: Any) -> Any:
    """A copy of a config, or of a part of it, in which every URL is as `shown`."""
    if isinstance(config, Mapping):
        return {key: shown_config(value) for key, value in config.items()}
    if isinstance(config, list):
        return [shown_config(value) for value in config]
    return shown(config) if isinstance(config, str) else config


def list_sources(entries: Sequence[Mapping[str, Any]], folder: Path, fetch: Fetch) -> list[Source]:
    """All files that the entries of `corpus.sources` name; relative paths are relative to `folder`, the run.

    Errors: ConfigError for an entry without a file, a list without a path, an s3 location other than
    CommonCrawl's, a file named twice.

    list_sources([{"warc": "warc/*.warc.gz"}, {"text": {"fi": "fi/*.txt"}}], Path("run"), fetch)
    """
    found = [item for entry in entries for item in _entry(entry, folder, fetch)]
    twice = [location for location, count in Counter(item[2] for item in found).items() if count > 1]
    listed = ", ".join(map(shown, twice[:3]))
    require(not twice, f"corpus.sources: {listed}: named twice; name each file once", ConfigError)
    return [Source(index, *item) for index, item in enumerate(found)]


_Item = tuple[str, str, str, str]
"kind, lang, location, sha256"


def _entry(entry: Mapping[str, Any], folder: Path, fetch: Fetch) -> Iterator[_Item]:
    if "text" in entry:
        for lang, pattern in entry["text"].items():
            for path in _matches(pattern, folder, f"text of '{lang}'"):
                yield "text", lang, path, ""
        return
    location = over_https(entry["warc"])
    if location.endswith(LIST_SUFFIXES):
        base = over_https(entry.get("base_url", ""))
        listed = _read_list(location, base, fetch(location) if is_url(location) else folder / location)
        yield from listed[: entry.get("files")]
    elif is_url(location):
        yield "warc", "", location, ""
    else:
        for path in _matches(location, folder, "warc"):
            yield "warc", "", path, ""


def _matches(pattern: str, folder: Path, role: str) -> list[str]:
    # Not Path.glob, which refuses absolute patterns.
    paths = glob.glob(pattern, root_dir=folder, recursive=True)  # noqa: PTH207
    files = sorted(path for path in paths if (folder / path).is_file())
    message = (
        f"corpus.sources: {role} '{shown(pattern)}' matches no file in {folder.resolve()}; mend the glob"
    )
    require(bool(files), message, ConfigError)
    return files


def _read_list(location: str, base_url: str, copy: Path) -> list[_Item]:
    """A path or URL a line, after a TAB its SHA-256 where known; empty lines are passed over."""
    base = base_url or ("{0.scheme}://{0.netloc}/".format(urlsplit(location)) if is_url(location) else "")
    rows = [line.split("\t") for line in _lines(location, copy) if line.strip()]
    message = f"corpus.sources: list {shown(location)} names no file; name another list"
    require(bool(rows), message, ConfigError)
    items: list[_Item] = []
    for path, *rest in rows:
        full = _joined(base, over_https(path.strip()))
        items.append(("warc", "", full, rest[0].strip().lower() if rest else ""))
    return items


def _joined(base: str, path: str) -> str:
    """A path of a list below its base, a URL or the folder of a mirror; a URL stands for itself."""
    if not base or is_url(path):
        return path
    return urljoin(base.rstrip("/") + "/", path) if is_url(base) else str(Path(base, path))


def _lines(location: str, copy: Path) -> list[str]:
    message = f"corpus.sources: list {shown(location)} does not exist; mend the path"
    require(copy.is_file(), message, ConfigError)
    data = copy.read_bytes()
    try:
        plain = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
        return plain.decode("utf-8").splitlines()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise DataError(f"{copy}: not a list of paths ({error}); fetch {shown(location)} again") from error


def split(sources: Sequence[Source], shards: int) -> list[list[Source]]:
    """Contiguous blocks whose sizes differ by at most one; with more shards than sources some are empty.

    [len(block) for block in split(five_sources, 3)] -> [2, 2, 1]
    """
    size, larger = divmod(len(sources), shards)
    starts = [shard * size + min(shard, larger) for shard in range(shards + 1)]
    return [list(sources[start:end]) for start, end in pairwise(starts)]


COLUMNS = tuple(field.name for field in fields(Source))


def write_sources(path: Path, sources: Sequence[Source]) -> None:
    """Write a shard's sources as TSV."""
    write_tsv(path, COLUMNS, map(asdict, sources))


def read_sources(path: Path) -> list[Source]:
    """Read what write_sources wrote."""
    return [Source(int(row.pop("index")), **row) for row in read_tsv(path)]
