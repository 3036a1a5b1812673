"""Where the rows of a matrix lie in a .safetensors file, and what numbers they hold.

The format: eight bytes with the header's length, a JSON header with each tensor's dtype, shape and place in
what follows, then the numbers, row after row. Read here by hand since the library gives no places, and to
write single rows is all that is wanted. Nothing of the file is trusted.
"""

import json
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from modtok.core.errors import DataError, require

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

    def rows(self, file: Path, mode: str = "r") -> np.ndarray:
        """The stored numbers, mapped: (rows, columns) as numpy holds them, bfloat16 as uint16."""
        shape = (self.shape[0], prod(self.shape[1:]))
        return np.memmap(file, STORED[self.dtype], mode=mode, offset=self.offset, shape=shape)  # type: ignore[call-overload]

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
    cut = [matrix.name for matrix in found.values() if matrix.offset + _size(matrix) > size]
    require(not cut, f"{file}: cut off, {cut[:1]} lies beyond its end; copy it again")
    return found


def _tensor(name: str, entry: dict[str, Any], start: int) -> Matrix:
    shape = tuple(int(size) for size in entry["shape"])
    begin, end = (int(place) for place in entry["data_offsets"])
    matrix = Matrix(name, str(entry["dtype"]), shape, start + begin)
    if min((begin, *shape), default=0) < 0 or (matrix.dtype in STORED and end - begin != _size(matrix)):
        raise ValueError(f"{name}: its shape and its place do not agree")
    return matrix


def _size(matrix: Matrix) -> int:
    """Bytes of a tensor; 0 for number formats that are not read here."""
    return prod(matrix.shape) * np.dtype(STORED[matrix.dtype]).itemsize if matrix.dtype in STORED else 0
