"""Models of some languages, through transformers on both sides; and their rows put back."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from modtok.core.errors import ConfigError, DataError
from modtok.core.model_shapes import ModelShape
from modtok.modelling import export
from modtok.modelling.export import Checkpoint, extract_model, insert_model
from modtok.modelling.pretraining import pretrain
from modtok.modelling.verification import load_model, verify
from modtok.tokenization.modular import Modular
from modtok.tokenization.subtokenizer import load_subtokenizer

SHAPE = ModelShape(width=32, layers=2, heads=4, kv_heads=2, hidden=48, context=64)
SIZES = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64}
IDS = {"bos_token_id": 1, "eos_token_id": [2, 3], "pad_token_id": 3}
EMBEDDING, OUTPUT = "model.embed_tokens.weight", "lm_head.weight"
KINDS = pytest.mark.parametrize(
    "kind",
    [{}, {"tie_word_embeddings": True}, {"shards": True}, {"shards": True, "tie_word_embeddings": True}],
    ids=["untied", "tied", "shards", "tied shards"],
)


@pytest.fixture(scope="session")
def tokenizer(corpus: Path) -> Path:
    return corpus / "tokenizer"


@pytest.fixture(scope="session")
def modular(tokenizer: Path) -> Modular:
    return Modular.load(tokenizer)


@pytest.fixture
def save(modular: Modular, tmp_path: Path) -> Callable[..., Path]:
    """Write a small random model as transformers does; what is named differs from the usual."""

    def write(
        name: str = "full", *, shards: bool = False, dtype: object = torch.float32, **changes: object
    ) -> Path:
        torch.manual_seed(1)
        config = LlamaConfig(**{"vocab_size": modular.size, **SIZES, **HEADS, **IDS, **changes})
        model = LlamaForCausalLM(config).to(dtype)
        model.save_pretrained(tmp_path / name, max_shard_size="20KB" if shards else "1GB")
        return tmp_path / name

    return write


@pytest.fixture
def take(tokenizer: Path, modular: Modular, tmp_path: Path) -> Callable[..., Path]:
    """Take languages out of a model."""

    def extract(source: Path, *langs: str, name: str = "part") -> Path:
        extract_model(source, tokenizer, modular, langs or ("fr", "en"), tmp_path / name)
        return tmp_path / name

    return extract


def all_tensors(folder: Path) -> dict[str, torch.Tensor]:
    return {name: tensor for file in folder.glob("*.safetensors") for name, tensor in load_file(file).items()}


def logits(folder: Path, ids: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)(input_ids=ids).logits


# --- taken out ---


@KINDS
@pytest.mark.parametrize("langs", [("fi",), ("fr", "en"), ("fi", "en", "fr")], ids="+".join)
def test_logits_are_the_full_models_on_its_rows(save, take, modular, kind, langs) -> None:
    full = save(**kind)
    part, ids = take(full, *langs), modular.ids(langs)
    tokens = torch.randint(len(ids), (2, 12), generator=torch.Generator().manual_seed(3))
    found, expected = logits(part, tokens), logits(full, torch.from_numpy(ids)[tokens])[:, :, ids]
    assert torch.equal(found, expected)
    verified = verify(full, part, ids)
    assert verified.many == 0
    assert verified.few < 1e-6
    assert verified.ok


def test_logits_that_differ_are_told(save, take, modular) -> None:
    full = save()
    part = take(full)
    ids = modular.ids(["fr", "en"])
    tensors = all_tensors(part)
    tensors[OUTPUT][7, 0] += 0.25
    save_file(tensors, part / "model.safetensors", {"format": "pt"})
    verified = verify(full, part, ids)
    assert not verified.ok
    assert "logits agree to" in str(verified)
    with pytest.raises(DataError, match="transformers does not load it"):
        load_model(part / "nowhere")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_hidden_layers": 5}, "another model's, the weights have no model.layers"),
        ({"num_attention_heads": 5}, "transformers does not load it"),
    ],
)
def test_a_config_of_another_model_is_told(save, changes, message) -> None:
    file = save() / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    with pytest.raises(DataError, match=message):
        load_model(file.parent)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hidden_size": 64}, r"has the shape \(\d+, 32\), and hidden_size is 64"),
        ({"num_hidden_layers": 1}, r"2 layers in the weights, and num_hidden_layers is 1"),
    ],
)
def test_a_config_of_another_shape_is_told_before_anything_is_written(
    save, take, tmp_path, changes, message
) -> None:
    file = save() / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    with pytest.raises(DataError, match=message):
        take(file.parent)
    assert not (tmp_path / "part").exists()


@KINDS
def test_all_else_is_byte_for_byte_the_models(save, take, modular, kind) -> None:
    before, after = all_tensors(full := save(**kind)), all_tensors(take(full))
    ids = modular.ids(["fr", "en"])
    assert set(after) == set(before)
    for name, tensor in before.items():
        expected = tensor[ids] if name in (EMBEDDING, OUTPUT) else tensor
        assert torch.equal(after[name], expected)


def test_it_loads_with_its_tokenizer_and_generates(save, take, tokenizer) -> None:
    part = take(save())
    found, model = AutoTokenizer.from_pretrained(part), AutoModelForCausalLM.from_pretrained(part)
    text = "Le chien et the dog <s> 🐈"
    own = load_subtokenizer(tokenizer, ["fr", "en"])
    assert found(text)["input_ids"] == own.extracted.encode_batch([text])[0]
    assert found.decode(found(text)["input_ids"]) == text
    made = model.generate(
        **found("Le chat", return_tensors="pt"), max_new_tokens=8, min_new_tokens=8, do_sample=False
    )
    assert made.shape[1] == len(found("Le chat")["input_ids"]) + 8
    assert int(made.max()) < len(own.full_ids) == len(found) == model.config.vocab_size


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize(("dtype", "size"), [(torch.float32, 4), (torch.bfloat16, 2)], ids=str)
def test_its_size_is_what_plan_says(save, take, modular, tied, dtype, size) -> None:
    part = take(save(dtype=dtype, tie_word_embeddings=tied))
    checkpoint = Checkpoint.open(part)
    expected = SHAPE.parameters(len(modular.ids(["fr", "en"])), tied=tied)
    assert checkpoint.parameters == expected
    assert checkpoint.size_bytes == size * expected
    on_disk = (part / "model.safetensors").stat().st_size
    assert 0 < on_disk - size * expected < 4096  # the header


def test_special_tokens_keep_their_meaning(save, take, modular) -> None:
    absent = int(np.setdiff1d(np.arange(modular.size), modular.ids(["fr"]))[0])
    part = take(save(eos_token_id=[2, absent], pad_token_id=absent), "fr")
    config = json.loads((part / "config.json").read_text())
    assert (config["bos_token_id"], config["eos_token_id"], config["pad_token_id"]) == (1, [2], None)
    assert json.loads((part / "generation_config.json").read_text())["eos_token_id"] == [2]


def test_rows_beyond_the_tokenizer_are_padding(save, take, modular) -> None:
    full = save(vocab_size=modular.size + 5)
    assert verify(full, take(full), modular.ids(["fr", "en"])).ok


def test_another_model_of_llamas_type(take, modular, tmp_path) -> None:
    torch.manual_seed(1)
    config = Qwen2Config(vocab_size=modular.size, **SIZES, **HEADS, tie_word_embeddings=True)
    Qwen2ForCausalLM(config).save_pretrained(tmp_path / "qwen")
    part = take(tmp_path / "qwen")
    assert verify(tmp_path / "qwen", part, modular.ids(["fr", "en"])).ok


def test_weights_that_transformers_does_not_load_are_left_alone(save, take) -> None:
    full = save()
    save_file({"tok_embeddings.weight": torch.ones(3, 3)}, full / "consolidated.safetensors")
    assert not (take(full) / "consolidated.safetensors").exists()


def test_a_model_that_modtok_trained(task, take, modular, tmp_path) -> None:
    pretrain(task, tmp_path / "trained")
    part = take(tmp_path / "trained", "fi")
    assert verify(tmp_path / "trained", part, modular.ids(["fi"])).ok
    about = Checkpoint.open(part).about
    assert (about["regime"], about["langs"], about["tokenizer"]) == ("samp-sub1", ["fi"], "tokenizer+fi")


# --- put back ---


@KINDS
def test_what_was_taken_out_and_put_back_unchanged_is_the_model(save, take, kind, tmp_path) -> None:
    full = save(**kind)
    insert_model(take(full), full, tmp_path / "again")
    for file in full.glob("*.safetensors"):
        before, after = load_file(file), load_file(tmp_path / "again" / file.name)
        assert before.keys() == after.keys()
        assert all(torch.equal(tensor, after[name]) for name, tensor in before.items())
    tokens = torch.arange(12).reshape(1, -1)
    assert torch.equal(logits(tmp_path / "again", tokens), logits(full, tokens))


@KINDS
def test_what_a_part_has_learned_comes_back_and_other_rows_stay(save, take, modular, kind, tmp_path) -> None:
    full = save(**kind)
    part, ids = take(full), modular.ids(["fr", "en"])
    model = AutoModelForCausalLM.from_pretrained(part)
    with torch.no_grad():
        for weight in model.parameters():
            weight += 0.5
    model.save_pretrained(part)
    insert_model(part, full, tmp_path / "new")
    before, after, learned = (all_tensors(folder) for folder in (full, tmp_path / "new", part))
    others = np.setdiff1d(np.arange(modular.size), ids)
    for name in before:
        if name in (EMBEDDING, OUTPUT):
            assert torch.equal(after[name][ids], learned[name])
            assert torch.equal(after[name][others], before[name][others])
        else:
            assert torch.equal(after[name], learned[name])
    take(tmp_path / "new", name="taken again")
    assert {name: one.tolist() for name, one in all_tensors(tmp_path / "taken again").items()} == {
        name: one.tolist() for name, one in learned.items()
    }


# --- errors ---


def test_what_is_no_model_is_told(save, take, modular, tmp_path) -> None:
    with pytest.raises(DataError, match=r"no model, it has no config.json"):
        take(tmp_path)
    full = save()
    (full / "model.safetensors").unlink()
    (full / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(DataError, match="nothing else is read, since it could run code"):
        take(full)
    save_file({"wte.weight": torch.ones(3, 3)}, full / "model.safetensors")
    with pytest.raises(DataError, match=r"no model.embed_tokens.weight, so not a model of Llama's type"):
        take(full)
    save_file({EMBEDDING: torch.ones(3, 3)}, full / "model.safetensors")
    with pytest.raises(DataError, match=rf"has the shape \(3, 3\), and vocab_size is {modular.size}"):
        take(full)


def test_a_model_of_another_tokenizer_is_told(save, take, modular, task, tmp_path) -> None:
    with pytest.raises(DataError, match="so not its model"):
        take(save(vocab_size=modular.size - 1))
    full = save("other")
    config = json.loads((full / "config.json").read_text())
    (full / "config.json").write_text(json.dumps({**config, "modtok": {"tokenizer_digest": "0"}}))
    with pytest.raises(DataError, match="not the tokenizer that the model was trained with"):
        take(full)
    assert not (tmp_path / "part").exists()


def test_nothing_is_written_over_what_is_read(save, tokenizer, modular) -> None:
    full = save()
    for out in (full, tokenizer):
        with pytest.raises(ConfigError, match=r"holds what is read .*; name another folder"):
            extract_model(full, tokenizer, modular, ["fr"], out)


def test_other_weights_are_not_mixed_with_new_ones(save, take) -> None:
    shards = take(save("shards", shards=True), "fr")
    with pytest.raises(ConfigError, match=r"holds other weights, such as model-00001-of-00006.safetensors"):
        take(save(), "fr")
    before = {file: file.read_bytes() for file in shards.iterdir()}
    take(save("shards", shards=True), "fr")
    assert {file: file.read_bytes() for file in shards.iterdir()} == before


def test_a_part_that_does_not_fit_is_told(save, take, tmp_path) -> None:
    full, out = save(), tmp_path / "new"
    part = take(full, "fr")
    with pytest.raises(DataError, match=r"F32.* and .*BF16.*save both in the same numbers"):
        insert_model(part, save("halved", dtype=torch.bfloat16), out)
    with pytest.raises(DataError, match=r"lm_head.weight: .*absent.* of another model"):
        insert_model(part, save("tied", tie_word_embeddings=True), out)
    ids = np.load(part / "full_ids.npy")
    for wrong, message in (
        (ids[:-1], "it is of another model"),
        (ids[::-1], "ids are not sorted"),
        (ids + 1000, "not of the"),
        (ids.astype(float), "float64"),
    ):
        np.save(part / "full_ids.npy", wrong)
        with pytest.raises(DataError, match=message):
            insert_model(part, full, out)
    (part / "full_ids.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(DataError, match="not an array of ids"):
        insert_model(part, full, out)
    (part / "full_ids.npy").unlink()
    with pytest.raises(DataError, match=r"no full_ids.npy; copy it from"):
        insert_model(part, full, out)
    assert not out.exists()


def test_an_insert_that_fails_leaves_the_older_folder_as_it_was(save, take, tmp_path, monkeypatch) -> None:
    full, out = save(), tmp_path / "new"
    part = take(full, "fr")
    insert_model(part, full, out)
    before = {file: file.read_bytes() for file in out.iterdir()}

    def fail(*arguments):
        raise OSError("no space left on device")

    monkeypatch.setattr(export, "write_tensors", fail)
    with pytest.raises(OSError, match="no space"):
        insert_model(part, full, out)
    assert {file: file.read_bytes() for file in out.iterdir()} == before
