"""The files of multiple choice: brought from a hub where there is network, checked before models train.

The list is a TSV with a row per task and language, its columns those of Listed. Only rows of data sets are
fetched, never code.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from modtok.core.errors import DataError, require
from modtok.core.io import read_tsv, write_text, write_tsv
from modtok.evaluation.multiple_choice_tasks import Benchmark


@dataclass(frozen=True)
class Listed:
    """A benchmark, and what its files held when they were checked."""

    task: str
    lang: str
    path: str
    shots_path: str
    "empty for a task without shots"
    lines: str
    "items that are asked at most, or `all`"
    items: int
    subjects: int
    chance: float
    "share of right answers that guessing gives"
    sha256: str
    shots_sha256: str

    def benchmark(self) -> Benchmark:
        """What is to be asked. Error: a file is not what it was."""
        checked = ((self.path, self.sha256), (self.shots_path, self.shots_sha256))
        for path, digest in checked if self.shots_path else checked[:1]:
            changed = f"{path}: its content has changed since check_benchmarks; run that again"
            require(_sha256(Path(path)) == digest, changed)
        return _benchmark(asdict(self))


def list_benchmarks(file: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    """Read all benchmarks' files and write their list; an entry has the first five columns of Listed.

    Errors: those of Benchmark.subjects and Benchmark.words.
    """
    listed = [_listed(entry) for entry in entries]
    write_tsv(file, [field.name for field in fields(Listed)], map(asdict, listed))


def read_benchmarks(file: Path) -> list[Benchmark]:
    """The benchmarks of a list. Errors: a file that has changed since; a list that was edited by hand."""
    kinds = {"items": int, "subjects": int, "chance": float}
    rows: Iterator[dict[str, Any]] = (
        {name: kinds.get(name, str)(cell) for name, cell in row.items()} for row in read_tsv(file)
    )
    try:
        listed = [Listed(**row) for row in rows]
    except (ValueError, TypeError) as error:
        remedy = "remove the file, so that rule check_benchmarks makes it again"
        raise DataError(f"{file}: no list of benchmarks ({error}); {remedy}") from error
    return [one.benchmark() for one in listed]


def _benchmark(entry: Mapping[str, Any]) -> Benchmark:
    shots = Path(entry["shots_path"]) if entry["shots_path"] else None
    most = None if entry["lines"] == "all" else int(entry["lines"])
    return Benchmark(entry["task"], entry["lang"], Path(entry["path"]), shots, most)


def _listed(entry: Mapping[str, Any]) -> Listed:
    benchmark = _benchmark(entry)
    assert benchmark.words, "each language has its words"
    subjects = [items for _, items, _ in benchmark.subjects()]
    chances = [1 / len(item.choices) for items in subjects for item in items]
    own = {key: str(entry[key]) for key in ("task", "lang", "path", "shots_path", "lines")}
    return Listed(
        **own,
        items=len(chances),
        subjects=len(subjects),
        chance=sum(chances) / len(chances),
        sha256=_sha256(benchmark.items),
        shots_sha256=_sha256(benchmark.shots) if benchmark.shots else "",
    )


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def fetch(hub: str, name: str, split: str, out: Path) -> None:
    """Write a split of a data set of the hub, or of a folder of data files, as JSON lines; `name` may be "".

    Errors: no such data set, or one that is a script; a row that is no JSON, such as one with a picture.

    fetch("allenai/ai2_arc", "ARC-Easy", "test", Path("arc_easy.en.jsonl"))
    """
    what = f"{hub}, {name or 'default'}, {split}"
    write_text(out, "".join(_line(row, what, n) for n, row in enumerate(_rows(hub, name, split), 1)))


def _line(row: Mapping[str, Any], what: str, number: int) -> str:
    try:
        return json.dumps(row, ensure_ascii=False) + "\n"
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{what}: row {number} holds what JSON does not ({error}); "
            "name local files in `path` instead, or mend evaluation.multiple_choice"
        ) from error


def _rows(hub: str, name: str, split: str) -> Iterator[dict[str, Any]]:
    from datasets import load_dataset

    try:
        yield from load_dataset(hub, name or None, split=split, streaming=True)
    except Exception as error:  # whatever the hub's libraries, and those below them, raise
        what = f"{hub}, {name or 'default'}, {split}: not to be had ({type(error).__name__}: {error})"
        raise DataError(
            f"{what}; name local files in `path` instead, or mend evaluation.multiple_choice"
        ) from error
