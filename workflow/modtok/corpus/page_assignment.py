"""What the process that reads pages is told: files, settings, where to begin and what to pass over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

# What the process is at with a record.
READING, PARSING = 0, 1


@dataclass(frozen=True)
class PageSettings:
    """Settings of `corpus.extraction` and `corpus.language_id`."""

    main_content: bool = False
    max_bytes: int = 10_000_000
    timeout_s: float = 10.0
    "of processor time for one record, so that a busy machine or a paused job changes no result"
    model: Path | None = None
    threshold: float = 0.2


@dataclass(frozen=True)
class Assignment:
    """What to read, from where on, and which records to pass over."""

    paths: Sequence[Path]
    start: tuple[int, int] = (0, 0)
    "position in `paths`, number of the record in the file"
    lost: Mapping[tuple[int, int], str] = field(default_factory=dict)
    "records that ended an earlier process while it parsed them -> the ledger's reason"
    unreadable: Mapping[int, int] = field(default_factory=dict)
    "position in `paths` -> the record before which reading ended an earlier process; the file ends there"
