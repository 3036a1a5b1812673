"""What memory a training will need, told before it starts: bytes by what they are for."""

from pathlib import Path

import torch

from modtok.core.errors import ConfigError, require
from modtok.modelling.architecture import Architecture
from modtok.modelling.settings import Settings

GB = 1e9
_CGROUP = Path("/sys/fs/cgroup")


def forecast(
    settings: Settings, architecture: Architecture, active: int, device: torch.device
) -> dict[str, float]:
    """Bytes by purpose; `active` is the largest number of active rows of a step.

    Weights, two moments and, for the body, gradients are float32. For each token and layer some twelve
    vectors of the model's width and four of the hidden width wait for the backward pass.
    """
    shape, tables = architecture.shape, 1 if architecture.tied else 2
    row = 4 * shape.width * tables
    vocabulary = architecture.vocabulary_size
    positions = settings.batch // settings.accumulation * shape.context
    unit = 2 if device.type == "cuda" else 4
    return {
        "body": 16.0 * shape.body_parameters,
        "vocabulary": 3.0 * vocabulary * row,
        # the rows, their gradients, and these once more while the loss is made
        "active rows": 3.0 * active * row,
        "activations": 1.0 * unit * positions * shape.layers * (12 * shape.width + 4 * shape.hidden),
        "logits": 8.0 * min(settings.max_logits, positions * active),
    }


def check_memory(needed: dict[str, float], device: torch.device) -> None:
    """Error: a training that the free memory of the device does not hold."""
    total, free = sum(needed.values()), free_memory(device)
    listed = ", ".join(f"{name} {size / GB:.1f}" for name, size in needed.items())
    message = (
        f"the training needs about {total / GB:.1f} GB of memory ({listed}), {free / GB:.1f} GB are free"
    )
    require(
        total <= free,
        f"{message}; raise pretraining.accumulation, lower max_logits or the model",
        ConfigError,
    )


def free_memory(device: torch.device) -> float:
    """Bytes that can be had: of the GPU, or of the machine and of the group that a cluster put the job in."""
    if device.type == "cuda":
        return float(torch.cuda.mem_get_info(device)[0])
    lines = Path("/proc/meminfo").read_text().splitlines()
    available = next(line.split()[1] for line in lines if line.startswith("MemAvailable"))
    return min(1024.0 * int(available), _group_memory())


def _group_memory() -> float:
    try:
        limit, used = ((_CGROUP / f"memory.{name}").read_text().strip() for name in ("max", "current"))
        return float("inf") if limit == "max" else float(limit) - float(used)
    except (OSError, ValueError):
        return float("inf")
