"""Training steps: time and memory by total rows at 24k active, against the full softmax and plain torch.

    python tests/performance/bench_training.py [--rounds 8] [--scaling DIR]

Everything in one process on one thread, models in turns, so that a busy machine troubles all alike: the least
processor time of a step, and the bytes of tensors that a step makes and has at once. `flat` is the largest
figure over the least, from 25k to 400k total rows. The full softmax is the same model at 384k rows, all of
them active. Last, the model of the small experiments against a loop in plain torch: embedding, blocks,
F.cross_entropy over the whole vocabulary, torch's AdamW. --scaling writes scaling.tsv and scaling.svg.
"""

import argparse
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from modtok.core.io import atomic, write_tsv
from modtok.modelling.architecture import Architecture
from modtok.modelling.batches import Batch
from modtok.modelling.optimizer import AdamW
from modtok.modelling.regimes import Draw
from modtok.modelling.rows import initial_tables
from modtok.modelling.settings import Settings
from modtok.modelling.training import Trainer, body_optimizer
from modtok.modelling.transformer import Transformer
from modtok.reporting.figures import STYLE

ACTIVE = 24_000
TOTALS = (25_000, 50_000, 100_000, 200_000, 400_000)
"at 24,000 all are active, and a step takes the tables as they are: as fast, and no copy of rows"
FULL = 384_000
FLAT = 1.10
"the most that time and memory may grow from the fewest to the most total rows"
CPU = torch.device("cpu")
SCALING = "d=128,layers=2,heads=4,context=256"
SMALL, SMALL_ROWS = "d=128,layers=4,heads=4,context=256", 2_000
COLUMNS = ("rows", "active", "seconds", "megabytes")
SHOWN = {"seconds": "seconds a step", "megabytes": "MB made in a step"}
Step = Callable[[], object]
Row = Mapping[str, object]
"a step's cost: rows of the vocabulary, active ones, seconds of processor time, tensors made in it"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--scaling", type=Path, metavar="DIR")
    args = parser.parse_args()
    rounds = args.rounds
    torch.set_num_threads(1)
    rows = report_totals(
        {total: our_step(settings_for(SCALING, 4), total, ACTIVE) for total in TOTALS}, rounds
    )
    wide = settings_for(SCALING, 4, max_logits=1 << 25)
    rows += report_full(our_step(wide, FULL, FULL), our_step(wide, FULL, ACTIVE))
    if args.scaling is not None:
        write_tsv(args.scaling / "scaling.tsv", COLUMNS, rows)
        draw(rows, args.scaling / "scaling.svg")
    small = settings_for(SMALL, 16)
    steps = {"ours": our_step(small, SMALL_ROWS, SMALL_ROWS), "plain": plain_step(small, SMALL_ROWS)}
    seconds = least_seconds(steps, rounds)
    figures = f"{seconds['ours']:.3f} s a step, plain torch {seconds['plain']:.3f} s"
    print(f"{SMALL}, {SMALL_ROWS:,} rows: {figures}: ratio {seconds['plain'] / seconds['ours']:.2f}")


def report_totals(steps: Mapping[int, Step], rounds: int) -> list[Row]:
    """Time and memory by total rows."""
    seconds = least_seconds(steps, rounds)
    sizes = {total: live_bytes(step) for total, step in steps.items()}
    print(f"{ACTIVE:,} active rows of")
    for total in steps:
        print(f"  {total:>7,} rows: {seconds[total]:.3f} s a step, {sizes[total] / 1e6:,.0f} MB made in it")
    for name, figures in (("time", seconds), ("memory", sizes)):
        ratio = max(figures.values()) / min(figures.values())
        print(f"  {name} flat within {ratio:.3f} (target {FLAT}): {'yes' if ratio <= FLAT else 'no'}")
    return [row(total, ACTIVE, seconds[total], sizes[total]) for total in steps]


def row(total: int, active: int, seconds: float, size: float) -> Row:
    return {"rows": total, "active": active, "seconds": f"{seconds:.4f}", "megabytes": f"{size / 1e6:.0f}"}


