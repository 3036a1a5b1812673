import json
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modtok.core import io
from modtok.core.errors import DataError

TABLE = pa.table({"word": ["the", " end", "ю"], "count": pa.array([3, 2, 1], pa.uint64())})


def start(code: str, *args: object) -> subprocess.Popen[bytes]:
    prelude = (
        "import sys, time\nfrom pathlib import Path\nfrom modtok.core.io import *\npath = Path(sys.argv[1])\n"
    )
    command = [sys.executable, "-c", prelude + code, *map(str, args)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


# --- atomic ---


def test_atomic_makes_folders_and_leaves_the_final_file_alone(tmp_path):
    path = tmp_path / "a" / "b" / "file.txt"
    with io.atomic(path) as partial:
        partial.write_text("whole")
        assert not path.exists()
    assert [file.name for file in path.parent.iterdir()] == ["file.txt"]
    assert path.read_text() == "whole"


def test_atomic_gives_the_permissions_that_any_new_file_gets(tmp_path):
    (tmp_path / "plain").touch()
    io.write_text(tmp_path / "atomic", "")
    assert (tmp_path / "atomic").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_an_error_keeps_the_old_file_and_leaves_no_litter(tmp_path):
    path = tmp_path / "file.txt"
    io.write_text(path, "old")
    with pytest.raises(RuntimeError), io.atomic(path) as partial:
        partial.write_text("half")
        raise RuntimeError
    assert [file.name for file in tmp_path.iterdir()] == ["file.txt"]
    assert path.read_text() == "old"


def test_kill_9_leaves_no_final_file_and_the_next_write_leaves_no_litter(tmp_path):
    path = tmp_path / "file.txt"
    body = "partial.write_text('x' * 10**6); print('half', flush=True); time.sleep(60)"
    code = f"with atomic(path) as partial:\n    {body}"
    with start(code, path) as process:
        assert process.stdout.readline() == b"half\n"
        os.kill(process.pid, signal.SIGKILL)
    assert not path.exists()
    io.write_text(path, "short")
    assert [file.name for file in tmp_path.iterdir()] == ["file.txt"]
    assert path.read_text() == "short"


def test_what_a_killed_process_left_is_not_taken_over(tmp_path):
    (tmp_path / ".file.txt.partial").write_text("left by a killed process")
    with io.atomic(tmp_path / "file.txt") as partial, partial.open("a") as file:
        file.write("new")
    assert (tmp_path / "file.txt").read_text() == "new"


def test_processes_that_write_the_same_file_at_once_end_with_one_whole_file(tmp_path):
    path = tmp_path / "file.txt"
    code = (
        "for _ in range(30):\n"
        "    with atomic(path) as partial, partial.open('w') as file:\n"
        "        for _ in range(50):\n"
        "            file.write(sys.argv[2] * 100); file.flush()\n"
    )
    processes = [start(code, path, letter) for letter in "abc"]
    seen = set()
    while any(process.poll() is None for process in processes):
        if path.exists():
            seen.add(path.read_text())
    errors = [process.communicate()[1] for process in processes]
    assert errors == [b"", b"", b""]
    assert seen | {path.read_text()} <= {letter * 5000 for letter in "abc"}
    assert [file.name for file in tmp_path.iterdir()] == ["file.txt"]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "scratch" / "file")
    io.write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "scratch" / "file").read_text() == "text"


def test_a_pipe_is_written_to_not_replaced(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_text()))
    reader.start()
    io.write_text(fifo, "through the pipe")
    reader.join(timeout=10)
    assert read == ["through the pipe"]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_folder_in_the_place_of_the_file_is_an_os_error(tmp_path):
    with pytest.raises(IsADirectoryError):
        io.write_text(tmp_path, "text")


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system of 1 MB; mounting one needs root."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("cannot mount a small file system here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


NOISE = np.random.default_rng(1).bytes(4_000_000)


@pytest.mark.parametrize(
    "write",
    [
        lambda path: io.write_text(path, "x" * 4_000_000),
        lambda path: io.write_tsv(path, ["cell"], ({"cell": "x" * 100} for _ in range(40_000))),
        lambda path: io.write_parquet(path, pa.table({"noise": [NOISE]})),
    ],
    ids=["text", "tsv", "parquet"],
)
def test_a_full_disk_is_an_os_error_and_leaves_the_old_file(tiny_disk, write):
    path = tiny_disk / "file"
    io.write_text(path, "old")
    with pytest.raises(OSError, match=r"No space left|Error writing") as raised:
        write(path)
    assert raised.value.filename == str(path)
    assert path.read_text() == "old"
    assert [file.name for file in tiny_disk.iterdir()] == ["file"]


def test_a_stream_gets_the_whole_file_and_nothing_is_written_beside_it(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    with io.file_or_stream(pipe) as file:
        file.write_text("whole")
    assert reader.communicate()[0] == b"whole"
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_dash_is_standard_output():
    code = "from modtok.core.io import *\nwith file_or_stream(STREAM) as file: file.write_text('whole')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"whole"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("-", True), ("/dev/stdout", True), ("/dev/shm/file", False), (".", False), ("absent/file", False)],
)
def test_what_is_a_stream(name, expected):
    assert io.is_stream(Path(name)) is expected


# --- text, JSON, TSV ---


def test_a_name_that_is_no_utf8_is_escaped_in_json(tmp_path):
    io.write_json(tmp_path / "a.json", {"input": "\udcff.parquet"})
    assert json.loads((tmp_path / "a.json").read_bytes()) == {"input": "\udcff.parquet"}


