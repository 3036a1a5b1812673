"""Downloads from a server on this machine that misbehaves in every way that has been seen."""

import hashlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from modtok.core.errors import DataError
from modtok.corpus.fetch import Fetcher, Patience
from modtok.corpus.fetched import (
    Fetched,
    download_path,
    fetch_sources,
    file_name,
    read_fetched,
    write_fetched,
)
from modtok.corpus.sources import Source

CONTENT = bytes(range(256)) * 2000
CHANGED = bytes(reversed(CONTENT))
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Answers by the first part of the path; the server's `seen` holds (path, Range) of each request."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        trouble = self.path.split("/")[1]
        self.server.seen.append((self.path, self.headers.get("Range")))
        self.server.agents.add(self.headers["User-Agent"])
        number = len(self.server.seen)
        getattr(self, trouble)(number)

    def answer(self, status, content=b"", length=None, send=None, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        self.end_headers()
        self.wfile.write(content[:send])
        self.close_connection = send is not None or length is not None

    def whole_or_rest(self, content=CONTENT, etag='"one"', **more):
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        if asked and self.headers.get("If-Range") == etag:
            start = int(asked[1])
            span = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self.answer(206, content[start:], ETag=etag, Content_Range=span, **more)
        else:
            self.answer(200, content, ETag=etag, **more)

    def fine(self, number):
        self.whole_or_rest()

    def changed(self, number):
        self.whole_or_rest(CHANGED)

    def busy(self, number):
        statuses = [503, 429, 500, 502, 504]
        if number <= len(statuses):
            self.answer(statuses[number - 1], b"busy", Retry_After="7")
        else:
            self.whole_or_rest()

    def moved(self, number):
        self.answer(302, Location="http://me:SECRET@127.0.0.1:9/b?sig=SECRET")

    def always_busy(self, number):
        self.answer(503)

    def missing(self, number):
        self.answer(404, b"no such file")

    def cut(self, number):
        if number == 1:
            self.answer(200, CONTENT, send=100_000, ETag='"one"')
        else:
            self.whole_or_rest()

    def cut_ignoring_ranges(self, number):
        self.answer(200, CONTENT, send=100_000 if number == 1 else None, ETag='"one"')

    def cut_then_changed(self, number):
        if number == 1:
            self.answer(200, CONTENT, send=100_000, ETag='"one"')
        else:
            self.whole_or_rest(CHANGED, etag='"two"')

    def cut_without_etag(self, number):
        self.answer(200, CONTENT, send=100_000 if number == 1 else None)

    def wrong_range(self, number):
        if number == 1:
            self.answer(200, CONTENT, send=100_000, ETag='"one"')
        elif self.headers.get("Range"):
            self.answer(
                206, CONTENT[5:], Content_Range=f"bytes 5-{len(CONTENT) - 1}/{len(CONTENT)}", ETag='"one"'
            )
        else:
            self.whole_or_rest()

    def out_of_range(self, number):
        if number == 1:
            self.answer(200, CONTENT, send=100_000, ETag='"one"')
        elif self.headers.get("Range"):
            self.answer(416)
        else:
            self.whole_or_rest()

    def too_short(self, number):
        self.answer(200, CONTENT, length=len(CONTENT) + 10)

    def spoiled(self, number):
        self.whole_or_rest(CHANGED if number == 1 else CONTENT)


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.seen, running.agents = [], set()
        running.url = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def fetcher(pauses):
    with Fetcher(seed=1, patience=Patience(attempts=6, timeout=5), sleep=pauses.append) as fetcher:
        yield fetcher


@pytest.mark.parametrize(
    ("trouble", "ranges"),
    [
        ("fine", [None]),
        ("cut", [None, "bytes=65536-"]),
        ("cut_ignoring_ranges", [None, "bytes=65536-"]),
        ("cut_without_etag", [None, None]),
        ("wrong_range", [None, "bytes=65536-", None]),
        ("out_of_range", [None, "bytes=65536-", None]),
    ],
)
def test_the_file_arrives_whole_and_is_continued_where_that_is_safe(
    server, fetcher, tmp_path, trouble, ranges
):
    target = tmp_path / "a.warc.gz"
    found = fetcher.fetch(f"{server.url}/{trouble}", target)
    assert target.read_bytes() == CONTENT
    assert (found.size_bytes, found.sha256) == (len(CONTENT), SHA256)
    assert [asked for _, asked in server.seen] == ranges
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_that_changed_in_between_is_not_glued(server, fetcher, tmp_path):
    fetcher.fetch(f"{server.url}/cut_then_changed", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CHANGED


def test_a_busy_server_is_asked_again_after_growing_pauses(server, fetcher, pauses, tmp_path):
    fetcher.fetch(f"{server.url}/busy", tmp_path / "a")
    assert len(pauses) == 5
    assert pauses[0] == pauses[1] == 7, "Retry-After is heeded"
    assert pauses[4] > pauses[3] > 7
    with Fetcher(seed=1, sleep=(again := []).append) as second:
        server.seen.clear()
        second.fetch(f"{server.url}/busy", tmp_path / "b")
    assert again == pauses, "the jitter comes from the seed"


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        ("missing", r"/missing: not downloaded, attempt 1: status 404; check the URL"),
        ("always_busy", r"/always_busy: not downloaded, attempt 6: status 503; try again later"),
        ("too_short", r"/too_short: not downloaded, attempt 6: .*; try again later"),
    ],
)
def test_in_the_end_the_error_says_what_and_what_to_do(server, fetcher, tmp_path, trouble, message):
    with pytest.raises(DataError, match=message):
        fetcher.fetch(f"{server.url}/{trouble}", tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_no_server_at_all_is_an_error_of_one_line(fetcher, tmp_path):
    with pytest.raises(DataError, match="not downloaded, attempt 6: ConnectionError") as raised:
        fetcher.fetch("http://127.0.0.1:9/", tmp_path / "a")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://me:SECRET@127.0.0.1:9/a.warc.gz?sig=SECRET",
        "http://127.0.0.1:9/a.warc.gz?sig=SECRET&x=(SECRET)#SECRET",
        "http://me:SECRET@[broken/a.warc.gz?sig=SECRET",
        "http://me:SECRET@127.0.0.1:port/a.warc.gz?a SECRET",
        "https://:SECRET@/a.warc.gz",
    ],
)
def test_what_may_be_secret_in_a_url_is_not_in_the_error(fetcher, tmp_path, url):
    with pytest.raises(DataError, match=r"a\.warc\.gz: not downloaded, attempt") as raised:
        fetcher.fetch(url, tmp_path / "a")
    assert "SECRET" not in str(raised.value)


