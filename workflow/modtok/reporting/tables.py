"""The tables: each function selects and pivots its inputs and rounds; nothing is computed that a step could
compute.

A column `x_paper` holds the paper's figure for column `x`; rendering shows it in parentheses.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from modtok.core.errors import ConfigError, require
from modtok.core.tokenizer_names import extracted_family
from modtok.reporting import paper
from modtok.reporting.frames import pivot, sizes
from modtok.reporting.items import ITEMS
from modtok.reporting.rendering import PAPER, Table
from modtok.reporting.run import Run

SEQUENTIAL, MERGED, FREQUENCY = (
    (name, extracted_family(name)) for name in ("sequential-bpe", "merged-unigram", "frequency-unigram")
)
"each a full tokenizer and its subtokenizers of one language"
COMBINED = ("sequential-bpe", "concatenated-bpe")
CLAIM_COLUMNS = ("bound", "paper", "holds", "detail")
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
    langs = ITEMS["table_1"].shown(run.languages)
    return _nsl_table("table_1", metrics, run, [*_open(run), *_joint(run)], langs)


def table_1_full(metrics: pd.DataFrame, run: Run) -> Table:
    """Appendix A.3.2: Table 1 over all languages of the run."""
    return _nsl_table("table_1_full", metrics, run, [*_open(run), *_joint(run)], list(run.languages))


def table_2(metrics: pd.DataFrame, run: Run) -> Table:
    """Table 2: NSL and tokens per character on the paper's six low-resource languages, or those in the run.

    A run that has none of the six shows all its languages.
    """
    langs = ITEMS["table_2"].shown(run.languages)
    families = [*_open(run), *_joint(run), *_chosen(run, *SEQUENTIAL)]
    nsl = _nsl_table("table_2", metrics, run, families, langs)
    per_character = _rows_of("table_2", metrics, "tokens_per_character", run, [*families, "mono-bpe"], langs)
    return Table.of([{"measure": "NSL", **row} for row in nsl.rows] + per_character)


def table_7(combinations: pd.DataFrame, run: Run) -> Table:
    """Table 7: mean and spread of NSL over languages, combinations and orders, by number of languages."""
    chosen = combinations[(combinations["lang"] == MEAN) & (combinations["dataset"] == run.dataset)]
    rows = zip(chosen["tokenizer"], chosen["metric"], chosen["value"], strict=True)
    figures = {(str(tokenizer), str(metric)): float(value) for tokenizer, metric, value in rows}
    sizes_shown = [n for n in (1, 2, 3, 4) if (f"{SEQUENTIAL[0]}+{n}", "nsl") in figures]
    require(bool(sizes_shown), f"table_7: no combinations on {run.dataset}; run measure_combinations again")
    return Table.of([_by_number(method, figures, sizes_shown, run) for method in COMBINED])


def _by_number(
    method: str, figures: Mapping[tuple[str, str], float], sizes_shown: Sequence[int], run: Run
) -> dict[str, str]:
    """A row of table_7."""
    row = {"model": run.title(method)}
    for n in sizes_shown:
        mean, std, worst = (figures[f"{method}+{n}", metric] for metric in ("nsl", "nsl_std", "nsl_max"))
        column = f"{n} languages" if n > 1 else "1 language"
        beside = paper.figure("table_7", method, str(n)) if run.budget == paper.BUDGET else ""
        row |= {column: f"{mean:.2f} ± {std:.2f}", column + PAPER: beside, f"worst of {n}": f"{worst:.2f}"}
    return row


def table_10(metrics: pd.DataFrame, run: Run) -> Table:
    """Table 10: NSL of the run's own BPE tokenizers on all languages, and the mean over languages."""
    families = [*_chosen(run, "mono-bpe"), *_joint(run), *_chosen(run, *SEQUENTIAL)]
    return _nsl_table("table_10", metrics, run, families, [*run.languages, MEAN])


def table_11(metrics: pd.DataFrame, run: Run) -> Table:
    """Table 11: the same of the run's Unigram tokenizers."""
    families = [*_chosen(run, "mono-unigram"), *_joint(run, "unigram"), *_chosen(run, *MERGED)]
    return _nsl_table("table_11", metrics, run, families, [*run.languages, MEAN])


def table_12(metrics: pd.DataFrame, run: Run) -> Table:
    """Table 12: the joint Unigram tokenizer, and what frequency-based extraction takes out of it."""
    return _nsl_table("table_12", metrics, run, _chosen(run, *FREQUENCY), [*run.languages, MEAN])


def table_foreign(metrics: pd.DataFrame, run: Run) -> Table:
    """Share of foreign tokens, in percent, where a full tokenizer segments each language (D.1)."""
    families = _chosen(run, SEQUENTIAL[0], MERGED[0], FREQUENCY[0])
    wide = 100 * pivot("table_foreign", metrics, "foreign_tokens", run, families, list(run.languages))
    size_of = sizes(metrics)
    return Table.of(
        [
            {"model": run.title(str(family)), "size": str(size_of[str(family)])}
            | {str(lang): f"{value:.1f}" for lang, value in values.items()}
            for family, values in wide.iterrows()
        ]
    )


def table_claims(claims: pd.DataFrame, run: Run) -> Table:
    """The paper's claims on tokenizers on each parallel set: figure, interval, and whether they hold."""
    require(len(claims) > 0, "table_claims: the run has no tokenizer that a claim speaks of", ConfigError)
    return Table.of([_claim_row(claim) for claim in claims.to_dict("records")])


def _claim_row(claim: Mapping[Hashable, Any]) -> dict[str, str]:
    low, high = claim["low"], claim["high"]
    interval = "" if pd.isna(low) else f"{low:.3f} to {high:.3f}"
    row = {"parallel_set": claim["dataset"], "claim": claim["claim"], "statement": claim["statement"]}
    row |= {"figure": f"{float(claim['figure']):.3f}", "interval": interval}
    return row | {name: str(claim[name]) for name in CLAIM_COLUMNS}


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


def _chosen(run: Run, *families: str) -> list[str]:
    """Those of the families that the run has."""
    return [family for family in families if family in run.families]


def _open(run: Run) -> list[str]:
    return [family for family in run.families if family.startswith("open-")]


def _joint(run: Run, model: str = "bpe") -> list[str]:
    return [family for family in run.families if family.startswith(f"joint-{model}-")]


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


def _rows_of(
    name: str, metrics: pd.DataFrame, metric: str, run: Run, families: Sequence[str], langs: Sequence[str]
) -> list[dict[str, str]]:
    """Rows of a metric that the paper prints no figures of, in the columns of an NSL table."""
    wide, size_of = pivot(name, metrics, metric, run, families, langs), sizes(metrics)
    return [
        {
            "measure": metric.replace("_", " "),
            "model": run.title(str(family)),
            "size": str(size_of[str(family)]),
        }
        | {column: text for lang, value in values.items() for column, text in _cell(str(lang), value).items()}
        for family, values in wide.iterrows()
    ]


def _cell(lang: str, value: float) -> dict[str, str]:
    return {lang: f"{value:.2f}", lang + PAPER: ""}


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
