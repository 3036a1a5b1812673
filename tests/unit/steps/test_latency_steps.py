"""From tokenizers to forward times and their tables through the steps, as the rules call them."""

from pathlib import Path

import numpy as np
import pytest

from modtok.core.io import read_tsv
from modtok.evaluation.subtokenizer_counts import read_subtokenizer_counts
from modtok.steps import count_reduced, count_subtokenizers, count_tokens, figure, measure_latency, table
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.hf_format import write_tokenizer
from modtok.tokenization.sequential_bpe import SequentialBPE
from modtok.tokenization.word_count_files import WordCounts

WORDS = {
    "en": WordCounts([" the", " then", " sea", " seas"], np.array([9, 5, 4, 3])),
    "fi": WordCounts([" ensi", " sen", " nyt", " seat"], np.array([8, 6, 5, 2])),
    "fr": WordCounts([" le", " les", " dans", " mer"], np.array([9, 6, 5, 2])),
}
CODES = {"en": "eng_Latn", "fi": "fin_Latn", "fr": "fra_Latn"}
LINES = {
    "en": " the sea then\nthe seas\nthen\n",
    "fi": " sen seat\nnyt ensi then\nsen\n",
    "fr": "le mer\n les mer dans\ndans\n",
}
LANGS = ["--langs", *(f"{lang}={code}" for lang, code in CODES.items())]
PARALLEL = ["--parallel", "set=set"]
REPORT = [
    "--langs", "en=English", "fi=Finnish", "fr=French",
    "--tokenizers", *(f"mono-bpe-{lang}" for lang in CODES), "sequential-bpe", "sequential-bpe+lang",
    "--dataset", "set", "--budget", "262",
]  # fmt: skip


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tokenizers of three languages and their token counts."""
    monkeypatch.chdir(tmp_path)
    Path("set").mkdir()
    growing = SequentialBPE.empty("bytes", "whitespace")
    for lang, counts in WORDS.items():
        Path(f"set/{CODES[lang]}.devtest").write_text(LINES[lang])
        growing.add(lang, counts, Settings(262))
        folder = Path(f"mono-bpe-{lang}")
        write_tokenizer(folder, train_bpe(counts, budget=262).tokenizer_json("whitespace"))
        count_tokens.main([
            "--name", folder.name, "--tokenizer", f"{folder}/tokenizer.json", *PARALLEL,
            "--langs", f"{lang}={CODES[lang]}", "--out", f"{lang}.parquet",
        ])  # fmt: skip
    growing.write(Path("sequential-bpe"))
    count_subtokenizers.main([
        "--name", "sequential-bpe", "--tokenizer", "sequential-bpe/tokenizer.json", *PARALLEL, *LANGS,
        "--out", "sequential.parquet",
    ])  # fmt: skip
    count_reduced.main([
        "--modular", "sequential-bpe/tokenizer.json",
        "--monolingual", *(f"mono-bpe-{lang}/tokenizer.json" for lang in CODES),
        "--joint", "--sizes", "259", "9000", *PARALLEL, *LANGS, "--out", "reduced.parquet",
    ])  # fmt: skip
    return tmp_path


def measure(*timed: str) -> list[dict[str, str]]:
    measure_latency.main([
        "--token-counts", "en.parquet", "fi.parquet", "fr.parquet",
        "--subtokenizer-counts", "sequential.parquet", "reduced.parquet",
        "--models", "tiny=d=16,layers=1,heads=2", "0.5B=d=1536,layers=18", "--timed", *timed,
        "--dataset", "set", "--langs", *CODES, "--lines", "2", "--rounds", "2", "--hours", "1",
        "--seed", "1", "--threads", "1", "--out", "latency.tsv",
    ])  # fmt: skip
    return read_tsv(Path("latency.tsv"))


def test_smaller_vocabularies_are_counted(run: Path) -> None:
    sizes = {one.tokenizer: one.vocabulary_size for one in read_subtokenizer_counts(Path("reduced.parquet"))}
    unions = {"sequential-bpe+en+fi", "sequential-bpe+fi+fr", "sequential-bpe+fr+en"}
    assert set(sizes) == {*(f"mono-bpe-{lang}-259" for lang in CODES), *unions}
    assert sizes["mono-bpe-fi-259"] == 263


def test_one_model_is_timed_and_the_other_predicted(run: Path) -> None:
    rows = measure("tiny")
    kinds = {(row["model"], row["metric"]) for row in rows}
    assert kinds == {
        ("tiny", "forward_seconds"), ("tiny", "forward_ratio"),
        ("tiny", "forward_ratio_predicted"), ("0.5B", "forward_ratio_predicted"),
    }  # fmt: skip
    assert {row["n"] for row in rows} == {"2"}
    assert {row["device"] for row in rows} >= {""}
    assert all(float(row["low"]) <= float(row["value"]) <= float(row["high"]) for row in rows if row["low"])


def test_what_is_not_timed_has_the_same_bytes_each_time(run: Path) -> None:
    measure()
    first = Path("latency.tsv").read_bytes()
    measure()
    assert Path("latency.tsv").read_bytes() == first


def test_tables_and_figures_are_made_of_it(run: Path) -> None:
    measure("tiny")
    for item in ("table_3", "table_3_full"):
        files = [part for kind in ("tsv", "md", "tex") for part in (f"--{kind}", f"{item}.{kind}")]
        table.main(["--item", item, "--inputs", "latency.tsv", *REPORT, *files])
    rows = read_tsv(Path("table_3.tsv"))
    assert [row["language"] for row in rows] == ["en", "all"]
    assert all(row["0.5B"].startswith("~") and not row["tiny"].startswith("~") for row in rows)
    for item in ("figure_1", "figure_latency"):
        files = [part for kind in ("pdf", "svg", "png") for part in (f"--{kind}", f"{item}.{kind}")]
        figure.main(["--item", item, "--inputs", "latency.tsv", *REPORT, *files])
        assert Path(f"{item}.svg").read_text().startswith("<?xml")
