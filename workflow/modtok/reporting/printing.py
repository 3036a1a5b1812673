"""Rows as text: a table for the eye, TSV or JSON for a program."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from modtok.core.io import escape

Format = Literal["table", "tsv", "json"]
_WIDE = 10_000
"columns of a file or pipe, which cuts no line"


def print_rows(
    rows: Sequence[Mapping[str, object]], form: Format, file: IO[str], keep_names: bool = False
) -> None:
    """Write rows of the same keys to `file`; None is an empty cell. `keep_names`: the first is not folded.

    print_rows([{"check": "merges", "value": 12}], "tsv", sys.stdout)
    """
    columns = list(rows[0]) if rows else []
    if form == "json":
        file.write(json.dumps(list(map(dict, rows)), ensure_ascii=False, indent=2) + "\n")
    elif form == "tsv":
        lines = [columns, *(_cells(row) for row in rows)]
        file.write("".join("\t".join(map(escape, line)) + "\n" for line in lines))
    else:
        table = Table(box=box.SIMPLE_HEAD, collapse_padding=True, pad_edge=False, show_edge=False)
        for place, column in enumerate(columns):
            table.add_column(column, overflow="fold", no_wrap=keep_names and not place)
        for row in rows:
            table.add_row(*map(Text, _cells(row)))
        console(file).print(table)


def print_lines(lines: Iterable[str], file: IO[str]) -> None:
    """Write lines, which a terminal folds between words."""
    for line in lines:
        console(file).print(Text(line))


def console(file: IO[str]) -> Console:
    """A console that folds lines on a terminal only."""
    return Console(file=file, width=None if file.isatty() else _WIDE, highlight=False)


def _cells(row: Mapping[str, object]) -> list[str]:
    return ["" if value is None else str(value) for value in row.values()]
