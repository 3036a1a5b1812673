"""The tables of surgery: rows by tokenizer and method, the paper's figures beside those of its own case."""

import pandas as pd
import pytest

from modtok.core.errors import ConfigError
from modtok.reporting import surgery_tables
from modtok.reporting.rendering import Table, show
from modtok.reporting.run import Run, make_run

NAMES = [
    "open-gptoss",
    "surgery-guided-open-gptoss",
    "surgery-spared25-open-gptoss",
    "surgery-global-open-gptoss",
]


@pytest.fixture
def run() -> Run:
    return make_run({"en": "English"}, [], {"gptoss": "GPT-OSS"}, "flores200", 24_000)


def metric(name: str, lang: str, kind: str, value: float, dataset: str = "flores200") -> dict[str, object]:
    return {
        "tokenizer": name, "vocabulary_size": 1000, "lang": lang, "dataset": dataset, "metric": kind,
        "value": value, "low": None, "high": None, "unit": "", "n": 9,
    }  # fmt: skip


@pytest.fixture
def metrics() -> pd.DataFrame:
    rows = []
    for number, name in enumerate(NAMES):
        for lang in ("uk", "en"):
            rows += [metric(name, lang, "fertility", 2.6), metric(name, lang, "fertility", 9, "ntrex128")]
            rows += [metric(name, lang, "change", -30.111 - number)] if number else []
            rows += [metric(name, lang, "change", 99, "ntrex128")] if number else []
        rows += [metric(name, "be", "fertility", 3.1, "web")]
        rows += [metric(name, "be", "change", 12.0, "web")] if number else []
        if number:
            figures = {"rows": 1000, "same_id_rows": 770, "inserted": 230, "inserted_unreachable": 23}
            figures |= {"newly_broken": 0, "unreachable_before": 2}
            rows += [metric(name, "vocabulary", kind, value, "vocabulary") for kind, value in figures.items()]
    return pd.DataFrame(rows)


def lines(table: Table) -> list[str]:
    shown = show(table)
    return [" | ".join(shown.headings), *(" | ".join(cell.text for cell in row) for row in shown.rows)]


def test_table_surgery_has_tokens_per_word_before_and_changes_after(metrics: pd.DataFrame, run: Run) -> None:
    assert lines(surgery_tables.table_surgery(metrics, run)) == [
        "Model | Method | Measure | UK | EN | BE",
        "GPT-OSS | before | tokens per word | 2.60 (2.60) | 2.60 (1.26) | 3.10",
        "GPT-OSS | Guided insertion | percent | -31.11 (-36.6) | -31.11 (within 0.05) | +12.00",
        "GPT-OSS | Guided, 25 % of other languages | percent | -32.11 | -32.11 | +12.00",
        "GPT-OSS | Deletion by id | percent | -33.11 | -33.11 (+0.7 to +2.2) | +12.00",
    ]


def test_the_papers_figures_are_those_of_ukrainian(metrics: pd.DataFrame, run: Run) -> None:
    greek = metrics.replace({"lang": {"uk": "el"}})
    assert "(" not in "".join(lines(surgery_tables.table_surgery(greek, run)))
    conflicts = pd.DataFrame(columns=["tokenizer"])
    assert "(" not in "".join(lines(surgery_tables.table_surgery_audit(greek, conflicts, run)))


def test_table_surgery_audit_has_rows_shares_and_an_example(metrics: pd.DataFrame, run: Run) -> None:
    conflict = {
        "tokenizer": NAMES[3], "token": "␣дада", "parts": "␣|дада", "rank": "9", "taken": "␣|\\xd0",
        "taken_rank": "2", "pieces": "␣\\xd0|…",
    }  # fmt: skip
    shown = lines(surgery_tables.table_surgery_audit(metrics, pd.DataFrame([conflict]), run))
    assert shown[1].startswith(
        "GPT-OSS | Guided insertion | 77.0 (77.3) | 230 (45,398) | 23 (0) | 10.0 | 0 (0) | 2 |"
    )
    example = "␣дада: ␣|дада (rank 9) comes after ␣|\\xd0 (rank 2), which leaves ␣\\xd0|…"
    assert shown[3].endswith(f" | 0 | 2 | {example}")


def test_table_surgery_scripts_folds_rare_scripts(run: Run) -> None:
    rows = []
    for name in NAMES[1:]:
        for script, before, freed in (
            ("Latin", 9000, 5),
            ("Cyrillic", 900, 900),
            ("Lao", 3, 1),
            ("Yi", 2, 2),
        ):
            row = {"tokenizer": name, "script": script, "before": before, "freed": str(freed), "after": "0"}
            rows.append(row)
    assert lines(surgery_tables.table_surgery_scripts(pd.DataFrame(rows), run)) == [
        "Model | Script | Before | By script | By id",
        "GPT-OSS | Latin | 9,000 | 5 | 5",
        "GPT-OSS | Cyrillic | 900 | 900 | 900",
        "GPT-OSS | 2 others | 5 | 3 | 3",
    ]


def test_a_run_without_surgery_says_what_to_set(run: Run) -> None:
    columns = ["tokenizer", "vocabulary_size", "lang", "dataset", "metric", "value", "script"]
    nothing = pd.DataFrame(columns=columns)
    for make in (surgery_tables.table_surgery, surgery_tables.table_surgery_scripts):
        with pytest.raises(
            ConfigError, match=r"operates on no tokenizer; name tokenizers in surgery\.tokenizers"
        ):
            make(nothing, run)
