"""`modtok train concatenated-bpe`, as a person types it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from modtok.cli import app
from modtok.core.errors import ConfigError

FIRST, SECOND = "bc\t9\n", "abc\t9\n"


@pytest.fixture
def counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("xa.tsv").write_text(FIRST)
    Path("xb.tsv").write_text(SECOND)
    return ["--counts", "xa=xa.tsv", "--counts", "xb=xb.tsv"]


def run(*options: str) -> str:
    return CliRunner().invoke(app, ["train", *options], catch_exceptions=False).output


@pytest.mark.filterwarnings("ignore:the corpus ran out")
def test_tables_are_trained_concatenated_and_reported(counts: list[str]) -> None:
    output = run("concatenated-bpe", *counts, "--budget", "258", "--out", "both")
    assert "xb: 262 tokens, 1 of them unreachable" in output
    assert Path("both/unreachable.tsv").read_text() == "lang\ttokens\tunreachable\nxa\t261\t0\nxb\t262\t1\n"
    record = json.loads(Path("both/tokenizer.json.provenance.json").read_text())
    assert sorted(record["inputs"]) == ["xa.tsv", "xb.tsv"]


@pytest.mark.filterwarnings("ignore:the corpus ran out")
def test_trained_tables_are_taken_as_they_are(counts: list[str]) -> None:
    trained = []
    for lang in ("xa", "xb"):
        run("bpe", "--counts", f"{lang}={lang}.tsv", "--budget", "258", "--out", f"mono-{lang}")
        trained += ["--trained", f"{lang}=mono-{lang}"]
    run("concatenated-bpe", *counts, "--budget", "258", "--out", "both")
    run("concatenated-bpe", *counts, *trained, "--budget", "258", "--out", "again")
    assert Path("again/tokenizer.json").read_bytes() == Path("both/tokenizer.json").read_bytes()


def test_a_trained_table_without_counts_is_refused(counts: list[str]) -> None:
    with pytest.raises(ConfigError, match="--trained el: a language without --counts"):
        run("concatenated-bpe", *counts, "--trained", "el=x", "--budget", "258", "--out", "both")
