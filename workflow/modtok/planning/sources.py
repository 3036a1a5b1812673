"""The files of a run's sources: which are here, and how much of them has to be downloaded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from modtok.corpus.sources import LIST_SUFFIXES, is_url, list_sources

CRAWL_FILES = 90_000
"of a crawl of CommonCrawl, where `files` does not say how many are wanted"
FILE_MB = 1_100.0
"of one of them"


@dataclass
class Found:
    """Files of the sources; sizes in MB, as stored."""

    texts: dict[str, list[Path]] = field(default_factory=dict)
    "by language"
    warcs: list[Path] = field(default_factory=list)
    local_mb: float = 0.0
    "of the WARC files that are here"
    remote_mb: float = 0.0

    @property
    def warc_mb(self) -> float:
        return self.local_mb + self.remote_mb


def find_sources(run: Path, entries: Sequence[Mapping[str, Any]]) -> Found:
    """What corpus.sources names; nothing is downloaded. Errors: those of list_sources.

    find_sources(Path("run"), [{"text": {"fi": "fi/*.txt"}}]).texts["fi"]
    """
    found = Found()
    for entry in entries:
        location = str(entry.get("warc", ""))
        if is_url(location) and location.endswith(LIST_SUFFIXES):
            found.remote_mb += FILE_MB * entry.get("files", CRAWL_FILES)
            continue
        for source in list_sources([entry], run, Path):
            path = run / source.location
            if source.remote or not path.is_file():
                found.remote_mb += FILE_MB
            elif source.kind == "text":
                found.texts.setdefault(source.lang, []).append(path)
            else:
                found.warcs.append(path)
                found.local_mb += path.stat().st_size / 1e6
    return found
