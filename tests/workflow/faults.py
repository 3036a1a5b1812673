"""Faults around a run: a disk that is full, inputs that cannot be written, another run at the same time.

A disk is a small tmpfs, which only root may mount; without that a campaign is skipped and says so.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workflow.outcome import Outcome
from workflow.runs import PROGRAMS, copy, environment, new_run, snakemake
from workflow.same_bytes import first_difference

ENOUGH_KB = 500_000
NEEDS_ROOT = "a small disk is a tmpfs, which only root may mount here"


@dataclass(frozen=True)
class Place:
    """Where a campaign works, and the undisturbed run that others must come to."""

    workflow: Path
    inputs: Path
    undisturbed: Path
    config: Mapping[str, Any]
    folder: Path
    cores: int = 2
    target: str = "all"

    @property
    def size_kb(self) -> int:
        """What the results of the undisturbed run take up."""
        files = (path for path in (self.undisturbed / "results").rglob("*") if path.is_file())
        return sum(path.stat().st_size for path in files) // 1000

    def difference(self, run: Path) -> str:
        """Where a run's results differ from the undisturbed one's, "" where nowhere."""
        return first_difference(self.undisturbed / "results", run / "results")

    def command(self, run: Path) -> list[str]:
        """What starts the workflow in a run's folder."""
        options = ["--cores", str(self.cores), "--rerun-incomplete", self.target]
        return [str(PROGRAMS / "snakemake"), "--directory", str(run), *options]


def may_mount() -> bool:
    """Whether a tmpfs can be mounted: by root, outside of most containers."""
    return (
        os.geteuid() == 0
        and subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0
    )


@contextmanager
def disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A file system of so many kB."""
    folder.mkdir(parents=True, exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _mount(*options: str) -> None:
    subprocess.run(["mount", *options], check=True)


def full_disk(place: Place, shares: Sequence[float]) -> Outcome:
    """Runs on disks of these shares of what they need, then made large: the same bytes in the end."""
    if not may_mount():
        return Outcome("disk", 0, 0, skipped=NEEDS_ROOT)
    sizes = [int(share * place.size_kb) for share in shares]
    differences = [_on_small_disk(place, size) for size in sizes]
    about = "; ".join(filter(None, differences)) or f"disks of {', '.join(map(str, sizes))} kB"
    return Outcome("disk", len(sizes), differences.count(""), about)


def _on_small_disk(place: Place, size: int) -> str:
    with disk(place.folder / f"disk-{size}", size) as mounted:
        run = new_run(mounted / "run", place.config, place.inputs)
        first = snakemake(place.workflow, run, *place.command(run)[3:])
        if first.returncode == 0:
            return f"{size} kB were enough"
        if "No space left on device" not in first.stdout:
            return f"{size} kB: {first.stdout[-300:]}"
        _mount("-o", f"remount,size={ENOUGH_KB}k", str(mounted))
        snakemake(place.workflow, run, "--unlock")
        second = snakemake(place.workflow, run, *place.command(run)[3:])
        return (
            place.difference(run)
            if second.returncode == 0
            else f"{size} kB, then more: {second.stdout[-300:]}"
        )


def read_only_inputs(place: Place) -> Outcome:
    """A run whose inputs lie where nothing can be written."""
    if not may_mount():
        return Outcome("read_only", 0, 0, skipped=NEEDS_ROOT)
    with disk(place.folder / "read_only", ENOUGH_KB) as mounted:
        inputs = copy(place.inputs, mounted / "inputs")
        _mount("-o", "remount,ro", str(mounted))
        run = new_run(place.folder / "of_read_only", place.config, inputs)
        ended = snakemake(place.workflow, run, *place.command(run)[3:])
        difference = place.difference(run) if ended.returncode == 0 else ended.stdout[-300:]
    return Outcome("read_only", 1, int(not difference), difference)


def concurrent_runs(place: Place, number: int) -> Outcome:
    """So many runs in folders of their own, by one workflow at the same time."""
    runs = [new_run(place.folder / f"beside-{one}", place.config, place.inputs) for one in range(number)]
    logs = [(run / "log").open("w") for run in runs]
    processes = [
        subprocess.Popen(place.command(run), cwd=place.workflow, env=environment(), stdout=log, stderr=log)
        for run, log in zip(runs, logs, strict=True)
    ]
    codes = [process.wait() for process in processes]
    for log in logs:
        log.close()
    differences = [
        place.difference(run) if code == 0 else f"code {code}" for run, code in zip(runs, codes, strict=True)
    ]
    return Outcome("side_by_side", number, differences.count(""), "; ".join(filter(None, differences)))
