"""The whole of a training: from texts, tokenizer and settings to a model's folder, through kills.

Every batch, the initial weights and the order of steps follow from the seed; a training that was killed and
resumed writes the same model and the same log (but for measured times), for a fixed number of threads.
"""

import math
import resource
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import torch

from modtok.core.errors import DataError, require
from modtok.core.io import write_text
from modtok.core.model_names import BASELINE, Regime
from modtok.core.provenance import file_digest
from modtok.core.seeds import derive
from modtok.modelling.architecture import Architecture
from modtok.modelling.batches import Batch, BatchMaker, Subtokenizers
from modtok.modelling.checkpoint import write_model
from modtok.modelling.events import events
from modtok.modelling.forecast import check_need
from modtok.modelling.prefetch import batches
from modtok.modelling.progress import progress
from modtok.modelling.ranks import ALONE, Ranks
from modtok.modelling.regimes import Plan
from modtok.modelling.settings import Settings
from modtok.modelling.state import COLUMNS, State, flush
from modtok.modelling.training import Step, Trainer

SAVE_SECONDS = 600.0
"between states on disk; it changes nothing in the result"


@dataclass(frozen=True)
class Task:
    """What is to be trained."""

    tokenizer: Path
    "folder of a tokenizer"
    regime: str
    texts: Mapping[str, Path]
    "language -> what shuffle_documents wrote"
    shares: Mapping[str, float]
    "language -> share of the training data, in the order of the run"
    settings: Settings
    seed: int
    repeat: int = 1
    "number of the repetition; each has other weights, other draws and, beside these, the same texts"

    @property
    def own_seed(self) -> int:
        return derive(self.seed, "pretraining", self.repeat)

    def plan(self) -> Plan:
        """The draws of all steps. Errors: those of Regime and Plan, a language without text."""
        plan = Plan(Regime(self.regime), self.shares, self.settings.steps, self.own_seed)
        missing = [lang for lang in plan.langs if lang not in self.texts]
        require(not missing, f"no text of {', '.join(missing)}, which has a share of the mixture; give one")
        return plan

    def new_maker(self, ranks: Ranks = ALONE) -> BatchMaker:
        """A maker of the batches, of one of several processes its share; in a process of its own, too."""
        settings = self.settings
        subtokenizers = Subtokenizers(self.tokenizer, settings.sampling)
        own, context = ranks.own(settings.batch), settings.shape.context
        return BatchMaker(self.plan(), self.texts, subtokenizers, settings.batch, context, own)

    @cached_property
    def about(self) -> dict[str, Any]:
        """What the training follows from, texts by their digests; the same for the same model."""
        return {
            "tokenizer": self.tokenizer.name,
            "tokenizer_digest": Subtokenizers(self.tokenizer).digest,
            "regime": self.regime,
            "shares": dict(self.shares),
            "texts": {lang: file_digest(path) for lang, path in self.texts.items()},
            "settings": self.settings.to_json(),
            "seed": self.seed,
            "repeat": self.repeat,
        }


def pretrain(
    task: Task,
    out: Path,
    workers: int = 0,
    save_seconds: float = SAVE_SECONDS,
    *,
    ranks: Ranks = ALONE,
    tensorboard: Path | None = None,
) -> None:
    """Train the task's model and write its folder: train_log.tsv, config.json, model.safetensors.

    On a GPU where there is one. `workers` are processes that make batches; all of `ranks`, processes that
    train, must call, and the first one writes. `tensorboard`: a folder for events of models.
    Errors: a plan that cannot be followed, a GPU that is not seen, too little memory, a state of another
    training, a loss that is no number.

    pretrain(task, Path("results/models/sequential-bpe+samp-sub2"))
    """
    plan, subtokenizers = task.plan(), Subtokenizers(task.tokenizer)
    device = ranks.device()
    if ranks.is_first:
        print(f"device: {device}; processes: {ranks.size}", flush=True)
    architecture = Architecture(task.settings.shape, subtokenizers.size, task.settings.tied)
    ranks.own(task.settings.batch)
    check_need(task.settings, architecture, largest_active(plan, subtokenizers), device, ranks.size)
    trainer = Trainer(task.settings, architecture, task.own_seed, device, ranks)
    state = State(out.with_name(out.name + ".state"), task.about)
    shown_in = tensorboard / out.name if tensorboard and ranks.is_first else None
    _run(task, trainer, state, workers, save_seconds, shown_in)
    trainer.finish()
    weights = trainer.weights
    if ranks.is_first:
        write_text(out / "train_log.tsv", state.log_file.read_text(encoding="utf-8"))
        write_model(out, architecture, weights, task.about | {"steps": task.settings.steps})
        state.remove()


