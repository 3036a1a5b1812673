"""The steps from the list of sources to the shards, from the command line to the files."""

import json
import subprocess
import sys

import pytest

from modtok.core.errors import ConfigError
from modtok.core.io import read_tsv
from modtok.corpus.documents import read_language
from modtok.corpus.ledger import read_ledgers
from modtok.steps import check_language_id, extract_shard, fetch_shard, list_sources
from unit.corpus.warc_bytes import page, write_gz

LIMITS = ["--timeout-s", "5", "--max-bytes", "1000000", "--threshold", "0.2"]
FRENCH = "Le temps change vite dans les montagnes.\nLes bergers le savent très bien.\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run folder with two WARC files and a text, and the working directory in it, as Snakemake has it."""
    monkeypatch.chdir(tmp_path)
    write_gz(tmp_path / "a.warc.gz", [page(1), page(2)])
    write_gz(tmp_path / "b.warc.gz", [page(3)])
    (tmp_path / "fr.txt").write_text(FRENCH)
    return tmp_path


def listed(shards):
    entries = [{"warc": "*.warc.gz"}, {"text": {"fr": "fr.txt"}}]
    outputs = [f"sources/{shard:04d}.tsv" for shard in range(shards)]
    list_sources.main(["--sources", json.dumps(entries), "--downloads", "downloads/lists", "--out", *outputs])
    return outputs


def test_from_sources_to_shards(run):
    for name in ("0000", "0001"):
        listed(2)
        fetch_shard.main(
            [
                "--sources",
                f"sources/{name}.tsv",
                "--downloads",
                f"downloads/{name}",
                "--out",
                f"fetched/{name}.tsv",
            ]
        )
        outputs = ["--ledger", f"ledger/extract-{name}.tsv", "--repairs", f"repairs/{name}.tsv"]
        shard = ["--fetched", f"fetched/{name}.tsv", "--out", f"shards/{name}.parquet"]
        extract_shard.main([*shard, *LIMITS, *outputs])
    found = [
        (row.source, row.language)
        for name in ("0000", "0001")
        for row in read_language(run / f"shards/{name}.parquet")
    ]
    assert found == [(0, "en"), (0, "en"), (1, "en"), (2, "fr")]
    ledger = read_ledgers(sorted((run / "ledger").iterdir()))
    assert ledger.records("read") == ledger.records("language_id", outcome="kept") == 4
    record = json.loads((run / "shards/0000.parquet.provenance.json").read_text())
    assert record["settings"] == {
        "main_content": False,
        "timeout_s": 5.0,
        "max_bytes": 1000000,
        "threshold": 0.2,
    }
    assert str(run) not in json.dumps(record["inputs"])


def test_more_shards_than_sources_leave_some_empty(run):
    assert [len(read_tsv(run / path)) for path in listed(5)] == [1, 1, 1, 0, 0]


def test_downloads_go_once_the_shard_is_there(run):
    downloads = run / "downloads/0000/000000"
    downloads.mkdir(parents=True)
    (run / "a.warc.gz").rename(downloads / "a.warc.gz")
    row = {"index": 0, "kind": "warc", "lang": "", "path": "downloads/0000/000000/a.warc.gz"}
    from modtok.corpus.fetched import Fetched, write_fetched

    write_fetched(run / "0000.tsv", [Fetched(**row, location="https://h/a.warc.gz", size_bytes=1, sha256="")])
    arguments = ["--fetched", "0000.tsv", "--out", "0000.parquet", "--ledger", "l.tsv", "--repairs", "r.tsv"]
    extract_shard.main([*arguments, *LIMITS, "--delete-downloads", "downloads/0000"])
    assert len(list(read_language(run / "0000.parquet"))) == 2
    assert not (run / "downloads/0000").exists()


@pytest.fixture
def parallel(run):
    (run / "set").mkdir()
    (run / "set/fra_Latn.devtest").write_text(FRENCH)
    return ["--parallel", "small=set", "--out", "recall.tsv"]


def test_recall_is_written_for_each_parallel_set(run, parallel):
    known = ["--lang", "fr", "--flores", "fra_Latn", "--labels", "fr", "--floor", "0.5"]
    check_language_id.main([*known, *parallel])
    assert read_tsv(run / "recall.tsv") == [
        {"lang": "fr", "dataset": "small", "lines": "2", "recall": "1.0", "confusions": ""}
    ]


def test_a_language_that_the_model_does_not_know_stops_the_run(run, parallel):
    mistaken = ["--lang", "so", "--flores", "fra_Latn", "--labels", "so", "--floor", "0.5"]
    with pytest.raises(ConfigError, match=r"'so'.*0\.0%.*fr 1\.000.*corpus\.language_id\.floor\.so"):
        check_language_id.main([*mistaken, *parallel])
    assert not (run / "recall.tsv").exists()


@pytest.mark.parametrize("extra", [["--parallel", "small=set"], []])
def test_without_a_parallel_set_there_is_a_warning_and_an_empty_table(run, parallel, extra, capsys):
    unknown = ["--lang", "te", "--flores", "tel_Telu", "--labels", "te", "--floor", "0.5"]
    check_language_id.main([*unknown, *extra, "--out", "recall.tsv"])
    assert "warning: language 'te' is in no parallel set" in capsys.readouterr().err
    assert read_tsv(run / "recall.tsv") == []


def test_an_error_is_one_line(run):
    command = [sys.executable, "-m", "modtok.steps.list_sources", "--downloads", "d", "--out", "0000.tsv"]
    done = subprocess.run([*command, "--sources", '[{"warc": "no/*"}]'], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: corpus.sources: warc 'no/*' matches no file")
    assert done.stderr.count("\n") == 1
