"""The same inputs give the same bytes: for any cores, shards, hash seed, and after kills at any moment."""

from pathlib import Path

import pytest

from modtok.planning.run import merged
from workflow.kills import files_in, run_with_kills
from workflow.runs import SMALL, copy, finish, new_run
from workflow.same_bytes import first_difference

pytestmark = pytest.mark.slow


def with_shards(shards):
    return merged(SMALL, {"corpus": {"shards": shards}})


def test_one_core_and_another_hash_seed_give_the_same_bytes(workflow, inputs, finished, tmp_path):
    run = finish(workflow, new_run(tmp_path / "run", SMALL, inputs), "--cores", "1", PYTHONHASHSEED="1")
    assert first_difference(finished / "results", run / "results") == ""


def test_three_shards_give_the_same_bytes(workflow, inputs, finished, tmp_path):
    run = finish(workflow, new_run(tmp_path / "run", with_shards(3), inputs), PYTHONHASHSEED="2")
    assert first_difference(finished / "results", run / "results", other_shards=True) == ""


@pytest.mark.parametrize("shards", [1, 8])
def test_any_number_of_shards_gives_the_same_corpora(shards, workflow, inputs, finished, tmp_path):
    # Tokenizers and all that follows see nothing but these files. Of eight shards some are empty.
    made = ["corpora", *(f"results/corpus/word_counts/{lang}.parquet" for lang in SMALL["languages"])]
    run = finish(workflow, new_run(tmp_path / "run", with_shards(shards), inputs), *made)
    corpus = results_of_the_corpus(finished, tmp_path / "corpus")
    assert first_difference(corpus, run / "results", other_shards=True) == ""


def results_of_the_corpus(run, to):
    to.mkdir()
    for name in ("corpus", "manifest.json"):
        copy(run / "results" / name, to / name)
    return to


def test_killed_runs_end_with_the_same_bytes(workflow, inputs, finished, tmp_path):
    run = new_run(tmp_path / "run", SMALL, inputs)
    starts = list(run_with_kills(workflow, run, kills=3, seed=1, files=files_in(finished)))
    print(*starts, sep="\n")
    assert first_difference(finished / "results", run / "results") == ""
    assert files_in(finished) == files_in(run)
    assert [*run.glob(".snakemake/incomplete/*"), *run.glob(".snakemake/locks/*")] == []


# --- the comparison itself ---


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("tables/table_1.tsv", "b", "tables/table_1.tsv: byte 0 of 1 and 1: b'a' | b'b'"),
        ("tables/table_1.tsv", "ab", "tables/table_1.tsv: byte 1 of 1 and 2: b'a' | b'ab'"),
        ("tables/.table_1.tsv.partial", "", "tables/.table_1.tsv.partial: missing in one"),
        ("tables/table_1.tsv.provenance.json", "b", ""),
        ("runtimes/table/table_1.tsv", "b", ""),
    ],
)
def test_the_first_difference_is_named(name, content, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, other = Path("one"), Path("other")
    for folder in (one, other):
        (folder / "tables").mkdir(parents=True)
        (folder / "tables" / "table_1.tsv").write_text("a")
    (other / name).parent.mkdir(parents=True, exist_ok=True)
    (other / name).write_text(content)
    assert first_difference(one, other) == said


@pytest.mark.parametrize(("item", "said"), [("table_3", ""), ("table_1", "page/index.html")])
def test_the_page_may_differ_in_measured_times_alone(item, said, tmp_path):
    for name, value in (("one", "1.58"), ("other", "1.61")):
        (tmp_path / name / "page").mkdir(parents=True)
        sections = [f'<section aria-labelledby="{own}">{value}</section>' for own in (item, "table_3_full")]
        (tmp_path / name / "page" / "index.html").write_text("".join(sections))
    found = first_difference(tmp_path / "one", tmp_path / "other")
    assert found.partition(":")[0] == said


def test_a_record_lost_between_shards_is_found(finished, tmp_path):
    run = copy(finished / "results", tmp_path / "results")
    ledger = run / "corpus" / "ledger" / "extract-0001.tsv"
    lines = ledger.read_text().splitlines(keepends=True)
    ledger.write_text("".join(lines[:-1]))
    said = "corpus/ledger/extract-*.tsv: all shards together differ"
    assert first_difference(finished / "results", run, other_shards=True) == said
