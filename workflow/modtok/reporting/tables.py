"""The tables: each function selects and pivots its inputs and rounds; nothing is computed that a step could
compute.

A column `x_paper` holds the paper's figure for column `x`; rendering shows it in parentheses.
"""

from collections.abc import Sequence

import pandas as pd

from modtok.core.errors import ConfigError, require
from modtok.reporting import paper
from modtok.reporting.frames import pivot, sizes
from modtok.reporting.rendering import PAPER, Table
from modtok.reporting.run import Run

MEAN = "all"
WIDTH = 4096
"d of the second document's output layers"
CUT = 32_000
"vocabulary size that the second document cuts Qwen2 to"


def table_1(metrics: pd.DataFrame, run: Run) -> Table:
    """Table 1: NSL of open and joint tokenizers on the paper's five languages, or those of them that the run
    has.

    A run that has none of the five shows all its languages.
    """
    langs = [lang for lang in paper.TABLE_1 if lang in run.languages] or list(run.languages)
    return _nsl_table("table_1", metrics, run, [*_open(run), *_joint(run)], langs)


def table_1_full(metrics: pd.DataFrame, run: Run) -> Table:
    """Appendix A.3.2: Table 1 over all languages of the run."""
    return _nsl_table("table_1_full", metrics, run, [*_open(run), *_joint(run)], list(run.languages))


def table_10(metrics: pd.DataFrame, run: Run) -> Table:
    """Table 10: NSL of the run's own BPE tokenizers on all languages, and the mean over languages."""
    families = [*(family for family in run.families if family == "mono-bpe"), *_joint(run)]
    return _nsl_table("table_10", metrics, run, families, [*run.languages, MEAN])


def table_vocabulary(metrics: pd.DataFrame, run: Run) -> Table:
    """Output-layer parameters |V| x d of open vocabularies (second document) and of the run's tokenizers."""
    of_document = [
        _document_row(name, int(size))
        for name, size in paper.rows("table_vocabulary", "vocabulary_size").items()
    ]
    size_of = sizes(metrics)
    own = [family for family in run.families if family in size_of]
    return Table.of([*of_document, *(_own_row(run.title(family), size_of[family]) for family in own)])


def _document_row(name: str, size: int) -> dict[str, str]:
    row = {"model": name, "source": "document", "vocabulary_size": str(size)}
    for column, text in _output_layer(size).items():
        row |= {column: text, column + PAPER: paper.figure("table_vocabulary", name, column)}
    return row


def _own_row(title: str, size: int) -> dict[str, str]:
    return {"model": title, "source": "this run", "vocabulary_size": str(size), **_output_layer(size)}


def _output_layer(size: int) -> dict[str, str]:
    parameters, saved = size * WIDTH, max(size - CUT, 0) * WIDTH
    return {
        "parameters": str(parameters),
        "saved_at_32000": str(saved),
        "saved_percent": f"{100 * saved / parameters:.1f}",
    }


def _open(run: Run) -> list[str]:
    return [family for family in run.families if family.startswith("open-")]


def _joint(run: Run) -> list[str]:
    return [family for family in run.families if family.startswith("joint-bpe-")]


def _nsl_table(
    name: str, metrics: pd.DataFrame, run: Run, families: Sequence[str], langs: Sequence[str]
) -> Table:
    require(
        bool(families),
        f"{name}: the run has no tokenizer to show; set open_tokenizers or joint_sizes",
        ConfigError,
    )
    wide = pivot(name, metrics, "nsl", run, families, langs)
    size_of = sizes(metrics)
    return Table.of(
        [_nsl_row(str(family), size_of[str(family)], values, run) for family, values in wide.iterrows()]
    )


def _nsl_row(family: str, size: int, values: "pd.Series[float]", run: Run) -> dict[str, str]:
    row = {"model": run.title(family), "size": str(size)}
    for lang, value in values.items():
        column = "mean" if lang == MEAN else str(lang)
        row |= (
            {column: f"{value:.2f}"}
            if column == "mean"
            else {column: f"{value:.2f}", column + PAPER: paper.nsl(family, column, run)}
        )
    return row
