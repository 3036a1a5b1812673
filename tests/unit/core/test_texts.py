import gzip
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from modtok.core.errors import DataError
from modtok.core.texts import TextCounts, has_rows, read_documents, read_texts

TEXTS = [
    "the first",
    "",
    " δεύτερο ",
    "U+2028 \u2028 and \x1c and NUL \0 stay",
    "\ufeffno mark here",
    "a\u2581b",
    "last",
]


def zst(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


PACKINGS = pytest.mark.parametrize(
    ("suffix", "pack"), [("", bytes), (".gz", gzip.compress), (".zst", zst)], ids=["plain", "gz", "zst"]
)
PACKED = pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".zst", zst)], ids=["gz", "zst"]
)


def as_lines(texts):
    return "".join(f"{text}\n" for text in texts).encode()


def as_jsonl(texts):
    return b"".join(json.dumps({"id": 1, "text": text}).encode() + b"\n" for text in texts)


def as_parquet(texts, kind=None):
    file = io.BytesIO()
    pq.write_table(pa.table({"id": range(len(texts)), "text": pa.array(texts, kind or pa.string())}), file)
    return file.getvalue()


FORMATS = pytest.mark.parametrize(
    ("name", "write"), [("a.txt", as_lines), ("a.jsonl", as_jsonl), ("a.parquet", as_parquet)]
)


@pytest.fixture
def read(tmp_path):
    """Write a file, read it back: its texts and the counts as a tuple."""

    def write_and_read(name, data, column="text"):
        counts = TextCounts()
        (tmp_path / name).write_bytes(data)
        texts = list(read_texts(tmp_path / name, counts, column))
        return texts, (counts.texts, counts.size_bytes, counts.undecodable)

    return write_and_read


# --- what every format does ---


@FORMATS
@PACKINGS
def test_texts_come_back_as_they_were(read, name, write, suffix, pack):
    size = sum(len(text.encode()) for text in TEXTS)
    assert read(name + suffix, pack(write(TEXTS))) == (TEXTS, (len(TEXTS), size, 0))


@FORMATS
@PACKINGS
def test_no_text_is_no_error(read, name, write, suffix, pack):
    assert read(name + suffix, pack(write([]))) == ([], (0, 0, 0))


@FORMATS
def test_a_missing_file_is_an_os_error(tmp_path, name, write):
    for suffix in ("", ".gz", ".zst"):
        with pytest.raises(FileNotFoundError):
            list(read_texts(tmp_path / (name + suffix)))


@FORMATS
@PACKED
@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_cut_file_is_a_data_error(read, name, write, suffix, pack, part):
    whole = pack(write([os.urandom(50).hex() for _ in range(5000)]))
    with pytest.raises(DataError, match=rf"{name}{suffix}: broken data \("):
        read(name + suffix, whole[: int(len(whole) * part)])


@FORMATS
@PACKED
def test_what_is_not_compressed_at_all_is_a_data_error(read, name, write, suffix, pack):
    with pytest.raises(DataError, match="broken data"):
        read(name + suffix, b"plain text under a name that promises otherwise\n" * 100)


def test_corrupt_deflate_data_is_a_data_error(read):
    data = bytearray(gzip.compress(as_lines([os.urandom(50).hex() for _ in range(1000)])))
    data[2000:2100] = b"\xff" * 100
    with pytest.raises(DataError, match="broken data"):
        read("a.txt.gz", bytes(data))


@FORMATS
@PACKED
def test_members_and_frames_are_read_one_after_another(read, name, write, suffix, pack):
    whole = write(TEXTS)
    parts = pack(whole[:20]) + pack(b"") + pack(whole[20:])
    assert read(name + suffix, parts)[0] == TEXTS


@pytest.mark.parametrize("name", ["notes.jsonl.txt", "notes.parquet.txt", "jsonl", "x.tsv"])
def test_only_the_last_suffix_says_what_a_file_is(read, name):
    assert read(name, b"plain\n")[0] == ["plain"]


# --- lines ---


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"last line without end", ["last line without end"]),
        (b"\n", [""]),
        (b"a\n\n\nb\n", ["a", "", "", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"two\r\r\n", ["two\r"]),
        (b"a\rb\n", ["a\rb"]),
        (b"no line end\r", ["no line end\r"]),
        (b"\xef\xbb\xbfmark\n\xef\xbb\xbfnot at the start\n", ["mark", "\ufeffnot at the start"]),
        (b"\xef\xbb\xbf\xef\xbb\xbftwo marks", ["\ufefftwo marks"]),
        (b"\xef\xbb\xbf", [""]),
    ],
)
def test_line_ends_and_marks(read, data, lines):
    assert read("a.txt", data)[0] == lines


