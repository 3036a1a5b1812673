"""Inputs of tables and figures as data frames, and the one pivot that most of them are."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from modtok.core.errors import DataError
from modtok.core.io import read_tsv
from modtok.core.tokenizer_names import family_of
from modtok.reporting.run import Run

_NUMBERS = {"value", "low", "high", "vocabulary_size", "full_vocabulary", "n", "records", "bytes"}
_NUMBERS |= {"repeat", "training_tokens"}
_SHOWN = 5


def read_frame(path: Path) -> pd.DataFrame:
    """A TSV of ours; columns that hold numbers become numbers, all others stay text ("nan" is text).

    A file without rows keeps its columns.
    """
    with path.open(encoding="utf-8") as file:
        columns = file.readline().rstrip("\n").split("\t")
    frame = pd.DataFrame(read_tsv(path), columns=columns, dtype=object)
    for column in _NUMBERS & set(frame.columns):
        frame[column] = pd.to_numeric(frame[column])
    return frame


def pivot(
    item: str, metrics: pd.DataFrame, metric: str, run: Run, families: Sequence[str], langs: Sequence[str]
) -> pd.DataFrame:
    """Values of a metric on the run's parallel set, families by languages, both in the given order.

    Error: cells that are missing, named with the tokenizer and the language.
    """
    chosen = metrics[(metrics["metric"] == metric) & (metrics["dataset"] == run.dataset)]
    named = chosen.assign(family=chosen["tokenizer"].map(family_of))
    values = named.pivot(index="family", columns="lang", values="value")
    wide = values.reindex(index=list(families), columns=list(langs))
    missing = [(families[row], langs[column]) for row, column in np.argwhere(wide.isna().to_numpy())]
    if missing:
        raise DataError(_missing(item, metric, run, missing))
    return wide


def _missing(item: str, metric: str, run: Run, cells: list[tuple[str, str]]) -> str:
    listed = ", ".join(f"{family} on {lang}" for family, lang in cells[:_SHOWN])
    more = f" and {len(cells) - _SHOWN} more" if len(cells) > _SHOWN else ""
    return (
        f"{item}: no {metric} on {run.dataset} for {listed}{more}; the first parallel set must have all "
        "languages of the run, and compression.tsv all its tokenizers: measure_compression makes it again"
    )


def sizes(metrics: pd.DataFrame) -> dict[str, int]:
    """The vocabulary size of each family; of a monolingual one the largest."""
    families = metrics["tokenizer"].map(family_of)
    return {str(name): int(size) for name, size in metrics.groupby(families)["vocabulary_size"].max().items()}
