"""Tables of modular tokenizers, with literal metrics."""

from dataclasses import replace

import pandas as pd
import pytest

from modtok.core.errors import ConfigError, DataError
from modtok.reporting import tables
from modtok.reporting.rendering import Table, show
from modtok.reporting.run import Run, make_run

LOW_RESOURCE = [
    "bg",
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "fr",
    "hr",
    "hu",
    "it",
    "ne",
    "nl",
    "pl",
    "pt",
    "ro",
    "si",
    "sl",
    "so",
    "sw",
    "te",
]
NAMES = ["open-qwen3", "joint-bpe-384000", "sequential-bpe", "sequential-bpe+lang"]
UNIGRAM = ["mono-unigram", "joint-unigram-900", "merged-unigram", "merged-unigram+lang", "frequency-unigram"]


def lines(table: Table) -> list[str]:
    return [" | ".join(table.columns), *(" | ".join(row.values()) for row in table.rows)]


def metric(tokenizer: str, lang: str, name: str, value: float, size: int = 24_004) -> dict[str, object]:
    row = {"tokenizer": tokenizer, "lang": lang, "metric": name, "value": value, "dataset": "flores200"}
    return row | {"vocabulary_size": size}


@pytest.fixture
def low() -> Run:
    tokenizers = [*(f"mono-bpe-{lang}" for lang in LOW_RESOURCE), *NAMES]
    return make_run(dict.fromkeys(LOW_RESOURCE, ""), tokenizers, {"qwen3": "Qwen 3"}, "flores200", 24_000)


@pytest.fixture
def low_metrics() -> pd.DataFrame:
    rows = []
    for lang in LOW_RESOURCE:
        for name, value in {"open-qwen3": 2.0, "joint-bpe-384000": 0.98, "sequential-bpe": 0.97}.items():
            rows += [metric(name, lang, "nsl", value), metric(name, lang, "tokens_per_character", value / 4)]
        for name, value in {f"sequential-bpe+{lang}": 1.02, f"mono-bpe-{lang}": 1.0}.items():
            rows += [metric(name, lang, "nsl", value), metric(name, lang, "tokens_per_character", value / 4)]
    return pd.DataFrame(rows)


def test_table_2_has_the_papers_six_languages_and_both_measures(low_metrics: pd.DataFrame, low: Run) -> None:
    table = tables.table_2(low_metrics, low)
    assert table.columns[3::2] == ("hr", "ne", "si", "so", "sw", "te")
    shown = [[cell.text for cell in row[:4]] for row in show(table).rows]
    assert shown == [
        ["NSL", "Qwen 3", "24k", "2.00 (1.66)"],
        ["NSL", "Joint BPE, 21 languages", "24k", "0.98 (0.92)"],
        ["NSL", "Sequential BPE", "24k", "0.97 (0.95)"],
        ["NSL", "Sequential BPE, extracted", "24k", "1.02 (1.04)"],
        ["tokens per character", "Qwen 3", "24k", "0.50"],
        ["tokens per character", "Joint BPE, 21 languages", "24k", "0.24"],
        ["tokens per character", "Sequential BPE", "24k", "0.24"],
        ["tokens per character", "Sequential BPE, extracted", "24k", "0.26"],
        ["tokens per character", "Monolingual BPE", "24k", "0.25"],
    ]


def test_the_papers_sequential_figures_need_its_languages(low_metrics: pd.DataFrame, low: Run) -> None:
    fewer = replace(low, languages=dict.fromkeys(LOW_RESOURCE[1:], ""))
    sequential = tables.table_2(low_metrics, fewer).rows[2]
    assert (sequential["hr"], sequential["hr_paper"]) == ("0.97", "")


@pytest.fixture
def combinations() -> pd.DataFrame:
    figures = {
        ("sequential-bpe+1", "nsl"): 1.012, ("sequential-bpe+1", "nsl_std"): 0.011,
        ("sequential-bpe+1", "nsl_max"): 1.03, ("concatenated-bpe+1", "nsl"): 1.0,
        ("concatenated-bpe+1", "nsl_std"): 0.0, ("concatenated-bpe+1", "nsl_max"): 1.0,
        ("sequential-bpe+2", "nsl"): 0.996, ("sequential-bpe+2", "nsl_std"): 0.01,
        ("sequential-bpe+2", "nsl_max"): 1.02, ("concatenated-bpe+2", "nsl"): 1.11,
        ("concatenated-bpe+2", "nsl_std"): 0.2, ("concatenated-bpe+2", "nsl_max"): 1.5,
    }  # fmt: skip
    rows = [metric(name, "all", kind, value) for (name, kind), value in figures.items()]
    return pd.DataFrame([*rows, metric("sequential-bpe-order1+el", "el", "nsl", 9.0)])


