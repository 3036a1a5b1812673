"""Crashes and hangs in the process that reads pages.

Real parsers are hard to crash on purpose, so a `sitecustomize` on the path of the child process gives the
extractor marks at which it dies, hangs or dawdles; everything else is as it runs for users.
"""

import signal
import subprocess
import sys
import time

import pytest

from modtok.core.errors import DataError
from modtok.corpus.page_assignment import PageSettings
from modtok.corpus.page_stream import PageStream
from unit.corpus.warc_bytes import http, page, record, write_gz

FAULTY_EXTRACTOR = """
import faulthandler, os, signal, time
from modtok.corpus import charsets
from resiliparse.extract import html2text

sound_decode = charsets.decode

def decode(data, *labels):
    return data.bug if b"BUG OF OURS" in data else sound_decode(data, *labels)

charsets.decode = decode
sound = html2text.extract_plain_text

def extract_plain_text(html, **options):
    if "SEGMENTATION FAULT" in html:
        faulthandler._sigsegv()
    while "ENDLESS LOOP" in html:
        pass
    if "KILLED FROM OUTSIDE" in html:
        os.kill(os.getpid(), signal.SIGKILL)
    if "PANIC" in html:
        raise BaseException("as a panic in native code arrives")
    if "SLOWLY" in html:
        time.sleep(0.02)
    return sound(html, **options)

html2text.extract_plain_text = extract_plain_text
"""
CRASH, HANG, KILL, PANIC, BUG = (
    record(http(f"<p>{mark}</p>".encode()), 99)
    for mark in ("SEGMENTATION FAULT", "ENDLESS LOOP", "KILLED FROM OUTSIDE", "PANIC", "BUG OF OURS")
)
SETTINGS = PageSettings(timeout_s=0.2)


@pytest.fixture
def faulty_extractor(tmp_path, monkeypatch):
    folder = tmp_path / "faulty"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(FAULTY_EXTRACTOR)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


def read(*paths, settings=SETTINGS):
    stream = PageStream(paths, settings)
    found = [(item.position, int(item.url.rsplit("/", 1)[1])) for item in stream.pages()]
    return found, stream.ledger


def test_pages_come_in_the_order_of_files_and_records(tmp_path):
    paths = [write_gz(tmp_path / f"{name}.warc.gz", [page(1), page(2)]) for name in "ab"]
    found, ledger = read(*paths)
    assert found == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert ledger.records("language_id", "en", "kept") == 4


def test_an_offender_costs_one_record(tmp_path, faulty_extractor):
    first = write_gz(tmp_path / "a.warc.gz", [CRASH, page(1), HANG, page(2), PANIC, BUG])
    second = write_gz(tmp_path / "b.warc.gz", [page(3), page(4)])
    found, ledger = read(first, second)
    assert found == [(0, 1), (0, 2), (1, 3), (1, 4)]
    assert ledger.records("extract", outcome="extractor_crash") == 2
    assert ledger.records("extract", outcome="extractor_timeout") == 1
    assert ledger.records("extract", outcome="extractor_error") == 1
    assert ledger.records("read") == ledger.records("extract") == 8
    assert ledger.records("extract", outcome="kept") == ledger.records("language_id") == 4


def test_a_real_page_that_takes_too_long_is_given_up(tmp_path):
    endless = record(http(b"<table><tr><td>" * 200_000), 9)
    path = write_gz(tmp_path / "a.warc.gz", [page(1), endless, page(2)])
    found, ledger = read(path, settings=PageSettings(timeout_s=0.1))
    assert found == [(0, 1), (0, 2)]
    assert ledger.records("extract", outcome="extractor_timeout") == 1


def test_a_process_killed_from_outside_is_no_pages_fault(tmp_path, faulty_extractor):
    path = write_gz(tmp_path / "a.warc.gz", [page(1), KILL])
    with pytest.raises(DataError, match=r"ended with code -9.*lack of memory"):
        read(path)


def test_what_the_child_cannot_do_is_told_to_the_parent(tmp_path):
    path = write_gz(tmp_path / "a.warc.gz", [page(1)])
    with pytest.raises(DataError, match="no fastText model"):
        read(path, settings=PageSettings(model=path))
    with pytest.raises(DataError, match="gone"):
        read(tmp_path / "gone.warc.gz")


def children(pid):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(line) for line in found.stdout.split()]


def alive(pid):
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    return bool(found.strip()) and not found.startswith("Z")


@pytest.mark.slow
def test_no_process_is_left_when_the_parent_is_killed(tmp_path, faulty_extractor):
    path = write_gz(
        tmp_path / "a.warc.gz", [page(n, "SLOWLY does it, in plain English") for n in range(5000)]
    )
    program = (
        "from pathlib import Path; from modtok.corpus.page_stream import *\n"
        f"for found in PageStream([Path({str(path)!r})], PageSettings()).pages(): pass"
    )
    parent = subprocess.Popen([sys.executable, "-c", f"if __name__ == '__main__':\n exec({program!r})"])
    deadline = time.monotonic() + 30
    while not (offspring := children(parent.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    while any(map(alive, offspring)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert offspring
    assert not any(map(alive, offspring))