def test_text_and_json_are_utf8_with_lf(tmp_path):
    io.write_text(tmp_path / "a.txt", "é\r\n\u2028")
    assert (tmp_path / "a.txt").read_bytes() == "é\r\n\u2028".encode()
    io.write_json(tmp_path / "a.json", {"ю": [1, None], "a": 0.1})
    assert (tmp_path / "a.json").read_text() == '{\n  "ю": [\n    1,\n    null\n  ],\n  "a": 0.1\n}\n'


def test_json_has_no_nan(tmp_path):
    with pytest.raises(ValueError):
        io.write_json(tmp_path / "a.json", float("nan"))
    assert list(tmp_path.iterdir()) == []


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
TRAPS = [
    "",
    "\\",
    "\\t",
    "\t",
    "a\nb",
    "\r\n",
    "\u2028\u2029\x85",
    "\x0b\x0c\x1c\x1d\x1e",
    "\0",
    "\ufeff",
    " a ",
    '"',
    "\\\\n",
]


@pytest.mark.parametrize("columns", [["only"], ["first", "second"]])
def test_every_trap_survives_a_tsv(tmp_path, columns):
    rows = [dict.fromkeys(columns, trap) for trap in TRAPS]
    io.write_tsv(tmp_path / "a.tsv", columns, rows)
    assert io.read_tsv(tmp_path / "a.tsv") == rows
    assert (tmp_path / "a.tsv").read_bytes().count(b"\n") == len(rows) + 1


@given(rows=st.lists(st.tuples(ANY_TEXT, ANY_TEXT)), width=st.integers(1, 2))
def test_tsv_round_trip(tmp_path_factory, rows, width):
    path = tmp_path_factory.getbasetemp() / "round_trip.tsv"
    columns = ["first", "second"][:width]
    dicts = [dict(zip(columns, row, strict=False)) for row in rows if width == 1 or any(row)]
    io.write_tsv(path, columns, dicts)
    assert io.read_tsv(path) == dicts


@given(ANY_TEXT)
def test_escape_round_trip(text):
    escaped = io.escape(text)
    assert not set("\t\n\r") & set(escaped)
    assert io.unescape(escaped) == text


@pytest.mark.parametrize("text", ["\\x", "\\", "ends in \\", "\\é", "\\u0041"])
def test_an_unknown_escape_is_kept(text):
    assert io.unescape(text) == text


def test_numbers_in_cells_read_back_exactly(tmp_path):
    values = [0.1, 1 / 3, np.float64(1 / 3), 1e300, 12, np.int64(12), True, None, float("nan")]
    io.write_tsv(tmp_path / "a.tsv", ["value"], ({"value": value} for value in values))
    cells = [row["value"] for row in io.read_tsv(tmp_path / "a.tsv")]
    assert cells == ["0.1", repr(1 / 3), repr(1 / 3), "1e+300", "12", "12", "True", "", "nan"]


def test_a_hand_edited_table_reads_as_meant(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"\xef\xbb\xbfcode\tname\r\nbg\tBulgarian\r\n\r\nel\tGreek")
    assert io.read_tsv(tmp_path / "a.tsv") == [
        {"code": "bg", "name": "Bulgarian"},
        {"code": "el", "name": "Greek"},
    ]


@pytest.mark.parametrize("content", [b"", b"code\tname\n", b"code\tname"])
def test_a_table_without_rows(tmp_path, content):
    (tmp_path / "a.tsv").write_bytes(content)
    assert io.read_tsv(tmp_path / "a.tsv") == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\tb\n1\t2\n3\n", "a.tsv, line 3: 1 cells for 2 columns"),
        (b"a\tb\n1\t2\t3\n", "a.tsv, line 2: 3 cells for 2 columns"),
        (b"a\n\xff\n", "a.tsv: not UTF-8 text .* at byte 2"),
    ],
)
def test_a_broken_table_is_a_data_error(tmp_path, content, message):
    (tmp_path / "a.tsv").write_bytes(content)
    with pytest.raises(DataError, match=message):
        io.read_tsv(tmp_path / "a.tsv")


# --- parquet ---


def test_parquet_same_rows_same_bytes(tmp_path):
    io.write_parquet(tmp_path / "a.parquet", TABLE)
    io.write_parquet(tmp_path / "b.parquet", pa.concat_tables([TABLE[:1], TABLE[1:]]))
    code = (
        "import pyarrow as pa\npa.set_cpu_count(1)\n"
        "table = pa.table({'word': ['the', ' end', 'ю'], 'count': pa.array([3, 2, 1], pa.uint64())})\n"
        "write_parquet(path, table)"
    )
    with start(code, tmp_path / "c.parquet") as process:
        assert process.communicate() == (b"", b"")
    assert pq.read_table(tmp_path / "a.parquet").equals(TABLE)
    assert len({file.read_bytes() for file in tmp_path.iterdir()}) == 1


def test_a_parquet_writer_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(RuntimeError), io.parquet_writer(tmp_path / "a.parquet", TABLE.schema) as writer:
        writer.write_table(TABLE)
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_a_parquet_writer_takes_tables_one_by_one(tmp_path: Path):
    with io.parquet_writer(tmp_path / "a.parquet", TABLE.schema) as writer:
        writer.write_table(TABLE[:2])
        writer.write_table(TABLE[2:])
    assert pq.read_table(tmp_path / "a.parquet").equals(TABLE)
