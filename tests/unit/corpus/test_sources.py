import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modtok.core.errors import ConfigError, DataError
from modtok.corpus.sources import Source, list_sources, read_sources, shown, split, write_sources

INDEX = "https://data.example/crawl/warc.paths.gz"


def no_fetch(url):
    raise AssertionError(f"nothing to download in {url}")


@pytest.fixture
def folder(tmp_path):
    for name in (
        "warc/b.warc.gz",
        "warc/a.warc.gz",
        "warc/sub/c.warc",
        "fi/1.txt",
        "fi/2.txt.gz",
        "el.jsonl",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return tmp_path


def listed(folder, *entries, fetch=no_fetch):
    return [(item.kind, item.lang, item.location) for item in list_sources(entries, folder, fetch)]


def test_entries_keep_their_order_and_globs_are_sorted(folder):
    text = {"text": {"fi": "fi/*", "el": "*.jsonl"}}
    assert listed(folder, text, {"warc": "warc/**/*.warc*"}) == [
        ("text", "fi", "fi/1.txt"),
        ("text", "fi", "fi/2.txt.gz"),
        ("text", "el", "el.jsonl"),
        ("warc", "", "warc/a.warc.gz"),
        ("warc", "", "warc/b.warc.gz"),
        ("warc", "", "warc/sub/c.warc"),
    ]


def test_an_absolute_glob_is_taken_as_it_is(folder):
    found = listed(Path("/"), {"warc": f"{folder}/warc/*.gz"})
    assert found == [("warc", "", f"{folder}/warc/{name}.warc.gz") for name in "ab"]


def test_a_local_list_names_paths_and_urls_in_its_own_order(folder):
    (folder / "mine.paths").write_text(
        "warc/b.warc.gz\n\nhttps://other.example/x.warc.gz\twith\nwarc/a.warc.gz\n"
    )
    found = list_sources([{"warc": "mine.paths"}], folder, no_fetch)
    locations = ["warc/b.warc.gz", "https://other.example/x.warc.gz", "warc/a.warc.gz"]
    assert [item.location for item in found] == locations
    assert [item.remote for item in found] == [False, True, False]
    assert [item.sha256 for item in found] == ["", "with", ""]


@pytest.mark.parametrize(
    ("more", "first"),
    [
        ({}, "https://data.example/crawl/one.warc.gz"),
        ({"base_url": "https://mirror.example/cc"}, "https://mirror.example/cc/crawl/one.warc.gz"),
        ({"base_url": "https://mirror.example/"}, "https://mirror.example/crawl/one.warc.gz"),
    ],
)
def test_an_index_is_fetched_and_its_paths_are_joined_to_the_base_url(tmp_path, more, first):
    copy = tmp_path / "copy"
    copy.write_bytes(gzip.compress(b"crawl/one.warc.gz\ncrawl/two.warc.gz\ncrawl/three.warc.gz\n"))
    found = listed(tmp_path, {"warc": INDEX, "files": 2, **more}, fetch={INDEX: copy}.__getitem__)
    assert len(found) == 2
    assert found[0] == ("warc", "", first)


@pytest.mark.parametrize(
    ("base", "first"),
    [
        ("s3://commoncrawl/", "https://data.commoncrawl.org/crawl/one.warc.gz"),
        ("/mirror/commoncrawl", "/mirror/commoncrawl/crawl/one.warc.gz"),
        ("mirror", "mirror/crawl/one.warc.gz"),
    ],
)
def test_a_list_is_joined_to_the_bucket_of_commoncrawl_or_to_a_local_mirror(folder, base, first):
    (folder / "crawl.paths").write_text("crawl/one.warc.gz\ns3://commoncrawl/crawl/two.warc.gz\n")
    second = "https://data.commoncrawl.org/crawl/two.warc.gz"
    found = listed(folder, {"warc": "crawl.paths", "base_url": base})
    assert found == [("warc", "", first), ("warc", "", second)]


def test_a_list_in_the_bucket_of_commoncrawl_is_fetched_over_https(tmp_path):
    (tmp_path / "copy").write_bytes(gzip.compress(b"crawl/one.warc.gz\n"))
    fetch = {"https://data.commoncrawl.org/crawl/warc.paths.gz": tmp_path / "copy"}.__getitem__
    found = listed(tmp_path, {"warc": "s3://commoncrawl/crawl/warc.paths.gz"}, fetch=fetch)
    assert found == [("warc", "", "https://data.commoncrawl.org/crawl/one.warc.gz")]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"warc": "none/*.warc.gz"}, r"warc 'none/\*\.warc\.gz' matches no file"),
        ({"text": {"te": "te/*.txt"}}, r"text of 'te' 'te/\*\.txt' matches no file"),
        ({"warc": "missing.paths"}, "list missing.paths does not exist"),
        ({"warc": "empty.txt"}, "list empty.txt names no file"),
        ({"warc": "s3://mine/warc.paths.gz"}, "s3://mine/warc.paths.gz: of s3 only s3://commoncrawl/"),
        ({"warc": "s3.txt"}, "s3://bucket/a.warc.gz: of s3 only"),
        ({"warc": "twice.paths"}, r"warc/a\.warc\.gz: named twice"),
    ],
)
def test_an_entry_at_fault_is_named(folder, entry, message):
    (folder / "empty.txt").write_text("\n \n")
    (folder / "s3.txt").write_text("s3://bucket/a.warc.gz\n")
    (folder / "twice.paths").write_text("warc/a.warc.gz\nwarc/b.warc.gz\nwarc/a.warc.gz\n")
    with pytest.raises(ConfigError, match=message):
        listed(folder, entry)


