"""Files outside a run, told by what is in them; they are no inputs of rules, as their times mean nothing."""

from collections.abc import Iterable, Iterator, Mapping
from glob import glob
from pathlib import Path
from typing import Any

from modtok.core.provenance import digest, file_digest

_READ_BYTES = 1_000_000
"up to which a file counts by content"
# Of another run this is all that is read; the rest of its folder may be large, and holds times.
_OTHER_RUNS, _OF_OTHER_RUN = "other_runs", "results/metrics/likelihood.tsv"


def files_digest(patterns: Iterable[object]) -> str:
    """Changes when paths or globs come to name other files, or what is in them changes.

    Small files count by content, larger ones by size: reading a crawl would take longer than many a job. A
    folder stands for the files in it; what is not there (a URL, a hub id) for its name.

    files_digest(["text/*.txt", "https://host/a.warc.gz"])
    """
    names = [str(pattern) for pattern in patterns]
    files = {file for name in names for file in files_of(name)}
    return digest(*(f"{file} {_mark(file)}" for file in sorted(files)), *names)


def named_paths(settings: Any, key: str = "") -> Iterator[str]:
    """The globs, or what may be some, among settings; `key` is the one that they are the value of.

    list(named_paths({"positive": {"default": "good/{lang}.txt"}, "seed": 1})) -> ["good/*.txt"]
    """
    if isinstance(settings, Mapping):
        for key, value in settings.items():
            yield from named_paths(value, key)
    elif isinstance(settings, list):
        for value in settings:
            yield from named_paths(value, key)
    elif isinstance(settings, str) and ("/" in settings or "." in settings or key == "path"):
        text = settings.replace("{lang}", "*")
        yield f"{text}/{_OF_OTHER_RUN}" if key == _OTHER_RUNS else text


def files_of(pattern: str, root: Path = Path()) -> Iterator[Path]:
    """The files that a path or glob, relative to `root`, names, those of a folder too; none where nothing is.

    list(files_of("text/*.txt", Path("run"))) -> [Path("run/text/en.txt")]
    """
    for found in glob(pattern, root_dir=root, recursive=True):  # noqa: PTH207
        path = root / found
        yield from (file for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file())


def _mark(file: Path) -> str | int:
    """What tells a file from another version of it."""
    size = file.stat().st_size
    return file_digest(file) if size <= _READ_BYTES else size
