"""Reading and writing .safetensors by rows, against the library's own reading and writing."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from modtok.core.errors import DataError
from modtok.core.safetensors_file import (
    CHUNK,
    INDEX,
    replaced,
    taken,
    tensors,
    weight_files,
    whole,
    write_tensors,
)

TYPES = [torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.float8_e4m3fn, torch.int64]
NAME = "model.embed_tokens.weight"


def bits(tensor: torch.Tensor) -> list[int]:
    return tensor.contiguous().flatten().view(torch.uint8).tolist()


@pytest.fixture(params=TYPES, ids=str)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A matrix of more rows than are copied at once, a vector, a number and nothing."""
    matrix = (torch.randn(CHUNK + 100, 6) * 9).to(request.param)
    other = {"norm": torch.ones(3), "number": torch.tensor(2.5), "nothing": torch.zeros(0, 4)}
    save_file({NAME: matrix, **other}, tmp_path / "a.safetensors")
    return tmp_path / "a.safetensors"


def test_what_is_written_whole_is_what_was_read(file: Path) -> None:
    found = tensors(file)
    write_tensors(file.with_name("b.safetensors"), {name: whole(one, file) for name, one in found.items()})
    before, after = load_file(file), load_file(file.with_name("b.safetensors"))
    assert {name: (one.dtype, one.shape, bits(one)) for name, one in before.items()} == {
        name: (one.dtype, one.shape, bits(one)) for name, one in after.items()
    }


def test_rows_are_taken_bit_for_bit(file: Path) -> None:
    ids = np.array([0, 3, 17, CHUNK - 1, CHUNK, CHUNK + 99])
    write_tensors(file.with_name("b.safetensors"), {NAME: taken(tensors(file)[NAME], file, ids)})
    some = load_file(file.with_name("b.safetensors"))[NAME]
    assert some.shape == (6, 6)
    assert bits(some) == bits(load_file(file)[NAME].view(torch.uint8)[ids])


def test_rows_are_replaced_and_no_others(file: Path) -> None:
    ids = np.array([1, CHUNK - 1, CHUNK, CHUNK + 50])
    matrix = tensors(file)[NAME]
    rows = 255 - matrix.raw_rows(file)[ids]
    write_tensors(file.with_name("b.safetensors"), {NAME: replaced(matrix, file, ids, rows)})
    expected = load_file(file)[NAME].view(torch.uint8).numpy().copy()
    expected[ids] = rows
    after = load_file(file.with_name("b.safetensors"))[NAME]
    assert (after.view(torch.uint8).numpy() == expected).all()


def test_the_files_of_a_folder_are_those_of_its_index(tmp_path: Path) -> None:
    save_file({"a": torch.ones(2)}, tmp_path / "one.safetensors")
    index = tmp_path / f"model{INDEX}"
    index.write_text(json.dumps({"weight_map": {"a": "one.safetensors"}}))
    assert weight_files(tmp_path) == [tmp_path / "one.safetensors"]
    index.write_text(json.dumps({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}))
    with pytest.raises(DataError, match=r"names \['two.safetensors'\], which is not in the folder"):
        weight_files(tmp_path)
    index.write_text("[]")
    with pytest.raises(DataError, match="no index of safetensors"):
        weight_files(tmp_path)


def test_a_folder_without_safetensors_is_told_why(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"cos\nsystem\n")
    with pytest.raises(DataError, match="nothing else is read, since it could run code"):
        weight_files(tmp_path)


def header(text: bytes) -> bytes:
    return len(text).to_bytes(8, "little") + text


ENTRY = '{"a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [%d, %d]}}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no safetensors file"),
        (b"\xff" * 8, "a header of"),
        (header(b"{"), "no safetensors file"),
        (header(b'["a"]'), "no safetensors file"),
        (header((ENTRY % (0, 16)).encode()), "cut off"),
        (header((ENTRY % (0, 15)).encode()) + bytes(16), "its shape and its place do not agree"),
        (header((ENTRY % (16, 0)).encode()) + bytes(16), "its shape and its place do not agree"),
        (header((ENTRY % (-8, 8)).encode()) + bytes(16), "its shape and its place do not agree"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "broken.safetensors").write_bytes(content)
    with pytest.raises(DataError, match=f"broken.safetensors: .*{message}"):
        tensors(tmp_path / "broken.safetensors")