SECRET = "https://me:SECRET@host/a.warc.gz?sig=SECRET#SECRET"


@pytest.mark.parametrize(
    "entries",
    [
        [{"warc": SECRET}, {"warc": SECRET}],
        [{"warc": "https://me:SECRET@host/empty.txt"}],
        [{"warc": "https://me:SECRET@host/no.txt"}],
        [{"warc": "https://me:SECRET@host/broken.txt"}],
        [{"warc": "s3://me:SECRET@bucket/a?sig=SECRET"}],
        [{"warc": "ftp://me:SECRET@host/a?sig=SECRET"}],
    ],
)
def test_what_may_be_secret_in_a_url_is_not_in_an_error(folder, entries):
    (folder / "empty.txt").write_text("")
    (folder / "broken.txt").write_bytes(b"\xff")
    with pytest.raises((ConfigError, DataError)) as raised:
        listed(folder, *entries, fetch=lambda url: folder / url.rpartition("/")[2])
    assert "SECRET" not in str(raised.value)


@pytest.mark.parametrize(
    ("location", "seen"),
    [
        ("https://me:w@rd@host:8/a/b@c.gz?x=//y@z#q", "https://host:8/a/b@c.gz"),
        ("https://host?x=me@y", "https://host"),
        ("what?/file#1", "what?/file#1"),
    ],
)
def test_a_url_is_shown_without_user_and_query_and_a_path_as_it_is(location, seen):
    assert shown(location) == seen


def test_a_file_named_by_two_entries_is_an_error(folder):
    with pytest.raises(ConfigError, match="named twice"):
        listed(folder, {"warc": "warc/*.warc.gz"}, {"warc": "warc/a.*"})


@pytest.mark.parametrize("content", [b" no gzip", bytes(7) + b"\xff no deflate", b""])
def test_a_list_that_is_no_list_is_an_error(folder, content):
    (folder / "broken.paths.gz").write_bytes(b"\x1f\x8b\x08" + content)
    with pytest.raises(DataError, match="not a list of paths"):
        listed(folder, {"warc": "broken.paths.gz"})


@given(st.integers(0, 200), st.integers(1, 40))
def test_blocks_are_contiguous_and_even(count, shards):
    sources = [Source(index, "warc", "", str(index)) for index in range(count)]
    blocks = split(sources, shards)
    assert [source for block in blocks for source in block] == sources
    assert len(blocks) == shards
    assert max(map(len, blocks)) - min(map(len, blocks)) <= 1


def test_a_shards_list_is_read_back(tmp_path):
    sources = [
        Source(7, "text", "fi", "odd\tname.txt"),
        Source(8, "warc", "", "https://a.example/b", "0" * 64),
    ]
    write_sources(tmp_path / "0000.tsv", sources)
    assert read_sources(tmp_path / "0000.tsv") == sources


def test_ten_thousand_paths_take_no_time(tmp_path):
    (tmp_path / "all.paths").write_text("".join(f"crawl/{number:05d}.warc.gz\n" for number in range(10_000)))
    entries = json.loads('[{"warc": "all.paths", "base_url": "https://data.example"}]')
    assert len(split(list_sources(entries, tmp_path, no_fetch), 64)) == 64


def test_links_that_lead_nowhere_or_to_themselves_are_no_files(folder):
    (folder / "warc/gone.warc.gz").symlink_to("nowhere")
    (folder / "warc/loop.warc.gz").symlink_to("loop.warc.gz")
    found = listed(folder, {"warc": "warc/*.gz"})
    assert [location for _, _, location in found] == ["warc/a.warc.gz", "warc/b.warc.gz"]
    with pytest.raises(ConfigError, match="matches no file"):
        listed(folder, {"warc": "warc/loop*"})
