"""What a release needs: one version everywhere, notes for it, and CI that runs what contributors run."""

import re
import tomllib

import pytest
import yaml

from modtok import __version__
from workflow.runs import REPOSITORY

WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text())
    assert project["version"] == citation["version"] == __version__


def test_readme_and_conda_files_have_the_locks_torch():
    files = (REPOSITORY / "README.md", *(REPOSITORY / "envs").iterdir())
    found = {file.name: set(re.findall(r"torch==([0-9.]*[0-9])", file.read_text())) for file in files}
    locked = found["requirements.lock"]
    assert {name for name, versions in found.items() if versions - locked} == set()
    assert len(locked) == len(found["README.md"]) == 1


def test_the_changelog_begins_with_what_is_not_released_and_names_versions_once():
    titles = re.findall(r"^## (.*)$", (REPOSITORY / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert titles[0] == "Unreleased"
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\)", title) for title in titles[1:])
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_what_the_repository_has(path):
    jobs = yaml.safe_load(path.read_text())["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    targets = re.findall(r"make ([a-z-]+)", " ".join(commands))
    makefile = (REPOSITORY / "Makefile").read_text()
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
    assert all((REPOSITORY / script).exists() for script in re.findall(r"bash (\S+)", " ".join(commands)))
    assert all("timeout-minutes" in job for job in jobs.values())


def test_every_push_runs_the_same_checks_as_a_contributor():
    steps = yaml.safe_load((REPOSITORY / ".github" / "workflows" / "ci.yml").read_text())["jobs"]["ci"][
        "steps"
    ]
    assert [step["run"] for step in steps if "run" in step] == ["bash .ci/run"]
