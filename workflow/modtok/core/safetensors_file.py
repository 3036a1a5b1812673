"""A model's .safetensors files: where the rows of a matrix lie, what numbers they hold, files of other rows.

The format: eight bytes with the header's length, a JSON header with each tensor's dtype, shape and place in
what follows, then the numbers, row after row. Read here by hand since the library gives no places, and rows
are all that is wanted: nothing of the size of a model is ever in memory, whatever its numbers are. Nothing of
a file is trusted.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from modtok.core.errors import ConfigError, DataError, require
from modtok.core.io import atomic

INDEX = ".safetensors.index.json"
SINGLE = "model.safetensors"
CHUNK = 4096
"Rows that are copied at once."
ALIGNMENT = 64
"bytes, of a vector register"
MAX_HEADER = 100_000_000
"The format's own bound, in bytes."
BF16 = "BF16"
STORED = {"F64": np.float64, "F32": np.float32, "F16": np.float16, BF16: np.uint16}


@dataclass(frozen=True)
class Matrix:
    """A tensor of a file. Example: tensors(Path("model.safetensors"))["lm_head.weight"].shape."""

    name: str
    dtype: str
    "the format's name"
    shape: tuple[int, ...]
    offset: int
    "of its first number in the file, in bytes"
    size_bytes: int

    def rows(self, file: Path, mode: str = "r") -> np.ndarray:
        """The stored numbers, mapped: (rows, columns) as numpy holds them, bfloat16 as uint16."""
        shape = (self.shape[0], prod(self.shape[1:]))
        return np.memmap(file, STORED[self.dtype], mode=mode, offset=self.offset, shape=shape)  # type: ignore[call-overload]

    def raw_rows(self, file: Path) -> np.ndarray:
        """The bytes, mapped: (rows, bytes of a row) uint8, whatever they stand for."""
        rows = self.shape[0] if self.shape else 1
        if self.size_bytes == 0:  # nothing can be mapped
            return np.zeros((rows, 0), np.uint8)
        shape = (rows, self.size_bytes // rows)
        return np.memmap(file, np.uint8, mode="r", offset=self.offset, shape=shape)

    def numbers(self, stored: np.ndarray) -> np.ndarray:
        """What stored numbers stand for, as float64."""
        if self.dtype == BF16:
            return (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        return stored.astype(np.float64)

    def stored(self, numbers: np.ndarray) -> np.ndarray:
        """Numbers as the file stores them, rounded to the nearest, ties to even."""
        if self.dtype != BF16:
            return numbers.astype(STORED[self.dtype])
        bits = numbers.astype(np.float32).view(np.uint32).astype(np.uint64)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def tensors(file: Path) -> dict[str, Matrix]:
    """The tensors of a file by name. Error: no safetensors file, one that was cut off."""
    try:
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            require(length <= MAX_HEADER, f"{file}: no safetensors file (a header of {length} bytes)")
            header = json.loads(stream.read(length))
        found = {
            name: _tensor(name, entry, 8 + length) for name, entry in header.items() if name != "__metadata__"
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"{file}: no safetensors file ({type(error).__name__} {error})") from error
    size = file.stat().st_size
    cut = [matrix.name for matrix in found.values() if matrix.offset + matrix.size_bytes > size]
    require(not cut, f"{file}: cut off, {cut[:1]} lies beyond its end; copy it again")
    return found


def _tensor(name: str, entry: dict[str, Any], start: int) -> Matrix:
    shape = tuple(int(size) for size in entry["shape"])
    begin, end = (int(place) for place in entry["data_offsets"])
    matrix = Matrix(name, str(entry["dtype"]), shape, start + begin, end - begin)
    known = matrix.dtype in STORED
    fits = not known or matrix.size_bytes == prod(shape) * np.dtype(STORED[matrix.dtype]).itemsize
    if min((begin, end - begin, *shape), default=0) < 0 or not fits:
        raise ValueError(f"{name}: its shape and its place do not agree")
    return matrix


def loaded_files(folder: Path) -> list[Path]:
    """The files that transformers loads; others may lie there: weights by other names, an index of before.

    Error: neither model.safetensors nor its index.
    """
    if (folder / SINGLE).is_file():
        return [folder / SINGLE]
    files = weight_files(folder)
    index = folder / f"model{INDEX}"
    require(index.is_file(), f"{folder}: neither {SINGLE} nor {index.name}; save the model with transformers")
    named = set(json.loads(index.read_bytes())["weight_map"].values())
    return [file for file in files if file.name in named]


def weight_files(source: Path) -> list[Path]:
    """The .safetensors files of a model's folder. Errors: none; an index that names others than there are."""
    files = sorted(source.glob("*.safetensors"))
    why = "no .safetensors in this folder, and nothing else is read, since it could run code"
    require(len(files) > 0, f"{source}: {why}; save the model as safetensors")
    for index in source.glob(f"*{INDEX}"):
        try:
            named = set(json.loads(index.read_bytes())["weight_map"].values())
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{index}: no index of safetensors ({error}); copy it again") from error
        absent = sorted(str(name) for name in named - {file.name for file in files})
        require(not absent, f"{index}: names {absent[:1]}, which is not in the folder; copy the model again")
    return files


