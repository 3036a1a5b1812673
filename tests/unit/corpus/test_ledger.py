from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from modtok.corpus.ledger import Ledger, read_ledgers


def example():
    ledger = Ledger()
    ledger.add("read", "*", "kept", records=2, size_bytes=20)
    ledger.add("quality", "fr", "low_quality", size_bytes=5)
    ledger.add("quality", "el", "kept", size_bytes=7)
    ledger.add("read", "*", "not_html", size_bytes=1)
    return ledger


def test_rows_go_by_stage_as_it_came_then_language_and_outcome():
    assert list(example()) == [
        ("read", "*", "kept", 2, 20),
        ("read", "*", "not_html", 1, 1),
        ("quality", "el", "kept", 1, 7),
        ("quality", "fr", "low_quality", 1, 5),
    ]


def test_records_and_bytes_of_a_stage_a_language_an_outcome():
    ledger = example()
    assert (ledger.records("read"), ledger.size_bytes("read")) == (3, 21)
    assert (ledger.records("quality", "fr"), ledger.size_bytes("quality", outcome="kept")) == (1, 7)
    assert (ledger.records("extract"), ledger.languages("quality")) == (0, ["el", "fr"])


def test_ledgers_of_several_jobs_add_up(tmp_path):
    paths = [tmp_path / "0.tsv", tmp_path / "1.tsv"]
    for path in paths:
        example().write(path)
    assert read_ledgers(paths).records("read", "*", "kept") == 4
    assert paths[0].read_text().startswith("stage\tlanguage\toutcome\trecords\tbytes\nread\t*\tkept\t2\t20\n")


OUTCOMES = st.sampled_from(["kept", "broken"])
RECORD = st.tuples(st.sampled_from("abc"), st.sampled_from(["*", "fr"]), OUTCOMES, st.integers(0, 9))
RECORDS = st.lists(RECORD)


@given(records=RECORDS, cuts=st.sets(st.integers(0, 20)))
def test_the_sum_does_not_depend_on_the_number_of_shards(tmp_path_factory, records, cuts):
    folder = tmp_path_factory.getbasetemp()
    bounds = [0, *sorted(cut for cut in cuts if cut < len(records)), len(records)]
    shards = [records[first:last] for first, last in pairwise(bounds)]
    paths = [folder / f"fragment{shard}.tsv" for shard in range(len(shards))]
    for path, shard in zip(paths, shards, strict=True):
        ledger_of(shard).write(path)
    assert list(read_ledgers(paths)) == list(ledger_of(records))


def ledger_of(records):
    ledger = Ledger()
    for stage, language, outcome, size in records:
        ledger.add(stage, language, outcome, size_bytes=size)
    return ledger
