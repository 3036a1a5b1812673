"""`modtok export`, as a person types it."""

import json
from pathlib import Path

import pytest
from gguf import GGUFReader
from safetensors.torch import load_file
from typer.testing import CliRunner

from modtok.cli import app
from modtok.core.errors import UserError
from modtok.core.model_shapes import ModelShape
from modtok.modelling.architecture import Architecture
from modtok.tokenization.bpe_training import Settings
from modtok.tokenization.modular import Modular
from small_models import write_drawn
from small_tokenizers import train_sequential


@pytest.fixture(scope="module")
def modular(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train_sequential(
        tmp_path_factory.mktemp("full"), ("fr", "el"), Settings(400), pretokenization="gpt2"
    )


def run(*command: str | Path) -> str:
    """Standard output; errors of the command are raised."""
    result = CliRunner().invoke(app, list(map(str, command)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_token_map_has_the_ids_of_the_languages(modular: Path, tmp_path: Path) -> None:
    out, full = tmp_path / "fr.safetensors", Modular.load(modular)
    said = run("export", "token-map", modular, "--langs", "fr", "--out", out)
    assert said == f"{out}: 404 of {full.size:,} tokens\n"
    assert load_file(out)["t2d"].nonzero().flatten().tolist() == full.ids(["fr"]).tolist()
    assert json.loads((tmp_path / "fr.safetensors.provenance.json").read_text())["settings"] == {
        "langs": ["fr"]
    }


def test_a_language_that_is_not_there_is_named(modular: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such language: de; the tokenizer has fr, el"):
        run("export", "token-map", modular, "--langs", "de", "--out", tmp_path / "de.pt")
    assert list(tmp_path.iterdir()) == []


def test_a_tokenizer_alone_becomes_a_gguf_file(modular: Path, tmp_path: Path) -> None:
    out = tmp_path / "fr.gguf"
    run("extract", modular, "--langs", "fr", "--out", tmp_path / "fr")
    assert run("export", "gguf", tmp_path / "fr", "--out", out) == f"{out}: 404 tokens, no model\n"
    reader = GGUFReader(out)
    assert len(reader.get_field("tokenizer.ggml.tokens").contents()) == 404
    assert reader.get_field("general.name").contents() == "fr"


def test_a_model_goes_with_its_tokenizer(modular: Path, tmp_path: Path) -> None:
    size = Modular.load(modular).size
    architecture = Architecture(ModelShape(16, 1, 2, 2, 24, 12), size, tied=False)
    write_drawn(tmp_path / "model", architecture, 1)
    run("extract", modular, "--langs", "fr", "--model", tmp_path / "model", "--out", tmp_path / "fr")
    said = run("export", "gguf", tmp_path / "fr", "--out", tmp_path / "fr.gguf")
    parameters = architecture.shape.parameters(404, tied=False)
    assert f"404 tokens, {parameters:,} parameters" in said
    found = {tensor.name: tensor.data for tensor in GGUFReader(tmp_path / "fr.gguf").tensors}
    assert found["output.weight"].shape == (404, 16)


def test_cuts_that_llama_cpp_does_not_know_are_refused(tmp_path: Path) -> None:
    tokenizer = train_sequential(tmp_path / "whitespace", ("fr", "el"), Settings(400))
    with pytest.raises(UserError, match="its words are cut at white space"):
        run("export", "gguf", tokenizer, "--out", tmp_path / "fr.gguf")
    assert not (tmp_path / "fr.gguf").exists()


@pytest.mark.parametrize("command", ["token-map", "gguf"])
def test_help_has_an_example(command: str) -> None:
    assert f"modtok export {command}" in run("export", command, "--help")
