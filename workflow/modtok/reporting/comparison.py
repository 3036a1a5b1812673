"""Metrics of a comparison as text: a table for the eye, TSV or JSON for a program."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import IO

from rich import box
from rich.table import Table
from rich.text import Text

from modtok.core.metrics import Metric
from modtok.reporting.printing import Format, console, print_rows


def print_metrics(metrics: Sequence[Metric], form: Format, file: IO[str]) -> None:
    """Write metrics to `file`. `table` has one table per metric: rows are tokenizers, columns languages.

    TSV has the columns of compression.tsv; JSON is a list of objects with the same names.
    """
    if form != "table":
        print_rows(list(map(asdict, metrics)), form, file)
        return
    for name in dict.fromkeys(metric.metric for metric in metrics):
        console(file).print(_table([metric for metric in metrics if metric.metric == name]))


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
