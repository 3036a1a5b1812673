"""Counting files: the counts of the pattern, the same bytes whatever the memory, nothing lost."""

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.core.errors import DataError
from modtok.tokenization.pretokenization import PATTERNS, split
from modtok.tokenization.word_count_files import SCHEMA, read_counts
from modtok.tokenization.word_counts import CountReport, count_files

characters = st.one_of(st.sampled_from(" \n\t\xa0\u2028'ab1é…"), st.characters(exclude_categories=["Cs"]))


def expected(texts: list[str], pretokenization: str) -> dict[str, int]:
    return Counter(piece for text in texts for piece in split(text, pretokenization))


def counted(out: Path) -> dict[str, int]:
    return dict(zip(*pq.read_table(out).to_pydict().values(), strict=True))


@settings(max_examples=50, deadline=None)
@pytest.mark.parametrize("pretokenization", PATTERNS)
@given(texts=st.lists(st.text(characters, min_size=1), min_size=1))
def test_counts_are_those_of_the_pattern(
    tmp_path_factory: pytest.TempPathFactory, pretokenization: str, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("counts")
    (folder / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    count_files([folder / "a.jsonl"], pretokenization, folder / "out.parquet")
    assert counted(folder / "out.parquet") == expected(texts, pretokenization)


@pytest.mark.parametrize("pretokenization", PATTERNS)
def test_same_bytes_whatever_the_memory(tmp_path: Path, pretokenization: str) -> None:
    """Words of falling frequency over several files, so that each run holds some words of the others."""
    paths = [tmp_path / f"{part}.txt" for part in range(3)]
    for part, path in enumerate(paths):
        lines = [f"frequent word{n % 701}'s and {n * (part + 1)} once" for n in range(9_000)]
        path.write_text("\n".join(lines))
    reports = [
        count_files(paths, pretokenization, tmp_path / f"{memory}.parquet", memory_words=memory)
        for memory in (10**6, 9_000, 500, 1)
    ]
    assert all(report == reports[0] for report in reports)
    assert len({(tmp_path / f"{memory}.parquet").read_bytes() for memory in (10**6, 9_000, 500, 1)}) == 1
    texts = [line for path in paths for line in path.read_text().split("\n")]
    assert counted(tmp_path / "1.parquet") == expected(texts, pretokenization)


def test_order_schema_and_report(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"b a b\r\n a broken\xff b\n\n")
    report = count_files([tmp_path / "a.txt"], "whitespace", tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.schema.equals(SCHEMA)
    assert table.to_pylist() == [
        {"word": " a", "count": 2},
        {"word": " b", "count": 2},
        {"word": " broken\ufffd", "count": 1},
        {"word": "b", "count": 1},
    ]
    assert report == CountReport(texts=3, undecodable=1, words=6, distinct_words=4)


def test_strange_text_is_counted_not_lost(tmp_path: Path) -> None:
    texts = ["nul\x00inside", "\u2581 \u2585", "\ue000private", "lone \\ud800", "x" * 1_000_000, "<s> <0x41>"]
    lines = [json.dumps({"text": text}).replace("\\\\", "\\") for text in texts]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    report = count_files([tmp_path / "a.jsonl"], "whitespace", tmp_path / "out.parquet")
    words = {"nul\x00inside", "\u2581", " \u2585", "\ue000private", "lone", " \ufffd", "x" * 1_000_000}
    assert set(counted(tmp_path / "out.parquet")) == words | {"<s>", " <0x41>"}
    assert report.undecodable == 1


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b a\tc\n" * 3)
    count_files([tmp_path / "a.txt"], "gpt2", tmp_path / "out.parquet")
    counts = read_counts([tmp_path / "out.parquet"])
    assert dict(zip(counts.words, counts.counts.tolist(), strict=True)) == counted(tmp_path / "out.parquet")


def test_files_without_text_are_an_error_and_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n\n")
    with pytest.raises(DataError, match=r"empty\.txt: no text to count; name files"):
        count_files([tmp_path / "empty.txt"], "whitespace", tmp_path / "out.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["empty.txt"]


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / ".out.parquet.runs"
    left.mkdir()
    (left / "words-0.arrow").write_bytes(b"half a run")
    (tmp_path / "a.txt").write_text("text")
    count_files([tmp_path / "a.txt"], "whitespace", tmp_path / "out.parquet")
    assert not left.exists()
