"""GGUF files, read back with the public package."""

import builtins
from pathlib import Path

import numpy as np
import pytest
import torch
from gguf import GGUFReader
from transformers import LlamaConfig, LlamaForCausalLM

from modtok.core.errors import ConfigError, DataError
from modtok.core.model_shapes import ModelShape
from modtok.modelling.architecture import Architecture
from modtok.modelling.export import Checkpoint
from modtok.modelling.gguf_file import _neighbours, write_gguf
from small_models import write_drawn

FIELDS = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.tokens": ["<s>", "Ġa", "é", "Ġaé"],
    "tokenizer.ggml.token_type": [3, 1, 1, 1],
    "tokenizer.ggml.merges": ["Ġa é"],
    "tokenizer.ggml.add_bos_token": True,
    "tokenizer.ggml.bos_token_id": 0,
}
SHAPE = ModelShape(width=16, layers=2, heads=4, kv_heads=2, hidden=24, context=12)


def write_random(folder: Path, tied: bool, size: int = 4) -> Checkpoint:
    return Checkpoint.open(write_drawn(folder, Architecture(SHAPE, size, tied=tied), 7))


def test_a_tokenizers_fields_come_back(tmp_path: Path) -> None:
    write_gguf(tmp_path / "a.gguf", "fr-en", FIELDS)
    reader = GGUFReader(tmp_path / "a.gguf")
    assert {key: reader.get_field(key).contents() for key in FIELDS} == FIELDS
    assert reader.get_field("general.architecture").contents() == "llama"
    assert reader.get_field("general.name").contents() == "fr-en"
    assert reader.tensors == []


@pytest.mark.parametrize("tied", [False, True])
def test_a_model_comes_back(tmp_path: Path, tied: bool) -> None:
    model = write_random(tmp_path / "model", tied)
    write_gguf(tmp_path / "a.gguf", "fr-en", FIELDS, model)
    reader = GGUFReader(tmp_path / "a.gguf")
    theirs = LlamaForCausalLM.from_pretrained(model.folder).state_dict()
    found = {tensor.name: tensor.data for tensor in reader.tensors}
    assert len(found) == 1 + SHAPE.layers * 9 + 1 + (not tied)
    assert np.array_equal(found["token_embd.weight"], theirs["model.embed_tokens.weight"].numpy())
    assert np.array_equal(
        found["blk.1.ffn_down.weight"], theirs["model.layers.1.mlp.down_proj.weight"].numpy()
    )
    assert ("output.weight" in found) == (not tied)
    numbers = {
        "block_count": 2, "embedding_length": 16, "feed_forward_length": 24, "context_length": 12,
        "attention.head_count": 4, "attention.head_count_kv": 2, "rope.dimension_count": 4, "vocab_size": 4,
    }  # fmt: skip
    assert {key: reader.get_field(f"llama.{key}").contents() for key in numbers} == numbers


def test_turning_neighbours_is_turning_halves() -> None:
    """llama.cpp's rotation of the moved rows is transformers' rotation of the rows as they were."""
    heads, width = 3, 8
    q = np.random.default_rng(1).normal(size=(heads * width, 5))
    angles = np.arange(width // 2) * 0.7
    cos, sin = np.cos(angles)[None, :, None], np.sin(angles)[None, :, None]
    first, second = np.split(q.reshape(heads, width, 5), 2, axis=1)
    halves = np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=1)
    moved = _neighbours(q, heads).reshape(heads, width // 2, 2, 5)
    even, odd = moved[:, :, 0], moved[:, :, 1]
    turned = np.stack([even * cos - odd * sin, odd * cos + even * sin], axis=2)
    assert turned.reshape(heads * width, 5) == pytest.approx(
        _neighbours(halves.reshape(heads * width, 5), heads)
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_numbers_stay_what_they_are_and_norms_become_float32(tmp_path: Path, dtype: torch.dtype) -> None:
    model = write_random(tmp_path / "model", tied=False)
    LlamaForCausalLM.from_pretrained(model.folder, dtype=dtype).save_pretrained(tmp_path / "half")
    # transformers leaves out what it takes for defaults; ours say all
    (tmp_path / "half" / "config.json").write_bytes((model.folder / "config.json").read_bytes())
    write_gguf(tmp_path / "a.gguf", "fr-en", FIELDS, Checkpoint.open(tmp_path / "half"))
    found = {tensor.name: tensor for tensor in GGUFReader(tmp_path / "a.gguf").tensors}
    kinds = {name: tensor.tensor_type.name for name, tensor in found.items()}
    assert set(kinds.values()) == {"F32", {torch.float16: "F16", torch.bfloat16: "BF16"}[dtype]}
    norms = {f"blk.{i}.{norm}.weight" for i in (0, 1) for norm in ("attn_norm", "ffn_norm")}
    assert {name for name, kind in kinds.items() if kind == "F32"} == {"output_norm.weight", *norms}
    half = LlamaForCausalLM.from_pretrained(tmp_path / "half", dtype=dtype).state_dict()
    stored = found["output.weight"].data.view(np.uint8 if dtype == torch.bfloat16 else np.float16)
    assert stored.tobytes() == half["lm_head.weight"].view(torch.uint8).numpy().tobytes()


def test_a_model_of_another_vocabulary_is_refused(tmp_path: Path) -> None:
    model = write_random(tmp_path / "model", tied=False, size=5)
    with pytest.raises(DataError, match="5 rows for 4 tokens; name a folder of modtok extract --model"):
        write_gguf(tmp_path / "a.gguf", "fr-en", FIELDS, model)
    assert not (tmp_path / "a.gguf").exists()


def test_a_foreign_model_is_refused(tmp_path: Path) -> None:
    config = LlamaConfig(
        vocab_size=4, hidden_size=16, intermediate_size=24, num_hidden_layers=1, num_attention_heads=4
    )
    LlamaForCausalLM(config).save_pretrained(tmp_path / "model")
    with pytest.raises(DataError, match="not the config of a model that modtok has trained"):
        write_gguf(tmp_path / "a.gguf", "fr-en", FIELDS, Checkpoint.open(tmp_path / "model"))


def test_without_the_package_there_is_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: object, **options: object) -> object:
        if name == "gguf":
            raise ImportError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ConfigError, match=r"pip install 'modtok\[gguf\]'"):
        write_gguf(tmp_path / "a.gguf", "fr-en", FIELDS)