def refuse_other_weights(out: Path, own: Collection[str] = ()) -> None:
    """Error: a folder with weights other than `own`, which is about to be written: they would be loaded."""
    others = [file.name for file in sorted(out.glob("*.safetensors")) if file.name not in own]
    held = f"--out {out}: holds other weights, such as {', '.join(others[:1])}; name another folder"
    require(not others, held, ConfigError)


@dataclass(frozen=True)
class NewTensor:
    """A tensor to write."""

    dtype: str
    shape: tuple[int, ...]
    size_bytes: int
    blocks: Iterable[np.ndarray]
    "its bytes, in order"


def taken(matrix: Matrix, file: Path, ids: np.ndarray) -> NewTensor:
    """Some rows of a matrix, by number and in that order. taken(matrix, file, np.array([0, 1, 17]))"""
    stored = matrix.raw_rows(file)
    blocks = (stored[ids[start : start + CHUNK]] for start in range(0, len(ids), CHUNK))
    return NewTensor(matrix.dtype, (len(ids), *matrix.shape[1:]), len(ids) * stored.shape[1], blocks)


def replaced(matrix: Matrix, file: Path, ids: np.ndarray, rows: np.ndarray) -> NewTensor:
    """A matrix with other rows at sorted numbers; `rows` are their bytes as `raw_rows` gives them."""
    stored = matrix.raw_rows(file)
    return NewTensor(matrix.dtype, matrix.shape, matrix.size_bytes, _with_rows(stored, ids, rows))


def _with_rows(stored: np.ndarray, ids: np.ndarray, rows: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(stored), CHUNK):
        block = np.array(stored[start : start + CHUNK])
        first, last = np.searchsorted(ids, [start, start + len(block)])
        block[ids[first:last] - start] = rows[first:last]
        yield block


def whole(matrix: Matrix, file: Path) -> NewTensor:
    """A tensor as it is."""
    rows = matrix.raw_rows(file)
    blocks = (rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK))
    return NewTensor(matrix.dtype, matrix.shape, matrix.size_bytes, blocks)


def write_tensors(
    file: Path,
    tensors_by_name: Mapping[str, NewTensor],
    start: int = 0,
    about: Mapping[str, str] | None = None,
) -> None:
    """Write a .safetensors file, atomically, its tensors in the given order.

    Numbers begin at a place that is `start` modulo ALIGNMENT: products with what is mapped from a file may
    differ in their last bits by where it lies, so a copy lies as the original does. `about` is what the
    header says of the file, as texts by name.
    """
    header: dict[str, Any] = {"__metadata__": {"format": "pt", **(about or {})}}  # transformers asks for it
    end = 0
    for name, tensor in tensors_by_name.items():
        begin, end = end, end + tensor.size_bytes
        header[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * ((start - 8 - len(text)) % ALIGNMENT)
    with atomic(file) as partial, partial.open("wb") as stream:
        stream.write(len(text).to_bytes(8, "little") + text)
        for tensor in tensors_by_name.values():
            for block in tensor.blocks:
                stream.write(np.ascontiguousarray(block).data)
