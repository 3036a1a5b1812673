"""What a user can get wrong stops the run with a message that names it, as early as it can be known."""

import pytest

from modtok.planning.run import merged
from workflow.runs import SMALL, SMOKE, configure, new_run, snakemake

# Texts alone, one shard: what can only be known after the shards is known in seconds.
TEXTS = {"corpus": {"sources": [{"text": {"en": "text/en.txt", "fi": "text/fi.txt"}}], "shards": 1}}
QUALITY_OFF = {"corpus": {"quality": {"enabled": False}}}


@pytest.fixture
def stops(workflow, tmp_path):
    """Start a run with changes of its config, let it fail, and return (its output, its folder)."""

    def stop(*changes, targets=("all",), prepare=lambda run: None):
        config = SMALL
        for change in (TEXTS, *changes):
            config = merged(config, change)
        run = configure(new_run(tmp_path / "run", {}), config)
        prepare(run)
        ended = snakemake(workflow, run, "--cores", "2", "--quiet", "progress", "--", *targets)
        assert ended.returncode != 0, ended.stdout
        assert "Traceback" not in ended.stdout
        return ended.stdout, run

    return stop


def has_started(run):
    return (run / "results" / "logs").exists()


def has_read_sources(run):
    return (run / "results" / "logs" / "extract_shard").exists()


# --- known when the config is read: no job starts ---


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (
            {"tokenizers": {"budgett": 24_000}},
            "config.yaml: tokenizers: no key 'budgett'; did you mean 'budget'?",
        ),
        ({"corpus": {"language_id": {"threshold": 1.5}}}, "1.5 is greater than the maximum of 1"),
        ({"languages": ["en", "xx"]}, "no row in languages.tsv for xx; add one to config/languages.tsv"),
        (
            {"corpus": {"sources": [{"text": {"ws": "text/sw.txt"}}]}},
            "corpus.sources: no row in languages.tsv for ws; add one to config/languages.tsv",
        ),
        ({"models": ["9B"]}, "no row in models.tsv for 9B; add one to config/models.tsv"),
        (
            {"pretraining": {"regimes": ["samp-sub2"]}},
            "samp-sub2 draws 2 other languages, the run has 1; take fewer",
        ),
        ({"pretraining": {"model": "9B"}}, "pretraining.model: no row '9B' in models.tsv"),
        (
            {
                "tokenizers": {"seed_table": "llama3.json", "alphabet": "bytes"},
                "pretraining": {"regimes": ["mono-only"]},
            },
            "models need <s> and </s> at ids 1 and 2, which sequential-bpe does not have on top",
        ),
        (
            {"evaluation": {"routing": {"sure": 0.4, "unsure": 0.5}}},
            "evaluation.routing: unsure, 0.5, is above sure, 0.4; swap them",
        ),
        (
            {"evaluation": {"summarization": {"path": "all.jsonl", "languages": ["en", "fi"]}}},
            "evaluation.summarization.path: all.jsonl has no {lang}",
        ),
        (
            {"evaluation": {"multiple_choice": [{"task": "piqa", "languages": ["en"], "path": "p.jsonl"}]}},
            "evaluation.multiple_choice: piqa needs `shots`, a file, or for the hub a split, whose",
        ),
        (
            {"evaluation": {"multiple_choice": [{"task": "piqa", "languages": ["en"], "shots": "train"}]}},
            "should be an entry with its items in either `path` or `hub`",
        ),
        (
            {
                "evaluation": {
                    "multiple_choice": [{"task": "belebele", "languages": "all", "path": "b.jsonl"}]
                }
            },
            "belebele has one file or data set for several languages, b.jsonl; put {lang} or {flores} in",
        ),
        (
            {
                "evaluation": {
                    "multiple_choice": 2 * [{"task": "hellaswag", "languages": ["en"], "path": "h.jsonl"}]
                }
            },
            "evaluation.multiple_choice: hellaswag comes twice in 'en'",
        ),
        ({"pretraining": {"batch": 4, "accumulation": 3}}, "a batch of 4 is not divided by accumulation 3"),
        (
            {"open_tokenizers": ["nobodys"]},
            "no row 'nobodys' in open_tokenizers.tsv; add one, or give {nobodys: path}",
        ),
        ({"surgery": {"groups": [["xx"]]}}, "surgery: no row in languages.tsv for xx"),
        (
            {"evaluation": {"summarization": {"languages": ["xx"]}}},
            "evaluation.summarization: no row in languages.tsv for xx",
        ),
        ({"surgery": {"slots": {"gtposs": 9}}}, "surgery.slots: no tokenizer gtposs"),
        (
            {"surgery": {"keep_scripts": ["Latn"]}},
            "surgery.keep_scripts 'Latn': no such script; did you mean",
        ),
        (
            {"corpus": {"sources": ["warc/*.warc.gz"]}},
            "corpus.sources.0: 'warc/*.warc.gz' should be an entry of one form, {warc: …} (with `base_url`, "
            "`files`) or {text: {language: glob}}; config/config.yaml",
        ),
        ({"surgery": {"spared": {"languages": []}}}, "surgery.spared: shares, but no languages to share"),
    ],
    ids=[
        "misspelt key",
        "value out of range",
        "language without a row",
        "texts in a language without a row",
        "unknown model",
        "too few languages for a regime",
        "unknown model to train",
        "models over a foreign table",
        "thresholds the wrong way round",
        "documents of all languages in one file",
        "task without shots",
        "task without items",
        "items of all languages in one file",
        "a task twice",
        "batch that is not divided",
        "unknown open tokenizer",
        "unknown language of surgery",
        "unknown language of summaries",
        "slots of no tokenizer",
        "no such script",
        "source that is no entry",
        "share of no language",
    ],
)
def test_a_wrong_config_stops_at_once(change, named, stops):
    output, run = stops(change)
    assert named in output
    assert not has_started(run)


