"""What a forecast rests on: the work, and this machine."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from modtok.planning.calibration import Machine
from modtok.planning.speed import Speed
from modtok.planning.workload import Workload


@dataclass(frozen=True)
class Limits:
    """What this machine has; MB."""

    memory_mb: float
    disk_mb: float
    "free, where the run lies"
    gpu_memory_mb: float = 0.0
    "0 where there is no GPU"


@dataclass(frozen=True)
class Basis:
    """What a forecast rests on."""

    work: Workload
    machine: Machine
    speed: Speed
    limits: Limits


def limits_of(run: Path) -> Limits:
    """What this machine has."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    total = next(int(line.split()[1]) for line in lines if line.startswith("MemTotal"))
    return Limits(1024 * total / 1e6, shutil.disk_usage(run).free / 1e6, _gpu_memory())


def _gpu_memory() -> float:
    try:
        import torch

        from modtok.modelling.device import find_device
    except ImportError:
        return 0.0
    return torch.cuda.mem_get_info()[1] / 1e6 if find_device().type == "cuda" else 0.0
