"""What memory a training will need, told before it starts: bytes by what they are for."""

from collections.abc import Iterator
from pathlib import Path

import torch

from modtok.core.errors import ConfigError, require
from modtok.modelling.architecture import Architecture
from modtok.modelling.settings import DENSE, Settings

GB = 1e9
_VOCABULARY, _ALL_ROWS = "vocabulary", "gradient of all rows"
_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUPS = Path("/proc/self/cgroup")
_FILES = {
    "memory.max": ("memory.current", "inactive_file"),
    "memory.limit_in_bytes": ("memory.usage_in_bytes", "total_inactive_file"),
}
"limit of a control group -> what it uses, and the name in memory.stat of what the kernel would give back"


def check_need(
    settings: Settings, architecture: Architecture, active: int, device: torch.device, processes: int = 1
) -> None:
    """Error: a training that the settings or the free memory of the device do not hold.

    `active` is the largest number of active rows of a step. Each of several processes has a GPU of its own,
    and all share the memory of the CPU.
    """
    few = f"pretraining.max_logits: {settings.max_logits:,} are fewer than one position may have, {active:,}"
    require(active <= settings.max_logits, f"{few}; raise it", ConfigError)
    needed = forecast(settings, architecture, active, device, processes)
    if settings.offload is not None and device.type != "cpu":
        kept = {name: needed.pop(name) for name in (_VOCABULARY, _ALL_ROWS) if name in needed}
        check_memory({name: processes * size for name, size in kept.items()}, torch.device("cpu"))
    shared = processes if device.type == "cpu" else 1
    check_memory({name: shared * size for name, size in needed.items()}, device)


def forecast(
    settings: Settings, architecture: Architecture, active: int, device: torch.device, processes: int = 1
) -> dict[str, float]:
    """Bytes by purpose, of one of several processes; `active` is the largest number of active rows of a step.

    Weights, two moments and, for the body, gradients are float32. For each token and layer some twelve
    vectors of the model's width and four of the hidden width wait for the backward pass.
    """
    shape, tables = architecture.shape, 1 if architecture.tied else 2
    row = 4 * shape.width * tables
    vocabulary = architecture.vocabulary_size
    positions = settings.batch // max(settings.accumulation, processes) * shape.context
    unit = 2 if device.type == "cuda" else 4
    needed = {
        "body": 16.0 * shape.body_parameters / processes,
        _VOCABULARY: 3.0 * vocabulary * row,
        # the rows, their gradients, and these once more while the loss is made
        "active rows": 3.0 * active * row,
        "activations": 1.0 * unit * positions * shape.layers * (12 * shape.width + 4 * shape.hidden),
        "logits": 8.0 * min(settings.max_logits, positions * active),
    }
    if settings.offload is not None:
        # rows of the next step, gradients of the one before, and a copy of each on its way to a GPU
        needed["rows on their way"] = 4.0 * active * row
    if settings.rows == DENSE:
        needed[_ALL_ROWS] = 4.0 * vocabulary * shape.width  # of one table at a time
    return needed


def check_memory(needed: dict[str, float], device: torch.device) -> None:
    """Error: a training that the free memory of the device does not hold."""
    total, free = sum(needed.values()), free_memory(device)
    listed = ", ".join(f"{name} {size / GB:.1f}" for name, size in needed.items())
    message = (
        f"the training needs about {total / GB:.1f} GB of memory ({listed}), {free / GB:.1f} GB are free"
    )
    require(
        total <= free,
        f"{message}; raise pretraining.accumulation, up to batch, or processes, lower "
        "max_logits or the model, or take pretraining.offload",
        ConfigError,
    )


def free_memory(device: torch.device) -> float:
    """Bytes that can be had: of the GPU, or of the machine and of the groups that a job was put in."""
    if device.type == "cuda":
        return float(torch.cuda.mem_get_info(device)[0])
    lines = Path("/proc/meminfo").read_text().splitlines()
    available = next(line.split()[1] for line in lines if line.startswith("MemAvailable"))
    return min(1024.0 * int(available), group_memory())


def group_memory(groups: Path = _GROUPS, own: Path = _OWN_GROUPS) -> float:
    """Bytes that the control groups of this process, and those around them, leave it; inf without a limit.

    `groups`: where they are mounted; `own`: the process's groups, a line `number:controllers:path` each.
    """
    return min((_left(group) for group in _all_groups(groups, own)), default=float("inf"))


def _all_groups(groups: Path, own: Path) -> Iterator[Path]:
    """Folders of a process's groups of memory, from the innermost out: version 2, or 1 where that has it."""
    try:
        lines = [line.split(":", 2) for line in own.read_text().splitlines()]
    except OSError:
        return
    for _, controllers, name in lines:
        if controllers == "" or "memory" in controllers.split(","):
            # within a container, a name may begin where the machine's tree does and lead nowhere here
            mounted = groups / "memory" if controllers else groups
            inner = mounted / name.lstrip("/")
            yield from (group for group in (inner, *inner.parents) if group.is_relative_to(mounted))


def _left(group: Path) -> float:
    """What a group may still use; pages of files that it does not need count as free."""
    for limit, (used, given_back) in _FILES.items():
        try:
            most, now = (int((group / name).read_text()) for name in (limit, used))
            lines = (group / "memory.stat").read_text().splitlines()
        except (OSError, ValueError):  # no such group, or a limit of "max"
            continue
        return most - now + sum(int(line.split()[1]) for line in lines if line.split()[0] == given_back)
    return float("inf")
