"""What the checks see of SLURM and do to it: its jobs, the processes of a node, a node that goes away."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

LIMIT_S = 30


@dataclass(frozen=True)
class Job:
    """What the controller knows of a job; memory in MB, as it was asked for."""

    id: str
    rule: str
    state: str
    memory_mb: int
    restarts: int
    nodes: str


def jobs(*states: str) -> list[Job]:
    """All jobs that SLURM has seen, in the order of submission, or only those in one of the states."""
    shown = command("scontrol", "show", "job", "--oneliner").splitlines()
    found = [_job(dict(re.findall(r"(\S+?)=(\S*)", line))) for line in shown if line.startswith("JobId=")]
    return sorted((job for job in found if not states or job.state in states), key=lambda job: int(job.id))


def _job(fields: dict[str, str]) -> Job:
    # The plugin names the rule in the comment: rule_NAME, or rule_NAME_wildcards_VALUES.
    rule = re.sub(r"_wildcards_.*", "", fields["Comment"].removeprefix("rule_"))
    memory = _megabytes(fields["MinMemoryNode"])
    return Job(fields["JobId"], rule, fields["JobState"], memory, int(fields["Restarts"]), fields["NodeList"])


def _megabytes(size: str) -> int:
    """SLURM writes in GB what is short in it. 250M -> 250; 62.50G -> 64000"""
    return round(float(size[:-1]) * {"M": 1, "G": 1024}[size[-1]])


def processes(node: str) -> Iterator[tuple[int, str]]:
    """Id and command line of the processes of a node's jobs."""
    mark = f"SLURMD_NODENAME={node}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name), (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue  # it ended meanwhile, or is not to be read


def works(node: str) -> bool:
    """Whether a step of the workflow is at work on a node, not only Snakemake before or after it."""
    return any(re.search(r"python -m modtok(\.steps\.\w+)? ", line) for _, line in processes(node))


def kill_node(node: str, state: Path) -> list[str]:
    """Kill all that runs on a node at once, its daemon first, as a power cut would; the ids of its jobs."""
    lost = [job.id for job in jobs("RUNNING") if job.nodes == node]
    _kill([int((state / "run" / f"slurmd-{node}.pid").read_text()), *_step_daemons(lost)])
    while left := [pid for pid, _ in processes(node)]:  # what they started meanwhile
        _kill(left)
    return lost


def _kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _step_daemons(ids: list[str]) -> list[int]:
    pattern = rf"^slurmstepd: \[({'|'.join(ids)})\."
    found = subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True)
    return [int(pid) for pid in found.stdout.split()]


def command(*arguments: str) -> str:
    """What a command of SLURM prints."""
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 0, f"{' '.join(arguments)}: {done.stderr}"
    return done.stdout
