"""A forecast as rows: what they hold, and how they read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What the jobs of a rule take."""

    rule: str
    jobs: int
    hours: float | None = None
    "of one core, all jobs together; None where the rule has not been measured"
    longest_hours: float | None = None
    "of one job"
    memory_mb: float | None = None
    "of the largest job"
    disk_mb: float | None = None
    "that all jobs leave"
    download_mb: float = 0.0
    "of all jobs"
    passing_mb: float = 0.0
    "of downloads that stand on disk at most, none being read yet, where they are removed once read"
    gpu_hours: float = 0.0
    gpu_memory_mb: float = 0.0
    "of one GPU"
    fits: str = ""
    "empty, or what does not fit"
    how: str = ""
    "what the figures are made of"


def readable(rows: Sequence[Row]) -> list[Mapping[str, object]]:
    """Rows for the eye, in columns that 80 characters mostly hold; of GPUs only where the run needs some."""
    columns: dict[str, Callable[[Row], str]] = {
        "rule": lambda row: row.rule,
        "jobs": lambda row: str(row.jobs),
        "core time": lambda row: _time(row.hours),
        "longest job": lambda row: _time(row.longest_hours),
        "memory": lambda row: _size(row.memory_mb),
        "disk": lambda row: _size(row.disk_mb),
        "GPU time": lambda row: in_hours(row.gpu_hours) if row.gpu_hours else "",
        "GPU memory": lambda row: _size(row.gpu_memory_mb) if row.gpu_memory_mb else "",
    }
    shown = [name for name, cell in columns.items() if any(map(cell, rows))]
    return [{name: columns[name](row) for name in shown} for row in rows]


def remarks(rows: Iterable[Row]) -> list[str]:
    """Lines below the table: downloads, what does not fit, and where to see what figures are made of."""
    *rules, every = rows
    fetched = [f"{row.rule}: downloads {_size(row.download_mb)}" for row in rules if row.download_mb]
    said = [f"{row.rule}: {row.fits}" for row in (*rules, every) if row.fits]
    return [
        "",
        *fetched,
        *(["Does not fit:", *said, ""] if said else []),
        "What each figure is estimated from: --format tsv or json.",
    ]


def _time(hours: float | None) -> str:
    """A time as people say it. _time(0.02) -> "1.2 min"."""
    if hours is None:
        return "?"
    years = hours / (365 * 24)
    return f"{_figure(years)} y" if years >= 1 else in_hours(hours)


def in_hours(hours: float) -> str:
    """A time in hours, or less. in_hours(1184.2) -> "1,184 h"; in_hours(0.5) -> "30 min"."""
    if hours >= 1:
        return f"{_figure(hours)} h"
    return f"{_figure(hours * 60)} min" if hours >= 1 / 60 else f"{_figure(hours * 3600)} s"


def _size(megabytes: float | None) -> str:
    """A size as people say it. _size(1500) -> "1.5 GB"."""
    if megabytes is None:
        return "?"
    for unit, name in ((1e6, "TB"), (1e3, "GB")):
        if megabytes >= unit:
            return f"{_figure(megabytes / unit)} {name}"
    return f"{megabytes:.0f} MB"


def _figure(number: float) -> str:
    """Two digits, or all before the point. _figure(187.62) -> "188"."""
    return f"{number:,.0f}" if number >= 9.95 else f"{number:.1f}"
