"""Metrics of a comparison as text: a table for the eye, TSV or JSON for a program."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import IO, Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from modtok.core.io import escape
from modtok.core.metrics import COLUMNS, Metric

Format = Literal["table", "tsv", "json"]
_WIDE = 10_000
"columns of a file or pipe, which cuts no line"


def print_metrics(metrics: Sequence[Metric], form: Format, file: IO[str]) -> None:
    """Write metrics to `file`. `table` has one table per metric: rows are tokenizers, columns languages.

    TSV has the columns of compression.tsv; JSON is a list of objects with the same names.
    """
    if form == "json":
        file.write(json.dumps([asdict(metric) for metric in metrics], ensure_ascii=False, indent=2) + "\n")
    elif form == "tsv":
        file.write("\t".join(COLUMNS) + "\n" + "".join(map(_tsv_line, metrics)))
    else:
        console = Console(file=file, width=None if file.isatty() else _WIDE, highlight=False)
        for name in dict.fromkeys(metric.metric for metric in metrics):
            console.print(_table([metric for metric in metrics if metric.metric == name]))


def _tsv_line(metric: Metric) -> str:
    values = ("" if value is None else str(value) for value in asdict(metric).values())
    return "\t".join(map(escape, values)) + "\n"


def _table(metrics: Sequence[Metric]) -> Table:
    """One metric: a row for each tokenizer, a column for each language, the 95 % interval under the value."""
    title = Text(f"{metrics[0].metric} ({metrics[0].unit}), {metrics[0].dataset}")
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    langs = list(dict.fromkeys(metric.lang for metric in metrics))
    table.add_column("tokenizer", overflow="fold")
    table.add_column("size", justify="right")
    for lang in langs:
        table.add_column(lang, justify="right")
    values = {(metric.tokenizer, metric.lang): metric for metric in metrics}
    sizes = {metric.tokenizer: metric.vocabulary_size for metric in metrics}
    for tokenizer, size in sizes.items():
        cells = [_cell(values.get((tokenizer, lang))) for lang in langs]
        table.add_row(Text(tokenizer), f"{size:,}", *cells)
    return table


def _cell(metric: Metric | None) -> str:
    if metric is None:
        return ""
    if metric.low is None or metric.high is None:
        return f"{metric.value:.3f}"
    return f"{metric.value:.3f}\n{metric.low:.3f}–{metric.high:.3f}"
