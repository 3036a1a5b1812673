import gzip
import time
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@pytest.mark.parametrize("length", [3, 10, 20, 40])
def test_a_member_cut_off_before_its_record_begins_is_truncated(tmp_path, length):
    path = write_gz(tmp_path / "a.warc.gz", [page(0), SPOILED[:length]])
    assert [(item.reason, item.size_bytes) for item in read_warc(path)][1:] == [("truncated", length)]


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


def test_a_member_that_ends_before_its_record_does_costs_that_record_whatever_comes_after(tmp_path):
    short = gzip.compress(record(BLOCK, 2, length=len(BLOCK) + 400), mtime=0)
    path = write_gz(tmp_path / "a.warc.gz", [page(0), short + b"x", short + b"x", page(3), page(4)])
    faults = [("", "wrong_length")] * 2
    assert outcomes(path) == [("0", ""), *faults, ("3", ""), ("4", "")]


def test_data_broken_within_a_long_block_costs_that_record(tmp_path):
    words = b" ".join(b"%d" % (number * number) for number in range(100_000))
    long = bytearray(gzip.compress(record(http(b"<p>" + words), 2), mtime=0))
    long[len(long) // 2] ^= 0xFF
    path = write_gz(tmp_path / "a.warc.gz", [page(0), bytes(long), page(3)])
    assert outcomes(path) == [("0", ""), ("", "corrupt_gzip"), ("3", "")]


@pytest.mark.parametrize("junk", [b"junk", b"\xef\xbb\xbf", b"\x00" * 200_000])
@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_junk_between_plain_records_costs_itself_whatever_the_file_is_called(tmp_path, junk, name):
    path = tmp_path / name
    path.write_bytes(page(0) + junk + page(1) + junk + page(2))
    found = list(read_warc(path))
    assert [item.url[-1:] for item in found if not item.reason] == ["0", "1", "2"]
    assert [item.size_bytes for item in found if item.reason] == [len(junk)] * 2


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_a_plain_record_may_follow_a_broken_member_and_a_member_a_broken_record(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(page(0)) + SPOILED[:100] + page(1) + b"junk" + gzip.compress(page(2)))
    assert [number for number, reason in outcomes(path) if not reason] == ["0", "1", "2"]


VERSION = b"WARC/1.0\r\n"
CLAIM = b"WARC-Type: response\r\nContent-Length: 900000\r\n\r\n"


@pytest.mark.parametrize(
    "data",
    [
        VERSION * 200_000,
        (VERSION + b"a: b\r\n") * 100_000,
        (VERSION + b"a: " + VERSION) * 100_000,
        (VERSION + CLAIM) * 2_000,
        gzip.compress(VERSION + CLAIM) * 2_000,
    ],
    ids=["versions", "fields", "versions in fields", "long claims", "long claims in members"],
)
def test_reading_what_is_nothing_but_faults_takes_time_in_proportion_to_its_size(tmp_path, data):
    path = tmp_path / "a.warc"
    path.write_bytes(data + page(1))
    start = time.process_time()
    assert outcomes(path)[-1] == ("1", "")
    assert time.process_time() - start < 5  # seconds where it was minutes, so a slow machine passes


def test_a_record_does_not_begin_at_a_version_line_that_another_one_follows(tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes((VERSION + b"a: b\r\n") * 5 + page(1))
    assert outcomes(path) == [
        ("1", "")
    ]  # one header, in which Python 3.11.2 found a start at every other line


PLAIN = [page(number) for number in range(5)]
PACKED = [gzip.compress(item, mtime=0) for item in PLAIN]


@given(st.sampled_from([PACKED, PLAIN]), st.data())
@settings(deadline=None)
def test_no_cut_and_no_flipped_bits_stop_the_reader_or_cost_records_before_them(
    tmp_path_factory, records, data
):
    sound = b"".join(records)
    first = data.draw(st.integers(0, len(sound) - 1))
    if data.draw(st.booleans()):
        broken = bytearray(sound[:first])
    else:
        broken = bytearray(sound)
        for at in {first, *data.draw(st.lists(st.integers(first, len(sound) - 1), max_size=4))}:
            broken[at] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.mktemp("broken") / "a.warc.gz"
    path.write_bytes(broken)
    found = list(read_warc(path))
    before = sum(end <= first for end in accumulate(map(len, records)))
    assert [item.reason for item in found[:before]] == [""] * before
    offsets = [item.offset for item in found]
    assert offsets == sorted(set(offsets))


def test_a_disk_that_fails_is_no_fault_of_a_record_and_named():
    with pytest.raises(OSError, match="/proc/self/mem"):
        list(read_warc(Path("/proc/self/mem")))
