"""First occurrences stay, whatever the shards and the memory; a dictionary is the oracle."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modtok.core.errors import DataError
from modtok.corpus.deduplication import deduplicate, paragraphs, select
from modtok.corpus.documents import DEDUPLICATED
from modtok.corpus.near_duplicates import NearDuplicates

# Few different paragraphs, so that they repeat; white space at the ends and blank lines are part of the game.
PARAGRAPHS = st.sampled_from(["first", "second", " second", "second\u00a0", "third ", "fourth", "", " \t"])
TEXTS = st.lists(PARAGRAPHS, max_size=5).map("\n".join)
PLACES = st.tuples(st.integers(0, 5), st.integers(0, 20))
LABELS = st.sampled_from(["hr", "sh", "bs"])
ROWS = st.dictionaries(PLACES, st.tuples(LABELS, TEXTS), max_size=12).map(
    lambda rows: [(source, offset, label, text) for (source, offset), (label, text) in rows.items()]
)
# One kept document, so that a run of hypothesis never ends in "no text".
ANCHOR = (6, 0, "hr", "only here")


def by_dictionary(rows, labels):
    """The plain way: one set of all paragraphs seen, documents in the order of their places."""
    seen, kept, outcomes = set(), [], Counter()
    for source, offset, label, text in sorted(rows):
        if label in labels:
            lines = [line for line in text.split("\n") if line.strip()]
            new = [line for line in lines if not (line.strip() in seen or seen.add(line.strip()))]
            outcomes["kept" if new else "duplicate" if lines else "empty"] += 1
            if new:
                kept.append((source, offset, "\n".join(new)))
    return kept, outcomes


def places_and_texts(path):
    columns = pq.read_table(path, columns=["source", "offset", "text"]).to_pydict()
    return list(zip(*columns.values(), strict=True))


@settings(deadline=None, max_examples=60)
@given(rows=ROWS, starts=st.lists(st.integers(1, 6), max_size=3), memory_bytes=st.integers(8, 400))
def test_equals_the_dictionary_whatever_the_shards_and_partitions(write_shards, rows, starts, memory_bytes):
    rows = [*rows, ANCHOR]
    with TemporaryDirectory() as folder:
        whole, cut = Path(folder, "whole"), Path(folder, "cut")
        one = write_shards(whole, rows)
        several = write_shards(cut, rows, starts, row_group_size=3)
        ledger = deduplicate(one, whole / "hr.parquet", "hr", ["hr", "sh"])
        deduplicate(several, cut / "hr.parquet", "hr", ["sh", "hr"], memory_bytes=memory_bytes)
        kept, outcomes = by_dictionary(rows, {"hr", "sh"})
        assert places_and_texts(whole / "hr.parquet") == kept
        assert (cut / "hr.parquet").read_bytes() == (whole / "hr.parquet").read_bytes()
        assert {name: ledger.records("deduplicate", "hr", name) for name in outcomes} == outcomes


def test_paragraphs_are_told_apart_without_the_white_space_at_their_ends(tmp_path, write_shards):
    rows = [
        (0, 0, "fr", "kept as written "),
        (0, 1, "fr", "\u00a0kept as written\nnew"),
        (1, 0, "fr", "new "),
    ]
    deduplicate(write_shards(tmp_path, rows, [1]), tmp_path / "fr.parquet", "fr", ["fr"])
    assert places_and_texts(tmp_path / "fr.parquet") == [(0, 0, "kept as written "), (0, 1, "new")]


def test_blank_lines_are_no_paragraphs():
    assert paragraphs("one\n\n \u2003\ntwo\n") == ["one", "two"]


def test_the_ledger_counts_every_document_and_paragraph(tmp_path, write_shards):
    rows = [
        (0, 0, "fr", "one\ntwo\ntwo"),
        (0, 1, "fr", "one"),
        (0, 2, "fr", "\n"),
        (0, 3, "en", "one\nnot this language"),
    ]
    ledger = deduplicate(write_shards(tmp_path, rows), tmp_path / "fr.parquet", "fr", ["fr"])
    assert list(ledger) == [
        ("deduplicate", "fr", "duplicate", 1, 3),
        ("deduplicate", "fr", "empty", 1, 1),
        ("deduplicate", "fr", "kept", 1, 11),
        ("deduplicate_paragraphs", "fr", "duplicate", 2, 6),
        ("deduplicate_paragraphs", "fr", "kept", 2, 6),
    ]


def test_scope_none_keeps_repeated_paragraphs(tmp_path, write_shards):
    rows = [(0, 0, "fr", "same"), (0, 1, "fr", "same\nsame")]
    ledger = deduplicate(write_shards(tmp_path, rows), tmp_path / "fr.parquet", "fr", ["fr"], unique=False)
    assert places_and_texts(tmp_path / "fr.parquet") == [(0, 0, "same"), (0, 1, "same\nsame")]
    assert ledger.records("deduplicate_paragraphs", "fr", "kept") == 3


def test_the_columns_are_kept_and_the_language_becomes_its_code(tmp_path, write_shards):
    shards = write_shards(tmp_path, [(3, 7, "sh", "tekst")])
    deduplicate(shards, tmp_path / "hr.parquet", "hr", ["hr", "sh"])
    table = pq.read_table(tmp_path / "hr.parquet")
    assert table.schema.equals(DEDUPLICATED)
    assert table.to_pylist() == [
        {
            "record_id": "<3:7>",
            "url": "https://example.org/3/7",
            "warc": "3.warc.gz",
            "source": 3,
            "offset": 7,
            "language": "hr",
            "language_score": 0.75,
            "text": "tekst",
        }
    ]


def test_a_near_duplicate_goes_with_its_paragraphs_counted(tmp_path, write_shards):
    words = [f"word{index}" for index in range(200)]
    copy = " ".join([*words[:-1], "changed"])
    rows = [(0, 0, "en", " ".join(words)), (0, 1, "en", "something else entirely"), (0, 2, "en", copy)]
    near = NearDuplicates(threshold=0.8, permutations=128, seed=1)
    ledger = deduplicate(
        write_shards(tmp_path, rows), tmp_path / "en.parquet", "en", ["en"], is_copy=near.is_copy
    )
    assert [offset for _, offset, _ in places_and_texts(tmp_path / "en.parquet")] == [0, 1]
    assert ledger.records("deduplicate", "en", "near_duplicate") == 1
    assert ledger.records("deduplicate_paragraphs", "en", "near_duplicate") == 1


def test_a_language_without_text_is_an_error_that_names_it_and_leaves_no_file(tmp_path, write_shards):
    shards = write_shards(tmp_path, [(0, 0, "en", "English only")])
    with pytest.raises(DataError, match=r"deduplicate: no text in 'so' .* remove 'so' from `languages`"):
        deduplicate(shards, tmp_path / "out" / "so.parquet", "so", ["so"])
    assert list((tmp_path / "out").iterdir()) == []


def test_shards_that_overlap_are_refused(tmp_path, write_shards):
    shards = write_shards(tmp_path / "a", [(0, 0, "en", "one")]) + write_shards(
        tmp_path / "b", [(0, 0, "en", "one")]
    )
    with pytest.raises(DataError, match="overlaps another shard"):
        list(select(shards, ["en"]))


def test_a_language_that_may_be_empty_is_a_warning(tmp_path, write_shards):
    shards = write_shards(tmp_path, [(0, 0, "en", "taken for English")])
    with pytest.warns(UserWarning, match="no text in 'so'"):
        ledger = deduplicate(shards, tmp_path / "so.parquet", "so", ["so"], may_be_empty=True)
    assert ledger.records("deduplicate") == 0
    assert places_and_texts(tmp_path / "so.parquet") == []
