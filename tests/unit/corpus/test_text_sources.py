import gzip
import json
from collections import Counter

import pyarrow as pa
import pytest

from modtok.core.errors import DataError
from modtok.core.io import write_parquet
from modtok.corpus.text_sources import read_text_source


def read(path, max_bytes=1000):
    repairs = Counter()
    found = [(item.offset, item.text, item.reason) for item in read_text_source(path, max_bytes, repairs)]
    return found, repairs


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress])
def test_blank_lines_separate_the_documents_of_a_txt_file(tmp_path, pack):
    path = tmp_path / ("a.txt" if pack(b"x") == b"x" else "a.txt.gz")
    path.write_bytes(pack(b"\n\nfirst\nstill first\n \n\nsecond\r\n"))
    assert read(path)[0] == [(2, "first\nstill first", ""), (6, "second", "")]


def test_rows_are_the_documents_of_jsonl_and_parquet(tmp_path):
    texts = ["one\n\nstill one", "two"]
    jsonl, parquet = tmp_path / "a.jsonl", tmp_path / "a.parquet"
    jsonl.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    write_parquet(parquet, pa.table({"text": texts}))
    assert read(jsonl)[0] == read(parquet)[0] == [(0, "one\nstill one", ""), (1, "two", "")]


def test_a_long_txt_document_is_cut_at_line_ends_and_loses_nothing(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("12345678\n" * 5 + "\nnext\n")
    found, repairs = read(path, max_bytes=20)
    assert [text for _, text, _ in found] == ["12345678\n12345678", "12345678\n12345678", "12345678", "next"]
    assert [offset for offset, _, _ in found] == [0, 2, 4, 6]
    assert repairs == {"cut_documents": 2}


@pytest.mark.parametrize(
    ("name", "content"), [("a.txt", "{}\nshort\n"), ("a.jsonl", '{{"text": "{}"}}\n{{"text": "short"}}\n')]
)
def test_a_line_or_row_over_the_limit_ends_there_at_a_character(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content.format("x" + "é" * 15_000))
    found, repairs = read(path)
    assert found == [(0, "x" + "é" * 499, ""), (1, "short", "")]
    assert repairs["shortened_documents"] == 1


def test_a_line_of_just_the_limit_stays_whole(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("x" * 1000)
    assert read(path) == ([(0, "x" * 1000, "")], {})


def test_a_row_without_text_has_its_reason(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": " "}\n')
    assert read(path)[0] == [(0, "", "no_text")]


def test_a_bad_row_is_named_with_its_line_and_a_remedy(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "sound"}\n{"body": "bad"}\n')
    with pytest.raises(DataError, match=r"a\.jsonl, line 2: not a JSON object with a field 'text'; \w+"):
        read(path)


def test_bad_bytes_and_surrogates_are_counted(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"bad \xff byte\n")
    assert read(path) == ([(0, "bad \ufffd byte", "")], {"replaced_bytes": 1})
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "lone \\ud800 here"}\n')
    assert read(path) == ([(0, "lone \ufffd here", "")], {"replaced_bytes": 1})


def test_a_name_like_jsonl_does_not_make_a_txt_file_one_of_rows(tmp_path):
    path = tmp_path / "fi.jsonl.txt"
    path.write_text("one\nstill one\n\ntwo\n")
    assert read(path)[0] == [(0, "one\nstill one", ""), (3, "two", "")]


def test_a_document_keeps_its_row_number_whatever_is_before_it(tmp_path):
    jsonl, parquet = tmp_path / "a.jsonl", tmp_path / "a.parquet"
    jsonl.write_text('{"text": null}\n\n{"text": "one"}\n')
    write_parquet(parquet, pa.table({"text": [None, None, "one"]}))
    assert read(jsonl)[0] == read(parquet)[0] == [(2, "one", "")]
