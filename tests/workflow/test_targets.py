"""The workflow is in good form, and each target has a plan."""

import re

import pytest

from modtok.planning.run import merged
from modtok.reporting.items import ITEMS
from workflow.runs import REPOSITORY, SMALL, SMOKE, configure, new_run, snakemake, would_run

TARGETS = ["all", "corpora", "tokenizers", "models", "tables", "figures", "page"]
RULE = re.compile(r"^rule (\w+):\n((?:[ \t]+.*\n|\n)+)", re.MULTILINE)
RULES = {
    match[1]: match[2]
    for file in sorted((REPOSITORY / "workflow" / "rules").glob("*.smk"))
    for match in RULE.finditer(file.read_text())
}


@pytest.fixture
def smoke(tmp_path, inputs):
    """The smoke run's folder, not yet run."""
    run = new_run(tmp_path / "run", {}, inputs)
    (run / "config" / "config.yaml").write_text((SMOKE / "config" / "config.yaml").read_text())
    return run


def test_lint_finds_nothing(workflow, smoke):
    ended = snakemake(workflow, smoke, "--lint")
    assert (ended.returncode, "Congratulations" in ended.stdout) == (0, True), ended.stdout


def test_every_target_of_the_smoke_run_has_a_plan(workflow, smoke):
    # One dry run that names all of them fails where any of them would.
    planned = would_run(workflow, smoke, *TARGETS, *ITEMS)
    # It compares with no open tokenizer, its questions are files of this repository, and it has no spBLEU.
    assert set(planned) == set(RULES) - {"import_open_tokenizer", "fetch_benchmarks", "check_spbleu"}


def test_a_table_by_its_name_needs_no_other_item(workflow, smoke):
    planned = would_run(workflow, smoke, "table_1")
    assert planned["table"] == {"item=table_1"}
    assert not {"figure", "page", "ledger"} & set(planned)


def test_the_schema_of_the_method_needs_nothing(workflow, smoke):
    assert would_run(workflow, smoke, "figure_3") == {"figure": {"item=figure_3"}}


def test_the_corpora_need_no_parallel_set(workflow, smoke):
    config = {"evaluation": {"parallel": []}}
    configure(smoke, merged(SMALL, config))
    planned = would_run(workflow, smoke, "corpora")
    assert {"check_language_id", "filter_quality", "mixture"} <= set(planned)
    assert not {"check_parallel", "train_monolingual", "count_words"} & set(planned)


def test_tables_of_what_no_model_is_asked_are_not_made(workflow, smoke):
    trained = {"languages": ["fi", "el"], "pretraining": {"regimes": ["mono-only"]}}
    configure(smoke, merged(SMALL, trained | {"evaluation": {**SMALL["evaluation"], "multiple_choice": []}}))
    tables = would_run(workflow, smoke, "tables")["table"]
    assert "item=table_combinations" in tables
    assert not tables & {"item=table_6", "item=table_15", "item=table_8"}


# --- what each rule says ---


def test_the_rules_are_found():
    assert {"extract_shard", "train_monolingual", "page"} <= set(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_says_where_it_logs_and_what_it_needs(rule):
    body = RULES[rule]
    missing = [word for word in ("log", "benchmark", "conda", "resources") if f"    {word}:\n" not in body]
    assert missing == []
    assert re.search(r"mem_mb=.*\n\s+runtime=", body)
    # Snakemake does not see an edit of the step: a digest of its code, or a number raised by hand, does.
    assert re.search(r"^        (code|version)=", body, re.MULTILINE)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_its_step_its_log_and_its_runtime_file_share_one_name(rule):
    body = RULES[rule]
    assert re.search(rf'log:\n +"results/logs/{rule}[./]', body)
    assert re.search(rf'benchmark:\n +"results/runtimes/{rule}[./]', body)
    step = f"modtok.steps.{rule}"
    if not (REPOSITORY / "workflow" / f"{step.replace('.', '/')}.py").exists():
        step = COMMANDS[rule]
    assert f"logged {{log:q}} python -m {step} " in body


# Rules whose step is the command that a person types.
COMMANDS = {
    "count_words": "modtok count",
    "train_monolingual": "modtok train",
    "train_joint": "modtok train",
    "train_byte_bpe": "modtok train",
    "operate": "modtok surgery",
    "train_merged_unigram": "modtok train",
    "train_frequency_unigram": "modtok train",
    "train_concatenated_bpe": "modtok train",
    "train_sequential_order": "modtok train",
    "train_sequential_bpe": "modtok",
    "extract_subtokenizer": "modtok extract",
}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_runs_no_program_but_its_own(rule):
    script = re.search(r'r"""\n(.*?)"""', RULES[rule], re.DOTALL)[1]
    assert script.count("python ") == 1
    assert not re.search(r"(?<!\$)[;|]", script)


def test_every_step_has_a_rule():
    steps = {path.stem for path in (REPOSITORY / "workflow" / "modtok" / "steps").glob("*.py")}
    assert steps - {"__init__"} == set(RULES) - set(COMMANDS)


@pytest.mark.parametrize("rule", RULES)
def test_an_environment_file_exists(rule):
    named = re.search(r'conda:\n +"\.\./\.\./(envs/\w+\.yaml)"', RULES[rule])
    assert named and (REPOSITORY / named[1]).is_file()
