"""Reading word counts: parquet and TSV, summed, and every fault named."""

import gzip
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modtok.core.errors import DataError
from modtok.core.io import escape, write_parquet
from modtok.tokenization.word_count_files import MAX_COUNT, SCHEMA, read_counts, recorded_pretokenization


def tsv(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def parquet(path: Path, columns: dict) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def as_dict(*paths: Path) -> dict[str, int]:
    counts = read_counts(paths)
    return dict(zip(counts.words, counts.counts.tolist(), strict=True))


def test_words_that_come_twice_add_up_over_files(tmp_path: Path) -> None:
    first = tsv(tmp_path / "a.tsv", "twice\t1\nonce\t2\ntwice\t3\n")
    second = parquet(tmp_path / "b.parquet", {"word": ["twice", "other"], "count": [10, 1]})
    assert as_dict(first, second) == {"twice": 14, "once": 2, "other": 1}


def test_order_is_count_then_code_points(tmp_path: Path) -> None:
    # U+FFFD sorts before U+10000 by code point and by UTF-8, after it by UTF-16
    path = tsv(tmp_path / "a.tsv", "\U00010000\t1\n\ufffd\t1\na\t1\nfrequent\t2")
    assert read_counts([path]).words == ["frequent", "a", "\ufffd", "\U00010000"]
    assert read_counts([path]).counts.dtype == np.uint64


def test_a_word_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tsv(
        tmp_path / "a.tsv", " a\t1\nin side\t1\ntrailing \t1\n\\t\\n\\r\\\\\t1\n\x85\u2028\t1\n\x00\t1\n"
    )
    assert set(read_counts([path]).words) == {" a", "in side", "trailing ", "\t\n\r\\", "\x85\u2028", "\x00"}


@given(st.dictionaries(st.text(), st.integers(1, 2**40), min_size=1))
def test_tsv_and_parquet_hold_the_same(
    tmp_path_factory: pytest.TempPathFactory, counts: dict[str, int]
) -> None:
    folder = tmp_path_factory.mktemp("counts")
    written = "".join(f"{escape(word)}\t{count}\n" for word, count in counts.items())
    columns = {"word": list(counts), "count": list(counts.values())}
    assert as_dict(tsv(folder / "a.tsv", written)) == counts
    assert as_dict(parquet(folder / "a.parquet", columns)) == counts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no words"),
        ("word 5\n", "line 1"),
        ("good\t1\nzero\t0\n", "line 2"),
        ("negative\t-1\n", "line 1"),
        ("fraction\t1.5\n", "line 1"),
        ("underscore\t1_0\n", "line 1"),
        ("space\t 1\n", "line 1"),
        ("carriage return\t1\r\n", "line 1"),
        ("other digits\t٣\n", "line 1"),
        ("tab\tinside\t1\n", "line 1"),
        ("\n", "line 1"),
        (f"too large\t{MAX_COUNT + 1}\n", "line 1"),
        (f"huge\t{'9' * 5000}\n", "line 1"),
        (f"sum\t{MAX_COUNT}\ntoo large\t1\n", "2^64"),
        (b"good\t1\nlatin-1 \xe9\t1\n", "line 2: not UTF-8"),
    ],
)
def test_a_faulty_tsv_is_named(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = tsv(tmp_path / "faulty.tsv", text)
    with pytest.raises(DataError) as error:
        read_counts([path])
    assert "faulty.tsv" in str(error.value)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"word": ["a"]}, "needs one column 'count'"),
        ({"text": ["a"], "count": [1]}, "needs one column 'word'"),
        ({"word": ["a"], "count": [0]}, "holds 0"),
        ({"word": ["a"], "count": [-3]}, "holds -3"),
        ({"word": ["a"], "count": [1.5]}, "not integers"),
        ({"word": ["a"], "count": ["1"]}, "not integers"),
        ({"word": ["a", None], "count": [1, 1]}, "empty cells"),
        ({"word": ["a", "b"], "count": [1, None]}, "empty cells"),
        ({"word": [1], "count": [1]}, "not text"),
        ({"word": pa.array([b"\xff"]).view(pa.string()), "count": [1]}, "not UTF-8"),
        ({"word": pa.array([], pa.string()), "count": pa.array([], pa.uint64())}, "no words"),
        ({"word": ["a", "b"], "count": pa.array([MAX_COUNT, 1], pa.uint64())}, "2^64"),
    ],
)
def test_a_faulty_parquet_is_named(tmp_path: Path, columns: dict, message: str) -> None:
    path = parquet(tmp_path / "faulty.parquet", columns)
    with pytest.raises(DataError) as error:
        read_counts([path])
    assert "faulty.parquet" in str(error.value)
    assert message in str(error.value)


def test_a_file_that_only_claims_to_be_parquet(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"faulty\.parquet: not a parquet file .*; count the text again"):
        read_counts([tsv(tmp_path / "faulty.parquet", "word\t1\n")])


def test_the_largest_count_is_exact(tmp_path: Path) -> None:
    assert as_dict(tsv(tmp_path / "a.tsv", f"large\t{MAX_COUNT - 1}\nsmall\t1\n")) == {
        "large": MAX_COUNT - 1,
        "small": 1,
    }


@pytest.mark.parametrize("content", [b"", b"word\t1\n"])
def test_a_broken_gzip_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "faulty.tsv.gz"
    path.write_bytes(content or gzip.compress(b"word\t1\n" * 99, mtime=0)[:-9])
    with pytest.raises(DataError, match=r"faulty\.tsv\.gz: broken data"):
        read_counts([path])


def test_a_damaged_parquet_is_named(tmp_path: Path) -> None:
    path = tmp_path / "faulty.parquet"
    table = pa.table({"word": [str(n) for n in range(9999)], "count": pa.array(range(1, 10000), pa.uint64())})
    pq.write_table(table, path, compression="zstd", use_dictionary=False)
    data = bytearray(path.read_bytes())
    data[4:104] = bytes(100)
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"faulty\.parquet: not a parquet file"):
        read_counts([path])


@pytest.mark.parametrize("name", [b"bogus", b"\xff"])
def test_a_pretokenization_that_there_is_not_is_an_error(tmp_path: Path, name: bytes) -> None:
    schema = SCHEMA.with_metadata({"pretokenization": name})
    pq.write_table(pa.table({"word": ["a"], "count": [1]}, schema=schema), tmp_path / "faulty.parquet")
    with pytest.raises(
        DataError, match=r"faulty\.parquet: its metadata name the pre-tokenization '.+'; count"
    ):
        recorded_pretokenization([tmp_path / "faulty.parquet"])


def test_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.parquet")
    write_parquet(path, pa.table({"word": ["a"], "count": [1]}, schema=SCHEMA))
    assert read_counts([path]).words == ["a"]
