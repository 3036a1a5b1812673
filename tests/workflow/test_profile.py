"""The SLURM profile: its options and rules exist, each entry has a reason. `make slurm-test` uses it."""

import re

import pytest
import yaml

from modtok.planning.forecast import MODELS
from workflow.runs import JOB, REPOSITORY, SMALL, new_run, snakemake
from workflow.test_imports import SOURCES, reached
from workflow.test_targets import RULES

TEXT = (REPOSITORY / "workflow" / "profiles" / "slurm" / "config.yaml").read_text(encoding="utf-8")
PROFILE = yaml.safe_load(TEXT)
DEVICE = "modelling.device"
# What runs where Snakemake runs: downloads, for which a node has no network, and what takes a second or two.
LOCAL = {
    name
    for file in sorted((REPOSITORY / "workflow" / "rules").glob("*.smk"))
    for block in re.findall(r"^localrules:\n((?:    \w+,\n)+)", file.read_text(), re.MULTILINE)
    for name in re.findall(r"\w+", block)
}


def test_snakemake_and_its_plugin_know_every_option(workflow, inputs, tmp_path):
    run = new_run(tmp_path / "run", SMALL, inputs)
    ended = snakemake(workflow, run, "--workflow-profile", "workflow/profiles/slurm", "--dry-run")
    assert ended.returncode == 0, ended.stdout
    jobs = {job[1]: job[0] for job in JOB.finditer(ended.stdout)}
    assert "mem_mb=4000" in jobs["deduplicate"]


def test_the_rules_it_names_exist():
    assert {*PROFILE["groups"], *PROFILE["set-resources"]} <= set(RULES)


def test_rules_whose_step_asks_for_the_device_have_a_gpu_here_and_in_forecasts():
    asking = {rule for rule in RULES if f"steps.{rule}" in SOURCES and DEVICE in reached(f"steps.{rule}")}
    given = {rule for rule, needs in PROFILE["set-resources"].items() if needs.get("gpu")}
    assert given == asking == {*MODELS}


@pytest.mark.parametrize("key", PROFILE)
def test_an_entry_has_its_reason(key):
    before, entry = re.search(rf"(.*)\n{key}:(.*(?:\n .*)*)", TEXT).groups()
    # Of an entry with others in it, the reason may be inside; groups and their size share one.
    assert before.startswith("#") or "#" in entry or key in ("executor", "group-components")


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_that_is_sent_to_a_node_asks_for_more_at_the_next_attempt(rule):
    needs = re.search(r"mem_mb=(.*),\n\s+runtime=(.*),\n", RULES[rule])
    assert rule in LOCAL or all(
        re.match(r"growing\(|shard_minutes|lambda wildcards.* attempt", need) for need in needs.groups()
    )
