"""The steps of surgery, as rules call them: baselines of a small tokenizer, and what is measured of them."""

import json
from pathlib import Path

import pytest

from modtok.core.errors import ConfigError
from modtok.core.io import read_tsv
from modtok.steps import measure_surgery, surgery_baseline
from modtok.surgery.baselines import METHODS
from modtok.tokenization.bpe import train_bpe
from modtok.tokenization.hf_format import write_tokenizer
from modtok.tokenization.word_count_files import read_counts

WORDS = {
    "bg": ["думите", "на", "езика", "се", "режат", "там", "където", "може", "да", "се", "научи", "думата"],
    "en": ["words", "of", "the", "language", "are", "cut", "there", "where", "it", "can", "learn", "word"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set").mkdir()
    Path("changes.json").write_text(json.dumps({"deleted": [{"id": number} for number in range(14)]}))
    for lang, code in (("bg", "bul_Cyrl"), ("en", "eng_Latn")):
        words = WORDS[lang]
        Path(f"{lang}.tsv").write_text("".join(f" {word}\t{9 - n // 2}\n" for n, word in enumerate(words)))
        Path(f"set/{code}.devtest").write_text(" ".join(words) + "\n" + words[0] + "\n")
    trained = train_bpe(read_counts([Path("bg.tsv"), Path("en.tsv")]), budget=300)
    write_tokenizer(Path("all/x"), trained.tokenizer_json("whitespace"))
    return tmp_path


def operate(method: str, out: str | None = None) -> None:
    surgery_baseline.main([
        "--method", method, "--tokenizer", "all/x/tokenizer.json", "--counts", "bg.tsv",
        "--corpora", "bg=bg.tsv", "en=en.tsv", "--target-script", "Cyrillic",
        "--delete-scripts", "Greek", "--keep-scripts", "Latin", "--changes", "changes.json",
        "--out", out or f"all/surgery-{method}-x",
    ])  # fmt: skip


def test_every_method_that_can_be_chosen_is_there() -> None:
    assert set(surgery_baseline.METHODS) == set(METHODS)


def test_baselines_are_made_and_measured(folder: Path) -> None:
    for method in ("naive", "global"):
        operate(method)
    Path("all/other").mkdir()
    Path("all/other/tokenizer.json").write_text("of no concern")
    measure_surgery.main([
        "--subjects", "x", "--methods", "naive", "global", "--tokenizers", "all", "--target", "bg",
        "--groups", "en", "--parallel", "set=set", "--langs", "bg=bul_Cyrl", "en=eng_Latn",
        "--bootstrap", "20", "--seed", "1",
        "--metrics", "surgery.tsv", "--scripts", "scripts.tsv", "--conflicts", "conflicts.tsv",
    ])  # fmt: skip
    rows = read_tsv(Path("surgery.tsv"))
    assert {row["tokenizer"] for row in rows} == {
        "x",
        *(f"surgery-{m}-x" for m in ("naive", "matched", "global")),
    }
    changes = {
        (row["tokenizer"], row["lang"]): float(row["value"]) for row in rows if row["metric"] == "change"
    }
    assert changes["surgery-naive-x", "en"] == 0
    assert {row["script"] for row in read_tsv(Path("scripts.tsv"))} == {"Cyrillic", "Latin"}
    record = json.loads(Path("surgery.tsv.provenance.json").read_text())
    assert sorted(record["inputs"]) == [
        "surgery-global-x/tokenizer.json",
        "surgery-naive-x/tokenizer.json",
        "x/tokenizer.json",
    ]
    assert Path("all/surgery-naive-x/tokenizer.json.provenance.json").exists()


def test_a_baseline_takes_the_place_of_an_older_tokenizer_and_not_of_what_it_reads(folder: Path) -> None:
    Path("all/surgery-global-x").mkdir()
    Path("all/surgery-global-x/modules.json").write_text("of another tokenizer")
    operate("global")
    assert not Path("all/surgery-global-x/modules.json").exists()
    with pytest.raises(ConfigError, match="all/x: holds what is read"):
        operate("global", out="all/x")
    assert Path("all/x/tokenizer.json").exists()


@pytest.mark.parametrize("step", [measure_surgery, surgery_baseline])
def test_a_missing_option_is_a_usage_error(step: object, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        step.main([])  # type: ignore[attr-defined]
    assert stopped.value.code == 2
    assert "the following arguments are required" in capsys.readouterr().err