def largest_active(plan: Plan, subtokenizers: Subtokenizers) -> int:
    """An upper bound of the active rows of a step."""
    regime = plan.regime
    if regime.name == BASELINE or regime.sampled == "full":
        return subtokenizers.size
    sizes = sorted((len(subtokenizers.ids((lang,))) for lang in plan.langs), reverse=True)
    return min(subtokenizers.size, sum(sizes[: 1 + (regime.others or 0)]))


def _run(
    task: Task,
    trainer: Trainer,
    state: State,
    workers: int,
    save_seconds: float,
    tensorboard: Path | None,
) -> None:
    """All steps that the state has not done, with a row of the log for each."""
    steps, done, ranks = task.settings.steps, state.restore(trainer), trainer.ranks
    made = _timed(batches(partial(task.new_maker, ranks), range(done, steps), workers))
    saved, saved_at = done, time.monotonic()
    with (
        events(tensorboard, done) as shown,
        state.open_log(done, written=ranks.is_first) as log,
        progress(steps, done, ranks.is_first) as show,
    ):
        for number, ((batch, seconds_data), following) in enumerate(_with_next(made), done):
            step = trainer.step(number, batch, following)
            _require_finite(step, number, batch, f"the state after step {saved:,} is in {state.folder}")
            row = _row(task.settings, number, batch, step, seconds_data, trainer)
            log.write("\t".join(row) + "\n")
            shown(dict(zip(COLUMNS, row, strict=True)))
            show(number + 1, f"loss {step.loss:.3f}, {batch.draw.subtokenizer}")
            late = time.monotonic() - saved_at >= save_seconds
            if number + 1 < steps and ranks.agree(late):
                if ranks.is_first:
                    flush(log)
                state.save(trainer, number + 1)
                saved, saved_at = number + 1, time.monotonic()


def _timed(made: Iterator[Batch]) -> Iterator[tuple[Batch, float]]:
    """Each batch with the seconds that it was waited for."""
    while True:
        start = time.perf_counter()
        batch = next(made, None)
        if batch is None:
            return
        yield batch, time.perf_counter() - start


def _with_next(made: Iterator[tuple[Batch, float]]) -> Iterator[tuple[tuple[Batch, float], Batch | None]]:
    """Each batch, with its seconds, and the one after it."""
    for own, following in pairwise(chain(made, (None,))):
        assert own is not None
        yield own, following and following[0]


def _require_finite(step: Step, number: int, batch: Batch, kept: str) -> None:
    if not (math.isfinite(step.loss) and math.isfinite(step.gradient_norm)):
        what = f"loss {step.loss} and gradient norm {step.gradient_norm}"
        where = f"step {number + 1:,} ({batch.draw.lang}, {batch.draw.subtokenizer})"
        raise DataError(f"{where}: {what}; lower pretraining.learning_rate or raise warmup ({kept})")


def _row(
    settings: Settings, number: int, batch: Batch, step: Step, seconds_data: float, trainer: Trainer
) -> list[str]:
    """A row of the log; numbers that a second run has again are written in full."""
    seconds = seconds_data + step.seconds_model + step.seconds_update
    return [
        str(number + 1),
        batch.draw.lang,
        batch.draw.subtokenizer,
        repr(step.loss),
        str((number + 1) * settings.tokens_per_step),
        str(len(batch.ids_S)),
        repr(settings.learning_rate_at(number)),
        repr(step.gradient_norm),
        f"{seconds_data:.4f}",
        f"{step.seconds_model:.4f}",
        f"{step.seconds_update:.4f}",
        f"{settings.tokens_per_step / seconds:.0f}",
        f"{_memory(trainer.device) / 1e6:.0f}",
    ]


def _memory(device: torch.device) -> float:
    """The most bytes that the process, or its part of the GPU, has held so far."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