def test_table_7_shows_mean_spread_and_worst(combinations: pd.DataFrame, run: Run) -> None:
    table = tables.table_7(combinations, run)
    assert table.columns == (
        "model",
        *("1 language", "1 language_paper", "worst of 1"),
        *("2 languages", "2 languages_paper", "worst of 2"),
    )
    assert [list(row.values()) for row in table.rows] == [
        ["Sequential BPE", "1.01 ± 0.01", "1.01 ± 0.01", "1.03", "1.00 ± 0.01", "1.00 ± 0.01", "1.02"],
        ["Concatenated BPE", "1.00 ± 0.00", "1.00 ± 0.00", "1.00", "1.11 ± 0.20", "1.22 ± 0.27", "1.50"],
    ]


def test_table_7_without_combinations_says_what_to_run(combinations: pd.DataFrame, run: Run) -> None:
    with pytest.raises(DataError, match="no combinations on other; run measure_combinations"):
        tables.table_7(combinations, replace(run, dataset="other"))


@pytest.fixture
def unigram() -> tuple[pd.DataFrame, Run]:
    names = [*UNIGRAM, "frequency-unigram+lang", "sequential-bpe"]
    rows = []
    for number, name in enumerate(names):
        taken = name.endswith("+lang")
        for lang in ("el", "en"):
            own = name.replace("+lang", f"+{lang}") if taken else name
            own = f"mono-unigram-{lang}" if name == "mono-unigram" else own
            rows.append(metric(own, lang, "nsl", 1 + number / 10, 900))
            if not taken:
                rows.append(metric(own, lang, "foreign_tokens", number / 100, 900))
        rows.append(metric(name, "all", "nsl", 1 + number / 10, 900))
    run = make_run({"el": "Greek", "en": "English"}, names, {}, "flores200", 900)
    return pd.DataFrame(rows), run


def test_table_11_has_monolingual_joint_merged_and_extracted(unigram: tuple[pd.DataFrame, Run]) -> None:
    assert lines(tables.table_11(*unigram)) == [
        "model | size | el | el_paper | en | en_paper | mean",
        "Monolingual Unigram | 900 | 1.00 |  | 1.00 |  | 1.00",
        "Joint Unigram, 2 languages | 900 | 1.10 |  | 1.10 |  | 1.10",
        "Merged Unigram | 900 | 1.20 |  | 1.20 |  | 1.20",
        "Merged Unigram, extracted | 900 | 1.30 |  | 1.30 |  | 1.30",
    ]


def test_table_12_has_the_source_and_what_is_taken(unigram: tuple[pd.DataFrame, Run]) -> None:
    assert lines(tables.table_12(*unigram))[1:] == [
        "Unigram by frequency | 900 | 1.40 |  | 1.40 |  | 1.40",
        "Unigram by frequency, extracted | 900 | 1.50 |  | 1.50 |  | 1.50",
    ]


def test_table_12_of_a_run_without_joint_tokenizers(unigram: tuple[pd.DataFrame, Run]) -> None:
    metrics, run = unigram
    with pytest.raises(ConfigError, match="set open_tokenizers or joint_sizes"):
        tables.table_12(metrics, replace(run, families=("merged-unigram",)))


def test_table_foreign_is_in_percent(unigram: tuple[pd.DataFrame, Run]) -> None:
    assert lines(tables.table_foreign(*unigram)) == [
        "model | size | el | en",
        "Sequential BPE | 900 | 6.0 | 6.0",
        "Merged Unigram | 900 | 2.0 | 2.0",
        "Unigram by frequency | 900 | 4.0 | 4.0",
    ]


def test_table_claims_prints_figure_and_interval(run: Run) -> None:
    claim = {"dataset": "flores200", "claim": "1", "statement": "close", "figure": "1.0321"}
    claim |= {"low": 1.03, "high": 1.04, "bound": "<= 1.04", "paper": "0.99 to 1.04", "holds": "yes"}
    claim |= {"detail": "highest: hu"}
    without = claim | {"dataset": "ntrex", "claim": "4", "low": float("nan"), "high": float("nan")}
    assert lines(tables.table_claims(pd.DataFrame([claim, without]), run)) == [
        "parallel_set | claim | statement | figure | interval | bound | paper | holds | detail",
        "flores200 | 1 | close | 1.032 | 1.030 to 1.040 | <= 1.04 | 0.99 to 1.04 | yes | highest: hu",
        "ntrex | 4 | close | 1.032 |  | <= 1.04 | 0.99 to 1.04 | yes | highest: hu",
    ]
    with pytest.raises(ConfigError, match="no tokenizer that a claim speaks of"):
        tables.table_claims(pd.DataFrame(), run)
