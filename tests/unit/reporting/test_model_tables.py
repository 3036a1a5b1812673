"""Tables of models, with literal metrics."""

from dataclasses import replace

import pandas as pd
import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.reporting.model_tables import table_23, table_memory
from modtok.reporting.run import Run, make_run

NAMES = [
    "mono-bpe-te",
    "joint-bpe-500",
    "joint-bpe-4000",
    "sequential-bpe",
    "sequential-bpe+lang",
    "open-gemma3",
]
SHAPES = {"1B": 2048, "2.5B": 3072}
PARAMETERS = {"256000": 1000, "24000": 530, "sequential-bpe": 900, "sequential-bpe+lang": 600}
CACHES = {"sequential-bpe+te": 101, "open-gemma3": 161, "joint-bpe-4000": 120, "joint-bpe-500": 400}


@pytest.fixture
def run() -> Run:
    return make_run({"te": "Telugu"}, NAMES, {"gemma3": "Gemma 3"}, "flores200", 24_000)


def row(model: str, metric: str, value: float, tokenizer: str = "", **other: str) -> dict[str, object]:
    base = {"tokenizer": tokenizer, "lang": "all", "dataset": "", "metric": metric, "value": value}
    return base | {"model": model, "embeddings": ""} | other


@pytest.fixture
def memory() -> pd.DataFrame:
    rows = []
    for model, width in SHAPES.items():
        shape = {"layers": 22, "heads": 24, "kv_heads": 24, "hidden": 8192, "body_parameters": 2_491_554_816}
        rows += [row(model, metric, value) for metric, value in {"width": width, **shape}.items()]
        for tokenizer, value in PARAMETERS.items():
            rows.append(row(model, "parameters", value, tokenizer, embeddings="untied"))
            rows.append(row(model, "parameters", value - 300, tokenizer, embeddings="tied"))
        for tokenizer, value in CACHES.items():
            rows.append(row(model, "kv_cache", value, tokenizer, lang="te", dataset="flores200"))
            rows.append(row(model, "kv_cache", 9, tokenizer, lang="te", dataset="ntrex128"))
    return pd.DataFrame(rows)


def test_table_23_has_a_row_for_each_model(memory: pd.DataFrame, run: Run) -> None:
    table = table_23(memory, run)
    assert dict(table.rows[1]) == {
        "model": "2.5B",
        "width": "3072",
        "layers": "22",
        "heads": "24",
        "kv_heads": "24",
        "hidden": "8192",
        "body_parameters": "2491554816",
        "width_paper": "3072",
        "full_untied": "900",
        "full_tied": "600",
        "extracted_untied": "600",
        "extracted_tied": "300",
    }
    assert (table.rows[0]["model"], table.rows[0]["width_paper"]) == ("1B", "")


def test_table_memory_has_the_papers_sizes_then_the_runs_tokenizers_then_caches(
    memory: pd.DataFrame, run: Run
) -> None:
    rows = [dict(row) for row in table_memory(memory, run).rows]
    assert [
        (row["model"], row["reduced"], row["saved_percent"], row["saved_percent_paper"]) for row in rows
    ] == [
        ("1B", "24,000 tokens", "47.0", "47"),
        ("1B", "24,000 tokens", "67.1", "31"),
        ("2.5B", "24,000 tokens", "47.0", "35"),
        ("2.5B", "24,000 tokens", "67.1", "21"),
        ("1B", "Sequential BPE, extracted", "33.3", ""),
        ("1B", "Sequential BPE, extracted", "50.0", ""),
        ("2.5B", "Sequential BPE, extracted", "33.3", ""),
        ("2.5B", "Sequential BPE, extracted", "50.0", ""),
        ("2.5B", "Sequential BPE, extracted", "37.3", "37"),
    ]
    assert rows[-1] | {"measure": "KV-cache, bytes", "full": "Gemma 3", "before": "161"} == rows[-1]
    assert rows[-1]["language"] == "Telugu"


def test_without_gemma_3_the_largest_joint_tokenizer_is_compared_with(memory: pd.DataFrame, run: Run) -> None:
    last = table_memory(memory, replace(run, families=run.families[:-1])).rows[-1]
    assert (last["full"], last["saved_percent"], last["saved_percent_paper"]) == (
        "Joint BPE 4,000",
        "15.8",
        "",
    )


def test_the_papers_cache_stands_beside_its_own_budget_only(memory: pd.DataFrame, run: Run) -> None:
    assert table_memory(memory, replace(run, budget=2000)).rows[-1]["saved_percent_paper"] == ""


def test_what_is_missing_is_named(memory: pd.DataFrame, run: Run) -> None:
    with pytest.raises(
        DataError, match=r"memory.tsv has no kv_cache 2.5B open-gemma3 te; run measure_memory"
    ):
        table_memory(memory[memory["tokenizer"] != "open-gemma3"], run)
    with pytest.raises(ConfigError, match="table_23: the run has no sequential-bpe"):
        table_23(memory, replace(run, families=("mono-bpe",)))
