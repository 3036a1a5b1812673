"""What runs again after which edit: neither more nor less. After a touch, a move or a clone: nothing."""

import os

import pytest

from workflow.runs import SMALL, clone, configure, copy, finish, merged, would_run

pytestmark = pytest.mark.slow

SHOWN = {"measure_compression", "claims", "table", "figure", "page"}
COMPARED = {"measure_combinations", *SHOWN}
SEQUENTIAL = {
    "train_sequential_bpe",
    "finish_sequential_bpe",
    "extract_subtokenizer",
    "train_sequential_order",
}
UNIGRAM = {"train_merged_unigram", "train_frequency_unigram"}
TRAINED = {"train_monolingual", "train_joint", "train_concatenated_bpe", *SEQUENTIAL, *UNIGRAM}
COUNTED = {"count_tokens", "count_subtokenizers", "count_combinations", "find_rank_conflict"}
TOKENIZED = {"count_words", *TRAINED, *COUNTED, *COMPARED}
FILTERED = {"filter_quality", "mixture", "ledger", *TOKENIZED}
DEDUPLICATED = {"deduplicate", "train_quality", *FILTERED}
EXTRACTED = {"fetch_shard", "extract_shard", *DEDUPLICATED}  # the list of a shard's files is temporary


@pytest.fixture
def own(workflow, finished, tmp_path):
    """A copy of the workflow and of the finished run, to be edited: (workflow, run)."""
    return clone(tmp_path / "workflow", workflow), copy(finished, tmp_path / "run")


# --- nothing ---


def test_a_second_run_does_nothing(workflow, finished):
    assert would_run(workflow, finished) == {}


def test_a_copy_of_workflow_and_run_in_another_place_does_nothing(own):
    assert would_run(*own) == {}


def test_a_run_started_in_another_folder_does_nothing(own, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    assert would_run(*own, cwd=tmp_path / "elsewhere") == {}


def test_touched_files_do_nothing(own, inputs, tmp_path):
    workflow, run = own
    for link in [path for path in run.iterdir() if path.is_symlink()]:
        link.unlink()
        copy(inputs / link.name, link)
    for path in (path for folder in own for path in folder.rglob("*")):
        if path.is_file() and ".snakemake" not in path.parts:
            os.utime(path)
    assert would_run(workflow, run) == {}


def test_a_real_second_run_writes_nothing(workflow, finished, tmp_path):
    run = copy(finished, tmp_path / "run")
    before = {path: path.stat().st_mtime_ns for path in (run / "results").rglob("*")}
    finish(workflow, run)
    assert {path: path.stat().st_mtime_ns for path in (run / "results").rglob("*")} == before


# --- edits of the code ---


@pytest.mark.parametrize(
    ("file", "rules"),
    [
        ("reporting/tables.py", {"table", "page"}),
        ("reporting/paper.tsv", {"table", "figure", "page"}),
        ("reporting/page.html.jinja", {"page"}),
        ("evaluation/compression.py", COMPARED),
        ("tokenization/bpe.py", {*TRAINED - UNIGRAM, *COUNTED, *COMPARED}),
        ("tokenization/unigram.py", {*TRAINED, *COUNTED, *COMPARED}),
        ("tokenization/word_counts.py", TOKENIZED),
        ("corpus/mixture.py", {"mixture"}),
        ("corpus/extraction.py", EXTRACTED),
    ],
)
def test_an_edit_of_the_code_runs_what_uses_it(file, rules, own):
    workflow, run = own
    edit(workflow, file)
    assert set(would_run(workflow, run)) == rules


EDITS = {".py": "EDITED = True\n", ".jinja": "{# edited #}\n", ".tsv": "item\trow\tcolumn\t0\tedited\n"}


def edit(workflow, file, added=EDITS):
    path = workflow / "workflow" / "modtok" / file
    path.write_text(path.read_text() + added[path.suffix])


def test_comments_and_docstrings_run_nothing(own):
    workflow, run = own
    for file in ("core/io.py", "corpus/extraction.py", "tokenization/bpe_loop.py", "reporting/tables.py"):
        edit(workflow, file, {".py": '\n\n# edited\n"""edited"""\n'})
    assert would_run(workflow, run) == {}


def test_an_edit_of_bpe_spares_unigram(own):
    workflow, run = own
    edit(workflow, "tokenization/bpe.py")
    planned = would_run(workflow, run)
    assert planned["train_monolingual"] == {"model=bpe, lang=en", "model=bpe, lang=fi"}
    counted = ("mono-bpe-en", "mono-bpe-fi", "joint-bpe-500")
    assert planned["count_tokens"] == {f"tokenizer={name}" for name in counted}


# --- edits of the config ---


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        ({"seed": 2}, DEDUPLICATED - {"deduplicate"}),
        ({"corpus": {"extraction": {"timeout_s": 20}}}, EXTRACTED),
        ({"corpus": {"deduplication": {"scope": "none"}}}, DEDUPLICATED),
        ({"corpus": {"quality": {"threshold": {"default": 0.4}}}}, FILTERED),
        ({"corpus": {"mixture": {"en": 0.6}}}, {"mixture", "page"}),
        ({"tokenizers": {"budget": 450}}, {*TRAINED, *COUNTED, *COMPARED} - {"train_joint"}),
        (
            {"tokenizers": {"joint_sizes": [500, 600]}},
            {"train_joint", "train_frequency_unigram", "count_tokens", "count_subtokenizers", *SHOWN},
        ),
        ({"evaluation": {"bootstrap": 200}}, COMPARED),
        (
            {"evaluation": {"combinations": {"orders": 3}}},
            {
                "train_sequential_order",
                "count_combinations",
                "measure_combinations",
                "claims",
                "table",
                "page",
            },
        ),
    ],
    ids=["seed", "timeout", "scope", "threshold", "mixture", "budget", "joint sizes", "bootstrap", "orders"],
)
def test_an_edit_of_the_config_runs_what_it_concerns(change, rules, own):
    workflow, run = own
    configure(run, merged(SMALL, change))
    assert set(would_run(workflow, run)) == rules


