"""What runs again after which edit of the config: neither more nor less."""

import pytest

from modtok.core.io import read_tsv
from modtok.planning.run import merged
from workflow.reruns import COMPARED, COUNTED, DEDUPLICATED, EXTRACTED, FILTERED, SHOWN, TRAINED
from workflow.runs import SMALL, configure, copy, finish, snakemake, would_run

pytestmark = pytest.mark.slow


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
            {
                "train_joint",
                "train_frequency_unigram",
                "count_tokens",
                "count_subtokenizers",
                "count_reduced",
                *SHOWN,
            },
        ),
        ({"evaluation": {"bootstrap": 200}}, COMPARED - {"measure_memory", "measure_latency"}),
        ({"models": ["1B"]}, {"measure_memory", "measure_latency", "table", "figure", "page"}),
        ({"evaluation": {"latency": {"rounds": 2}}}, {"measure_latency", "table", "figure", "page"}),
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
    ids=[
        "seed",
        "timeout",
        "scope",
        "threshold",
        "mixture",
        "budget",
        "joint sizes",
        "bootstrap",
        "models",
        "rounds",
        "orders",
    ],
)
def test_an_edit_of_the_config_runs_what_it_concerns(change, rules, own):
    workflow, run = own
    configure(run, merged(SMALL, change))
    # the manifest holds the config
    assert set(would_run(workflow, run)) == {"manifest", *rules}


def test_why_something_would_run_is_said_without_the_whole_config(own):
    workflow, run = own
    configure(run, merged(SMALL, {"models": ["1B"]}))
    said = snakemake(workflow, run, "--dry-run").stdout
    assert "reason: Params have changed" in said
    assert "character_coverage" not in said


@pytest.mark.parametrize(
    "change", [{"models": ["1B"]}, {"evaluation": {"parallel": [{"name": "other", "path": "parallel"}]}}]
)
def test_what_was_never_made_is_made_after_an_edit(change, own):
    """Snakemake drops a job of which a new output alone is missing where an ancient input is made again."""
    workflow, run = own
    table = run / "results" / "tables" / "table_10.tsv"
    table.with_suffix(".md").unlink()
    table.with_suffix(".tex").unlink()
    table.unlink()
    configure(run, merged(SMALL, change))
    assert would_run(workflow, run, "table_10")["table"] == {"item=table_10"}


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
    corpus = ("deduplicate", "train_quality", "filter_quality", "count_words")
    for rule in ("check_language_id", "check_quality_texts", *corpus, "train_sequential_bpe"):
        assert planned[rule] == {"lang=fr"}
    assert planned["extract_subtokenizer"] == {"modular=sequential-bpe, lang=fr"}
    assert planned["train_monolingual"] == {"model=bpe, lang=fr", "model=unigram, lang=fr"}
    counted = ("mono-bpe-fr", "mono-unigram-fr", "joint-bpe-500", "joint-unigram-500")
    assert planned["count_tokens"] == {f"tokenizer={name}" for name in counted}
    assert {*TRAINED, "mixture", "ledger", *COMPARED} <= set(planned)


def test_an_open_tokenizer_is_counted_in_a_language_added_later(own):
    workflow, run = own
    (run / "own").mkdir()
    copy(run / "results" / "tokenizers" / "mono-bpe-en" / "tokenizer.json", run / "own" / "tokenizer.json")
    config = merged(SMALL, {"open_tokenizers": [{"own": "own/tokenizer.json"}]})
    finish(workflow, configure(run, config), "results/metrics/token_counts/open-own.parquet")
    configure(run, merged(config, {"languages": ["en", "fi", "fr"]}))
    assert "tokenizer=open-own" in would_run(workflow, run)["count_tokens"]


def test_what_models_write_is_asked_in_a_language_added_later(own):
    workflow, run = own
    tasks = "results/generations/tasks.jsonl"
    config = merged(SMALL, {"evaluation": {"summarization": {"path": None}}})
    finish(workflow, configure(run, config), tasks)
    configure(run, merged(config, {"languages": ["en", "fi", "fr"]}))
    assert set(would_run(workflow, run, tasks)) == {"check_parallel", "generation_tasks"}


def test_a_parallel_set_added_trains_nothing(own):
    workflow, run = own
    sets = [{"name": name, "path": "parallel"} for name in ("smoke", "other")]
    configure(run, merged(SMALL, {"evaluation": {"parallel": sets}}))
    planned = set(would_run(workflow, run))
    assert {"check_parallel", "count_tokens", *SHOWN} <= planned
    assert not {"check_language_id", "deduplicate", "count_words", "pretrain", *TRAINED} & planned


def test_a_language_is_tried_on_the_first_parallel_set_that_has_it(own):
    workflow, run = own
    (run / "english").mkdir()
    copy(run / "parallel" / "eng_Latn.devtest", run / "english" / "eng_Latn.devtest")
    sets = [{"name": "english", "path": "english"}, {"name": "smoke", "path": "parallel"}]
    configure(run, merged(SMALL, {"evaluation": {"parallel": sets}}))
    reports = {lang: f"results/corpus/language_id/{lang}.tsv" for lang in ("en", "fi")}
    finish(workflow, run, *reports.values())
    tried = {lang: [row["dataset"] for row in read_tsv(run / report)] for lang, report in reports.items()}
    assert tried == {"en": ["english"], "fi": ["smoke"]}


def test_an_open_tokenizer_added_is_all_that_is_imported_and_counted(own):
    workflow, run = own
    configure(run, merged(SMALL, {"open_tokenizers": [{"own": "own/tokenizer.json"}]}))
    planned = would_run(workflow, run)
    assert set(planned) == {"manifest", "import_open_tokenizer", "count_tokens", *SHOWN}
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
