"""Columns made without Arrow's own constructors are those that Arrow makes, and pandas stays out."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.core import columns

SCHEMA = pa.schema([("text", pa.string()), ("count", pa.uint64()), ("score", pa.float32())])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
ROWS = st.lists(st.tuples(TEXTS, st.integers(0, 2**64 - 1), st.floats(allow_nan=False, width=32)))


@settings(deadline=None)  # the first example loads pandas
@given(ROWS)
def test_columns_are_arrows_own(rows):
    values = dict(
        zip(SCHEMA.names, map(list, zip(*rows, strict=True)) if rows else ([], [], []), strict=True)
    )
    made = columns.table(values, SCHEMA)
    made.validate(full=True)
    assert made.equals(pa.table(values, schema=SCHEMA))
    assert [value for chunk in made["count"].chunks for value in columns.numbers(chunk)] == values["count"]


def test_a_column_of_nothing_is_null():
    values = {"text": ["a", "b"], "count": [1, 2], "score": [None, None]}
    assert columns.table(values, SCHEMA).equals(pa.table(values, schema=SCHEMA))


def test_numbers_to_a_column_and_back():
    for values in (np.arange(5, dtype=np.uint64), np.arange(8, dtype=np.int32)[::2], np.zeros(0)):
        column = columns.of_numbers(values)
        column.validate(full=True)
        assert column.equals(pa.array(values))
        assert np.array_equal(columns.numbers(column), values)


def test_texts_of_a_part_of_a_column():
    column = pa.array(["not", "é", "", "b", "nor"], pa.large_string()).slice(1, 3)
    bounds, data = columns.texts(column)
    assert (bounds.tolist(), data.to_pybytes()) == ([0, 2, 2, 3], "éb".encode())


def test_pandas_stays_out():
    program = (
        "import sys, pyarrow as pa; from modtok.core import columns\n"
        "made = columns.table({'a': ['x'], 'b': [1]}, pa.schema([('a', pa.string()), ('b', pa.int32())]))\n"
        "columns.numbers(made['b'].chunk(0)); columns.table({'b': [None]}, pa.schema([('b', pa.int32())]))\n"
        "sys.exit('pandas' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
