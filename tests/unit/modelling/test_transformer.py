"""The body is transformers' Llama."""

import pytest
import torch
from transformers import LlamaForCausalLM

from modtok.core.errors import DataError
from modtok.core.model_shapes import ModelShape
from modtok.modelling.architecture import Architecture, architecture_of
from modtok.modelling.checkpoint import expected_shapes, read_model
from small_models import write_drawn

GROUPED = ModelShape(width=24, layers=2, heads=4, kv_heads=2, hidden=40, context=16)


def new_model(folder, tied=False, shape=GROUPED, size=50):
    architecture = Architecture(shape, size, tied=tied, rope_theta=500.0)
    write_drawn(folder, architecture, 7, about={"regime": "mono-only"})
    return architecture


@pytest.mark.parametrize("tied", [True, False])
def test_a_checkpoint_is_a_llama_with_the_same_logits(tied, tmp_path):
    new_model(tmp_path, tied)
    ids = torch.randint(0, 50, (3, 16), generator=torch.Generator().manual_seed(1))
    ours = read_model(tmp_path)
    with torch.no_grad():
        theirs = LlamaForCausalLM.from_pretrained(tmp_path)(ids).logits
    torch.testing.assert_close(ours.hidden(ids) @ ours.output.T, theirs, rtol=1e-5, atol=1e-5)


def test_parameters_are_as_many_as_the_shape_says():
    for tied in (True, False):
        architecture = Architecture(GROUPED, 50, tied=tied)
        total = sum(torch.Size(shape).numel() for shape in expected_shapes(architecture).values())
        assert total == architecture.parameters


def test_the_config_gives_the_architecture_back(tmp_path):
    architecture = new_model(tmp_path, tied=True)
    assert read_model(tmp_path).architecture == architecture
    assert architecture_of(architecture.to_json(), "config.json") == architecture


@pytest.mark.parametrize("change", [{"hidden_act": "gelu"}, {"hidden_size": None}, {"attention_bias": True}])
def test_the_config_of_another_kind_of_model_is_refused(change):
    config = Architecture(GROUPED, 50, tied=True).to_json() | change
    with pytest.raises(DataError, match=r"config\.json: not the config of a model"):
        architecture_of(config, "config.json")


def test_broken_and_mixed_up_files_are_named(tmp_path):
    with pytest.raises(DataError, match="no model"):
        read_model(tmp_path)
    new_model(tmp_path / "one")
    new_model(tmp_path / "other", size=60)
    (tmp_path / "one" / "config.json").write_bytes((tmp_path / "other" / "config.json").read_bytes())
    with pytest.raises(DataError, match=r"tensor lm_head\.weight is \(50, 24\), not \(60, 24\)"):
        read_model(tmp_path / "one")
    (tmp_path / "one" / "model.safetensors").write_bytes(b"\x05")
    with pytest.raises(DataError, match="not a safetensors file"):
        read_model(tmp_path / "one")
