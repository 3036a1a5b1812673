"""Arrow columns from Python values and back, without Arrow's own constructors.

`pa.array`, `Table.from_pylist` and `to_numpy` look whether they have something of pandas in hand, and import
it to do so: 0.4 s and 50 MB in each process that has no other use for it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

MAX_BYTES = 2**31 - 1
"of the texts of one column"


def table(columns: Mapping[str, Sequence[Any] | np.ndarray], schema: pa.Schema) -> pa.Table:
    """A table of strings and numbers; a column has a value in each row, or None in each.

    table({"word": ["a"], "count": [1]}, pa.schema([("word", pa.string()), ("count", pa.uint64())]))
    """
    arrays = [_column(columns[field.name], field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def numbers(column: pa.Array) -> np.ndarray:
    """A column of numbers, none of them empty, as numpy."""
    return np.from_dlpack(column)


def of_numbers(values: np.ndarray) -> pa.Array:
    """A column of numpy's numbers. of_numbers(np.array([1, 2])).type -> int64"""
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def texts(column: pa.LargeStringArray) -> tuple[np.ndarray, pa.Buffer]:
    """Where each text starts, and the last one ends (int64), in the UTF-8 of all; and this UTF-8.

    Of ["é", "b"]: array([0, 2, 3]) and the three bytes.
    """
    _, offsets, data = column.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    return bounds - bounds[0], data.slice(bounds[0], bounds[-1] - bounds[0])


def _column(values: Sequence[Any] | np.ndarray, kind: pa.DataType) -> pa.Array:
    if isinstance(values, np.ndarray):
        return of_numbers(values)
    if None in values[:1]:
        return pa.nulls(len(values), kind)
    if kind == pa.string():
        encoded = [text.encode() for text in values]
        ends = np.cumsum([0, *map(len, encoded)])
        assert ends[-1] <= MAX_BYTES, "the writer's row groups are small"
        buffers = [pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(b"".join(encoded))]
        return pa.Array.from_buffers(kind, len(values), [None, *buffers])
    return of_numbers(np.array(values, dtype=kind.to_pandas_dtype()))
