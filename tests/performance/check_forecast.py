"""A run's forecast against what it took, by rule.

    python tests/performance/check_forecast.py RUN [--workflow FOLDER]

Took: the sum over the jobs in RUN/results/runtimes of their seconds on the clock, and of processor time as
Snakemake saw it, which misses most of jobs of a few seconds. On a machine with nothing else to do the clock
is right, on a busy one processor time, and that only of long jobs; memory is compared where a job took
LONG_S at least.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

from modtok.core.io import read_tsv
from modtok.planning.forecast import forecast_run
from modtok.planning.rows import Row
from modtok.planning.run import WORKFLOW

LONG_S = 5.0
MIB = 1.048576


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--workflow", type=Path, default=WORKFLOW, help="the repository it ran with")
    args = parser.parse_args()
    took = runtimes(args.run / "results" / "runtimes")
    print(
        f"{'rule':28}{'jobs':>5}{'forecast s':>12}{'clock s':>10}{'processor s':>12}{'MB':>8}{'MB took':>9}"
    )
    rows = [
        row for row in forecast_run(args.run, args.workflow) if row.rule in took and row.hours is not None
    ]
    for row in rows:
        print(line(row, took[row.rule]))
    forecast, clock = sum(row.hours or 0 for row in rows) * 3600, sum(took[row.rule]["clock"] for row in rows)
    print(f"all: forecast {forecast:,.0f} s, took {clock:,.0f} s on the clock: x {forecast / clock:.2f}")


def runtimes(folder: Path) -> dict[str, dict[str, float]]:
    """Rule -> seconds of its jobs together, and the highest memory of one that took long."""
    found: dict[str, dict[str, float]] = {}
    for path in sorted(folder.rglob("*.tsv")):
        rule = path.relative_to(folder).parts[0].removesuffix(".tsv")
        job = read_tsv(path)[-1]
        own = found.setdefault(rule, {"clock": 0.0, "processor": 0.0, "memory": 0.0})
        own["clock"] += float(job["s"])
        own["processor"] += number(job["cpu_time"])
        if float(job["s"]) >= LONG_S:
            own["memory"] = max(own["memory"], number(job["max_rss"]) * MIB)
    return found


def number(cell: str) -> float:
    """A cell of a runtime file; NA where the job ended before it was looked at."""
    return 0.0 if cell in ("NA", "-") else float(cell)


def line(row: Row, took: Mapping[str, float]) -> str:
    seconds = (row.hours or 0) * 3600
    memory = f"{took['memory']:9,.0f}" if took["memory"] else " " * 9
    figures = (
        f"{seconds:12,.1f}{took['clock']:10,.1f}{took['processor']:12,.1f}{row.memory_mb or 0:8,.0f}{memory}"
    )
    return f"{row.rule:28}{row.jobs:5}{figures}"


if __name__ == "__main__":
    main()