def draw(rows: Sequence[Row], path: Path) -> None:
    """Time and memory of a step against all rows of the vocabulary; a cross: the full softmax."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6, 2.2), layout="constrained")
        for axis, (column, label) in zip(figure.subplots(1, 2), SHOWN.items(), strict=True):
            for full, style in ((False, "o-"), (True, "x")):
                own = [one for one in rows if (one["active"] == one["rows"]) == full]
                points = sorted((int(str(one["rows"])), float(str(one[column]))) for one in own)
                name = "all rows active" if full else f"{ACTIVE:,} rows active"
                axis.plot(*zip(*points, strict=True), style, markersize=4, label=name)
            axis.set(xscale="log", yscale="log", xlabel="rows of the vocabulary", ylabel=label)
        figure.axes[0].legend(frameon=False)
        with atomic(path) as partial:
            figure.savefig(partial, format="svg", metadata={"Date": None})


def report_full(full: Step, active: Step) -> list[Row]:
    """The full softmax over the active one, at the same number of rows."""
    seconds = least_seconds({"full": full, "active": active}, 2)
    sizes = {"full": live_bytes(full), "active": live_bytes(active)}
    times, bytes_ = (figures["full"] / figures["active"] for figures in (seconds, sizes))
    print(f"full softmax over {FULL:,} rows: {seconds['full']:.3f} s a step, {sizes['full'] / 1e6:,.0f} MB")
    print(f"  ratio to {ACTIVE:,} active ones: time {times:.1f}, memory {bytes_:.1f}")
    return [
        row(FULL, active, seconds[who], sizes[who]) for who, active in (("full", FULL), ("active", ACTIVE))
    ]


def least_seconds(steps: Mapping[Any, Step], rounds: int) -> dict[Any, float]:
    """The least processor time of each step, taken in turns."""
    least = dict.fromkeys(steps, float("inf"))
    for _ in range(rounds):
        for name, step in steps.items():
            start = time.process_time()
            step()
            least[name] = min(least[name], time.process_time() - start)
    return least


class LiveBytes(TorchDispatchMode):
    """Adds up what operators make, and takes off what is let go; `most` is the largest sum."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.most = 0
        self.known: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = {id_of(tensor) for tensor in tree_leaves((args, kwargs)) if isinstance(tensor, Tensor)}
        made = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(made):
            if isinstance(tensor, Tensor) and id_of(tensor) not in given | self.known:
                self._add(tensor)
        return made

    def _add(self, tensor: Tensor) -> None:
        storage = tensor.untyped_storage()
        size, key = storage.nbytes(), id_of(tensor)
        self.known.add(key)
        self.now += size
        self.most = max(self.most, self.now)
        weakref.finalize(storage, self._release, key, size)

    def _release(self, key: int, size: int) -> None:
        self.known.discard(key)
        self.now -= size


def id_of(tensor: Tensor) -> int:
    return tensor.untyped_storage()._cdata


def live_bytes(step: Step) -> int:
    """The bytes of tensors made in a step that are there at once."""
    with LiveBytes() as counted:
        step()
    return counted.most


def settings_for(model: str, batch: int, max_logits: int = 1 << 19) -> Settings:
    return Settings(
        model=model, tied=False, tokens=10**6, batch=batch, accumulation=1, learning_rate=1e-3, warmup=0.0,
        final=0.1, beta1=0.9, beta2=0.95, epsilon=1e-8, weight_decay=0.1, clip=1.0, rows="lazy",
        max_logits=max_logits, compile=False,
    )  # fmt: skip


def some_batch(settings: Settings, total: int, active: int) -> Batch:
    """Random tokens over a random set of ids."""
    rng = np.random.default_rng(1)
    ids = np.sort(rng.choice(total, active, replace=False))
    tokens = rng.integers(0, active, (settings.batch, settings.shape.context + 1))
    return Batch(Draw("en", 0, ("en",)), ids, tokens)


def our_step(settings: Settings, total: int, active: int) -> Step:
    trainer = Trainer(settings, Architecture(settings.shape, total, tied=False), 1, CPU)
    for tensor in trainer.vocabulary.moments.values():
        tensor.fill_(0.0)  # pages that nothing has written yet would cost time in the first steps
    batch = some_batch(settings, total, active)
    return lambda: trainer.step(0, batch)


def plain_step(settings: Settings, total: int) -> Step:
    """The loop that anyone would write."""
    architecture = Architecture(settings.shape, total, tied=False)
    body, generator = Transformer(architecture), torch.Generator().manual_seed(1)
    body.initialise(generator)
    tables = [table.requires_grad_() for table in initial_tables(architecture, generator).values()]
    optimizer = body_optimizer(body, AdamW(0.9, 0.95, 1e-8, 0.1))
    optimizer.add_param_group({"params": tables})
    tokens = torch.from_numpy(some_batch(settings, total, total).tokens_BL)

    def step() -> None:
        hidden = body(functional.embedding(tokens[:, :-1], tables[0]))
        loss = functional.cross_entropy((hidden @ tables[1].T).flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*body.parameters(), *tables], 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return step


if __name__ == "__main__":
    main()
