"""The commands as a person types them: options that are refused, streams, what a pipe gets."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from modtok import __version__

WORDS = "low lower newest\n"


def modtok(command: str, cwd: Path, text: str = WORDS) -> subprocess.CompletedProcess[str]:
    """Run a shell line in which `modtok` is the program."""
    line = f'modtok() {{ "{sys.executable}" -m modtok "$@"; }}; {command}'
    return subprocess.run(["bash", "-c", line], cwd=cwd, input=text, capture_output=True, text=True)


@pytest.mark.parametrize(
    "option", [f"--budget {10**19}", f"--budget 300 --min-frequency {10**19}", "--budget 300 --threads 99999"]
)
def test_a_number_out_of_bounds_is_a_fault_of_usage(tmp_path: Path, option: str) -> None:
    done = modtok(f"modtok train bpe --counts en=absent.tsv --out out {option}", tmp_path)
    assert done.returncode == 2
    assert "Invalid value" in done.stderr


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("compare t --parallel p --langs en --reference en=a --reference en=b", "--reference en"),
        (
            "train merged-unigram --counts en=c.tsv --budget 300 --out o --trained en=a --trained en=b",
            "--trained en",
        ),
    ],
)
def test_two_tokenizers_for_one_language_are_refused(tmp_path: Path, command: str, option: str) -> None:
    done = modtok(f"modtok {command}", tmp_path)
    assert (done.returncode, done.stderr) == (1, f"error: {option}: given twice; give it one\n")


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    done = modtok("modtok --version", tmp_path)
    assert (done.returncode, done.stdout) == (0, f"modtok {__version__}\n")


def test_a_strict_audit_fails_where_a_check_does(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text('{"model": {"type": "WordLevel"}}')
    done = modtok("modtok audit . && modtok audit . --strict --format tsv", tmp_path)
    assert done.returncode == 1
    assert done.stderr == "error: .: these checks failed: model, lossless; see the report\n"


def test_compare_says_which_languages_have_no_reference(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    for code in ("eng_Latn", "fra_Latn"):
        (tmp_path / "set" / f"{code}.devtest").write_text("low\n")
    model = '{"added_tokens": [], "model": {"type": "BPE", "vocab": {"l": 0, "o": 1, "w": 2}, "merges": []}}'
    (tmp_path / "tokenizer.json").write_text(model)
    compare = "modtok compare . --parallel set --langs en,fr --reference fr=."
    done = modtok(f"{compare} --format tsv", tmp_path)
    assert done.stderr == "no --reference for en: nsl, and its mean, leave them out\n"
    assert done.returncode == 0


def test_help_of_a_parallel_set_names_a_file(tmp_path: Path) -> None:
    # what stands in angle brackets would not be shown
    assert "eng_Latn.devtest" in modtok("COLUMNS=200 modtok compare --help", tmp_path).stdout


def test_counts_go_to_standard_output(tmp_path: Path) -> None:
    done = modtok("modtok count - --out - > counts.parquet; ls", tmp_path)
    assert done.stdout == "counts.parquet\n"
    assert done.stderr.startswith("-: 3 words, 3 distinct")
    assert pq.ParquetFile(tmp_path / "counts.parquet").read().num_rows == 3


def test_counting_a_pipe_ends(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = modtok("(echo low > pipe &); modtok count pipe --out out.parquet", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("encode t <&-", "standard input: it is closed; give it a file or a pipe"),
        ("encode t >&-", "standard output: it is closed; send it to a file, or to /dev/null"),
        ("encode t >/dev/full", "standard output: No space left on device"),
        ("count - --out /dev/full", "/dev/full: No space left on device"),
    ],
)
def test_a_stream_that_fails_is_one_line(tmp_path: Path, command: str, message: str) -> None:
    (tmp_path / "t").write_text(
        '{"added_tokens": [], "model": {"type": "BPE", "vocab": {"l": 0, "o": 1}, "merges": []}}'
    )
    done = modtok(f"modtok {command}", tmp_path)
    assert (done.returncode, done.stderr) == (1, f"error: {message}\n")


def test_a_file_whose_name_is_no_utf8(tmp_path: Path) -> None:
    done = modtok(r"modtok count - --out $'\xff.parquet'", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("\\udcff.parquet: 3 words")
