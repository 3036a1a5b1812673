"""From modular tokenizers to claims through the steps, as the rules call them."""

from pathlib import Path

import numpy as np
import pytest

from modtok.core.io import read_tsv
from modtok.evaluation.subtokenizer_counts import read_subtokenizer_counts
from modtok.steps import (
    claims,
    count_combinations,
    count_subtokenizers,
    count_tokens,
    find_rank_conflict,
    measure_combinations,
    measure_compression,
)
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.hf_format import write_tokenizer
from modtok.tokenization.sequential_bpe import SequentialBPE
from modtok.tokenization.word_count_files import WordCounts

WORDS = {
    "en": WordCounts([" the", " then", " sea", " seas"], np.array([9, 5, 4, 3])),
    "fi": WordCounts([" ensi", " sen", " nyt", " seat"], np.array([8, 6, 5, 2])),
}
CODES = {"en": "eng_Latn", "fi": "fin_Latn"}
LANGS = ["--langs", *(f"{lang}={code}" for lang, code in CODES.items())]
PARALLEL = ["--parallel", "set=set", "other=other"]
RESAMPLES = ["--bootstrap", "20", "--seed", "1"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two orders of sequential BPE, the monolingual tables, and their token counts."""
    monkeypatch.chdir(tmp_path)
    Path("set").mkdir()
    Path("other").mkdir()
    Path("other/fin_Latn.test").write_text("nyt seat\n")
    Path("set/eng_Latn.devtest").write_text(" the sea then\nthe seas\n")
    Path("set/fin_Latn.devtest").write_text(" sen seat\nnyt ensi then\n")
    for number, order in enumerate([["en", "fi"], ["fi", "en"]], 1):
        growing = SequentialBPE.empty("bytes", "whitespace")
        for lang in order:
            growing.add(lang, WORDS[lang], Settings(262))
        growing.write(Path(f"order{number}"))
    for lang, counts in WORDS.items():
        write_tokenizer(Path(f"mono-{lang}"), train_bpe(counts, budget=262).tokenizer_json("whitespace"))
        count_tokens.main([
            "--name", f"mono-bpe-{lang}", "--tokenizer", f"mono-{lang}/tokenizer.json", *PARALLEL,
            "--langs", f"{lang}={CODES[lang]}", "--out", f"mono-{lang}.parquet",
        ])  # fmt: skip
    return tmp_path


def tables(*langs: str) -> list[str]:
    return ["--tables", *(f"{lang}=mono-{lang}/tokenizer.json" for lang in langs)]


def measure() -> None:
    for number, order in enumerate([["en", "fi"], ["fi", "en"]], 1):
        count_combinations.main([
            "--order", str(number), "--sequential", f"order{number}/tokenizer.json", *tables(*order),
            *PARALLEL, *LANGS, "--at-most", "all", "1", "1", "--seed", "1", "--out", f"order{number}.parquet",
        ])  # fmt: skip
    monolingual = ["mono-en.parquet", "mono-fi.parquet"]
    measure_combinations.main([
        "--counts", "order1.parquet", "order2.parquet", "--references", *monolingual,
        "--datasets", "set", "other", *RESAMPLES, "--out", "combinations.tsv",
    ])  # fmt: skip
    count_subtokenizers.main([
        "--name", "sequential-bpe", "--tokenizer", "order1/tokenizer.json", *PARALLEL, *LANGS,
        "--out", "sequential.parquet",
    ])  # fmt: skip
    counted = ["--token-counts", *monolingual, "--subtokenizer-counts", "sequential.parquet"]
    measure_compression.main([*counted, *PARALLEL, *LANGS, *RESAMPLES, "--out", "compression.tsv"])
    claims.main([
        *counted, "--combinations", "combinations.tsv", "--datasets", "set", "other", *RESAMPLES,
        "--out", "claims.tsv",
    ])  # fmt: skip


def test_the_steps_lead_to_metrics_and_claims(run: Path) -> None:
    measure()
    combinations = read_tsv(Path("combinations.tsv"))
    names = {row["tokenizer"] for row in combinations}
    assert {"sequential-bpe-order2+fi+en", "concatenated-bpe-order1+en+fi", "sequential-bpe+2"} <= names
    of_one = [row for row in combinations if row["tokenizer"] == "concatenated-bpe-order1+fi"]
    assert [row["value"] for row in of_one] == ["1.0"] * 2, "of one language it is the reference itself"
    compression = read_tsv(Path("compression.tsv"))
    found = {(row["tokenizer"], row["metric"]) for row in compression if row["lang"] == "fi"}
    assert {("sequential-bpe+fi", "nsl"), ("sequential-bpe", "foreign_tokens")} <= found
    assert [(row["dataset"], row["claim"]) for row in read_tsv(Path("claims.tsv"))] == [
        *(("set", claim) for claim in ("1", "3 (2)", "3 (2)", "4", "7")),
        *(("other", claim) for claim in ("1", "3 (2)", "3 (2)", "4", "7")),
    ]


def test_the_same_inputs_give_the_same_bytes(run: Path) -> None:
    outputs = ["combinations.tsv", "compression.tsv", "claims.tsv", "sequential.parquet", "order1.parquet"]
    measure()
    first = [Path(name).read_bytes() for name in outputs]
    measure()
    assert [Path(name).read_bytes() for name in outputs] == first


def test_combinations_are_concatenated_in_the_given_order(run: Path) -> None:
    measure()
    names = [one.tokenizer for one in read_subtokenizer_counts(Path("order2.parquet"))]
    expected = ["order2+en", "order2+fi", "order2+fi+en"]
    methods = ("sequential-bpe", "concatenated-bpe")
    assert names == [f"{method}-{rest}" for method in methods for rest in expected]


def test_the_example_of_a_conflict_is_written(run: Path) -> None:
    options = ["--sequential", "order1/tokenizer.json", *tables("en", "fi"), *PARALLEL, *LANGS]
    find_rank_conflict.main([*options, "--out", "conflict.tsv"])
    assert Path("conflict.tsv").read_text().startswith("tokenizer\tstep\tpieces\n")


@pytest.mark.parametrize(
    "step", [claims, count_combinations, count_subtokenizers, find_rank_conflict, measure_combinations]
)
def test_a_missing_option_is_a_usage_error(step: object, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        step.main([])  # type: ignore[attr-defined]
    assert stopped.value.code == 2
    assert "the following arguments are required" in capsys.readouterr().err
