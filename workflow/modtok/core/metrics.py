"""The long metrics table: every evaluation writes rows of this one shape; tables only select and pivot."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from modtok.core.io import write_tsv

ALL = "all"
"in the place of a language: of all of them together"


@dataclass(frozen=True)
class Metric:
    """One measured value.

    Example: Metric("open-qwen3", 151_669, "el", "flores200", "nsl", 3.25, 3.22, 3.28, "ratio", 1012)
    """

    tokenizer: str
    "name of the tokenizer; a subtokenizer is `{name}+{langs joined by +}`"
    vocabulary_size: int
    lang: str
    "language code, or `all` for a figure over the run's languages"
    dataset: str
    "name of the parallel set"
    metric: str
    value: float
    low: float | None
    "lower end of the 95 % interval; empty where none is taken"
    high: float | None
    unit: str
    n: int
    "number of lines, documents or languages behind the value"


def write_metrics(path: Path, metrics: Iterable[Metric], kind: type[Metric] = Metric) -> None:
    """Write metrics as TSV, in the given order; `kind` is their class where it adds columns to Metric's."""
    write_tsv(path, [field.name for field in fields(kind)], map(asdict, metrics))