ANY_LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"))


@given(st.lists(ANY_LINE.filter(lambda line: not line.endswith("\r"))))
def test_any_text_without_line_feed_is_one_line(tmp_path_factory, texts):
    path = tmp_path_factory.getbasetemp() / "lines.txt"
    path.write_bytes(b"\xef\xbb\xbf" * bool(texts) + as_lines(texts))
    assert list(read_texts(path)) == texts


def test_bytes_that_are_not_utf8_are_replaced_and_their_lines_counted(read):
    lines = [
        b"ok",
        b"latin \xe9 one",
        b"two \xff\xfe",
        b"cut \xe2\x82",
        b"an honest \xef\xbf\xbd",
        b"\xef\xbf\xbd and \xff",
        b"\xed\xa0\x80",
    ]
    texts, counts = read("a.txt", b"\n".join(lines))
    assert texts[:5] == ["ok", "latin \ufffd one", "two \ufffd\ufffd", "cut \ufffd", "an honest \ufffd"]
    assert counts == (7, sum(map(len, lines)), 5)


def test_a_line_of_megabytes(read):
    assert read("a.txt.gz", gzip.compress(b"x" * 5_000_000 + b"\nshort\n"))[0] == ["x" * 5_000_000, "short"]


def test_reading_stops_where_the_reader_stops(tmp_path):
    (tmp_path / "a.txt").write_bytes(as_lines(["one", "two", "three"]))
    counts = TextCounts()
    texts = read_texts(tmp_path / "a.txt", counts)
    assert (next(texts), counts.texts) == ("one", 1)
    texts.close()


def test_a_dash_is_standard_input():
    code = "from modtok.core.texts import *; print(list(read_texts(STDIN)))"
    data = "\ufeffune\r\nδύο\n".encode()
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert done.stdout.decode() == "['une', 'δύο']\n"


def test_a_closed_standard_input_is_an_error():
    code = "from modtok.core import errors, texts\n"
    code += "errors.exit_on_user_error(lambda: texts.open_binary(texts.STDIN))"
    shell = ["bash", "-c", '"$@" <&-', "bash", sys.executable, "-c", code]
    done = subprocess.run(shell, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        1, "error: standard input: it is closed; give it a file or a pipe\n"
    )  # fmt: skip


# --- jsonl ---


def test_a_number_of_any_length_stands_beside_the_text(tmp_path):
    (tmp_path / "a.jsonl").write_text(f'{{"text": "une", "id": {"9" * 5000}}}\n')
    assert list(read_texts(tmp_path / "a.jsonl")) == ["une"]


def test_blank_lines_and_rows_without_text_are_no_texts(read):
    data = b'\xef\xbb\xbf{"text": "one"}\r\n\n  \n{"text": null}\n{"text": "", "other": 1}\n{"text": "two"}'
    assert read("a.jsonl", data) == (["one", "", "two"], (3, 6, 0))


def test_another_column(read):
    assert read("a.jsonl", b'{"body": "one", "text": 1}\n', column="body")[0] == ["one"]
    assert read("a.parquet", as_parquet(["one"]))[0] == ["one"]


def test_a_lone_surrogate_is_replaced_and_its_text_counted(read):
    data = rb'{"text": "lone \ud800 and \udfff\ud83d"}' + b"\n" + rb'{"text": "pair \ud83d\ude00"}' + b"\n"
    texts, counts = read("a.jsonl", data)
    assert texts == ["lone \ufffd and \ufffd\ufffd", "pair 😀"]
    assert (counts[0], counts[2]) == (2, 1)


def test_broken_bytes_in_jsonl_are_counted_once(read):
    assert read("a.jsonl", b'{"text": "\xff \\ud800"}\n') == (["\ufffd \ufffd"], (1, 7, 1))


@pytest.mark.parametrize(
    "line",
    [b"not json", b"{}", b'{"txt": "x"}', b"[1]", b'"a string"', b"null",
     b'{"text": "x"', b'{"text": 1}', b'{"text": ["x"]}',
     b"[" * 200_000, b'{"text": ' + b"[" * 200_000, b'{"text": ' + b"9" * 5000 + b"}"],
    ids=lambda line: line[:12].decode(),
)  # fmt: skip
def test_a_line_without_text_is_a_data_error_that_names_the_line(read, line):
    with pytest.raises(DataError, match=r"a\.jsonl, line 2: "):
        read("a.jsonl", b'{"text": "fine"}\n' + line + b"\n")


# --- parquet ---


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_every_string_type(tmp_path, read, kind):
    assert read("a.parquet", as_parquet(["one", None, ""], kind)) == (["one", ""], (2, 3, 0))