def test_a_faulty_row_of_the_runs_own_table_stops_at_once(stops):
    def add_table(run):
        (run / "config" / "languages.tsv").write_text(
            "code\tname\tscript\tflores\tlid_labels\tiso639_3\nxx\tNobodys\tLatin\t\txx\txxx\n"
        )

    output, run = stops(prepare=add_table)
    assert "languages.tsv, row 'xx': script: 'Latin' should be four letters of ISO 15924" in output
    assert not has_started(run)


# --- known before the shards are read ---


def test_a_glob_without_files_is_named(stops):
    output, run = stops({"corpus": {"sources": [{"warc": "nowhere/*.warc.gz"}]}})
    assert "error: corpus.sources: warc 'nowhere/*.warc.gz' matches no file" in output
    assert not has_read_sources(run)


def test_a_language_in_no_parallel_set_is_named(stops):
    output, run = stops({"languages": ["en", "sv"], "corpus": {"quality": {"enabled": False}}})
    assert "error: language 'sv' (swe_Latn) is in no parallel set: smoke (parallel); add a file" in output
    assert not has_read_sources(run)


def test_a_language_that_the_model_does_not_know_is_named_with_the_remedies(stops):
    def say_finnish_is_english(run):
        (run / "own").mkdir()
        for code in ("eng_Latn", "fin_Latn"):
            lines = (SMOKE / "parallel" / "eng_Latn.devtest").read_text()
            (run / "own" / f"{code}.devtest").write_text(lines)

    own = {"evaluation": {"parallel": [{"name": "own", "path": "own"}]}}
    output, run = stops(own, prepare=say_finnish_is_english)
    assert "error: language 'fi': the language-ID model finds 0.0% of its lines in own" in output
    for remedy in ("model", "labels.fi", "floor.fi"):
        assert f"corpus.language_id.{remedy}" in output
    assert not has_read_sources(run)


@pytest.mark.parametrize("kind", ["positive", "negative"])
def test_a_language_without_texts_for_its_quality_classifier_is_named(kind, stops):
    texts = {"default": "reference/{lang}.txt", "fi": "nowhere/{lang}.txt"}
    output, run = stops({"corpus": {"quality": {kind: texts}}}, targets=("corpora",))
    assert "error: quality: no file matches nowhere/fi.txt for 'fi'; mend corpus.quality" in output
    assert not has_read_sources(run)


# --- known only once the texts are read ---


@pytest.mark.slow
def test_a_language_with_no_text_is_named(stops):
    output, run = stops({"corpus": {"sources": [{"text": {"en": "text/en.txt"}}]}}, QUALITY_OFF)
    assert "error: deduplicate: no text in 'fi'" in output and "add sources that have it" in output
    assert has_read_sources(run)
    assert not (run / "results" / "corpus" / "documents" / "fi.parquet").exists()
