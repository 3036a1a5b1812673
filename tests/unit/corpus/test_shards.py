import gzip
from itertools import pairwise

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from modtok.corpus import shards
from modtok.corpus.documents import read_label, read_language
from modtok.corpus.fetched import Fetched
from modtok.corpus.page_assignment import PageSettings
from modtok.corpus.shards import extract_shard
from smoke.make_warcs import captures, write_warcs
from unit.corpus.warc_bytes import page, write_gz

SETTINGS = PageSettings(max_bytes=2_000_000, timeout_s=5)
FRENCH = "Le temps change vite dans les montagnes et les bergers le savent bien"


def source(index, path, kind="warc", lang=""):
    return Fetched(index, kind, lang, str(path), path.name, path.stat().st_size, "")


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """The smoke corpus' WARC files as sources, its captures by URL, and the shard of all of them."""
    folder = tmp_path_factory.mktemp("smoke")
    sources = [source(index, path) for index, path in enumerate(write_warcs(folder))]
    counts = extract_shard(sources, folder / "all.parquet", SETTINGS)
    return folder, sources, counts


def rows(path):
    return sorted(read_language(path), key=lambda document: document.place)


def test_rows_are_sorted_by_language_and_place(smoke):
    found = list(read_language(smoke[0] / "all.parquet"))
    keys = [(document.language, *document.place) for document in found]
    assert keys == sorted(set(keys))
    assert {document.language for document in found} >= {"en", "fr", "fi", "bg", "el", "te"}


def test_each_row_group_holds_one_language(smoke):
    with pq.ParquetFile(smoke[0] / "all.parquet") as file:
        groups = [file.read_row_group(group, ["language"]) for group in range(file.num_row_groups)]
    assert all(len(pc.unique(group["language"])) == 1 for group in groups)
    assert list(read_label(smoke[0] / "all.parquet", "te"))


def test_every_readable_capture_is_found_with_its_paragraphs(smoke):
    texts = {document.url: document.text for document in read_language(smoke[0] / "all.parquet")}
    lost = [
        (capture.url, paragraph)
        for file in captures()
        for capture in file
        for paragraph in capture.paragraphs
        if capture.intact and " ".join(paragraph.split()) not in " ".join(texts.get(capture.url, "").split())
    ]
    assert lost == []


def test_each_stage_takes_in_what_the_one_before_has_kept(smoke):
    ledger = smoke[2].ledger
    for stage, following in pairwise(("read", "extract", "language_id")):
        assert ledger.records(stage, outcome="kept") == ledger.records(following)
    assert ledger.records("language_id", outcome="kept") == len(rows(smoke[0] / "all.parquet"))


@pytest.mark.parametrize(
    ("stage", "reason", "captures_of_it"),
    [
        ("read", "wrong_length", 2),
        ("read", "truncated", 1),
        ("extract", "http_status", 2),
        ("extract", "not_html", 4),
        ("extract", "empty", 1),
        ("extract", "no_text", 1),
        ("extract", "too_large", 1),
        ("extract", "broken_encoding", 1),
    ],
)
def test_each_odd_capture_has_its_reason(smoke, stage, reason, captures_of_it):
    assert smoke[2].ledger.records(stage, outcome=reason) == captures_of_it


def test_repairs_are_counted(smoke):
    assert smoke[2].repairs["long_words"] == 1
    assert smoke[2].repairs["private_use"] == 2
    assert smoke[2].repairs["nul"] == 3


def test_replacement_characters_stand_only_where_bytes_are_broken(smoke):
    found = [document.url for document in rows(smoke[0] / "all.parquet") if "\ufffd" in document.text]
    allowed = {f"https://odd.example/{kind}" for kind in ("invalid_utf8", "nul_bytes", "private_use")}
    assert set(found) <= allowed


@pytest.mark.parametrize("borders", [[1], [2, 3], [1, 2, 3]])
def test_rows_do_not_depend_on_the_shards(smoke, borders):
    folder, sources, counts = smoke
    starts = [0, *borders, len(sources)]
    parts, kept = [], 0
    for start, end in pairwise(starts):
        path = folder / f"{start}-{end}.parquet"
        kept += extract_shard(sources[start:end], path, SETTINGS).ledger.records(
            "language_id", outcome="kept"
        )
        parts += rows(path)
    assert parts == rows(folder / "all.parquet")
    assert kept == counts.ledger.records("language_id", outcome="kept")


def test_the_same_sources_give_the_same_bytes_however_much_is_spilled(smoke, tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "_SPILL_CHARACTERS", 5_000)
    extract_shard(smoke[1], tmp_path / "again.parquet", SETTINGS)
    assert (tmp_path / "again.parquet").read_bytes() == (smoke[0] / "all.parquet").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["again.parquet"]


def test_texts_come_with_their_language_and_a_stable_id(tmp_path):
    path = tmp_path / "fi.txt.gz"
    path.write_bytes(gzip.compress("ensimmäinen\n\ntoinen\nviimeinen\n".encode()))
    counts = extract_shard([source(7, path, "text", "fi")], tmp_path / "a.parquet", SETTINGS)
    found = rows(tmp_path / "a.parquet")
    assert [(row.source, row.offset, row.language, row.language_score) for row in found] == [
        (7, 0, "fi", 1.0),
        (7, 2, "fi", 1.0),
    ]
    assert [row.text for row in found] == ["ensimmäinen", "toinen\nviimeinen"]
    assert len({row.record_id for row in found}) == 2
    assert counts.ledger.records("read") == counts.ledger.records("language_id", "fi", "kept") == 2


def test_kinds_may_alternate(tmp_path):
    text, warc = tmp_path / "a.txt", write_gz(tmp_path / "a.warc.gz", [page(1), page(2, FRENCH)])
    text.write_text("words\n")
    sources = [source(0, text, "text", "en"), source(1, warc), source(2, text, "text", "fr")]
    extract_shard(sources, tmp_path / "a.parquet", SETTINGS)
    found = [(row.language, row.source) for row in read_language(tmp_path / "a.parquet")]
    assert found == [("en", 0), ("en", 1), ("fr", 1), ("fr", 2)]


def test_a_shard_without_sources_is_an_empty_file(tmp_path):
    counts = extract_shard([], tmp_path / "a.parquet", SETTINGS)
    assert rows(tmp_path / "a.parquet") == []
    assert counts.ledger.records("read") == 0
