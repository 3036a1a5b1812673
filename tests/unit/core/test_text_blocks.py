"""Blocks hold the texts that read_texts gives one by one, and count the same."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.core.errors import DataError
from modtok.core.text_blocks import TextBlock, block_of, read_blocks
from modtok.core.texts import TextCounts, read_texts

MARK = b"\xef\xbb\xbf"
PARTS = [b"a", b" ", b"\n", b"\r", b"\r\n", MARK, b"\xc3\xa9", b"\xe2\x80", b"\xa8", b"\xff", b"\xed\xa0\x80"]
files = st.one_of(st.binary(), st.lists(st.sampled_from(PARTS)).map(b"".join))
texts = st.lists(st.text(st.characters(exclude_categories=["Cs"])))
sizes = st.sampled_from([1, 5, 1 << 20])


def texts_of(block: TextBlock) -> list[str]:
    return [block.data[start:end].decode() for start, end in pairwise([0, *block.ends.tolist()])]


def in_blocks(path: Path, size: int) -> tuple[list[str], TextCounts]:
    counts = TextCounts()
    return [text for block in read_blocks(path, counts, size) for text in texts_of(block)], counts


def one_by_one(path: Path) -> tuple[list[str], TextCounts]:
    """A text file by the rules, line by line."""
    counts = TextCounts()
    lines = path.read_bytes().removeprefix(MARK).split(b"\n")
    ends_with_lf = path.read_bytes().endswith(b"\n") or not path.read_bytes()
    lines = [line.removesuffix(b"\r") for line in lines[:-1]] + ([] if ends_with_lf else lines[-1:])
    texts = [line.decode("utf-8", "replace") for line in lines]
    for line, text in zip(lines, texts, strict=True):
        counts.add(len(line), text.encode() != line)
    return texts, counts


@settings(deadline=None)
@given(files, sizes)
def test_lines_are_cut_and_counted_by_the_rules(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, size: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "blocks.txt"
    path.write_bytes(data)
    assert in_blocks(path, size) == one_by_one(path)
    counts = TextCounts()
    assert (list(read_texts(path, counts)), counts) == one_by_one(path)


@settings(deadline=None)
@given(texts, sizes)
def test_rows_are_those_of_read_texts(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], size: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "blocks.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    counts = TextCounts()
    assert in_blocks(path, size) == (list(read_texts(path, counts)), counts)
    assert in_blocks(path, size)[0] == texts


@given(texts)
def test_a_block_holds_its_texts(texts: list[str]) -> None:
    assert texts_of(block_of(texts)) == texts


def test_blocks_end_at_line_ends_and_have_about_the_size(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\nthree\n\nfour")
    blocks = read_blocks(tmp_path / "a.txt", TextCounts(), 6)
    assert list(map(texts_of, blocks)) == [["one", "two"], ["three", ""], ["four"]]


def test_lines_that_only_together_are_utf8_are_broken(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xe2\x82\n\xac\n")
    assert in_blocks(tmp_path / "a.txt", 100) == (["\ufffd", "\ufffd"], TextCounts(2, 3, 2))


def test_a_cut_archive_is_a_data_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(b"no archive")
    with pytest.raises(DataError, match="broken data"):
        list(read_blocks(tmp_path / "a.txt.gz", TextCounts()))
