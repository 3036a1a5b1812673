"""A run through a real SLURM by the project's profile: a job too large for its memory, and a node that dies.

Started by run.sh (`make slurm-test`), which brings the SLURM; not part of `make test`. The run has every rule
of the smoke run, for two languages of six and one model, so that it takes minutes.
"""

import os
import re
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from modtok.planning.run import merged
from workflow.runs import PROGRAMS, REPOSITORY, SMOKE, clone, environment, finish, new_run, would_run
from workflow.same_bytes import first_difference
from workflow.slurm.slurm import Job, jobs, kill_node, works
from workflow.test_profile import LOCAL

STATE = Path(os.environ["SLURM_CONF"]).parent
OURS, TESTS = "workflow/profiles/slurm", REPOSITORY / "tests" / "workflow" / "slurm" / "profile"
PROFILES = ("--profile", OURS, "--workflow-profile", TESTS)
SMOKE_CONFIG = yaml.safe_load((SMOKE / "config" / "config.yaml").read_text(encoding="utf-8"))
# The smoke run with fewer languages and items; every rule stays.
REDUCED = merged(
    SMOKE_CONFIG,
    {
        "languages": ["en", "bg"],
        "tokenizers": {"budget": 400, "joint_sizes": [500]},
        "pretraining": {"tokenizers": ["sequential-bpe"], "regimes": ["samp-full"], "tokens": 20_000},
        "evaluation": {"combinations": {"orders": 2}},
        "surgery": {
            "tokenizers": ["byte-bpe-600"],
            "slots": {"default": "max"},
            "corpora": ["bg", "en"],
            "groups": [["en"]],
        },
    },
)
# A rule whose own memory begins, in the copy of the workflow, with too little for Python with its libraries
# beside Snakemake; all else about it, and how it grows, is as in the workflow.
STARVED, FIRST_MB = "train_merged_unigram", 250
NODE = "modtok1"
# Far beyond what a busy machine needs: only a run that hangs takes so long.
LIMIT_S = 7200


@dataclass(frozen=True)
class Ended:
    """A run that ended: folder, plan, what SLURM saw, the ids of the jobs that the dead node had."""

    run: Path
    planned: dict[str, set[str]]
    jobs: list[Job]
    lost: list[str]


@pytest.fixture(scope="module")
def starved(workflow, tmp_path_factory) -> Path:
    """A copy of the workflow in which one rule asks for little memory at its first attempt."""
    copied = clone(tmp_path_factory.mktemp("starved") / "workflow", workflow)
    rules = copied / "workflow" / "rules" / "tokenizers.smk"
    before, name, after = rules.read_text().partition(f"rule {STARVED}:\n")
    changed, times = re.subn(r"mem_mb=growing\(.*\)", f"mem_mb=growing({FIRST_MB})", after, count=1)
    assert name and times == 1
    rules.write_text(before + name + changed)
    return copied


@pytest.fixture(scope="module")
def ended(starved, inputs, tmp_path_factory) -> Ended:
    run = new_run(tmp_path_factory.mktemp("slurm") / "run", REDUCED, inputs)
    planned = would_run(starved, run)
    log = run / "snakemake.log"
    started = [PROGRAMS / "snakemake", *PROFILES, "--directory", run, "all"]
    with log.open("w") as out:
        process = subprocess.Popen(started, cwd=starved, env=environment(), stdout=out, stderr=out)
    try:
        lost = lose_node(process)
        assert process.wait(LIMIT_S) == 0, log.read_text()
    finally:
        process.kill()
        process.wait()
    return Ended(run, planned, jobs(), lost)


def lose_node(process: subprocess.Popen[bytes]) -> list[str]:
    """Kill a node in the middle of a step, once some jobs have ended."""
    while process.poll() is None:
        if len(jobs("COMPLETED")) >= 5 and works(NODE):
            return kill_node(NODE, STATE)
        time.sleep(0.2)
    return []


def test_the_run_has_every_rule_of_the_smoke_run(ended, starved, tmp_path):
    smoke = new_run(tmp_path / "smoke", SMOKE_CONFIG, ended.run)
    assert set(ended.planned) == set(would_run(starved, smoke))


def test_every_job_went_through_sbatch(ended):
    expected = {rule: len(wildcards) for rule, wildcards in ended.planned.items() if rule not in LOCAL}
    # Both shards are one job.
    expected["shards_extract_shard"] = expected.pop("extract_shard") // 2
    completed = Counter(job.rule for job in ended.jobs if job.state == "COMPLETED")
    print(f"{completed.total()} jobs of {len(completed)} rules through sbatch; local: {sorted(LOCAL)}")
    assert completed == expected


def test_a_job_killed_for_its_memory_passes_as_its_rule_asks_for_more(ended):
    tries = [job for job in ended.jobs if job.rule == STARVED]
    print(f"{STARVED}: {[(job.state, job.memory_mb) for job in tries]}")
    assert len(tries) > 1
    assert [job.memory_mb for job in tries] == [FIRST_MB * attempt for attempt in range(1, len(tries) + 1)]
    assert [job.state for job in tries] == ["FAILED"] * (len(tries) - 1) + ["COMPLETED"]
    said = (ended.run / ".snakemake/slurm_logs" / f"rule_{STARVED}" / f"{tries[0].id}.log").read_text()
    assert "exceeded memory limit" in said


def test_no_other_job_failed(ended):
    assert [job for job in ended.jobs if job.state != "COMPLETED" and job.rule != STARVED] == []


def test_jobs_of_a_node_that_went_away_end_on_another(ended):
    lost = [job for job in ended.jobs if job.id in ended.lost]
    print(f"lost with {NODE}: {lost}")
    assert lost
    assert {(job.state, job.restarts, job.nodes) for job in lost} == {("COMPLETED", 1, "modtok2")}


def test_the_results_are_the_same_bytes_as_those_of_a_local_run(ended, starved, inputs, tmp_path):
    local = finish(starved, new_run(tmp_path / "local", REDUCED, inputs))
    assert first_difference(local / "results", ended.run / "results") == ""


def test_nothing_is_left_to_do_or_to_clean(ended, starved):
    assert would_run(starved, ended.run) == {}
    assert [*ended.run.glob(".snakemake/incomplete/*"), *ended.run.glob(".snakemake/locks/*")] == []
