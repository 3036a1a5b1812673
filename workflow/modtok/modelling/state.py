"""What a killed training is resumed from: a folder beside the model's, removed when the model is whole.

{model}.state/state.safetensors holds weights and optimizers after some step, {model}.state/train_log.tsv a
row for each step so far. A state says in its header of which training it is; another training stops there.
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from safetensors import SafetensorError, safe_open

from modtok.core.errors import ConfigError, DataError, require
from modtok.core.io import atomic
from modtok.modelling.checkpoint import write_tensors
from modtok.modelling.training import Trainer

COLUMNS = (
    "step", "lang", "subtokenizer", "loss", "tokens", "active_rows", "learning_rate", "gradient_norm",
    "seconds_data", "seconds_model", "seconds_update", "tokens_per_s", "memory_mb",
)  # fmt: skip
MEASURED = COLUMNS[-5:]
"columns that no second run has again"


class State:
    """The state of the training that `about` describes: State(Path("models/x.state"), about)."""

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        self.folder, self.about = folder, dict(about)
        self.file, self.log_file = folder / "state.safetensors", folder / "train_log.tsv"

    def restore(self, trainer: Trainer) -> int:
        """Take up what is there; the number of steps done, 0 where nothing is.

        Errors: the state of another training, a broken file.
        """
        if not self.file.is_file():
            return 0
        remedy = f"remove the folder {self.folder} to train anew"
        try:
            with safe_open(self.file, "pt") as opened:
                header = opened.metadata() or {}
                self._check(json.loads(header.get("about", "{}")), remedy)
                tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
            trainer.restore(tensors, int(header["steps"]))
        except (SafetensorError, ValueError, KeyError, RuntimeError) as error:
            raise DataError(f"{self.file}: not a state of this training ({error}); {remedy}") from error
        return int(header["steps"])

    def _check(self, other: Mapping[str, Any], remedy: str) -> None:
        differing = [key for key in self.about if other.get(key) != self.about[key]]
        what = f"a state of another training (it differs in {', '.join(differing)}) is there"
        require(not differing, f"{self.folder}: {what}; {remedy}, or set back what was changed", ConfigError)

    def save(self, trainer: Trainer, steps: int) -> None:
        """Write the state after a number of steps, in place of an earlier one. All processes must ask."""
        header = {"steps": str(steps), "about": json.dumps(self.about)}
        tensors = trainer.state
        if trainer.ranks.is_first:
            write_tensors(self.file, tensors, header)

    def open_log(self, steps: int, *, written: bool = True) -> IO[str]:
        """The log, cut back to the rows of the steps done, for rows to be added; or one that nobody reads."""
        if not written:
            return Path(os.devnull).open("w", encoding="utf-8")
        self.folder.mkdir(parents=True, exist_ok=True)
        lines = self.log_file.read_text(encoding="utf-8").splitlines(keepends=True) if steps else []
        missing = f"{self.log_file}: fewer rows than the state has steps; remove {self.folder} to train anew"
        require(steps == 0 or len(lines) > steps, missing)
        with atomic(self.log_file) as partial:
            partial.write_text("".join(lines[: steps + 1]) or "\t".join(COLUMNS) + "\n", encoding="utf-8")
        return self.log_file.open("a", encoding="utf-8")

    def remove(self) -> None:
        """Remove the folder: the model is whole."""
        shutil.rmtree(self.folder)


def flush(log: IO[str]) -> None:
    """Bring a log's rows to disk; a state must not be older than its log is long."""
    log.flush()
    os.fsync(log.fileno())