def test_parquet_strings_that_are_not_utf8_are_replaced_and_counted(read):
    broken = pa.StringArray.from_buffers(1, pa.array([b"a\xffb"]).buffers()[1], pa.py_buffer(b"a\xffb"))
    file = io.BytesIO()
    pq.write_table(pa.table({"text": broken}), file)
    assert read("a.parquet", file.getvalue()) == (["a\ufffdb"], (1, 3, 1))


def test_more_rows_than_a_batch_and_several_row_groups(read):
    texts = [str(number) for number in range(5000)]
    file = io.BytesIO()
    pq.write_table(pa.table({"text": texts}), file, row_group_size=700)
    assert read("a.parquet", file.getvalue())[0] == texts


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "broken data"),
        (b"PAR1 not really PAR1", "broken data"),
        (as_parquet(["x" * 100] * 1000)[:-50], "broken data"),
        (as_parquet([1, 2], pa.int64()), "column 'text' is int64, not text"),
        (as_parquet([["x"]], pa.list_(pa.string())), "column 'text' is list<.*>, not text"),
    ],
)
def test_a_broken_parquet_file_is_a_data_error(read, data, message):
    with pytest.raises(DataError, match=f"a.parquet: {message}"):
        read("a.parquet", data)


def test_damage_inside_a_parquet_page_is_a_data_error(tmp_path, read):
    file = io.BytesIO()
    texts = [random.Random(number).randbytes(50).hex() for number in range(5000)]  # some damage would be text
    pq.write_table(pa.table({"text": texts}), file, compression="zstd")
    data = bytearray(file.getvalue())
    data[1000:1400] = b"\xff" * 400
    with pytest.raises(DataError, match="broken data"):
        read("a.parquet", bytes(data))


def test_a_missing_column_is_named_with_those_there_are(read):
    with pytest.raises(DataError, match="one column 'body'; it has id, text"):
        read("a.parquet", as_parquet(["x"]), column="body")


# --- documents ---


def test_documents_of_text_end_at_blank_lines_and_rows_are_documents(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\none\r\ntwo\n \n\nthree")
    (tmp_path / "a.jsonl").write_bytes(as_jsonl(["one\n\ntwo", "three"]))
    assert list(read_documents(tmp_path / "a.txt")) == [(1, "one\ntwo"), (5, "three")]
    assert list(read_documents(tmp_path / "a.jsonl")) == [(0, "one\n\ntwo"), (1, "three")]


def test_rows_without_text_count_in_a_documents_place(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(as_jsonl([None, "one"]) + b"\n" + as_jsonl(["two"]))
    (tmp_path / "a.parquet").write_bytes(as_parquet([None, "one", None, "two"]))
    for name in ("a.jsonl", "a.parquet"):
        assert list(read_documents(tmp_path / name)) == [(1, "one"), (3, "two")]


@given(st.lists(st.text("ab \t", max_size=6)), st.integers(1, 12))
def test_documents_of_lines_hold_every_line_that_is_not_blank_at_its_place(lines, max_bytes):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.txt"
        path.write_bytes(as_lines(lines))
        counts = TextCounts()
        found = list(read_documents(path, counts, max_bytes=max_bytes))
        whole = list(read_documents(path))
    placed = {start + n: line for start, text in found for n, line in enumerate(text.split("\n"))}
    assert placed == {number: line for number, line in enumerate(lines) if line.strip()}
    assert all(len(text) + 1 <= max_bytes or "\n" not in text for _, text in found)
    assert counts.cut_documents == len(found) - len(whole)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("a.jsonl", True),
        ("a.parquet.zst", True),
        ("a.jsonl.txt", False),
        ("a.jsonl.gz.gz", False),
        ("a", False),
    ],
)
def test_the_last_suffix_before_the_packing_is_the_format(name, rows):
    assert has_rows(Path(name)) == rows


@pytest.mark.parametrize("suffix", [b".txt", b".txt.gz", b".txt.zst", b".parquet"])
def test_a_name_that_is_no_utf8(tmp_path, suffix):
    path = tmp_path / os.fsdecode(b"\xff" + suffix)
    content = pa.BufferOutputStream()
    pq.write_table(pa.table({"text": ["une"]}), content)
    packed = {
        b".txt": b"une\n",
        b".txt.gz": gzip.compress(b"une\n"),
        b".txt.zst": zstandard.compress(b"une\n"),
        b".parquet": content.getvalue().to_pybytes(),
    }
    path.write_bytes(packed[suffix])
    assert list(read_texts(path)) == ["une"]
