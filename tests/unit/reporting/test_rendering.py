"""Tables as TSV, Markdown and LaTeX."""

import re
from pathlib import Path

import pytest

from modtok.reporting.items import COMPRESSION, Item
from modtok.reporting.rendering import Table, heading, latex, markdown, read_table, show, write_table

ITEM = Item("table_x", "table", "A title, 50 %", (COMPRESSION,), "A caption_with $signs.", "")
TABLE = Table.of(
    [
        {"model": "Qwen 3", "size": "151669", "el": "3.25", "el_paper": "3.90", "parameters": "621129728"},
        {"model": "small", "size": "4004", "el": "1.20", "el_paper": "", "parameters": "-16400384"},
    ]
)
HOSTILE = r"<b>|a_b\c{d}$%&#^~`*[x](y)"


def test_what_a_reader_sees() -> None:
    shown = show(TABLE)
    assert shown.headings == ("Model", "Size", "EL", "Parameters")
    assert [[cell.text for cell in row] for row in shown.rows] == [
        ["Qwen 3", "152k", "3.25 (3.90)", "621,129,728"],
        ["small", "4,004", "1.20", "-16,400,384"],
    ]
    assert [cell.number for cell in shown.rows[0]] == ["", "151669", "3.25", "621129728"]
    assert [shown.numeric(column) for column in range(4)] == [False, True, True, True]


@pytest.mark.parametrize(
    ("column", "shown"),
    [("bg", "BG"), ("swa", "SWA"), ("saved_percent", "Saved percent"), ("kv_heads", "KV heads")],
)
def test_headings(column: str, shown: str) -> None:
    assert heading(column) == shown


@pytest.mark.parametrize(
    ("text", "number"),
    [("1.01 ± 0.02", "1.01"), ("0.994 to 1.004", "0.994"), ("-3", "-3"), ("+0.5", "+0.5"), ("1.01 ± x", ""),
     ("to 3", ""), ("2 languages", ""), ("", "")],
)  # fmt: skip
def test_a_cell_sorts_by_its_mean_or_lower_end(text: str, number: str) -> None:
    assert show(Table.of([{"value": text}])).rows[0][0].number == number


def test_markdown() -> None:
    assert markdown(TABLE, ITEM) == (
        "**A title, 50 %.** A caption\\_with \\$signs.\n\n"
        "| Model | Size | EL | Parameters |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| Qwen 3 | 152k | 3.25 (3.90) | 621,129,728 |\n"
        "| small | 4,004 | 1.20 | -16,400,384 |\n"
    )


def test_latex() -> None:
    text = latex(TABLE, ITEM)
    assert "\\begin{tabular}{lrrr}\n\\toprule\nModel & Size & EL & Parameters \\\\\n\\midrule\n" in text
    assert "Qwen 3 & 152k & 3.25 (3.90) & 621,129,728 \\\\\n" in text
    assert r"\caption{A title, 50 \%. A caption\_with \$signs.}" in text


def test_text_is_escaped_in_latex() -> None:
    row = latex(Table.of([{"model": HOSTILE + "\nx"}]), ITEM).split("\\midrule\n")[1].split("\n")[0]
    assert row == (
        r"\textless{}b\textgreater{}\textbar{}a\_b\textbackslash{}c\{d\}\$\%\&\#\textasciicircum{}"
        r"\textasciitilde{}`*[x](y) x \\"
    )


def test_text_is_escaped_in_markdown() -> None:
    row = markdown(Table.of([{"model": HOSTILE + "\nx"}]), ITEM).split("\n")[4]
    assert re.search(r"(?<!\\)[<>`*_$\[\]]", row) is None
    assert len(re.findall(r"(?<!\\)\|", row)) == 2


def test_the_tsv_gives_back_the_table(tmp_path: Path) -> None:
    table = Table.of([{"model": "tab\there", "el": "1.00", "el_paper": "1.01"}])
    write_table(table, ITEM, *(tmp_path / f"table_x.{suffix}" for suffix in ("tsv", "md", "tex")))
    assert read_table(tmp_path / "table_x.tsv") == table
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table_x.md", "table_x.tex", "table_x.tsv"]
