"""A model's rows after surgery: new tokens' initialised, all other bytes as they were."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from modtok.core.errors import ConfigError, DataError
from modtok.core.safetensors_file import tensors
from modtok.surgery.checkpoint import write_checkpoint

ROWS, WIDTH = 20, 6
WAS = {7: [3, 7, 12], 3: [5], 19: [0, 1]}
"Row 7 was part of its own old segmentation, and row 3, which is new as well, of another's."


def matrices(dtype, tied):
    torch.manual_seed(5)
    found = {"model.embed_tokens.weight": torch.randn(ROWS, WIDTH).to(dtype)}
    if not tied:
        found["lm_head.weight"] = torch.randn(ROWS, WIDTH).to(dtype)
        found["lm_head.bias"] = torch.randn(ROWS).to(dtype)
    return found | {"model.layers.0.attn.output.weight": torch.randn(ROWS, WIDTH).to(dtype)}


def save(folder, found, sharded=False):
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "vocab.json").write_text("the old vocabulary")
    if not sharded:
        save_file(found, folder / "model.safetensors", metadata={"format": "pt"})
        return folder
    names = {name: f"model-{place}.safetensors" for place, name in enumerate(found)}
    for name, file in names.items():
        save_file({name: found[name]}, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": names}))
    return folder


def loaded(folder):
    return {name: value for file in folder.glob("*.safetensors") for name, value in load_file(file).items()}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("sharded", [True, False])
def test_new_rows_are_means_of_old_ones_and_all_others_stay(tmp_path, dtype, tied, sharded):
    old = matrices(dtype, tied)
    source = save(tmp_path / "model", old, sharded)
    written = write_checkpoint(source, tmp_path / "out", WAS)
    new = loaded(tmp_path / "out")
    assert written == sorted(name for name in old if "attn" not in name)
    assert new.keys() == old.keys()
    for name, before in old.items():
        expected = before.clone()
        if name in written:
            for row, ids in WAS.items():
                expected[row] = before[ids].double().mean(0).to(dtype)
        assert torch.equal(new[name].view(torch.uint8), expected.view(torch.uint8)), name
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {path.name for path in source.iterdir()} - {"vocab.json"}


def test_weights_that_transformers_would_not_load_stay_behind(tmp_path):
    """Beside model.safetensors: other files, and the index of a sharded save before it."""
    source = save(tmp_path / "model", matrices(torch.float32, tied=True))
    save_file({"lora.weight": torch.zeros(1)}, source / "adapter_model.safetensors")
    (source / "model.safetensors.index.json").write_text('{"weight_map": {"x": "absent.safetensors"}}')
    written = write_checkpoint(source, tmp_path / "out", WAS)
    assert written == ["model.embed_tokens.weight"]
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {"config.json", "model.safetensors"}


def test_a_sharded_model_is_its_indexs_files(tmp_path):
    source = save(tmp_path / "model", matrices(torch.float32, tied=True), sharded=True)
    (source / "old.safetensors").write_bytes((source / "model-0.safetensors").read_bytes())
    write_checkpoint(source, tmp_path / "out", WAS)
    assert not (tmp_path / "out" / "old.safetensors").exists()
    assert (tmp_path / "out" / "model.safetensors.index.json").exists()


def test_a_folder_with_other_weights_is_refused(tmp_path):
    source = save(tmp_path / "model", matrices(torch.float32, tied=True), sharded=True)
    out = save(tmp_path / "out", matrices(torch.float32, tied=True))
    with pytest.raises(ConfigError, match=r"holds other weights, such as model.safetensors;"):
        write_checkpoint(source, out, WAS)


def test_rows_can_start_at_the_mean_of_all_or_anywhere_near(tmp_path):
    old = matrices(torch.float32, tied=True)
    source = save(tmp_path / "model", old)
    before = old["model.embed_tokens.weight"]
    write_checkpoint(source, tmp_path / "overall", WAS, "overall")
    after = loaded(tmp_path / "overall")["model.embed_tokens.weight"]
    assert torch.allclose(after[7], before.mean(0), atol=1e-6)
    for folder in ("once", "again"):
        write_checkpoint(source, tmp_path / folder, {n: [0] for n in range(1, ROWS)}, "random", seed=3)
    once, again = (loaded(tmp_path / folder)["model.embed_tokens.weight"] for folder in ("once", "again"))
    assert torch.equal(once, again)
    assert abs(float(once[1:].std() / before.std()) - 1) < 0.5
    assert torch.equal(once[0], before[0])


def test_bfloat16_is_rounded_to_the_nearest_ties_to_even(tmp_path):
    save_file({"x": torch.zeros(1, 1, dtype=torch.bfloat16)}, tmp_path / "x.safetensors")
    matrix = tensors(tmp_path / "x.safetensors")["x"]
    numbers = np.concatenate(
        [np.random.default_rng(1).normal(size=1000), [1 + 2**-8, 1 + 3 * 2**-8, 0.0, -1e-40]]
    )
    expected = torch.from_numpy(numbers).float().bfloat16().view(torch.uint16).numpy()
    assert np.array_equal(matrix.stored(numbers), expected)


def refused(tmp_path, found, said, was=WAS, error=DataError, **options):
    with pytest.raises(error, match=said):
        write_checkpoint(save(tmp_path / "model", found), tmp_path / "out", was, **options)
    assert not (tmp_path / "out").exists()


def test_another_tokenizers_model_is_refused(tmp_path):
    refused(tmp_path, matrices(torch.float32, True), "has 20 rows, and the tokenizer the id 25", {25: [1]})


def test_a_model_without_a_known_embedding_is_refused(tmp_path):
    refused(tmp_path, {"lm_head.weight": torch.zeros(ROWS, 2)}, "no embedding matrix")


def test_quantised_rows_are_refused(tmp_path):
    refused(tmp_path, {"wte.weight": torch.zeros(ROWS, 2, dtype=torch.int8)}, "holds I8.*unquantised")


def test_an_unknown_way_to_start_is_refused(tmp_path):
    refused(tmp_path, matrices(torch.float32, True), "not one of", error=ConfigError, how="zero")


def test_what_is_not_safetensors_is_refused(tmp_path):
    (tmp_path / "pickled").mkdir()
    (tmp_path / "pickled" / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(DataError, match=r"no \.safetensors"):
        write_checkpoint(tmp_path / "pickled", tmp_path / "out", WAS)


def test_an_index_that_names_an_absent_file_is_refused(tmp_path):
    source = save(tmp_path / "model", matrices(torch.float32, True), sharded=True)
    (source / "model-0.safetensors").unlink()
    with pytest.raises(DataError, match="model-0"):
        write_checkpoint(source, tmp_path / "out", WAS)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no safetensors file"),
        (b"\xff" * 8, "a header of"),
        (b"\x02" + bytes(7) + b"[]", "no safetensors file"),
        (b"\x04" + bytes(7) + b"nope", "no safetensors file"),
    ],
)
def test_what_only_has_the_name_is_refused(tmp_path, data, said):
    (tmp_path / "model.safetensors").write_bytes(data)
    with pytest.raises(DataError, match=said):
        tensors(tmp_path / "model.safetensors")


def test_places_that_cannot_be_are_refused(tmp_path):
    file = tmp_path / "model.safetensors"
    save_file({"wte.weight": torch.zeros(ROWS, 2)}, file)
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    with pytest.raises(DataError, match="cut off"):
        tensors(file)
    file.write_bytes(whole.replace(b"[20,2]", b"[21,2]"))
    with pytest.raises(DataError, match="do not agree"):
        tensors(file)
