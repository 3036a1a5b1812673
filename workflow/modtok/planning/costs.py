"""What a job costs on the reference machine: costs.tsv, a row for each driver that its cost grows with.

| column | what |
|---|---|
| rule, kind | the rule, and what tells its jobs apart: bpe, unigram, open; empty where nothing does |
| driver | as in `drivers`; `job` for what each job takes |
| work | the piece of `calibration` that is work of this kind |
| most_mb | memory of a job whose steps keep no more at once, however much they read; else empty |
| seconds, memory_mb, disk_mb | for each unit of the driver: processor time, highest memory, what is left |
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from modtok.core.io import read_tsv
from modtok.planning.calibration import Machine
from modtok.planning.drivers import Drivers, tokenizer_of
from modtok.planning.run import Job


@dataclass(frozen=True)
class Term:
    """A row of costs.tsv."""

    driver: str
    work: str
    seconds: float
    memory_mb: float
    disk_mb: float
    most_mb: float = math.inf


@dataclass(frozen=True)
class Estimate:
    """What one job will take."""

    seconds: float
    "of processor time"
    memory_mb: float
    disk_mb: float
    gpu_seconds: float = 0.0
    gpu_memory_mb: float = 0.0
    download_mb: float = 0.0


def kind_of(job: Job) -> str:
    """What tells the jobs of a rule apart. kind_of(Job("train_joint", {"model": "bpe"})) -> "bpe" """
    if "model" in job.wildcards:
        return job.wildcards["model"]
    name = tokenizer_of(job)
    return "open" if name.startswith("open-") else "unigram" if "unigram" in name else "bpe"


def terms_of(job: Job) -> Sequence[Term]:
    """The rows of a job; none where its rule has not been measured."""
    known = read_costs()
    return known.get((job.rule, kind_of(job))) or known.get((job.rule, "")) or ()


@cache
def read_costs() -> Mapping[tuple[str, str], Sequence[Term]]:
    """(rule, kind) -> its rows."""
    costs: dict[tuple[str, str], list[Term]] = {}
    for row in read_tsv(Path(__file__).with_name("costs.tsv")):
        numbers = [float(row[column]) for column in ("seconds", "memory_mb", "disk_mb")]
        numbers.append(float(row["most_mb"] or math.inf))
        costs.setdefault((row["rule"], row["kind"]), []).append(Term(row["driver"], row["work"], *numbers))
    return costs


def estimate(terms: Sequence[Term], amounts: Drivers, machine: Machine) -> Estimate:
    """Seconds on this machine, memory and disk of a job: the sum over its terms.

    estimate([Term("job", "start", 0.5, 100, 0)], {"job": 1}, {"start": 2.0}).seconds -> 1.0
    """
    return Estimate(
        sum(term.seconds * amounts[term.driver] * machine[term.work] for term in terms),
        min(
            [sum(term.memory_mb * amounts[term.driver] for term in terms), *(term.most_mb for term in terms)]
        ),
        sum(term.disk_mb * amounts[term.driver] for term in terms),
    )
