"""A copy of the workflow and small runs, for tests that start Snakemake as a user does.

Nothing here runs in the repository: its sources may be edited while tests run, and a code digest must not
change between two runs that are compared.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from modtok.reporting.items import ITEMS

REPOSITORY = Path(__file__).parents[2]
SMOKE = REPOSITORY / "tests" / "smoke"
PROGRAMS = Path(sys.executable).parent
CLONED = ("Snakefile", "Makefile", "pyproject.toml", "config", "envs", "workflow")
# Files that other processes may be about to rename.
PASSING = shutil.ignore_patterns("*.pyc*", "*.tmp.*", ".*.so")
INPUTS = ("text", "parallel", "reference", "spam", "summaries", "tasks")

# Two languages, every stage: WARC files and a text that repeats paragraphs of theirs.
SMALL: dict[str, Any] = {
    "languages": ["en", "fi"],
    "corpus": {
        "sources": [{"warc": "warc/*.warc.gz"}, {"text": {"fi": "text/fi.txt"}}],
        "shards": 2,
        "extraction": {"max_bytes": 2_000_000},
        "quality": {
            "positive": {"default": "reference/{lang}.txt"},
            "negative": {"default": "spam/{lang}.txt"},
        },
    },
    "tokenizers": {"budget": 400, "joint_sizes": [500]},
    "pretraining": {"regimes": []},
    "open_tokenizers": [],
    "evaluation": {
        "parallel": [{"name": "smoke", "path": "parallel"}],
        "combinations": {"orders": 2},
        "offload": {"models": []},
        "latency": {"timed": [], "sizes": [300, 450]},
        "bootstrap": 100,
    },
}


def clone(to: Path, source: Path = REPOSITORY) -> Path:
    """Copy what a run needs of the repository, with compiled code, which takes long to make."""
    to.mkdir(parents=True)
    for name in CLONED:
        copy(source / name, to / name)
    return to


def copy(source: Path, to: Path) -> Path:
    """Copy a file or a folder with its times; links stay links."""
    if source.is_file():
        shutil.copy2(source, to)
    else:
        shutil.copytree(source, to, symlinks=True, ignore=PASSING)
    return to


def smoke_inputs(folder: Path) -> Path:
    """Copy the inputs of the smoke run and make its WARC files of them."""
    folder.mkdir()
    for name in INPUTS:
        copy(SMOKE / name, folder / name)
    command = [sys.executable, str(SMOKE / "make_warcs.py"), "--out", str(folder / "warc")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


def new_run(folder: Path, config: Mapping[str, Any], inputs: Path = SMOKE) -> Path:
    """A run folder with its config, and links to the inputs of the smoke run (and `warc` where it is)."""
    folder.mkdir(parents=True)
    for name in (*INPUTS, "warc"):
        if (inputs / name).is_dir():
            (folder / name).symlink_to(inputs / name)
    return configure(folder, config)


def configure(run: Path, config: Mapping[str, Any]) -> Path:
    """Write the config of a run."""
    file = run / "config" / "config.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(yaml.safe_dump(dict(config), sort_keys=False))
    return run


def environment(**variables: str) -> dict[str, str]:
    """The environment of a user whose virtual environment is active; no terminal colours."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHASHSEED")}
    return kept | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "NO_COLOR": "1"} | variables


def snakemake(
    workflow: Path, run: Path, *options: str, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """`snakemake --directory RUN …` from a copy of the workflow, by default started inside that copy."""
    place = ["--snakefile", workflow / "Snakefile"] if cwd else []
    return subprocess.run(
        [PROGRAMS / "snakemake", *place, "--directory", run, *options],
        cwd=cwd or workflow,
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(workflow: Path, run: Path, *options: str, **variables: str) -> Path:
    """Run all of a workflow; its output is the error where it fails."""
    ended = snakemake(workflow, run, "--cores", "2", *options, **variables)
    assert ended.returncode == 0, ended.stdout
    return run


# Rules that only collect files.
COLLECTIONS = {"all", "corpora", "tokenizers", "models", "tables", "figures", *ITEMS}
JOB = re.compile(r"^(?:local)?rule (\w+):\n(?: .+\n)*", re.MULTILINE)


def would_run(workflow: Path, run: Path, *targets: str, cwd: Path | None = None) -> dict[str, set[str]]:
    """Rule -> wildcards of its jobs (`lang=en, model=bpe`) that a dry run says would run."""
    ended = snakemake(workflow, run, "--dry-run", *targets, cwd=cwd)
    assert ended.returncode == 0, ended.stdout
    jobs: dict[str, set[str]] = {}
    for job in JOB.finditer(ended.stdout):
        wildcards = re.search(r"^    wildcards: (.*)$", job[0], re.MULTILINE)
        jobs.setdefault(job[1], set()).add(wildcards[1] if wildcards else "")
    assert jobs or "Nothing to be done" in ended.stdout, ended.stdout
    return {rule: wildcards for rule, wildcards in jobs.items() if rule not in COLLECTIONS}
