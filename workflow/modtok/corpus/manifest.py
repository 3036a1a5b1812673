"""What a run is made from, so that another machine can tell whether it makes the same.

| key | what |
|---|---|
| crawls | crawls of CommonCrawl that the sources are of |
| sources | number of files; digest of their names in order, and of their contents where all are here |
| language_id | file and digest of the language-ID model |
| seed | of which every random choice of the run derives |
| settings | the config, without sources and what changes no result; for a path the digest of its files |

No path of this machine is in it, so two machines on which a run comes to the same have the same manifest. A
copy of it as config/lock.json holds a run to it.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from modtok.core.errors import ConfigError, DataError, require
from modtok.core.outside_files import files_of, named_paths
from modtok.core.provenance import digest, file_digest
from modtok.corpus.language_id import default_model
from modtok.corpus.sources import Source, shown_config

_CRAWL = re.compile(r"CC-[A-Z]+-\d{4}-\d{2}")
# What changes no result, or is described apart: sections, and keys of them.
_LEFT_OUT = {"corpus": ("sources", "keep_downloads", "shards")}
_CONTENT = "content"
Manifest = dict[str, Any]


def manifest(config: Mapping[str, Any], sources: Sequence[Source], run: Path) -> Manifest:
    """The manifest of a run; relative paths are relative to its folder. Error: a local source that is gone.

    manifest(config, read_sources(path), Path("run"))["sources"]["files"] -> 10000
    """
    model = config["corpus"]["language_id"]["model"]
    path = run / model if model else default_model()
    return {
        "crawls": sorted({found for source in sources for found in _CRAWL.findall(source.location)}),
        "sources": _described(sources, run),
        "language_id": {"model": path.name, "digest": file_digest(path)},
        "seed": config["seed"],
        "settings": _settings(config, run),
    }


def _described(sources: Sequence[Source], run: Path) -> Manifest:
    names = [(one.kind, one.lang, Path(one.location.partition("?")[0]).name, one.sha256) for one in sources]
    content = None if any(one.remote for one in sources) else digest(*(_content(one, run) for one in sources))
    return {
        "files": len(sources),
        "names": digest(*(part for name in names for part in name)),
        _CONTENT: content,
    }


def _content(source: Source, run: Path) -> str:
    path = run / source.location
    require(path.is_file(), f"{path}: this file of corpus.sources is gone; restore it, or mend the entry")
    return file_digest(path)


def _settings(config: Mapping[str, Any], run: Path) -> Manifest:
    kept = {
        section: {key: value for key, value in content.items() if key not in _LEFT_OUT.get(section, ())}
        if isinstance(content, Mapping)
        else content
        for section, content in config.items()
    }
    return _without_paths(shown_config(kept), run)


def _without_paths(value: Any, run: Path, key: str = "") -> Any:
    """The value with a digest of their contents in place of each path, or glob, of files that are here."""
    if isinstance(value, Mapping):
        return {key: _without_paths(one, run, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_paths(one, run, key) for one in value]
    files = sorted(file for pattern in named_paths(value, key) for file in files_of(pattern, run))
    return {"digest": digest(*map(file_digest, files))} if files else value


def check_lock(lock: Path, found: Manifest) -> None:
    """Error: a run that is not the one that a lock names; the first place where they differ, in one line."""
    try:
        locked = json.loads(lock.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{lock}: not a manifest ({error}); copy results/manifest.json again") from error
    require(isinstance(locked, Mapping), f"{lock}: not a manifest; copy results/manifest.json again")
    for place, wanted, here in _differences(locked, found, ""):
        raise ConfigError(
            f"{lock}: {place} is {_short(wanted)} in the lock and {_short(here)} in this run; mend "
            "the run, or remove the lock where it may differ"
        )


def _differences(locked: Any, found: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(locked, Mapping) and isinstance(found, Mapping):
        for key in dict.fromkeys([*locked, *found]):
            inner = f"{place}.{key}".lstrip(".")
            yield from _differences(locked.get(key), found.get(key), inner)
    elif locked != found and not (place.endswith(f".{_CONTENT}") and None in (locked, found)):
        yield place, locked, found


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"
