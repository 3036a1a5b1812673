"""Counting files: the counts of the pattern, the same bytes whatever the memory, nothing lost."""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.core.errors import DataError
from modtok.tokenization.frequent_words import most_frequent
from modtok.tokenization.pretokenization import PATTERNS, split
from modtok.tokenization.sorted_runs import WORDS
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
    kept = {"kept_words": 6, "kept_distinct_words": 4}
    assert report == CountReport(texts=3, undecodable=1, words=6, distinct_words=4, **kept)


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


@settings(max_examples=200, deadline=None)
@given(
    counts=st.lists(st.integers(1, 9), min_size=1, max_size=40).map(lambda found: sorted(found)[::-1]),
    most=st.integers(1, 45),
    size=st.integers(1, 9),
)
def test_the_most_frequent_words_are_kept_and_those_of_one_count_together(counts, most, size) -> None:
    table = pa.table([[f"w{number}" for number in range(len(counts))], counts], schema=WORDS)
    parts = [table.slice(start, size) for start in range(0, len(counts), size)]
    kept = pa.concat_tables([table.slice(0, 0), *most_frequent(parts, most)])
    fit = [count for count in counts if sum(other >= count for other in counts) <= most]
    assert kept["count"].to_pylist() == fit
    assert kept["word"].to_pylist() == table["word"].to_pylist()[: len(fit)]


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x a a a b b c c d")
    report = count_files([tmp_path / "a.txt"], "whitespace", tmp_path / "out.parquet", most=2)
    assert counted(tmp_path / "out.parquet") == {" a": 3}
    assert (report.words, report.distinct_words) == (9, 5)
    assert (report.kept_words, report.kept_distinct_words) == (3, 1)


def test_words_that_are_all_seen_equally_often_are_not_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b c")
    with pytest.raises(DataError, match="more than 2 words are seen equally often, and none more"):
        count_files([tmp_path / "a.txt"], "whitespace", tmp_path / "out.parquet", most=2)
    assert not (tmp_path / "out.parquet").exists()
