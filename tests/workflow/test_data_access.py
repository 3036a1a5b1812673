"""Data from a crawl's list over http, cut off midway, resumed; and a lock that another machine is held to."""

import gzip
import re
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from modtok.core.io import read_tsv
from modtok.planning.run import merged
from workflow.runs import SMALL, configure, finish, new_run, snakemake, would_run

pytestmark = pytest.mark.slow

CRAWL = "crawl-data/CC-MAIN-2024-51"
MANIFEST, LOCK = "results/manifest.json", "config/lock.json"


class Crawl(BaseHTTPRequestHandler):
    """Serves the files below `server.root`; the first answer with a WARC file ends after half of it."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        content = (self.server.root / self.path.lstrip("/")).read_bytes()
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(asked[1]) if asked else 0
        cut = self.path.endswith(".warc.gz") and self.path not in self.server.seen
        self.server.seen.setdefault(self.path, []).append(start)
        self.send_response(206 if asked else 200)
        self.send_header("ETag", '"one"')
        self.send_header("Content-Length", str(len(content) - start))
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        self.wfile.write(content[start : len(content) // 2 if cut else None])
        self.close_connection = cut


@pytest.fixture(scope="module")
def crawl(inputs, tmp_path_factory):
    """A server with two WARC files of the smoke run and their list, as CommonCrawl has them."""
    root = tmp_path_factory.mktemp("crawl")
    paths = [f"{CRAWL}/{file.name}" for file in sorted((inputs / "warc").glob("*.warc.gz"))[:2]]
    (root / CRAWL).mkdir(parents=True)
    for path in paths:
        shutil.copy(inputs / "warc" / path.rpartition("/")[2], root / path)
    (root / CRAWL / "warc.paths.gz").write_bytes(gzip.compress("\n".join(paths).encode()))
    with ThreadingHTTPServer(("127.0.0.1", 0), Crawl) as server:
        server.root, server.seen = root, {}
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def with_sources(*sources, **more):
    return merged(SMALL, {"corpus": {"sources": list(sources), "quality": {"enabled": False}}, **more})


@pytest.fixture(scope="module")
def first(workflow, inputs, crawl, tmp_path_factory):
    """A run that has read its pages from the server."""
    listed = {"warc": f"http://127.0.0.1:{crawl.server_port}/{CRAWL}/warc.paths.gz"}
    run = new_run(tmp_path_factory.mktemp("first") / "run", with_sources(listed), inputs)
    shards = [f"results/corpus/shards/{number:04d}.parquet" for number in range(2)]
    ended = snakemake(workflow, run, "--cores", "2", MANIFEST, *shards)
    assert ended.returncode == 0, ended.stdout
    return run


def test_files_of_a_list_are_downloaded_and_go_on_where_they_were_cut_off(first, crawl):
    for path, starts in crawl.seen.items():
        resumed = starts[1:] if path.endswith(".warc.gz") else [1]
        assert starts[0] == 0
        assert len(resumed) == 1 and resumed[0] > 0
    assert len(crawl.seen) == 3
    ledgers = sorted((first / "results/corpus/ledger").glob("extract-*.tsv"))
    kept = [row for ledger in ledgers for row in read_tsv(ledger)]
    assert any(row["stage"] == "language_id" and row["outcome"] == "kept" for row in kept)


def test_downloads_are_removed_once_their_shard_is_written(first):
    assert not [path for path in (first / "results/corpus/downloads").rglob("*.warc.gz*") if path.is_file()]


@pytest.fixture
def elsewhere(first, inputs, crawl, tmp_path):
    """Another machine's run: the same crawl from a mirror in a folder, held to the first one's manifest."""
    mirrored = with_sources({"warc": "mine.paths.gz", "base_url": str(crawl.root)})
    run = new_run(tmp_path / "run", mirrored, inputs)
    shutil.copy(crawl.root / CRAWL / "warc.paths.gz", run / "mine.paths.gz")
    shutil.copy(first / MANIFEST, run / LOCK)
    return run, mirrored


def test_another_machine_with_the_same_files_passes_the_lock(elsewhere, workflow):
    run, _ = elsewhere
    ended = snakemake(workflow, run, "--cores", "1", MANIFEST)
    assert ended.returncode == 0, ended.stdout


def other_budget(elsewhere):
    run, mirrored = elsewhere
    return configure(run, merged(mirrored, {"tokenizers": {"budget": 450}}))


OTHER_BUDGET = f"{LOCK}: settings.tokenizers.budget is 400 in the lock and 450 in this run; mend the run"


def test_another_setting_stops_it_with_one_line_before_any_job_starts(elsewhere, workflow):
    run = other_budget(elsewhere)
    ended = snakemake(workflow, run, "--cores", "2", "results/corpus/shards/0000.parquet")
    assert ended.returncode != 0
    assert [line for line in ended.stdout.splitlines() if line.startswith(OTHER_BUDGET)] != []
    assert "character_coverage" not in ended.stdout  # the config, which is not printed
    assert "rule " not in ended.stdout
    assert not (run / "results" / "corpus").exists()


def test_an_edit_after_the_sources_were_listed_stops_it_before_anything_is_fetched(elsewhere, workflow):
    run, mirrored = elsewhere
    finish(workflow, run, MANIFEST)
    other_budget(elsewhere)
    ended = snakemake(workflow, run, "--cores", "2", "corpora")
    assert ended.returncode != 0 and OTHER_BUDGET in ended.stdout
    assert "rule " not in ended.stdout
    configure(run, mirrored)
    finish(workflow, run, "results/corpus/fetched/0000.tsv")


def test_without_hooks_the_manifest_is_held(elsewhere, workflow):
    run = other_budget(elsewhere)
    ended = snakemake(workflow, run, "--cores", "1", "--no-hooks", MANIFEST)
    assert ended.returncode != 0 and f"error: {OTHER_BUDGET}" in ended.stdout


def test_a_lock_that_comes_or_goes_runs_nothing_else(own):
    workflow, run = own
    shutil.copy(run / MANIFEST, run / LOCK)
    assert set(would_run(workflow, run)) == {"manifest", "page"}
    finish(workflow, run)
    assert would_run(workflow, run) == {}
    (run / LOCK).unlink()
    assert set(would_run(workflow, run)) == {"manifest", "page"}


def test_what_has_passed_is_not_read_again(own):
    workflow, run = own
    shutil.copy(run / MANIFEST, run / LOCK)
    finish(workflow, run, MANIFEST)
    passed = run / "results/corpus/lock_passed.txt"
    before = passed.stat().st_mtime_ns
    (run / "results/corpus/mixture.tsv").unlink()
    finish(workflow, run, "results/corpus/mixture.tsv")
    assert passed.stat().st_mtime_ns == before


def test_an_edit_of_config_and_lock_together_runs_what_it_concerns(own):
    workflow, run = own
    configure(run, merged(SMALL, {"evaluation": {"bootstrap": 200}}))
    finish(workflow, run, MANIFEST)
    shutil.copy(run / MANIFEST, run / LOCK)
    assert {"manifest", "measure_compression"} <= set(would_run(workflow, run))


def test_an_edit_after_the_sources_were_listed_is_found(own):
    workflow, run = own
    shutil.copy(run / MANIFEST, run / LOCK)
    configure(run, merged(SMALL, {"evaluation": {"bootstrap": 200}}))
    ended = snakemake(workflow, run, "--cores", "1")
    assert ended.returncode != 0
    assert "settings.evaluation.bootstrap is 100 in the lock and 200 in this run" in ended.stdout
    assert "rule " not in ended.stdout


def test_a_part_of_a_run_is_held_too(own):
    workflow, run = own
    shutil.copy(run / MANIFEST, run / LOCK)
    configure(run, merged(SMALL, {"evaluation": {"bootstrap": 200}}))
    for target in ("tokenizers", "models", "tables", "figures", "table_1", "page"):
        assert "manifest" in would_run(workflow, run, target), target