def test_nor_is_what_is_secret_in_a_url_that_the_server_leads_to(server, fetcher, tmp_path):
    with pytest.raises(DataError, match="Connection") as raised:
        fetcher.fetch(f"{server.url}/moved", tmp_path / "a")
    assert "SECRET" not in str(raised.value)


def test_a_killed_download_is_continued_by_the_next_process(server, tmp_path):
    with Fetcher(1, Patience(attempts=1)) as first, pytest.raises(DataError):
        first.fetch(f"{server.url}/cut", tmp_path / "a")
    with Fetcher(1) as second:
        second.fetch(f"{server.url}/cut", tmp_path / "a")
    assert server.seen[-1][1] == "bytes=65536-"
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_a_published_checksum_is_compared(server, fetcher, tmp_path):
    fetcher.fetch(f"{server.url}/spoiled", tmp_path / "a", SHA256)
    assert (tmp_path / "a").read_bytes() == CONTENT
    with pytest.raises(DataError, match="its SHA-256 is"):
        fetcher.fetch(f"{server.url}/fine", tmp_path / "b", "0" * 64)


def test_what_is_there_is_not_fetched_again(server, fetcher, tmp_path):
    first = fetcher.fetch(f"{server.url}/fine", tmp_path / "a")
    assert fetcher.fetch(f"{server.url}/fine", tmp_path / "a") == first
    assert len(server.seen) == 1


def test_what_is_there_with_another_checksum_than_the_published_one_is_fetched_again(
    server, fetcher, tmp_path
):
    (tmp_path / "a").write_bytes(b"of an earlier list")
    assert fetcher.fetch(f"{server.url}/fine", tmp_path / "a", SHA256).sha256 == SHA256
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_the_same_name_under_another_url_is_another_file(server, fetcher, tmp_path):
    """A list that now names another crawl's file in the same place must not get the old one."""
    for url, content in (("/fine/x/a.warc", CONTENT), ("/changed/x/a.warc", CHANGED)):
        [found] = fetch_sources([Source(0, "warc", "", server.url + url)], tmp_path, fetcher)
        assert Path(found.path).read_bytes() == content


def test_the_server_learns_who_asks(server, fetcher, tmp_path):
    fetcher.fetch(f"{server.url}/fine", tmp_path / "a")
    assert all(agent.startswith("modtok/") for agent in server.agents)


def test_local_files_are_listed_and_remote_ones_downloaded_with_a_pause(server, fetcher, tmp_path):
    local = tmp_path / "here.txt"
    local.write_text("text")
    remote = [Source(index, "warc", "", f"{server.url}/fine/{index}.warc.gz") for index in (3, 4)]
    naps = []
    sources = [Source(2, "text", "fi", str(local)), *remote]
    found = list(fetch_sources(sources, tmp_path / "downloads", fetcher, naps.append))
    assert found[0] == Fetched(2, "text", "fi", str(local), str(local), 4, "")
    assert [item.sha256 for item in found[1:]] == [SHA256, SHA256]
    assert found[2].path == str(download_path(tmp_path / "downloads", f"{server.url}/fine/4.warc.gz"))
    assert found[2].path.endswith("/4.warc.gz")
    assert naps == [1.0]
    write_fetched(tmp_path / "0000.tsv", found)
    assert read_fetched(tmp_path / "0000.tsv") == found


def test_a_missing_local_file_is_named(fetcher, tmp_path):
    with pytest.raises(DataError, match=r"gone\.warc: this file of corpus\.sources is gone"):
        list(fetch_sources([Source(0, "warc", "", "gone.warc")], tmp_path, fetcher))


@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("a/b.warc", "b.warc"),
        ("https://h/x/y.gz?z=1", "y.gz"),
        ("https://h/..", "file"),
        ("https://h/", "file"),
    ],
)
def test_a_name_stays_in_its_folder(location, name):
    assert file_name(location) == name
