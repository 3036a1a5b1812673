"""A training on several processes, one for each GPU, that torchrun has started (torch's FSDP2).

Each process makes its own sequences of a step's batch. The body's weights, gradients and moments are sharded;
the vocabulary's tables are whole with every process, and the same, since the gradients of a step's rows are
added up. So the processes train what one alone does, but for the order of sums.
"""

import logging
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, distributed
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.nn.utils import clip_grad_norm_, get_total_norm

from modtok.core.errors import ConfigError, UserError, require
from modtok.modelling.device import find_device
from modtok.modelling.transformer import Transformer


@dataclass(frozen=True)
class Ranks:
    """This process among all: Ranks(0, 1) is alone."""

    rank: int
    size: int

    @property
    def alone(self) -> bool:
        return self.size == 1

    @property
    def is_first(self) -> bool:
        """Whether it is the one that writes files."""
        return self.rank == 0

    def device(self) -> torch.device:
        """The GPU of this process where there are any. Error: that of find_device."""
        return find_device(None if self.alone else int(os.environ["LOCAL_RANK"]))

    def own(self, batch: int) -> range:
        """The sequences of a batch that are this process's. Error: they cannot be shared out evenly."""
        odd = f"pretraining.batch: {batch} sequences are not divided by {self.size} processes; change one"
        require(batch % self.size == 0, odd, ConfigError)
        share = batch // self.size
        return range(self.rank * share, (self.rank + 1) * share)

    def shard(self, body: Transformer, device: torch.device) -> None:
        """Bring a body to the device, or this process's part of it; gradients are sums over processes."""
        if self.alone:
            body.to(device)
            return
        mesh = init_device_mesh(device.type, (self.size,))
        for module in (*body.layers, body):
            fully_shard(module, mesh=mesh)
            assert isinstance(module, FSDPModule)
            module.set_gradient_divide_factor(1.0)
            module.set_force_sum_reduction_for_comms(True)  # gloo knows no other

    def add(self, tensor: Tensor) -> None:
        """Sum a tensor over all processes, in place."""
        if not self.alone:
            distributed.all_reduce(tensor)

    def agree(self, wish: bool) -> bool:
        """What the first process wishes."""
        if self.alone:
            return wish
        said = torch.tensor(float(wish), device=self.device())
        distributed.broadcast(said, 0)
        return bool(said)

    def clip(self, body: Sequence[Tensor], rows: Sequence[Tensor], longest: float) -> float:
        """Cut the gradients of all together down to a norm; the norm before."""
        if self.alone:
            return clip_grad_norm_([*body, *rows], longest).item()
        gradients = [[weight.grad for weight in part if weight.grad is not None] for part in (body, rows)]
        norm = sum(_plain(get_total_norm(part)).item() ** 2 for part in gradients) ** 0.5
        for gradient in (*gradients[0], *gradients[1]):
            gradient.mul_(min(1.0, longest / (norm + 1e-6)))
        return norm

    def whole(self, tensor: Tensor) -> Tensor:
        """A tensor of which this process may have a part: the first has the whole, others nothing of it.

        All processes must ask.
        """
        if not isinstance(tensor, DTensor):
            return tensor
        full = tensor.full_tensor()
        return full.cpu() if self.is_first else full.new_empty(0)

    def part(self, whole: Tensor, like: Tensor) -> Tensor:
        """What this process has of a whole tensor, placed and sharded as another one."""
        moved = whole.to(like.device)
        if not isinstance(like, DTensor):
            return moved
        return distribute_tensor(moved, like.device_mesh, like.placements, src_data_rank=None)


ALONE = Ranks(0, 1)
_GRACE = 30
"seconds in which the others leave it to the first process to tell an error that all have, and are then ended"


@contextmanager
def joined() -> Iterator[Ranks]:
    """This process among those that torchrun has started, or alone where it was not torchrun."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield ALONE
        return
    ranks = Ranks(int(os.environ["RANK"]), size)
    device = ranks.device()
    if device.type == "cuda":
        torch.cuda.set_device(device)
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield ranks
    except UserError:
        if not ranks.is_first:
            time.sleep(_GRACE)
        raise
    distributed.destroy_process_group()


def launched(processes: int, module: str, arguments: Sequence[str] | None) -> bool:
    """Whether a module, this one, has been run in several processes of this machine, as torchrun does.

    It has not where one is enough, or this is one of them, or of torchrun's own. Where one of them fails, so
    does this. `arguments`: those of the module; None: this program's. Error: that of find_device, once, which
    each of them would tell.

    launched(2, "modtok.steps.pretrain", None) -> True
    """
    if processes == 1 or "RANK" in os.environ:
        return False
    find_device()
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=processes,
        run_id=module,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        max_restarts=0,
    )
    # it reports a failed process at length, which has said itself what it is
    logging.getLogger("torch.distributed.elastic").setLevel(logging.CRITICAL)
    try:
        elastic_launch(config, sys.executable)(
            "-m", module, *(sys.argv[1:] if arguments is None else arguments)
        )
    except ChildFailedError as error:
        _, failure = error.get_first_failure()
        raise SystemExit(failure.exitcode if failure.exitcode > 0 else 1) from None
    return True


def _plain(tensor: Tensor) -> Tensor:
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor
