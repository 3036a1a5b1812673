"""Forecasts of single jobs, on a machine as fast as the reference."""

from pathlib import Path

from modtok.planning.basis import Basis, Limits
from modtok.planning.calibration import REFERENCE
from modtok.planning.forecast import forecast
from modtok.planning.run import WORKFLOW, merged, read_config
from modtok.planning.sample import Text
from modtok.planning.speed import Speed

MACHINE = dict.fromkeys(REFERENCE, 1.0)
TEXT = Text(5.0, 0.002, 0.8, 4.5, 0.08, 0.7)


def changed_config(run: Path, changes: dict) -> dict:
    """The config of a new run folder that changes so much of the repository's."""
    (run / "config").mkdir()
    (run / "config" / "config.yaml").write_text("seed: 1\n")
    return merged(read_config(run, WORKFLOW), changes)


def rows_of(jobs, work, memory_mb=16_000, disk_mb=1e6, speed=None, gpu_memory_mb=0.0):
    basis = Basis(work, MACHINE, speed or Speed(2e10, timed=True), Limits(memory_mb, disk_mb, gpu_memory_mb))
    return {row.rule: row for row in forecast(jobs, basis)}
