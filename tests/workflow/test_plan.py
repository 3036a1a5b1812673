"""`modtok plan --run` of a small run: every rule, before anything is there."""

import json
import subprocess

import pytest

from workflow.runs import PROGRAMS, SMALL, environment, new_run, would_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def planned(inputs, tmp_path_factory):
    """A run's folder, and the rows of its forecast."""
    run = new_run(tmp_path_factory.mktemp("plan") / "run", SMALL, inputs)
    command = [PROGRAMS / "modtok", "plan", "--run", run, "--format", "json"]
    ended = subprocess.run(command, env=environment(), capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return run, json.loads(ended.stdout)


def test_every_rule_is_forecast_with_all_its_jobs(planned, workflow):
    run, rows = planned
    jobs = {rule: len(wildcards) for rule, wildcards in would_run(workflow, run).items()}
    assert {row["rule"]: row["jobs"] for row in rows[:-1]} == jobs
    assert rows[-1]["rule"] == "all"
    assert rows[-1]["jobs"] == sum(jobs.values())


def test_no_rule_is_without_costs(planned):
    # A new one needs rows in planning/costs.tsv: CONTRIBUTING, "A new rule".
    assert [row["rule"] for row in planned[1] if row["hours"] is None] == []


def test_a_small_run_takes_minutes_and_little_memory(planned):
    whole = planned[1][-1]
    assert 10 < whole["hours"] * 3600 < 600
    assert 100 < whole["memory_mb"] < 2000
    assert whole["fits"] == ""
    assert whole["gpu_hours"] == 0


def test_nothing_was_started(planned):
    assert not (planned[0] / "results").exists()


def test_a_run_that_snakemake_refuses_is_told_in_one_line(tmp_path, inputs):
    run = new_run(tmp_path / "run", {"languages": ["en", "xx"]}, inputs)
    command = [PROGRAMS / "modtok", "plan", "--run", run]
    ended = subprocess.run(command, env=environment(), capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: ") and ended.stderr.count("\n") == 1
    assert "xx" in ended.stderr
