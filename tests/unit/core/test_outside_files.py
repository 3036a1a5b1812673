"""What tells files outside a run from others."""

import pytest

from modtok.core.outside_files import files_digest, named_paths


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "a.txt").write_text("one")
    (tmp_path / "set" / "large").write_bytes(bytes(1_000_001))
    return tmp_path / "set"


def test_patterns_may_come_one_by_one():
    patterns = ["set/*.txt", "https://host/a"]
    assert files_digest(pattern for pattern in patterns) == files_digest(patterns)


def test_a_name_of_nothing_counts():
    assert files_digest(iter(["no/*"])) != files_digest(iter(["nothing/*"]))


@pytest.mark.parametrize("patterns", [["set"], ["set/*"], ["set/a.txt"]])
def test_another_content_is_told_but_no_other_time(patterns, folder):
    before = files_digest(patterns)
    (folder / "a.txt").touch()
    assert files_digest(patterns) == before
    (folder / "a.txt").write_text("two")
    assert files_digest(patterns) != before


def test_a_large_file_counts_by_its_size(folder):
    before = files_digest(["set"])
    (folder / "large").write_bytes(1_000_001 * b"a")
    assert files_digest(["set"]) == before
    (folder / "large").write_bytes(bytes(1_000_002))
    assert files_digest(["set"]) != before


def test_paths_are_found_wherever_settings_name_them() -> None:
    settings = {
        "positive": {"default": "good/{lang}.txt"},
        "parallel": [{"name": "flores", "path": "flores"}],
        "other_runs": ["../longer"],
        "seed": 1,
        "alphabet": "bytes",
    }
    other = "../longer/results/metrics/likelihood.tsv"
    assert list(named_paths(settings)) == ["good/*.txt", "flores", other]
