"""A table as TSV, Markdown and LaTeX; text is escaped for each.

TSV keeps plain numbers, and the paper's figures in columns of their own. For reading, a figure of the paper
stands in parentheses behind ours, sizes are in thousands and large integers have separators.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from modtok.core.io import read_tsv, write_text, write_tsv
from modtok.reporting.item import Item

PAPER = "_paper"
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
# "~" before a number: about.
_WITH_SPREAD = re.compile(
    rf"~?({_NUMBER.pattern})( (±|to) {_NUMBER.pattern}| \[{_NUMBER.pattern}, {_NUMBER.pattern}\])?"
)
_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "\n": " ", "\r": " ", "\t": " ",
} | {character: "\\" + character for character in "&%$#_{}"}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """Rows of finished text by column."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, str]]) -> "Table":
        """A table whose columns are those of the first row. Table.of([{"model": "Yi", "size": "64000"}])"""
        return cls(tuple(rows[0]), tuple(rows))


@dataclass(frozen=True)
class Cell:
    """A cell as a reader sees it."""

    text: str
    number: str
    "what to sort by, as in the TSV, a mean or a lower end without its spread; empty for text"


@dataclass(frozen=True)
class Shown:
    """A table as a reader sees it."""

    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def numeric(self, column: int) -> bool:
        """Whether a column holds numbers only (and empty cells)."""
        return all(row[column].number or not row[column].text for row in self.rows)


def has_papers_figures(table: Table) -> bool:
    """Whether a figure of the paper stands beside any of ours."""
    columns = [column for column in table.columns if column.endswith(PAPER)]
    return any(row.get(column) for row in table.rows for column in columns)


def show(table: Table) -> Shown:
    """Fold the paper's columns into ours and format numbers. "1.78", paper "1.80" -> "1.78 (1.80)" """
    columns = [column for column in table.columns if not column.endswith(PAPER)]
    rows = (tuple(_cell(column, row) for column in columns) for row in table.rows)
    return Shown(tuple(map(heading, columns)), tuple(rows))


def heading(column: str) -> str:
    """heading("bg") -> "BG"; heading("bg+ru") -> "BG+RU"; heading("saved_percent") -> "Saved percent"

    A name with capitals of its own stays as it is: heading("0.5B") -> "0.5B".
    """
    if len(column) <= 3 or "+" in column:
        return column.upper()
    if column != column.lower():
        return column
    return column.replace("_", " ").capitalize().replace("Kv ", "KV ")


def _cell(column: str, row: Mapping[str, str]) -> Cell:
    text, beside = row[column], row.get(column + PAPER, "")
    match = _WITH_SPREAD.fullmatch(text)
    number = match[1] if match else ""
    ours = _readable(column, text)
    return Cell(f"{ours} ({_readable(column, beside)})" if beside else ours, number)


def _readable(column: str, text: str) -> str:
    if not (_NUMBER.fullmatch(text) and text.lstrip("-").isdecimal()):
        return text
    value = int(text)
    return f"{value / 1000:.0f}k" if column == "size" and value >= 10_000 else f"{value:,}"


def markdown(table: Table, item: Item) -> str:
    """GitHub-flavoured Markdown with the caption above."""
    shown = show(table)
    rules = ["---:" if shown.numeric(column) else "---" for column in range(len(shown.headings))]
    lines = [list(shown.headings), *([cell.text for cell in row] for row in shown.rows)]
    escaped = [" | ".join(map(_markdown, line)) for line in lines]
    body = [f"| {line} |" for line in (escaped[0], " | ".join(rules), *escaped[1:])]
    return f"**{_markdown(item.title)}.** {_markdown(item.caption)}\n\n" + "\n".join(body) + "\n"


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|~&#$])", r"\\\1", " ".join(text.split()))


def latex(table: Table, item: Item) -> str:
    """A `table` environment in the style of booktabs."""
    shown = show(table)
    alignment = "".join("r" if shown.numeric(column) else "l" for column in range(len(shown.headings)))
    head, *body = [list(shown.headings), *([cell.text for cell in row] for row in shown.rows)]
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            _latex_row(head),
            r"\midrule",
            *map(_latex_row, body),
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{_latex(item.title)}. {_latex(item.caption)}}}",
            rf"\label{{tab:{item.name}}}",
            r"\end{table}",
            "",
        ]
    )


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_latex, cells)) + r" \\"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def write_table(table: Table, item: Item, tsv: Path, md: Path, tex: Path) -> None:
    """Write a table in its three formats."""
    write_tsv(tsv, table.columns, table.rows)
    write_text(md, markdown(table, item))
    write_text(tex, latex(table, item))


def read_table(path: Path) -> Table:
    """Read the TSV of write_table."""
    rows = read_tsv(path)
    columns = path.read_text(encoding="utf-8").partition("\n")[0].split("\t")
    return Table(tuple(columns), tuple(rows))
