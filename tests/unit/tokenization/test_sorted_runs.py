"""Sums and sorting with runs on disk equal those in memory."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.tokenization.sorted_runs import WORDS, WordSums, by_count, sort_by_count

rows = st.lists(st.tuples(st.text("ab\ufffd\U00010000", max_size=3), st.integers(1, 3)), max_size=40)


def pairs(tables: list[pa.Table]) -> list[tuple[str, int]]:
    return [(row["word"], row["count"]) for table in tables for row in table.to_pylist()]


@settings(max_examples=50, deadline=None)
@given(rows=rows, memory_words=st.integers(1, 20))
def test_sums_and_order_do_not_depend_on_memory(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int]], memory_words: int
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    sums = WordSums(folder, memory_words)
    expected: Counter[str] = Counter()
    for word, count in rows:
        sums.add(pa.table([[word], [count]], schema=WORDS))
        expected[word] += count
    tables = list(sums.tables())
    assert [pair for table in tables for pair in sorted(pairs([table]))] == sorted(expected.items())
    ordered = list(sort_by_count(tables, folder, memory_words))
    assert pairs(ordered) == sorted(expected.items(), key=lambda pair: (-pair[1], pair[0]))


COUNTS = st.sampled_from([1, 2, 2**16 - 2, 2**16 - 1, 2**16, 2**64 - 1])


@settings(deadline=None)
@given(st.dictionaries(st.text("a\0\x01é\U00010000", max_size=12), COUNTS))
def test_order_is_by_falling_count_then_word(counts: dict[str, int]) -> None:
    table = pa.table([list(counts), list(counts.values())], schema=WORDS)
    assert pairs([by_count(table)]) == sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def test_what_fits_in_memory_is_not_written(tmp_path: Path) -> None:
    sums = WordSums(tmp_path, memory_words=100)
    sums.add(pa.table([["few"], [1]], schema=WORDS))
    assert pairs(list(sums.tables())) == [("few", 1)]
    assert list(tmp_path.iterdir()) == []


def test_counts_beyond_32_bits_are_exact(tmp_path: Path) -> None:
    sums = WordSums(tmp_path, memory_words=1)
    for _ in range(3):
        sums.add(pa.table([["word", "other"], [2**61 + 1, 1]], schema=WORDS))
    assert sorted(pairs(list(sums.tables()))) == [("other", 3), ("word", 3 * 2**61 + 3)]
