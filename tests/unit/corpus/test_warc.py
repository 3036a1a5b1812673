import gzip

import pytest

from modtok.corpus.warc import read_warc
from unit.corpus.warc_bytes import http, page, record, write_gz

BLOCK = http(b"<p>broken one</p>" * 20)
SPOILED = gzip.compress(page(2), mtime=0)

FAULTS = {
    "sound": (page(2), ""),
    "request": (record(b"GET / HTTP/1.1\r\n\r\n", 2, kind="request"), "not_response"),
    "corrupt data": (SPOILED[:60] + b"\xff" * 10 + SPOILED[70:], "corrupt_gzip"),
    "wrong checksum": (SPOILED[:-6] + b"\x00" + SPOILED[-5:], "corrupt_gzip"),
    "cut member": (SPOILED[:100], "corrupt_gzip"),
    "garbage between members": (b"no member at all" * 5, "corrupt_gzip"),
    "no WARC header": (b"WARX/1.0\r\nnothing: here\r\n\r\n" + BLOCK + b"\r\n\r\n", "bad_header"),
    "no length": (b"WARC/1.0\r\nWARC-Type: response\r\n\r\n" + BLOCK + b"\r\n\r\n", "bad_header"),
    "negative length": (record(BLOCK, 2, length=-5), "bad_header"),
    "length of words": (record(BLOCK, 2, length="many"), "bad_header"),
    "length beyond the file": (record(BLOCK, 2, length=10_000_000), "truncated"),
    "length into the next record": (record(BLOCK, 2, length=len(BLOCK) + 50), "wrong_length"),
    "length too short": (record(BLOCK, 2, length=100), "wrong_length"),
}


def outcomes(path, max_bytes=1_000_000):
    return [(found.url[-1:], found.reason) for found in read_warc(path, max_bytes)]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_costs_one_record_of_a_gzip_file(tmp_path, name):
    broken, reason = FAULTS[name]
    path = write_gz(tmp_path / "a.warc.gz", [page(0), page(1), broken, page(3), page(4)])
    found = outcomes(path)
    assert [reason for _, reason in found] == ["", "", reason, "", ""]
    assert [number for number, _ in found[:2] + found[3:]] == ["0", "1", "3", "4"]


@pytest.mark.parametrize("name", [name for name, (data, _) in FAULTS.items() if data.startswith(b"WAR")])
def test_a_fault_costs_one_record_of_a_plain_file(tmp_path, name):
    broken, reason = FAULTS[name]
    path = tmp_path / "a.warc"
    path.write_bytes(page(0) + page(1) + broken + page(3) + page(4))
    found = outcomes(path)
    assert [reason for _, reason in found] == ["", "", reason, "", ""]


def test_a_record_cut_off_at_the_end_of_the_file_is_truncated(tmp_path):
    path = write_gz(tmp_path / "a.warc.gz", [page(0), SPOILED[:-30]])
    assert outcomes(path) == [("0", ""), ("2", "truncated")]


def test_the_first_record_may_be_the_broken_one(tmp_path):
    path = write_gz(tmp_path / "a.warc.gz", [SPOILED[:60], page(1)])
    assert outcomes(path) == [("", "corrupt_gzip"), ("1", "")]


def test_a_file_that_is_no_warc_is_one_fault(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"<html>Error 503</html>")
    assert outcomes(path) == [("", "bad_header")]


def test_an_empty_file_has_no_records(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"")
    assert outcomes(path) == []


def test_a_block_over_the_limit_is_too_large(tmp_path):
    path = write_gz(tmp_path / "a.warc.gz", [page(0), record(http(b"x" * 5000), 1), page(2)])
    assert [reason for _, reason in outcomes(path, max_bytes=2000)] == ["", "too_large", ""]


def test_offsets_are_those_of_the_gzip_members(tmp_path):
    path = write_gz(tmp_path / "a.warc.gz", [page(0), SPOILED[:100], page(3)])
    offsets = [found.offset for found in read_warc(path) if not found.reason]
    assert offsets == [0, path.stat().st_size - len(gzip.compress(page(3), mtime=0))]


def test_a_fault_counts_the_bytes_passed_over(tmp_path):
    path = write_gz(tmp_path / "a.warc.gz", [page(0), SPOILED[:100], page(3)])
    assert [found.size_bytes for found in read_warc(path) if found.reason] == [100]


def test_offsets_ascend_even_in_a_file_that_is_one_single_member(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(b"".join(map(page, range(5)))))
    offsets = [found.offset for found in read_warc(path)]
    assert len(offsets) == 5
    assert offsets == sorted(set(offsets))


def test_a_record_beyond_the_resync_window_is_found(tmp_path):
    garbage = b"\x1f\x8b\x08 not a member " * 150_000
    path = write_gz(tmp_path / "a.warc.gz", [page(0), garbage, page(1)])
    assert outcomes(path) == [("0", ""), ("", "corrupt_gzip"), ("1", "")]
