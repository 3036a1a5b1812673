"""The commands that train sequential BPE, add languages and take some out, as a person types them."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from modtok.cli import app
from modtok.core.errors import UserError
from modtok.core.io import read_tsv
from modtok.tokenization.modular import Modular
from modtok.tokenization.word_counts import count_files

LANGUAGES = ("fr", "fi", "el")
BUDGET = ["--budget", "600"]


@pytest.fixture(scope="module")
def counted(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("counts")
    for lang in LANGUAGES:
        count_files([repository / f"tests/smoke/text/{lang}.txt"], "whitespace", folder / f"{lang}.parquet")
    return {lang: folder / f"{lang}.parquet" for lang in LANGUAGES}


def counts_of(counted: dict[str, Path], *langs: str) -> list[str]:
    return [part for lang in langs for part in ("--counts", f"{lang}={counted[lang]}")]


def run(*command: str | Path, text: str = "") -> str:
    """Standard output; errors of the command are raised."""
    result = CliRunner().invoke(app, [str(part) for part in command], input=text, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def trained(counted: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer of three languages."""
    folder = tmp_path_factory.mktemp("sequential")
    run("train", "sequential-bpe", *counts_of(counted, *LANGUAGES), *BUDGET, "--out", folder)
    return folder


def test_languages_are_learned_in_the_order_of_their_counts(counted, trained):
    modular = Modular.load(trained)
    assert list(modular.modules) == list(LANGUAGES)
    assert [len(ids) for ids in modular.modules.values()] == [604] * 3
    growth = read_tsv(trained / "growth.tsv")
    assert [row["lang"] for row in growth] == list(LANGUAGES)
    for row in growth:
        spent = [int(row[column]) for column in ("base", "merges", "adopted", "ancestors")]
        assert sum(spent) == 600
    assert growth[-1]["full_vocabulary"] == str(modular.size)


def test_several_files_of_one_language_add_up(counted, tmp_path):
    twice = counts_of(counted, "fr", "fr")
    run("train", "sequential-bpe", *twice, *BUDGET, "--min-frequency", "4", "--out", tmp_path / "twice")
    run("train", "sequential-bpe", *counts_of(counted, "fr"), *BUDGET, "--out", tmp_path / "once")
    for name in ("tokenizer.json", "modules.json"):
        assert (tmp_path / "twice" / name).read_bytes() == (tmp_path / "once" / name).read_bytes()


def test_appending_gives_the_bytes_of_training_at_once(counted, trained, tmp_path):
    two, three = tmp_path / "two", tmp_path / "three"
    run("train", "sequential-bpe", *counts_of(counted, "fr", "fi"), *BUDGET, "--out", two)
    run("append", two, *counts_of(counted, "el"), *BUDGET, "--out", three)
    for name in ("tokenizer.json", "modules.json", "growth.tsv"):
        assert (three / name).read_bytes() == (trained / name).read_bytes()


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_same_bytes_for_any_threads_and_hash_seed(counted, trained, tmp_path, seed):
    command = ["-m", "modtok", "train", "sequential-bpe", *counts_of(counted, *LANGUAGES), *BUDGET]
    end = ["--threads", seed, "--out", str(tmp_path)]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    subprocess.run([sys.executable, *command, *end], check=True, env=environment, stdout=subprocess.DEVNULL)
    names = {path.name for path in tmp_path.iterdir() if "provenance" not in path.name}
    assert names == {"growth.tsv", "modules.json", "tokenizer.json", "tokenizer_config.json"}
    assert all((tmp_path / name).read_bytes() == (trained / name).read_bytes() for name in names)


def test_an_extracted_folder_encodes_as_encode_with_langs_does(trained, tmp_path):
    run("extract", trained, "--langs", "fr,el", "--out", tmp_path)
    text = "une phrase,  <s> Ελληνικά\n\nfin"
    dense = run("encode", tmp_path, text=text)
    full = run("encode", trained, "--langs", "fr,el", text=text)
    full_ids = np.load(tmp_path / "full_ids.npy")
    for ours, mapped in zip(dense.split("\n"), full.split("\n"), strict=True):
        assert [int(full_ids[int(word)]) for word in ours.split()] == [int(word) for word in mapped.split()]
    assert run("decode", tmp_path, text=dense) == text
    assert run("decode", trained, text=full) == text
    assert run("decode", trained, "--langs", "el,fr", text=full) == text


