"""A run as it is planned for: its merged config, and all its jobs, as Snakemake's dry run names them."""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from modtok.core.errors import ConfigError, require
from modtok.core.provenance import PACKAGE

WORKFLOW = PACKAGE.parents[1]
"the repository, which holds the Snakefile; an installed package has none"
_JOB = re.compile(r"^( *)(local)?rule (\w+):\n((?:\1    .+\n)*)", re.MULTILINE)
"""Jobs of a group stand further in."""
_FIELD = re.compile(r"^ +(wildcards|resources|input|output): (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Job:
    """A job of a run. Example: Job("train_monolingual", {"model": "bpe", "lang": "fi"}, 3000)"""

    rule: str
    wildcards: Mapping[str, str]
    memory_mb: int | None = None
    "what the rule or a profile asks for; None where that depends on files that are not there yet"
    minutes: int | None = None
    "the same of its time"
    processes: int = 1
    "that train a model together, each on a GPU of its own"
    gpus: int = 0
    "that a profile gives it"
    local: bool = False
    "whether it runs where Snakemake runs, where no cluster ends it"


def read_config(run: Path, workflow: Path = WORKFLOW) -> dict[str, Any]:
    """The config of a run as Snakemake merges it: the repository's, and the run's on top if it has one.

    Errors: no such folder, which Snakemake would make; text that is no YAML mapping.
    """
    require(run.is_dir(), f"{run}: no such folder; name that of a run, or make it", ConfigError)
    own = run / "config" / "config.yaml"
    defaults = _mapping(workflow / "config" / "config.yaml")
    return merged(defaults, _mapping(own)) if own.exists() else defaults


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings merge, everything else is replaced. merged({"a": {"b": 1}}, {"a": {"c": 2}})"""
    both = dict(base)
    for key, value in changes.items():
        deeper = isinstance(value, Mapping) and isinstance(base.get(key), Mapping)
        both[key] = merged(base[key], value) if deeper else value
    return both


def _mapping(path: Path) -> dict[str, Any]:
    try:
        read = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: not read ({' '.join(str(error).split())}); mend it") from error
    require(isinstance(read, Mapping), f"{path}: no mapping of keys; see config/config.yaml", ConfigError)
    return dict(read)


def list_jobs(run: Path, workflow: Path = WORKFLOW, profile: Path | None = None) -> list[Job]:
    """All jobs of the target `all`, those that are done already, too. Errors: what a dry run complains of.

    `profile`: the folder of one that the run will be started with, whose set-resources count.
    """
    program = shutil.which("snakemake", path=f"{Path(sys.executable).parent}") or shutil.which("snakemake")
    require(
        program is not None and (workflow / "Snakefile").is_file(),
        "plan --run: needs Snakemake and "
        "the repository; clone it and say `make run` once, then .venv/bin/modtok",
        ConfigError,
    )
    command = [str(program), "--snakefile", str(workflow / "Snakefile"), "--directory", str(run)]
    if profile:
        missing = f"--profile {profile}: no such folder; name that of a profile"
        require(profile.is_dir(), missing, ConfigError)  # Snakemake would do without
        command += ["--workflow-profile", str(profile)]
    command += ["--dry-run", "--forceall", "--nocolor", "all"]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        said = complaint(ended.stdout + ended.stderr)
        raise ConfigError(f"{run}: Snakemake cannot plan this run: {said}; mend its config")
    return parse_jobs(ended.stdout)


def complaint(output: str) -> str:
    """What Snakemake says is wrong: the line after the one with the error's name, else the last one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    after = (
        lines[at + 1] for at, line in enumerate(lines[:-1]) if re.search(r"(Error|Exception)\b.*:$", line)
    )
    return next(after, lines[-1] if lines else "it says nothing")


def parse_jobs(output: str) -> list[Job]:
    """The jobs in the output of a dry run, each after those it waits for.

    A rule that only collects files, without output, has none. Jobs that could run at once, which Snakemake
    names in another order each time, are in that of their names.
    """
    found = [
        (name, {"local": local, **dict(_FIELD.findall(fields))})
        for _, local, name, fields in _JOB.findall(output)
    ]
    jobs = sorted(
        ((name, fields) for name, fields in found if "output" in fields),
        key=lambda job: (job[0], job[1]["output"]),
    )
    needs = {
        file: _files(fields["input"])
        for _, fields in jobs
        for file in _files(fields["output"])
        if "input" in fields
    }

    @cache
    def depth(file: str) -> int:
        """Jobs in the longest chain that ends with the file."""
        return 1 + max(map(depth, needs.get(file, ())), default=0)

    return [_job(*job) for job in sorted(jobs, key=lambda job: depth(_files(job[1]["output"])[0]))]


def _files(field: str) -> list[str]:
    return field.split(", ")


def _job(rule: str, fields: Mapping[str, str]) -> Job:
    wildcards = dict(part.split("=", 1) for part in fields.get("wildcards", "").split(", ") if part)
    numbers = re.findall(r"\b(mem_mb|runtime|processes|gpu)=(\d+)", fields.get("resources", ""))
    asked = {name: int(number) for name, number in numbers}
    processes, local = max(1, asked.get("processes", 1)), bool(fields.get("local"))
    given = (asked.get("mem_mb"), asked.get("runtime"), processes, asked.get("gpu", 0))
    return Job(rule, wildcards, *given, local)
