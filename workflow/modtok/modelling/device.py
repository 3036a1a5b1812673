"""Where models run: on the GPU, where there is one."""

import os

import torch

from modtok.core.errors import ConfigError, require

CHOSEN = "MODTOK_DEVICE"
"environment variable: `cpu` runs models on the CPU whatever there is"
NUMBER, IDS = "SLURM_GPUS_ON_NODE", ("SLURM_JOB_GPUS", "SLURM_STEP_GPUS")
"in which SLURM tells a job how many GPUs it has, and which"


def find_device(number: int | None = None) -> torch.device:
    """The GPU, or that of a number, else the CPU.

    Error: SLURM gave the job a GPU that torch does not see, so that it would take a hundred times as long.
    find_device() -> device(type="cpu")
    """
    if os.environ.get(CHOSEN) == "cpu":
        return torch.device("cpu")
    if torch.cuda.is_available():
        return torch.device("cuda") if number is None else torch.device("cuda", number)
    names = [name for name in IDS if os.environ.get(name)]
    names += [NUMBER] if os.environ.get(NUMBER, "") not in ("", "0") else []
    given = [f"{name}={os.environ[name]}" for name in names]
    unseen = (
        f"{', '.join(given)}: SLURM gave this job a GPU, and torch {torch.__version__} sees none; install a "
        f"build for CUDA (README, On a SLURM cluster), or set {CHOSEN}=cpu to go on without"
    )
    require(not given, unseen, ConfigError)
    return torch.device("cpu")
