"""What the tests of the workflow share: one copy of it, the inputs, one finished small run."""

import fcntl
from collections.abc import Callable
from pathlib import Path

import pytest

from workflow.runs import SMALL, clone, copy, finish, new_run, smoke_inputs

Make = Callable[[Path], object]


@pytest.fixture(scope="session")
def once(tmp_path_factory, worker_id) -> Callable[[str, Make], Path]:
    """Make a folder once for all workers of pytest-xdist, which wait for the first one to make it."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent

    def folder(name: str, make: Make) -> Path:
        made, stamp = shared / f"shared-{name}", shared / f"shared-{name}.made"
        with (shared / f"shared-{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not stamp.exists():
                assert not made.exists(), f"{made}: could not be made, see the first test that failed"
                make(made)
                stamp.touch()
        return made

    return folder


@pytest.fixture(scope="session")
def workflow(once) -> Path:
    """A copy of the workflow; tests that edit it make their own."""
    return once("workflow", clone)


@pytest.fixture(scope="session")
def inputs(once) -> Path:
    """The inputs of the smoke run with its WARC files."""
    return once("inputs", smoke_inputs)


@pytest.fixture(scope="session")
def finished(once, workflow, inputs) -> Path:
    """A small run that has ended; not to be changed."""
    return once("finished", lambda folder: finish(workflow, new_run(folder, SMALL, inputs)))


@pytest.fixture
def own(workflow, finished, tmp_path):
    """A copy of the workflow and of the finished run, to be edited: (workflow, run)."""
    return clone(tmp_path / "workflow", workflow), copy(finished, tmp_path / "run")
