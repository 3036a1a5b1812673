"""Files outside a run, told by what is in them; they are no inputs of rules, as their times mean nothing."""

from collections.abc import Iterable, Iterator
from glob import glob
from pathlib import Path

from modtok.core.provenance import digest, file_digest

_READ_BYTES = 1_000_000
"up to which a file counts by content"


def files_digest(patterns: Iterable[object]) -> str:
    """Changes when paths or globs come to name other files, or what is in them changes.

    Small files count by content, larger ones by size: reading a crawl would take longer than many a job. A
    folder stands for the files in it; what is not there (a URL, a hub id) for its name.

    files_digest(["text/*.txt", "https://host/a.warc.gz"])
    """
    names = [str(pattern) for pattern in patterns]
    files = sorted({file for name in names for file in _files(name)})
    return digest(*(f"{file} {_mark(file)}" for file in files), *names)


def _files(pattern: str) -> Iterator[Path]:
    for path in map(Path, glob(pattern, recursive=True)):  # noqa: PTH207
        yield from (file for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file())


def _mark(file: Path) -> str | int:
    """What tells a file from another version of it."""
    size = file.stat().st_size
    return file_digest(file) if size <= _READ_BYTES else size
