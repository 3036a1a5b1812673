"""One step of training: rows of the active ids in, loss, gradients, AdamW on what took part.

# Shape suffixes: B batch, L sequence, D model width, N positions (B times L), S active vocabulary.
"""

import time
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from modtok.core.seeds import derive
from modtok.modelling.architecture import Architecture
from modtok.modelling.batches import Batch
from modtok.modelling.checkpoint import BODY
from modtok.modelling.cross_entropy import cross_entropy
from modtok.modelling.offload import OffloadedRows
from modtok.modelling.optimizer import FIRST, SECOND, AdamW, VocabularyRows, gradients
from modtok.modelling.ranks import ALONE, Ranks
from modtok.modelling.rows import ActiveRows, initial_tables
from modtok.modelling.settings import LAZY, Settings
from modtok.modelling.transformer import Transformer


@dataclass(frozen=True)
class Step:
    """What one step was like."""

    loss: float
    "mean over its tokens, nats"
    gradient_norm: float
    "before clipping"
    seconds_model: float
    "gathering rows, forward and backward"
    seconds_update: float


class Trainer:
    """A model in training, on one device: Trainer(settings, architecture, 1, device).step(0, batch)."""

    def __init__(
        self,
        settings: Settings,
        architecture: Architecture,
        seed: int,
        device: torch.device,
        ranks: Ranks = ALONE,
    ) -> None:
        self.settings, self.architecture, self.device = settings, architecture, device
        self.ranks = ranks
        generator = torch.Generator().manual_seed(derive(seed, "weights"))
        self.body = Transformer(architecture)
        self.body.initialise(generator)
        ranks.shard(self.body, device)
        adamw = AdamW(settings.beta1, settings.beta2, settings.epsilon, settings.weight_decay)
        self.vocabulary = self._vocabulary(initial_tables(architecture, generator), adamw)
        self.optimizer = body_optimizer(self.body, adamw)
        self._run = torch.compile(self.body) if settings.compile else self.body

    def _vocabulary(self, tables: dict[str, Tensor], adamw: AdamW) -> VocabularyRows:
        lazy, delay = self.settings.rows == LAZY, self.settings.offload
        if delay is not None:
            return OffloadedRows(tables, adamw, self.device, delay=delay, lazy=lazy)
        return VocabularyRows(
            {name: table.to(self.device) for name, table in tables.items()}, adamw, lazy=lazy
        )

    def step(self, number: int, batch: Batch, following: Batch | None = None) -> Step:
        """Train on the batch of a step, counted from 0. A loss that is no number is the caller's to see.

        `following`: the next step's batch, whose rows may be fetched meanwhile.
        """
        start = time.perf_counter()
        ids_S = torch.from_numpy(batch.ids_S)
        rows = self.vocabulary.gather(ids_S)
        self.vocabulary.ahead(None if following is None else torch.from_numpy(following.ids_S))
        loss = self._backward(torch.from_numpy(batch.tokens_BL).to(self.device), rows).item()
        middle = time.perf_counter()
        rate = self.settings.learning_rate_at(number)
        norm = self.ranks.clip([*self.body.parameters()], [*rows.tables.values()], self.settings.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.vocabulary.update(ids_S, rows, rate)
        return Step(loss, norm, middle - start, time.perf_counter() - middle)

    def _backward(self, tokens_BL: Tensor, rows: ActiveRows) -> Tensor:
        """Add up the gradients of the mean loss, part by part and over all processes; the loss."""
        targets = tokens_BL[:, 1:].numel() * self.ranks.size
        total = torch.zeros((), device=self.device)
        for part_BL in tokens_BL.split(self.settings.batch // self.settings.accumulation):
            loss = self.loss(part_BL, rows) / targets
            loss.backward()
            total += loss.detach()
        for tensor in (total, *gradients(rows).values()):
            self.ranks.add(tensor)
        return total

    def loss(self, tokens_BL: Tensor, rows: ActiveRows) -> Tensor:
        """Sum of the losses, in nats, of each token after the first; tokens are places in the rows."""
        with self._precision():
            hidden_BLD = self._run(functional.embedding(tokens_BL[:, :-1], rows.embedding_SD))
        hidden_ND = hidden_BLD.flatten(0, 1)
        if self.device.type == "cuda":
            hidden_ND = hidden_ND.bfloat16()
        return cross_entropy(hidden_ND, rows.output_SD, tokens_BL[:, 1:].flatten(), self.settings.max_logits)

    def _precision(self) -> AbstractContextManager:
        """Matrix products in bfloat16 on a GPU, everything in float32 on a CPU."""
        return torch.autocast("cuda", torch.bfloat16) if self.device.type == "cuda" else nullcontext()

    @property
    def weights(self) -> dict[str, Tensor]:
        """The model's tensors by Llama's names, its own where it is not sharded. All processes must ask."""
        named = self.body.named_parameters()
        body = {BODY + name: self.ranks.whole(weight.detach()) for name, weight in named}
        return {**self.vocabulary.tables, **body}

    @property
    def state(self) -> dict[str, Tensor]:
        """All tensors of weights and optimizers by name, after at least one step, as `weights`."""
        moments = {
            prefix + BODY + name: self.ranks.whole(self.optimizer.state[weight][prefix.removesuffix(".")])
            for name, weight in self.body.named_parameters()
            for prefix in (FIRST, SECOND)
        }
        return {**self.weights, **moments, **self.vocabulary.state}

    @torch.no_grad()
    def restore(self, state: dict[str, Tensor], steps: int) -> None:
        """Take up a state after a number of steps, which is at least one."""
        for name, weight in self.body.named_parameters():
            weight.copy_(self.ranks.part(state[BODY + name], weight))
            self.optimizer.state[weight] = {
                "step": torch.tensor(float(steps), device=weight.device),
                "exp_avg": self.ranks.part(state[FIRST + BODY + name], weight),
                "exp_avg_sq": self.ranks.part(state[SECOND + BODY + name], weight),
            }
        self.vocabulary.restore(state)

    def finish(self) -> None:
        """Make the updates that are late, after the last step."""
        self.vocabulary.finish()


def body_optimizer(body: Transformer, adamw: AdamW) -> torch.optim.AdamW:
    """torch's AdamW over a body's parameters; norms do not decay. The learning rate is set in each step."""
    matrices = [weight for weight in body.parameters() if weight.dim() > 1]
    norms = [weight for weight in body.parameters() if weight.dim() == 1]
    groups: Iterable[dict] = [
        {"params": matrices, "weight_decay": adamw.weight_decay},
        {"params": norms, "weight_decay": 0.0},
    ]
    betas = (adamw.beta1, adamw.beta2)
    return torch.optim.AdamW(groups, lr=0.0, betas=betas, eps=adamw.epsilon, fused=True)
