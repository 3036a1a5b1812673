"""Forecasts of single jobs, on a machine as fast as the reference."""

from modtok.planning.calibration import REFERENCE
from modtok.planning.forecast import Basis, Limits, forecast
from modtok.planning.sample import Text
from modtok.planning.speed import Speed

MACHINE = dict.fromkeys(REFERENCE, 1.0)
TEXT = Text(5.0, 0.002, 0.8, 4.5, 0.08, 0.7)


def rows_of(jobs, work, memory_mb=16_000, disk_mb=1e6, speed=None):
    basis = Basis(work, MACHINE, speed or Speed(2e10, timed=True), Limits(memory_mb, disk_mb))
    return {row.rule: row for row in forecast(jobs, basis)}
