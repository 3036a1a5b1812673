"""Tables select, pivot, round and stop where a cell is missing."""

from dataclasses import replace

import pandas as pd
import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.reporting import tables
from modtok.reporting.rendering import Table
from modtok.reporting.run import Run


def lines(table: Table) -> list[str]:
    return [" ".join(table.columns), *(" | ".join(row.values()) for row in table.rows)]


def test_table_1_has_open_then_joint_tokenizers_with_the_paper_beside(
    metrics: pd.DataFrame, run: Run
) -> None:
    assert lines(tables.table_1(metrics, run)) == [
        "model size el el_paper en en_paper",
        "Qwen 3 | 151669 | 3.25 | 3.90 | 0.95 | 0.96",
        "custom | 300 | 2.00 |  | 1.50 | ",
        "Joint BPE, 2 languages | 4004 | 1.20 |  | 1.10 | ",
    ]


def test_table_1_keeps_the_order_of_the_paper_and_the_full_one_that_of_the_run(
    metrics: pd.DataFrame, run: Run
) -> None:
    run = replace(run, languages={"en": "English", "el": "Greek"})
    assert tables.table_1(metrics, run).columns[2::2] == ("el", "en")
    assert tables.table_1_full(metrics, run).columns[2::2] == ("en", "el")


def test_table_1_of_a_run_without_the_papers_languages_shows_its_own(metrics: pd.DataFrame, run: Run) -> None:
    greek_as_telugu = metrics.replace({"lang": {"el": "te"}})
    table = tables.table_1(greek_as_telugu, replace(run, languages={"te": "Telugu"}))
    assert [row["te"] for row in table.rows] == ["3.25", "2.00", "1.20"]
    assert [row["te_paper"] for row in table.rows] == ["6.33", "", ""]


def test_table_10_joins_the_monolingual_tokenizers_into_a_row(metrics: pd.DataFrame, run: Run) -> None:
    assert lines(tables.table_10(metrics, run)) == [
        "model size el el_paper en en_paper mean",
        "Monolingual BPE | 24004 | 1.00 |  | 1.00 |  | 1.00",
        "Joint BPE, 2 languages | 4004 | 1.20 |  | 1.10 |  | 1.15",
    ]


def test_missing_cells_are_named(metrics: pd.DataFrame, run: Run) -> None:
    greek = (metrics["lang"] == "el") & (metrics["tokenizer"].isin(["open-qwen3", "joint-bpe-4000"]))
    message = (
        "table_1: no nsl on flores200 for open-qwen3 on el, joint-bpe-4000 on el; .* measure_compression"
    )
    with pytest.raises(DataError, match=message):
        tables.table_1(metrics[~greek], run)


def test_a_run_without_tokenizers_to_show_is_told_what_to_set(metrics: pd.DataFrame, run: Run) -> None:
    with pytest.raises(ConfigError, match="set open_tokenizers or joint_sizes"):
        tables.table_1(metrics, replace(run, families=("mono-bpe",)))


def test_table_vocabulary_does_the_arithmetic_of_the_document(metrics: pd.DataFrame, run: Run) -> None:
    table = tables.table_vocabulary(metrics, run)
    rows = {(row["model"], row["source"]): row for row in table.rows}
    assert rows["Qwen2", "document"] == {
        "model": "Qwen2",
        "source": "document",
        "vocabulary_size": "151643",
        "parameters": "621129728",
        "parameters_paper": "621129728",
        "saved_at_32000": "490057728",
        "saved_at_32000_paper": "490057728",
        "saved_percent": "78.9",
        "saved_percent_paper": "78.9",
    }
    assert [row["parameters"] for row in table.rows[:6]] == [
        "262144000",
        "621129728",
        "529530880",
        "619843584",
        "131072000",
        "524288000",
    ]
    assert rows["Monolingual BPE", "this run"]["parameters"] == str(24_004 * 4096)
    assert rows["Monolingual BPE", "this run"]["saved_at_32000"] == "0"
    assert [row["model"] for row in table.rows[6:]] == [
        "Qwen 3",
        "custom",
        "Joint BPE, 2 languages",
        "Monolingual BPE",
    ]
