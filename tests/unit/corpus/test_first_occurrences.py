"""Bits of first occurrences against a set, for any partition; bounded memory."""

from tempfile import TemporaryFile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.corpus import first_occurrences as module
from modtok.corpus.first_occurrences import first_occurrences, iterate_bits

# Values that share an upper half (one partition) or a slot, and 0, which the table cannot hold as it is.
HASHES = st.lists(
    st.one_of(
        st.integers(0, 20), st.integers(0, 5).map(lambda k: k << 61), st.integers(2**64 - 5, 2**64 - 1)
    ),
    max_size=60,
).filter(lambda hashes: not {0, 1} <= set(hashes))


def marked(hashes, memory_bytes):
    with TemporaryFile() as file:
        file.write(np.array(hashes, "<u8").tobytes())
        return list(iterate_bits(first_occurrences(file, memory_bytes)))[: len(hashes)]


@settings(deadline=None)
@given(hashes=HASHES, memory_bytes=st.integers(8, 1000))
def test_equals_a_set(hashes, memory_bytes):
    seen = set()
    assert marked(hashes, memory_bytes) == [not (h in seen or seen.add(h)) for h in hashes]


def test_positions_go_on_from_chunk_to_chunk(monkeypatch):
    monkeypatch.setattr(module, "CHUNK_HASHES", 8)
    hashes = [index % 30 + 2 for index in range(100)]
    assert marked(hashes, 100) == [index < 30 for index in range(100)]


def test_a_million_hashes_are_counted_as_numpy_counts_them():
    hashes = (
        np.random.default_rng(1).integers(2, 2**64, 1_000_000, np.uint64) >> np.uint64(44) << np.uint64(44)
    )
    flags = np.array(marked(hashes, 1 << 20))
    assert np.array_equal(np.flatnonzero(flags), np.sort(np.unique(hashes, return_index=True)[1]))


@pytest.mark.parametrize(("memory_bytes", "tables"), [(1 << 30, 1), (8 << 10, 2), (1 << 10, 11)])
def test_the_table_stays_within_the_memory(memory_bytes, tables, monkeypatch):
    seen = []
    mark = module._mark
    monkeypatch.setattr(module, "_mark", lambda *a: (seen.append(a[4].nbytes), mark(*a)))
    hashes = np.random.default_rng(1).integers(2, 2**64, 1000, np.uint64)
    marked(hashes, memory_bytes)
    assert len(seen) == tables
    assert max(seen) <= max(11_000 / tables * 1.3, 0)
