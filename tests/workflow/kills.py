"""`make run` in a run folder, killed at random moments: its whole process group at once, with -9."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workflow.runs import environment


def make_command(workflow: Path, run: Path, cores: int) -> list[str]:
    """`make run` of a copied Makefile on another folder than the smoke run's, with nothing left to set up."""
    settings: dict[str, Any] = {
        "READY": workflow / "ready",
        "WARCS": workflow / "warcs",
        "SMOKE": run,
        "CORES": cores,
    }
    for stamp in ("READY", "WARCS"):
        settings[stamp].touch()
    return [
        "make",
        "--directory",
        str(workflow),
        "run",
        *(f"{name}={value}" for name, value in settings.items()),
    ]


@contextmanager
def started(command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A command in a process group of its own, of which nothing is left at the end."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, env=environment(), stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield process
    finally:
        kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """kill -9 of a process and all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run_with_kills(
    workflow: Path, run: Path, kills: int, seed: int, files: int, cores: int = 2, done: int = 0
) -> Iterator[str]:
    """Start a run again after each of `kills` kills, the last time to its end; yield a line for each start.

    A kill comes up to a second after a random number of the run's `files` is there, drawn from `seed`: unlike
    a time, it lies within the run on any machine. The first `done` of them were made by an earlier process.
    """
    draw = random.Random(seed)
    command, log = make_command(workflow, run, cores), run.with_name(f"{run.name}.log")
    moments = sorted(draw.choices(range(files), k=kills))
    for number, wanted in enumerate(moments[done:], done + 1):
        with started(command, log) as process:
            while process.poll() is None and files_in(run) < wanted:
                time.sleep(0.02)
            time.sleep(draw.random())
            ended = process.poll()
        yield f"kill {number} at {files_in(run)} files" + ("" if ended is None else ": it had ended")
    with started(command, log) as process:
        assert process.wait() == 0, log.read_text()
    yield f"ended with {files_in(run)} files"


def files_in(run: Path) -> int:
    """Number of files in the results of a run, hidden ones too."""
    return sum(len(names) for _, _, names in os.walk(run / "results"))
