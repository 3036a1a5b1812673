"""Files that come together, or not at all."""

import signal
import subprocess
import sys

import pytest

from modtok.core.new_files import new_files

# Three new files over three old ones; the process ends itself just before it renames for the nth time.
KILLED = """
import os, signal, sys
from pathlib import Path
from modtok.core.new_files import new_files

folder, left = Path(sys.argv[1]), int(sys.argv[2])

def kill(event, arguments):
    global left
    if event != "os.rename":
        return
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

with new_files(folder, "config") as partial:
    for name in ("config", "tokenizer", "weights"):
        (partial / name).write_text("new")
    sys.addaudithook(kill)
"""


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_files_come_when_all_are_there(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("old")
    (tmp_path / "out" / "other").write_text("other")
    with new_files(tmp_path / "out", "a") as partial:
        (partial / "a").write_text("new")
        (partial / "b").write_text("new")
        assert (tmp_path / "out" / "a").read_text() == "old"
    assert names(tmp_path / "out") == ["a", "b", "other"]
    assert (tmp_path / "out" / "a").read_text() == "new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_nothing(tmp_path, error):
    with pytest.raises(error), new_files(tmp_path / "new" / "out", "a") as partial:
        (partial / "a").write_text("half")
        raise error
    assert names(tmp_path / "new") == []


def test_an_error_leaves_what_was_there(tmp_path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(ValueError), new_files(tmp_path, "a") as partial:
        (partial / "a").write_text("half")
        raise ValueError
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_what_a_killed_process_has_left_goes(tmp_path):
    (tmp_path / ".partial").mkdir()
    (tmp_path / ".partial" / "left").write_text("half")
    with new_files(tmp_path, "a") as partial:
        (partial / "a").write_text("whole")
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("renames", [1, 2, 3, 4])
def test_a_kill_between_renames_leaves_no_old_file_with_a_new_config(renames, tmp_path):
    for name in ("config", "tokenizer", "weights", "other"):
        (tmp_path / name).write_text("old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), str(renames)])
    whole = {"config": "new", "tokenizer": "new", "weights": "new", "other": "old"}
    found = {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()}
    assert found == whole if renames == 4 else "config" not in found
    assert done.returncode == (0 if renames == 4 else -signal.SIGKILL)
    with new_files(tmp_path, "config") as partial:
        for name in ("config", "tokenizer", "weights"):
            (partial / name).write_text("new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == whole
