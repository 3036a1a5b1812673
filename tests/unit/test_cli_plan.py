"""`modtok plan`, as a person types it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from modtok.cli import app
from modtok.core.errors import UserError
from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.loading import load
from modtok.tokenization.subtokenizer import load_subtokenizer
from small_tokenizers import train_sequential


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer of two languages."""
    folder = tmp_path_factory.mktemp("sequential")
    return train_sequential(folder, ("fr", "el"), Settings(600, 2, 1))


def run(*options: str | Path) -> str:
    """Standard output; errors of the command are raised."""
    command = ["plan", *map(str, options)]
    result = CliRunner().invoke(app, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def planned(*options: str | Path) -> list[dict]:
    return json.loads(run(*options, "--format", "json"))


def test_the_example_of_its_help() -> None:
    rows = planned("--model", "d=3072,layers=22", "--vocabulary", "256000,24000")
    assert [(row["vocabulary"], row["embeddings"], row["parameters"]) for row in rows] == [
        ("256000", "untied", 4_064_418_816),
        ("256000", "tied", 3_277_986_816),
        ("24000", "untied", 2_639_010_816),
        ("24000", "tied", 2_565_282_816),
    ]
    assert [round(row["parameters_saved_percent"], 1) for row in rows] == [0, 0, 35.1, 21.7]


def test_the_cut_of_the_second_document() -> None:
    cut = planned("--model", "d=4096,layers=32", "--vocabulary", "151643,32000")[2]
    assert (cut["output_saved"], round(cut["output_saved_percent"], 1)) == (490_057_728, 78.9)


def test_all_models_of_the_table_where_none_is_named() -> None:
    assert {row["model"] for row in planned("--vocabulary", "100")} == {"0.5B", "1B", "2.5B", "7B", "30B"}


def test_the_table_says_what_is_saved_and_the_tsv_holds_plain_numbers() -> None:
    options = [
        "--model",
        "0.5B",
        "--vocabulary",
        "2000",
        "--vocabulary",
        "1000",
        "--tokens",
        "161,101",
        "--numbers",
        "float32",
    ]
    table = run(*options)
    assert "1,536,000 (-50.0 %)" in table
    assert "22.3 MB (-37.3 %)" in table
    header, *lines = run(*options, "--format", "tsv").splitlines()
    row = dict(zip(header.split("\t"), lines[2].split("\t"), strict=True))
    assert (row["size"], row["tokens"], row["output_saved"]) == ("1000", "101", "1536000")
    assert int(row["weights_bytes"]) == 4 * int(row["parameters"])


def test_tokenizers_and_languages_of_modular_ones_count_a_document(trained, repository) -> None:
    document = repository / "tests/smoke/text/fr.txt"
    names = f"{trained},{trained}+fr,{trained}+fr+el"
    full, one, two = planned("--model", "0.5B", "--vocabulary", names, "--document", document)[::2]
    text = document.read_text()
    assert full["size"] == load(trained).vocabulary_size
    assert (one["size"], two["size"]) == (604, load_subtokenizer(trained, ["fr", "el"]).vocabulary_size)
    for row, langs in ((one, ["fr"]), (two, ["fr", "el"])):
        lines = text.splitlines(keepends=True)
        assert row["tokens"] == load_subtokenizer(trained, langs).count_batch(lines).sum()
        assert row["kv_cache_bytes"] == 2 * 18 * 1536 * row["tokens"] * 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--vocabulary", "1e5"], "vocabulary 1e5: no such tokenizer; give a number of tokens"),
        (["--vocabulary", "0"], "vocabulary 0: give 1 to"),
        (["--vocabulary", ","], "--vocabulary: name at least one"),
        (["--vocabulary", "10", "--document", __file__], "a number cannot count a document's tokens"),
        (["--vocabulary", "10,20", "--tokens", "1,2,3"], "--tokens: 3 numbers for 2 vocabularies"),
        (["--vocabulary", "10", "--tokens", "0"], "--tokens 0: give numbers from 1"),
        (["--vocabulary", "10", "--model", "9B"], "no model '9B' in models.tsv"),
    ],
)  # fmt: skip
def test_errors_say_what_to_give(options: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        run(*options)


def test_a_document_that_is_no_text_is_named(trained, tmp_path) -> None:
    (tmp_path / "broken.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(UserError, match=r"broken.txt: not UTF-8 .* at byte 3"):
        run("--vocabulary", trained, "--document", tmp_path / "broken.txt")
    (tmp_path / "empty.txt").write_bytes(b"")
    with pytest.raises(UserError, match=r"empty.txt: no text to count"):
        run("--vocabulary", trained, "--document", tmp_path / "empty.txt")
