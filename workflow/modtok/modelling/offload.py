"""The vocabulary in the CPU's memory, updated while the device computes (paper section 6.4 and Appendix E).

Embedding, output matrix and their optimizer's state stay with the CPU; the device has the rows of a step. One
thread works off a line of jobs beside it, the delayed scheme of Ren et al. (2021):

    device    step t                         step t + 1
    thread    update of t - 1, rows of t+1   update of t, rows of t + 2

So with a delay of 1 the rows of step t have the updates up to step t - 2; one that was active in step t - 1
still comes without it. With a delay of 0 a step waits for the update before it, and all is as in the plain
trainer, bit for bit on a CPU. What a job touches are the rows of its step, however many the tables have.

On a GPU rows and gradients pass through pinned buffers, on a stream of their own. The tables themselves are
not pinned, as nothing is copied from them but by way of a buffer.

# Shape suffixes: V full vocabulary, S active vocabulary, D model width.
"""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from modtok.modelling.optimizer import AdamW, VocabularyRows, gradients
from modtok.modelling.rows import ActiveRows, leaves

PENDING = "pending."
"begins the names of an update in a state that was not made when the state was: ids, rate, gradients"
_IDS, _RATE, _GRADIENT = PENDING + "ids", PENDING + "rate", PENDING + "gradient."


@dataclass(frozen=True)
class Copy:
    """A tensor that is on its way to another memory."""

    tensor: Tensor
    arrived: "torch.cuda.Event | None" = None
    "None: it is there"

    def wait(self) -> Tensor:
        """The tensor, once it has arrived."""
        if self.arrived is not None:
            self.arrived.synchronize()
        return self.tensor


class Transfers:
    """Copies between the CPU and a device while both work: Transfers(torch.device("cuda")). None on a CPU."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.stream = torch.cuda.Stream(device) if device.type == "cuda" else None

    def taken(self, table_VD: Tensor, ids_S: Tensor) -> Copy:
        """Rows of a table of the CPU, a copy of them, on their way to the device."""
        if self.stream is None:
            return Copy(table_VD.index_select(0, ids_S))
        buffer_SD = torch.empty(len(ids_S), table_VD.shape[1], dtype=table_VD.dtype, pin_memory=True)
        torch.index_select(table_VD, 0, ids_S, out=buffer_SD)
        with torch.cuda.stream(self.stream):
            return Copy(buffer_SD.to(self.device, non_blocking=True), self.stream.record_event())

    def on_device(self, copy: Copy) -> Tensor:
        """A copy that `taken` began, for what the device is given to do from now on."""
        if copy.arrived is not None:
            now = torch.cuda.current_stream(self.device)
            now.wait_event(copy.arrived)
            copy.tensor.record_stream(now)
        return copy.tensor

    def sent(self, gradient_SD: Tensor) -> Copy:
        """A gradient of the device, once what computes it has ended, on its way to the CPU."""
        if self.stream is None:
            return Copy(gradient_SD)
        buffer_SD = torch.empty(gradient_SD.shape, dtype=gradient_SD.dtype, pin_memory=True)
        self.stream.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(self.stream):
            buffer_SD.copy_(gradient_SD, non_blocking=True)
            gradient_SD.record_stream(self.stream)
            return Copy(buffer_SD, self.stream.record_event())


@dataclass(frozen=True)
class Update:
    """What moves the rows of a step."""

    ids_S: Tensor
    gradients: Mapping[str, Copy]
    "of the rows (S, D), by the name of their table"
    rate: float

    def wait(self) -> dict[str, Tensor]:
        """The gradients, once they have arrived."""
        return {name: copy.wait() for name, copy in self.gradients.items()}


class OffloadedRows(VocabularyRows):
    """VocabularyRows whose tables lie in the CPU's memory: OffloadedRows(tables, adamw, device, delay=1)."""

    def __init__(
        self,
        tables: Mapping[str, Tensor],
        adamw: AdamW,
        device: torch.device,
        *,
        delay: int,
        lazy: bool = True,
    ) -> None:
        super().__init__(tables, adamw, lazy=lazy)
        self.delay = delay
        "steps that an update comes late"
        self._transfers = Transfers(device)
        self._thread = ThreadPoolExecutor(1, "vocabulary")
        self._begun: list[Future[Any]] = []
        self._next: tuple[Tensor, Future[dict[str, Copy]]] | None = None
        self._pending: Update | None = None

    def gather(self, ids_S: Tensor) -> ActiveRows:
        """The rows of sorted ids, which are those that `ahead` was told of, if it was told of any."""
        told_S, fetching = self._next or (ids_S, self._begin_fetch(ids_S))
        assert torch.equal(told_S, ids_S), "`ahead` was told of these ids"
        self._next = None
        fetched = fetching.result()
        self._settle()
        return leaves({name: self._transfers.on_device(copy) for name, copy in fetched.items()})

    def ahead(self, ids_S: Tensor | None) -> None:
        """Begin the update that is late, then fetch the rows of the next step."""
        if self.delay:
            self._begin_pending()
            if ids_S is not None:
                self._next = ids_S, self._begin_fetch(ids_S)

    def update(self, ids_S: Tensor, rows: ActiveRows, rate: float) -> None:
        """One step of AdamW, begun at once or, with a delay, in the next step."""
        copies = {name: self._transfers.sent(grad) for name, grad in gradients(rows).items()}
        self._pending = Update(ids_S, copies, rate)
        if not self.delay:
            self._begin_pending()

    def finish(self) -> None:
        """Bring the tables up to the last update."""
        self._begin_pending()
        self._settle()

    def wait(self) -> None:
        """Until all that was begun is done, the copies of the next step's rows included."""
        self._settle()
        if self._next is not None:
            for copy in self._next[1].result().values():
                copy.wait()

    @property
    def state(self) -> dict[str, Tensor]:
        """The tables, and an update that they still lack."""
        self._settle()
        return {**self._tensors, **(_tensors_of(self._pending) if self._pending else {})}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Take up a state, and the update that its tables lack."""
        super().restore(state)
        self._pending = _update_of(state) if _IDS in state else None

    def _begin_pending(self) -> None:
        if self._pending is not None:
            self._begun.append(self._thread.submit(self._late, self._pending))
            self._pending = None

    def _settle(self) -> None:
        """Wait for the updates that were begun; those before fetched rows are done. Errors: theirs."""
        while self._begun:
            self._begun.pop(0).result()

    def _begin_fetch(self, ids_S: Tensor) -> Future[dict[str, Copy]]:
        return self._thread.submit(self._fetch, ids_S)

    def _fetch(self, ids_S: Tensor) -> dict[str, Copy]:
        return {name: self._transfers.taken(table, ids_S) for name, table in self.tables.items()}

    def _late(self, update: Update) -> None:
        self._apply(update.ids_S, update.wait(), update.rate)


def _tensors_of(update: Update) -> dict[str, Tensor]:
    named = {_GRADIENT + name: gradient for name, gradient in update.wait().items()}
    return {_IDS: update.ids_S, _RATE: torch.tensor([update.rate], dtype=torch.float64), **named}


def _update_of(state: Mapping[str, Tensor]) -> Update:
    named = {
        name.removeprefix(_GRADIENT): Copy(tensor)
        for name, tensor in state.items()
        if name.startswith(_GRADIENT)
    }
    return Update(state[_IDS], named, state[_RATE].item())
