"""The papers' own figures, and where they may stand beside ours.

paper.tsv holds them as they are printed: item, row (a tokenizer's name, or what the document calls it),
column, value, source.
"""

from functools import cache
from pathlib import Path

from modtok.core.io import read_tsv
from modtok.reporting.run import Run

BUDGET = 24_000
"size of the monolingual references of every NSL in the paper"
# Appendix A.2 and section 5: the languages that the joint tokenizers of Tables 1 and 2 were trained on.
_COMMON = "bg cs da de el en es fr hu it nl pl pt ro sl"
_TRAINED_ON = {
    "table_1": frozenset(f"{_COMMON} et fi lt lv sk sv".split()),
    "table_2": frozenset(f"{_COMMON} hr ne si so sw te".split()),
}


@cache
def _figures() -> dict[tuple[str, str, str], str]:
    rows = read_tsv(Path(__file__).with_name("paper.tsv"))
    return {(row["item"], row["row"], row["column"]): row["value"] for row in rows}


def figure(item: str, row: str, column: str) -> str:
    """A figure of a paper as printed there, "" if there is none.

    figure("table_1", "open-qwen3", "el") -> "3.90"
    """
    return _figures().get((item, row, column), "")


def rows(item: str, column: str) -> dict[str, str]:
    """A column of an item by row, in the order of the paper."""
    return {row: value for (of, row, name), value in _figures().items() if (of, name) == (item, column)}


def full_size(run: Run) -> int | None:
    """Size of the paper's full sequential tokenizer on the run's languages and budget; None on others."""
    trained_on = frozenset(run.languages)
    columns = [name for name in _TRAINED_ON if _TRAINED_ON[name] == trained_on and run.budget == BUDGET]
    return next((int(figure("figure_growth", "sequential-bpe", name)) for name in columns), None)


def nsl(family: str, lang: str, run: Run) -> str:
    """The paper's NSL of a tokenizer, "" unless it measured the same one against like references.

    The paper's references have BUDGET tokens, so those of the run must have as many. One that is not open is
    the same one only if it was trained on the same languages.
    """
    if run.budget != BUDGET:
        return ""
    trained_on = frozenset(run.languages)
    tables = [
        table for table in _TRAINED_ON if family.startswith("open-") or _TRAINED_ON[table] == trained_on
    ]
    return next((value for table in tables if (value := figure(table, family, lang))), "")


def forward_ratio(family: str, lang: str, model: str, run: Run) -> str:
    """The paper's forward time over a monolingual tokenizer's (Table 3), "" under the conditions of `nsl`.

    Its sequential tokenizers are those of section 5, learned from the languages of Table 2.
    """
    like = family.startswith("open-") or _TRAINED_ON["table_2"] == frozenset(run.languages)
    return figure("table_3", f"{family} {lang}", model) if like and run.budget == BUDGET else ""
