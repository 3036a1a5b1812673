"""AdamW for the rows of a vocabulary, of which a step moves only those that were active.

Lazy rows: decay, moments and bias correction of a row count the steps in which it was active, as if the
others had not been. So a language's rows do not fade while other languages train, and a step touches nothing
but its own rows. Dense rows are ordinary AdamW over the whole table, with a gradient of 0 for rows that are
not active; for comparison, since it touches everything.

# Shape suffixes: V full vocabulary, S active vocabulary (P of a block), D model width.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from modtok.modelling.rows import ActiveRows, gather

FIRST, SECOND, UPDATES = "exp_avg.", "exp_avg_sq.", "updates"
"names of the state: moments by the name of their table, and the rows' numbers of updates"


Moments = tuple[Tensor, Tensor]
_BLOCKS = {"cpu": 1 << 16, "cuda": 1 << 26}
"numbers of a table that are updated at a time; on a CPU as many as its caches hold"


@dataclass(frozen=True)
class AdamW:
    """The constants of AdamW (Loshchilov and Hutter, 2019)."""

    beta1: float
    beta2: float
    epsilon: float
    weight_decay: float

    def update(
        self, weight_SD: Tensor, moments: Moments, grad_SD: Tensor, updates_S: Tensor, rate: float
    ) -> None:
        """Move weights and moments in place; `updates_S` counts each row's updates, with this one."""
        first_SD, second_SD = moments
        count_S1 = updates_S[:, None].to(weight_SD.dtype)
        weight_SD.mul_(1 - rate * self.weight_decay)
        first_SD.lerp_(grad_SD, 1 - self.beta1)
        second_SD.mul_(self.beta2).addcmul_(grad_SD, grad_SD, value=1 - self.beta2)
        size_SD = second_SD.div(1 - self.beta2**count_S1).sqrt_().add_(self.epsilon)
        weight_SD.sub_(first_SD.div(size_SD).mul_(rate / (1 - self.beta1**count_S1)))


class VocabularyRows:
    """The tables of a vocabulary with their optimizer, all of them on one device.

    A step calls `gather` and `ahead`, adds up gradients in the rows it got, and calls `update`; the last one
    is followed by `finish`. offload.py does the same with tables that lie elsewhere.
    """

    def __init__(self, tables: Mapping[str, Tensor], adamw: AdamW, *, lazy: bool = True) -> None:
        self.tables, self.adamw, self.lazy = dict(tables), adamw, lazy
        some = next(iter(self.tables.values()))
        self.size, self.device = some.shape[0], some.device
        self.moments = {
            prefix + name: torch.zeros_like(table)
            for prefix in (FIRST, SECOND)
            for name, table in tables.items()
        }
        self.updates = torch.zeros(self.size, dtype=torch.int32, device=self.device)

    @property
    def state(self) -> dict[str, Tensor]:
        """All tensors, by name, as a state on disk holds them; they are the tables themselves, no copies."""
        return self._tensors

    @property
    def _tensors(self) -> dict[str, Tensor]:
        return {**self.tables, **self.moments, UPDATES: self.updates}

    def gather(self, ids_S: Tensor) -> ActiveRows:
        """The rows of sorted ids, as leaves that collect gradients; valid until the next `update`."""
        return gather(self.tables, ids_S.to(self.device))

    def ahead(self, ids_S: Tensor | None) -> None:
        """Begin what can be done while a step computes; `ids_S` are those of the next one, if known."""

    def update(self, ids_S: Tensor, rows: ActiveRows, rate: float) -> None:
        """One step of AdamW with the gradients of `rows`, which `gather` gave for the same ids."""
        self._apply(ids_S.to(self.device), gradients(rows), rate)

    def finish(self) -> None:
        """Bring the tables up to the last update."""

    @torch.no_grad()
    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Take up a state, which may hold other tensors, too."""
        for name, tensor in self._tensors.items():
            tensor.copy_(state[name])

    @torch.no_grad()
    def _apply(self, ids_S: Tensor, gradients: Mapping[str, Tensor], rate: float) -> None:
        moved_S = ids_S if self.lazy else torch.arange(self.size, device=self.device)
        self.updates[moved_S] += 1
        for name, own_SD in gradients.items():
            grad_SD = own_SD if self.lazy else self._spread(ids_S, own_SD)
            for block in self._blocks(grad_SD):
                self._update_block(name, moved_S[block], grad_SD[block], rate)

    def _update_block(self, name: str, ids_P: Tensor, grad_PD: Tensor, rate: float) -> None:
        whole = [self.tables[name], self.moments[FIRST + name], self.moments[SECOND + name]]
        weight, first, second = parts = [table.index_select(0, ids_P) for table in whole]
        self.adamw.update(weight, (first, second), grad_PD, self.updates[ids_P], rate)
        for table, moved in zip(whole, parts, strict=True):
            table.index_copy_(0, ids_P, moved)

    def _blocks(self, grad_SD: Tensor) -> Iterator[slice]:
        """Rows at a time: each passes through memory once, and what a block needs is soon given back."""
        rows, width = grad_SD.shape
        step = max(1, _BLOCKS[self.device.type] // width)
        return (slice(start, start + step) for start in range(0, rows, step))

    def _spread(self, ids_S: Tensor, grad_SD: Tensor) -> Tensor:
        """The gradient of the whole table."""
        return grad_SD.new_zeros(self.size, grad_SD.shape[1]).index_copy_(0, ids_S, grad_SD)


def gradients(rows: ActiveRows) -> dict[str, Tensor]:
    """What the rows have collected, by the name of their table."""
    found = {name: row.grad for name, row in rows.tables.items()}
    assert None not in found.values(), "the loss depends on every row"
    return {name: grad for name, grad in found.items() if grad is not None}
