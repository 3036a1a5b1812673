"""A forecast as rows: what they hold, and how they read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What the jobs of a rule take."""

    rule: str
    jobs: int
    hours: float | None
    "of one core, all jobs together; None where the rule has not been measured"
    longest_hours: float | None
    "of one job"
    memory_mb: float | None
    "of the largest job"
    disk_mb: float | None
    "that all jobs leave"
    download_mb: float
    "of all jobs"
    passing_mb: float
    "of downloads that stand on disk at most, none being read yet, where they are removed once read"
    gpu_hours: float
    gpu_memory_mb: float
    "of one GPU"
    fits: str
    "empty, or what does not fit"
    how: str
    "what the figures are made of"


def readable(rows: Iterable[Row]) -> list[Mapping[str, object]]:
    """Rows for the eye: what is small as minutes or seconds, memory and disk in MB or GB."""
    return [
        {
            "rule": row.rule,
            "jobs": row.jobs,
            "core time": _time(row.hours),
            "longest job": _time(row.longest_hours),
            "memory": _size(row.memory_mb),
            "disk": _size(row.disk_mb),
            "download": _size(row.download_mb) if row.download_mb else "",
            "GPU time": _time(row.gpu_hours) if row.gpu_hours else "",
            "GPU memory": _size(row.gpu_memory_mb) if row.gpu_memory_mb else "",
            "does not fit": row.fits,
            "estimated from": row.how,
        }
        for row in rows
    ]


def _time(hours: float | None) -> str:
    if hours is None:
        return "?"
    if hours >= 1:
        return f"{hours:,.1f} h"
    return f"{hours * 60:.1f} min" if hours >= 1 / 60 else f"{hours * 3600:.1f} s"


def _size(megabytes: float | None) -> str:
    if megabytes is None:
        return "?"
    return f"{megabytes / 1000:,.1f} GB" if megabytes >= 1000 else f"{megabytes:.0f} MB"