@pytest.fixture(scope="module")
def gpt2_like(counted: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A foreign file: a tokenizer of ours without our special tokens, its ids moved down to 0."""
    folder = tmp_path_factory.mktemp("foreign")
    run("train", "bpe", *counts_of(counted, "el"), *BUDGET, "--out", folder)
    content = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = {text: number - 4 for text, number in content["model"]["vocab"].items() if number > 3}
    content |= {"added_tokens": [], "model": {**content["model"], "vocab": vocabulary}}
    (folder / "tokenizer.json").write_text(json.dumps(content))
    return folder / "tokenizer.json"


def test_languages_are_learned_on_top_of_a_foreign_table(counted, gpt2_like, tmp_path):
    seeded, more = tmp_path / "seeded", tmp_path / "more"
    train = ["train", "sequential-bpe", "--seed-table", gpt2_like, *BUDGET]
    said = run(*train, *counts_of(counted, "fr"), "--out", seeded)
    assert "600 tokens; 0 cannot be reached (seed_unreachable.tsv)" in said
    run("append", seeded, *counts_of(counted, "fi"), *BUDGET, "--out", more)
    run("extract", more, "--langs", "fi", "--out", tmp_path / "fi")
    text = "une phrase,  <s> Ελληνικά\n\nfin"
    for folder in (seeded, more, tmp_path / "fi"):
        assert run("decode", folder, text=run("encode", folder, text=text)) == text
    with pytest.raises(UserError, match="--seed-table goes with --alphabet bytes"):
        run(*train, *counts_of(counted, "fr"), "--alphabet", "characters", "--out", tmp_path / "out")


def test_a_tokenizer_makes_way_for_another(counted, trained, tmp_path):
    """What lies beside the old one would pass for a part of the new one; other files stay."""
    (tmp_path / "notes.txt").write_text("mine")
    run("train", "sequential-bpe", *counts_of(counted, "fr"), *BUDGET, "--out", tmp_path)
    run("extract", trained, "--langs", "fi", "--out", tmp_path)
    run("train", "bpe", *counts_of(counted, "el"), *BUDGET, "--out", tmp_path)
    names = {"notes.txt", "tokenizer.json", "tokenizer.json.provenance.json", "tokenizer_config.json"}
    assert {path.name for path in tmp_path.iterdir()} == names


@pytest.mark.parametrize(
    "command", [["extract", "--langs", "fi"], ["append", "--counts", "xx=absent.tsv", *BUDGET]]
)
def test_a_tokenizer_is_not_written_over_the_one_it_is_made_from(trained, command):
    with pytest.raises(UserError, match=r"holds what is read .*; name another folder"):
        run(command[0], trained, *command[1:], "--out", trained)


def test_a_seed_is_not_written_over_and_is_in_the_provenance(counted, gpt2_like, tmp_path):
    (tmp_path / "seed").mkdir()
    seed = tmp_path / "seed" / "tokenizer.json"
    seed.write_bytes(gpt2_like.read_bytes())
    train = ["train", "sequential-bpe", "--seed-table", seed.parent, *counts_of(counted, "fr"), *BUDGET]
    with pytest.raises(UserError, match="holds what is read"):
        run(*train, "--out", seed.parent)
    assert seed.read_bytes() == gpt2_like.read_bytes()
    run(*train, "--out", tmp_path / "out")
    recorded = json.loads((tmp_path / "out" / "tokenizer.json.provenance.json").read_text())
    assert recorded["settings"]["seed_table"] == str(seed.parent)


def test_tokens_of_a_subtokenizer_join_to_the_text(trained):
    tokens = run("encode", trained, "--langs", "fi", "--tokens", text="kissa istuu\n")
    assert "".join(io.StringIO(tokens).read().replace('" "', "").strip().strip('"')) == "kissaĠistuu"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["extract", "TRAINED", "--langs", "fr,xx"], "no such language: xx; the tokenizer has fr, fi, el"),
        (["extract", "OTHER", "--langs", "fr"], r"not a modular tokenizer, it has no tokenizer\.json"),
        (["append", "OTHER", "--counts", "xx=COUNTS", *BUDGET], "not a modular tokenizer"),
        (["append", "TRAINED", "--counts", "fi=COUNTS", *BUDGET], "the tokenizer has 'fi' already"),
        (["append", "TRAINED", "--counts", "xx=COUNTS", "--budget", "200"], "language 'xx': budget 200"),
        (["append", "TRAINED", "--counts", "xx=EMPTY", *BUDGET], r"language 'xx': .*empty\.tsv: no words"),
        (["append", "TRAINED", "--counts", "xx=NEGATIVE", *BUDGET], "line 1: not a word"),
        (["append", "TRAINED", "--counts", "xx=LATIN", *BUDGET], "line 1: not UTF-8"),
        (["append", "TRAINED", "--counts", "xx=GPT2", *BUDGET], "pre-tokenizations cannot be joined"),
        (
            ["train", "sequential-bpe", "--counts", "COUNTS", *BUDGET],
            r"--counts LANG=PATH: '.*' is not NAME=VALUE",
        ),
    ],
)
def test_a_fault_of_the_user_is_named(counted, trained, repository, tmp_path, command, message):
    (tmp_path / "empty.tsv").write_bytes(b"")
    (tmp_path / "negative.tsv").write_bytes(b"word\t-1\n")
    (tmp_path / "latin.tsv").write_bytes(b"d\xe9j\xe0\t3\n")
    count_files([repository / "tests/smoke/text/fr.txt"], "gpt2", tmp_path / "gpt2.parquet")
    places = {
        "TRAINED": trained,
        "OTHER": tmp_path,
        "COUNTS": counted["fi"],
        "GPT2": tmp_path / "gpt2.parquet",
    }
    places |= {name.upper(): tmp_path / f"{name}.tsv" for name in ("empty", "negative", "latin")}
    for name, path in places.items():
        command = [part.replace(name, str(path)) for part in command]
    with pytest.raises(UserError, match=message):
        run(*command, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
