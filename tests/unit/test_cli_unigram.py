"""The commands that train Unigram tokenizers, as a person types them."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from modtok.cli import app
from modtok.cli_unigram import merged_unigram
from modtok.core.errors import ConfigError, DataError, UserError
from modtok.tokenization.merged_unigram import merge_unigrams
from modtok.tokenization.modular import Modular
from modtok.tokenization.word_counts import count_files

LANGUAGES = ("fr", "fi")


@pytest.fixture(scope="module")
def counted(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("counts")
    for lang in LANGUAGES:
        count_files([repository / f"tests/smoke/text/{lang}.txt"], "whitespace", folder / f"{lang}.parquet")
    return {lang: folder / f"{lang}.parquet" for lang in LANGUAGES}


def counts_of(counted: dict[str, Path]) -> list[str]:
    return [part for lang, path in counted.items() for part in ("--counts", f"{lang}={path}")]


def run(*command: str | Path) -> str:
    """Standard output; errors of the command are raised."""
    result = CliRunner().invoke(app, [str(part) for part in command], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def trained(counted: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A monolingual tokenizer of each language."""
    folders = {lang: tmp_path_factory.mktemp(lang) for lang in LANGUAGES}
    for lang, folder in folders.items():
        run("train", "unigram", "--counts", f"{lang}={counted[lang]}", "--budget", "600", "--out", folder)
    return folders


def test_merging_trained_tokenizers_is_as_training_them_inside(counted, trained, tmp_path):
    merge = ["train", "merged-unigram", *counts_of(counted), "--budget", "600", "--iterations", "3"]
    taken = [part for lang, folder in trained.items() for part in ("--trained", f"{lang}={folder}")]
    output = run(*merge, "--out", tmp_path / "inside")
    run(*merge, *taken, "--out", tmp_path / "taken")
    for name in ("tokenizer.json", "tokenizer.model", "modules.json"):
        assert (tmp_path / "inside" / name).read_bytes() == (tmp_path / "taken" / name).read_bytes()
    curve = [float(value) for value in output.rpartition("log-likelihood ")[2].split()]
    assert len(curve) == 3
    assert curve == sorted(curve)
    modules = Modular.load(tmp_path / "inside").modules
    assert {lang: len(ids) for lang, ids in modules.items()} == dict.fromkeys(LANGUAGES, 604)


def test_the_same_bytes_for_any_threads_and_hash_seed(counted, trained, tmp_path):
    files = []
    for threads in ("1", "3"):
        command = ["-m", "modtok", "train", "merged-unigram", *counts_of(counted), "--budget", "600"]
        taken = [part for lang, folder in trained.items() for part in ("--trained", f"{lang}={folder}")]
        end = ["--threads", threads, "--out", str(tmp_path / threads)]
        environment = {**os.environ, "PYTHONHASHSEED": threads}
        subprocess.run([sys.executable, *command, *taken, *end], check=True, env=environment)
        written = sorted((tmp_path / threads).iterdir())
        files.append({f.name: f.read_bytes() for f in written if "provenance" not in f.name})
    assert files[0] == files[1]
    assert list(files[0]) == ["modules.json", "tokenizer.json", "tokenizer.model", "tokenizer_config.json"]


def test_frequency_extraction_trains_or_takes_the_joint_tokenizer(counted, tmp_path):
    extract = ["train", "frequency-unigram", *counts_of(counted), "--budget", "400"]
    run("train", "unigram", *counts_of(counted), "--budget", "900", "--out", tmp_path / "joint")
    run(*extract, "--joint", tmp_path / "joint", "--out", tmp_path / "taken")
    run(*extract, "--joint-size", "900", "--out", tmp_path / "inside")
    for name in ("tokenizer.json", "tokenizer.model", "modules.json"):
        assert (tmp_path / "inside" / name).read_bytes() == (tmp_path / "taken" / name).read_bytes()
    joint = (tmp_path / "joint" / "tokenizer.json").read_bytes()
    assert (tmp_path / "taken" / "tokenizer.json").read_bytes() == joint
    modules = json.loads((tmp_path / "taken" / "modules.json").read_text())
    assert modules["order"] == list(LANGUAGES)
    assert {len(ids) for ids in modules["languages"].values()} == {404}


def test_a_tokenizer_is_not_written_over_the_one_it_is_made_from(counted, trained, tmp_path):
    run("train", "unigram", *counts_of(counted), "--budget", "900", "--out", tmp_path)
    before = (tmp_path / "tokenizer.json").read_bytes()
    for kind, option in (("frequency-unigram", "--joint"), ("merged-unigram", "--trained")):
        value = tmp_path if option == "--joint" else f"fr={tmp_path}"
        with pytest.raises(UserError, match="holds what is read"):
            run("train", kind, *counts_of(counted), "--budget", "900", option, value, "--out", tmp_path)
    assert (tmp_path / "tokenizer.json").read_bytes() == before


def test_words_that_sentencepiece_cannot_read_are_counted(tmp_path):
    (tmp_path / "counts.tsv").write_text("common\t90\n\u2581\t7\n\\t\t3\n", encoding="utf-8")
    counts = f"xx={tmp_path / 'counts.tsv'}"
    output = run("train", "unigram", "--counts", counts, "--budget", "260", "--out", tmp_path / "xx")
    assert "2 words cannot pass SentencePiece's TSV: left out" in output


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (["merged-unigram", "--trained", "de=x"], ConfigError, "--trained de: a language without --counts"),
        (["merged-unigram", "--trained", "fr={fr}", "--budget", "300"], ConfigError, "600 tokens, more than"),
        (["frequency-unigram"], ConfigError, "give one of --joint and --joint-size"),
        (["frequency-unigram", "--joint", "{fr}", "--joint-size", "9"], ConfigError, "give one of"),
        (["frequency-unigram", "--joint", "{fr}", "--budget", "256"], ConfigError, "byte tokens alone"),
    ],
)
def test_faulty_options_are_named(counted, trained, tmp_path, options, error, message):
    budget = [] if "--budget" in options else ["--budget", "600"]
    given = [option.format(fr=trained["fr"]) for option in options]
    with pytest.raises(error, match=message):
        run("train", *given, *budget, *counts_of(counted), "--out", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_trained_tokenizer_that_cuts_text_in_another_way_is_refused(trained, tmp_path):
    (tmp_path / "fr.tsv").write_text(" word\t90\n", encoding="utf-8")
    options = ["--counts", f"fr={tmp_path / 'fr.tsv'}", "--pretokenization", "gpt2", "--budget", "600"]
    with pytest.raises(DataError, match="cuts text by 'whitespace', the word counts were cut by 'gpt2'"):
        run(
            "train", "merged-unigram", *options, "--trained", f"fr={trained['fr']}", "--out", tmp_path / "out"
        )


def test_command_library_and_config_have_the_same_defaults(repository):
    config = yaml.safe_load((repository / "config" / "config.yaml").read_text(encoding="utf-8"))
    em = config["tokenizers"]["em"]
    for function in (merged_unigram, merge_unigrams):
        defaults = {name: p.default for name, p in inspect.signature(function).parameters.items()}
        assert {key: defaults[key] for key in em} == em
