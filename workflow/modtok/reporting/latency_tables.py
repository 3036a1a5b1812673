"""Tables of forward times by tokenizer and model: Table 3, and the full grid of Appendix F."""

import pandas as pd

from modtok.core.errors import ConfigError, require
from modtok.core.tokenizer_names import extracted_family
from modtok.reporting import paper
from modtok.reporting.items import ITEMS
from modtok.reporting.latency import SEQUENTIAL, Latency, spread
from modtok.reporting.rendering import PAPER, Table
from modtok.reporting.run import Run

EXTRACTED = extracted_family(SEQUENTIAL)
ALL = "all"
ABOUT = "~"
"stands before a figure that is predicted alone"


def table_3(metrics: pd.DataFrame, run: Run) -> Table:
    """Table 3: forward time over the monolingual tokenizer's, by model.

    Extracted tokenizers are one row, from the least of all languages to the greatest.
    """
    found = Latency("table_3", metrics, run)
    require(EXTRACTED in found.families(), f"table_3: the run has no {SEQUENTIAL}", ConfigError)
    langs = [lang for lang in ITEMS["table_3"].shown(run.languages) if lang in found.langs] or found.langs
    rows = [_row(found, family, lang) for family in found.families() if family != EXTRACTED for lang in langs]
    return Table.of([*rows, _extracted(found)])


def _named(found: Latency, family: str, lang: str) -> dict[str, str]:
    size = max(found.size(tokenizer) for tokenizer, _ in found.of_family(family))
    return {"tokenizer": found.run.title(family), "size": str(size), "language": lang}


def _row(found: Latency, family: str, lang: str) -> dict[str, str]:
    row = _named(found, family, lang)
    for model in found.models:
        ratio = found.ratio(model, found.member(family, lang), lang)
        row[model] = f"{'' if ratio.measured else ABOUT}{ratio.value:.2f}"
        row[model + PAPER] = paper.forward_ratio(family, lang, model, found.run)
    return row


def _extracted(found: Latency) -> dict[str, str]:
    """One row for all languages: the least and the greatest ratio."""
    row = _named(found, EXTRACTED, ALL)
    for model in found.models:
        ratios = [found.ratio(model, tokenizer, lang) for tokenizer, lang in found.of_family(EXTRACTED)]
        about = "" if all(ratio.measured for ratio in ratios) else ABOUT
        row[model] = about + spread([ratio.value for ratio in ratios])
        row[model + PAPER] = paper.forward_ratio(EXTRACTED, ALL, model, found.run)
    return row


def table_3_full(metrics: pd.DataFrame, run: Run) -> Table:
    """Appendix F: every tokenizer on every language that was timed, measured and predicted side by side.

    A model of which nothing was measured has its predictions alone.
    """
    found = Latency("table_3_full", metrics, run)
    rows = [_full_row(found, family, lang) for family in found.families() for lang in found.langs]
    filled = tuple(column for column in rows[0] if any(row[column] for row in rows))
    return Table(filled, tuple({column: row[column] for column in filled} for row in rows))


def _full_row(found: Latency, family: str, lang: str) -> dict[str, str]:
    tokenizer = found.member(family, lang)
    row = {**_named(found, family, lang), "size": str(found.size(tokenizer))}
    for model in found.models:
        ratio = found.ratio(model, tokenizer, lang)
        row[model] = f"{ratio.value:.2f}" if ratio.measured else ""
        row[f"{model} predicted"] = f"{found.predicted(model, tokenizer, lang):.2f}"
    return row
