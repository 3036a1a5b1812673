"""The rows of a training's log for TensorBoard, where it is asked for; the log itself stays what counts."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from modtok.core.errors import ConfigError

SHOWN = (
    "loss", "learning_rate", "gradient_norm", "active_rows", "seconds_data", "seconds_model",
    "seconds_update", "tokens_per_s", "memory_mb",
)  # fmt: skip


class Events(Protocol):
    """Takes rows of a log."""

    def __call__(self, row: Mapping[str, str]) -> None:
        """A row by column, as it stands in the log."""


@contextmanager
def events(folder: Path | None, done: int) -> Iterator[Events]:
    """Where rows after `done` steps go: to TensorBoard's events in a folder, or, without one, nowhere.

    Error: there is no TensorBoard. Events of a killed training after these steps no longer count.

    with events(Path("results/tensorboard/sequential-bpe+samp-sub2"), 0) as show:
        show({"step": "1", "loss": "9.1", …})
    """
    if folder is None:
        yield lambda row: None
        return
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        message = "--tensorboard: it is not installed here; pip install tensorboard, or leave the option out"
        raise ConfigError(message) from error
    with SummaryWriter(str(folder), purge_step=done + 1) as writer:

        def show(row: Mapping[str, str]) -> None:
            for name in SHOWN:
                writer.add_scalar(name, float(row[name]), int(row["step"]))

        yield show