def test_a_threshold_of_one_language_spares_the_others(own):
    workflow, run = own
    configure(run, merged(SMALL, {"corpus": {"quality": {"threshold": {"default": 0.5, "fi": 0.4}}}}))
    planned = would_run(workflow, run)
    assert planned["filter_quality"] == planned["count_words"] == {"lang=fi"}
    assert planned["train_monolingual"] == {"model=bpe, lang=fi", "model=unigram, lang=fi"}


def test_a_language_added_at_the_end_spares_the_earlier_ones(own):
    workflow, run = own
    configure(run, merged(SMALL, {"languages": ["en", "fi", "fr"]}))
    planned = would_run(workflow, run)
    assert not {"list_sources", "fetch_shard", "extract_shard"} & set(planned)
    quality = ("check_quality_texts", "train_quality", "filter_quality")
    for rule in ("check_language_id", "deduplicate", *quality, "count_words"):
        assert planned[rule] == {"lang=fr"}
    assert planned["train_monolingual"] == {"model=bpe, lang=fr", "model=unigram, lang=fr"}
    assert {*TRAINED, "mixture", "ledger", *COMPARED} <= set(planned)


def test_an_open_tokenizer_added_is_all_that_is_imported_and_counted(own):
    workflow, run = own
    configure(run, merged(SMALL, {"open_tokenizers": [{"own": "own/tokenizer.json"}]}))
    planned = would_run(workflow, run)
    assert set(planned) == {"import_open_tokenizer", "count_tokens", *SHOWN}
    assert planned["count_tokens"] == {"tokenizer=open-own"}


def test_a_removed_result_is_all_that_is_made_again(own):
    workflow, run = own
    (run / "results" / "tables" / "table_1.tex").unlink()
    planned = would_run(workflow, run, "table_1")
    assert planned == {"table": {"item=table_1"}}


def test_a_regime_added_is_all_that_is_trained(own):
    workflow, run = own
    models = {"pretraining": {"tokenizers": ["sequential-bpe"], "regimes": ["mono-only"]}}
    configure(run, merged(SMALL, models))
    planned = would_run(workflow, run, "models")
    assert set(planned) == {"shuffle_documents", "pretrain"}
    assert planned["pretrain"] == {"trained=sequential-bpe+mono-only"}
