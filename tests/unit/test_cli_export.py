"""`modtok extract --model` and `modtok insert`, as a person types them."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, LlamaForCausalLM
from typer.testing import CliRunner

from modtok.cli import app
from modtok.core.errors import UserError
from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.modular import Modular
from small_tokenizers import train_sequential

WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `tokenizer` of two languages, and `model` over it."""
    folder = tmp_path_factory.mktemp("full")
    train_sequential(folder / "tokenizer", ("fr", "el"), Settings(400))
    torch.manual_seed(1)
    shape = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=Modular.load(folder / "tokenizer").size, **shape)
    LlamaForCausalLM(config).save_pretrained(folder / "model")
    return folder


def run(*command: str | Path) -> str:
    """Standard output; errors of the command are raised."""
    result = CliRunner().invoke(app, list(map(str, command)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def extracted(folder: Path, out: Path, *options: str) -> str:
    model = folder / "model"
    return run("extract", folder / "tokenizer", "--langs", "fr", "--model", model, "--out", out, *options)


def test_a_model_is_taken_out_verified_and_put_back(folder: Path, tmp_path: Path) -> None:
    part, planned = tmp_path / "fr", 404 * 16 * 2 + 4 * 16 * 16 + 3 * 16 * 24 + 3 * 16
    said = extracted(folder, part, "--verify")
    assert f"{part}: {planned:,} parameters, {4 * planned:,} bytes of weights" in said
    assert "404 tokens" in said
    assert "logits agree bit for bit over 4 and 16 positions" in said
    for name in ("tokenizer.json", "config.json"):
        record = json.loads((part / f"{name}.provenance.json").read_text())
        assert record["settings"] == {"langs": ["fr"]}
    learned = {name: tensor + 1 for name, tensor in load_file(part / WEIGHTS).items()}
    save_file(learned, part / WEIGHTS, {"format": "pt"})
    run("insert", part, "--model", folder / "model", "--out", tmp_path / "new")
    embedding = load_file(tmp_path / "new" / WEIGHTS)["model.embed_tokens.weight"]
    changed = (embedding != load_file(folder / "model" / WEIGHTS)["model.embed_tokens.weight"]).any(1)
    assert changed.nonzero().flatten().tolist() == Modular.load(folder / "tokenizer").ids(["fr"]).tolist()


@pytest.mark.parametrize("before", [{}, {"tokenizer.json": "{}", "notes.txt": "mine"}], ids=["new", "there"])
def test_failed_verifying_writes_nothing(before: dict[str, str], folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "broken")
    weights = load_file(folder / "model" / WEIGHTS)
    weights["model.norm.weight"][0] = float("nan")
    save_file(weights, tmp_path / "broken" / "model" / WEIGHTS, {"format": "pt"})
    part = tmp_path / "fr"
    for name, text in before.items():
        part.mkdir(exist_ok=True)
        (part / name).write_text(text)
    with pytest.raises(UserError, match="model: its logits, or its part's, are no numbers; see its weights"):
        extracted(tmp_path / "broken", part, "--verify")
    assert part.exists() == bool(before)
    assert {file.name: file.read_text() for file in part.glob("*")} == before


def test_the_same_bytes_each_time(folder: Path, tmp_path: Path) -> None:
    for out in ("once", "twice"):
        extracted(folder, tmp_path / out)
    for file in (tmp_path / "once").iterdir():
        if not file.name.endswith(".provenance.json"):
            assert file.read_bytes() == (tmp_path / "twice" / file.name).read_bytes()


def test_a_model_that_is_read_keeps_its_tokenizer(folder: Path, tmp_path: Path) -> None:
    extracted(folder, tmp_path / "fr")
    before = {file.name: file.read_bytes() for file in (tmp_path / "fr").iterdir()}
    command = ["extract", folder / "tokenizer", "--langs", "fr", "--out", tmp_path / "fr"]
    with pytest.raises(UserError, match="holds what is read"):
        run(*command, "--model", tmp_path / "fr")
    with pytest.raises(UserError, match="holds other weights, such as"):
        run(*command)
    assert {file.name: file.read_bytes() for file in (tmp_path / "fr").iterdir()} == before


def test_errors_come_before_anything_is_written(folder: Path, tmp_path: Path) -> None:
    command = ["extract", folder / "tokenizer", "--out", tmp_path / "out", "--langs"]
    with pytest.raises(UserError, match="--verify: no model to verify; give --model"):
        run(*command, "fr", "--verify")
    with pytest.raises(UserError, match="no such language: fi; the tokenizer has fr, el"):
        run(*command, "fi", "--model", folder / "model")
    with pytest.raises(UserError, match=r"no model, it has no config\.json"):
        run(*command, "fr", "--model", folder / "tokenizer")
    with pytest.raises(UserError, match=r"no full_ids\.npy"):
        run("insert", folder / "model", "--model", folder / "model", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
