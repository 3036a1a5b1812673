"""Files that come together, or not at all."""

import pytest

from modtok.core.new_files import new_files


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_files_come_when_all_are_there(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("old")
    (tmp_path / "out" / "other").write_text("other")
    with new_files(tmp_path / "out") as partial:
        (partial / "a").write_text("new")
        (partial / "b").write_text("new")
        assert (tmp_path / "out" / "a").read_text() == "old"
    assert names(tmp_path / "out") == ["a", "b", "other"]
    assert (tmp_path / "out" / "a").read_text() == "new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_nothing(tmp_path, error):
    with pytest.raises(error), new_files(tmp_path / "new" / "out") as partial:
        (partial / "a").write_text("half")
        raise error
    assert names(tmp_path / "new") == []


def test_an_error_leaves_what_was_there(tmp_path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(ValueError), new_files(tmp_path) as partial:
        (partial / "a").write_text("half")
        raise ValueError
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_what_a_killed_process_has_left_goes(tmp_path):
    (tmp_path / ".partial").mkdir()
    (tmp_path / ".partial" / "left").write_text("half")
    with new_files(tmp_path) as partial:
        (partial / "a").write_text("whole")
    assert names(tmp_path) == ["a"]
