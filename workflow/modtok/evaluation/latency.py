"""How long a forward pass over parallel text takes, by tokenizer (paper sections 3.2 and 5.2, Table 3).

A pass goes from token ids to the logits of every position over the tokenizer's whole vocabulary, as in the
paper: there the full vocabulary costs 1.58 times the monolingual one at 0.5B, more than the last position of
each line could. Weights are random, and so are the ids: what a pass takes depends on the lengths of lines and
on the size of the vocabulary alone. A subtokenizer's rows lie together, as they do once they are taken out of
the full matrices; taking them out is no part of a pass. No <s> is added, so that times follow tokens.

Times are comparable because all tokenizers share the same lines, weights and process; a batch has lines of
nearly one length, so that padding moves no ratio; and in each round the batches of all tokenizers take turns,
so that what disturbs the machine hits all of them.

# Shape suffixes: B lines of a batch, L tokens of its longest line, D model width, V vocabulary.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from modtok.core.model_shapes import ModelShape
from modtok.modelling.architecture import Architecture
from modtok.modelling.device import find_device
from modtok.modelling.transformer import Transformer

POSITIONS = 1024
"that go through the model at once: enough for matrix products to run at full speed"
PADDED = 0.95
"Least length of a batch's lines, as a share of its longest one: what is padded costs as much as tokens do."
BODY, OUTPUT = 0, 1
"the parts of a pass that are timed: blocks, and logits"
Seconds = NDArray[np.float64]
"(rounds, batches, parts)"


@dataclass(frozen=True)
class Workload:
    """The lines of a language under a tokenizer: Workload.of(24_004, [12, 30, 31])."""

    size: int
    "V: tokens of the vocabulary"
    batches: tuple[tuple[int, int], ...]
    "(B, L) of each batch"

    @classmethod
    def of(cls, size: int, lengths: Sequence[int]) -> "Workload":
        """Lines of nearly one length together, POSITIONS at most or a single line; none is without a token.

        Workload.of(24_004, [500, 490, 3]).batches -> ((2, 500), (1, 3))
        """
        batches: list[tuple[int, int]] = []
        for length in sorted((max(1, int(one)) for one in lengths), reverse=True):
            lines, longest = batches[-1] if batches else (0, POSITIONS + 1)
            if (lines + 1) * longest <= POSITIONS and length >= PADDED * longest:
                batches[-1] = (lines + 1, longest)
            else:
                batches.append((1, length))
        return cls(size, tuple(batches))

    @property
    def positions(self) -> int:
        """Positions of the largest batch, padding included."""
        return max(lines * longest for lines, longest in self.batches)

    @property
    def longest(self) -> int:
        """Tokens of the longest line."""
        return max(longest for _, longest in self.batches)


@dataclass(frozen=True)
class Device:
    """Where a model runs, and in which numbers."""

    place: torch.device
    dtype: torch.dtype

    @classmethod
    def found(cls) -> "Device":
        """The GPU in bfloat16 where there is one, else the CPU in float32. Error: that of find_device."""
        place = find_device()
        return cls(place, torch.bfloat16 if place.type == "cuda" else torch.float32)

    def __str__(self) -> str:
        """str(Device.found()) -> "CPU, threads: 1, float32" """
        numbers = str(self.dtype).removeprefix("torch.")
        if self.place.type == "cuda":
            return f"{torch.cuda.get_device_name(self.place)}, {numbers}"
        return f"CPU, threads: {torch.get_num_threads()}, {numbers}"

    def wait(self) -> None:
        """Until all that was asked of the device is done."""
        if self.place.type == "cuda":
            torch.cuda.synchronize(self.place)


class RandomModel:
    """A model with random weights, whose vocabulary is the first V of `size` rows."""

    def __init__(self, shape: ModelShape, size: int, longest: int, device: Device) -> None:
        self.device = device
        architecture = Architecture(replace(shape, context=longest), size, tied=False)
        with _making(device):
            self.body = Transformer(architecture)
            self.embedding_VD, self.output_VD = (torch.rand(size, shape.width) for _ in range(2))

    @torch.inference_mode()
    def seconds(self, ids_BL: Tensor, size: int) -> tuple[float, float]:
        """Seconds of the blocks, the embedding included, and of the logits over the first `size` rows."""
        self.device.wait()
        started = perf_counter()
        hidden_BLD = self.body(nn.functional.embedding(ids_BL, self.embedding_VD[:size]))
        self.device.wait()
        embedded = perf_counter()
        nn.functional.linear(hidden_BLD, self.output_VD[:size])
        self.device.wait()
        return embedded - started, perf_counter() - embedded


@contextmanager
def _making(device: Device) -> Iterator[None]:
    """Tensors are made on the device and in its numbers from the start: a copy might not fit beside them."""
    usual = torch.get_default_dtype()
    torch.set_default_dtype(device.dtype)
    try:
        with torch.device(device.place):
            yield
    finally:
        torch.set_default_dtype(usual)


def time_rounds(
    model: RandomModel, workloads: Mapping[str, Workload], rounds: int, seed: int
) -> dict[str, Seconds]:
    """Seconds of each workload's batches in each round and part, by name.

    Before the rounds each workload's largest batch runs once, so that none pays for a first time.
    """
    generator = torch.Generator().manual_seed(seed)

    def run(name: str, batch: tuple[int, int]) -> tuple[float, float]:
        size = workloads[name].size
        ids_BL = torch.randint(size, batch, generator=generator).to(model.device.place)
        return model.seconds(ids_BL, size)

    for name, workload in workloads.items():
        run(name, max(workload.batches, key=lambda batch: batch[0] * batch[1]))
    times = {name: np.zeros((rounds, len(one.batches), 2)) for name, one in workloads.items()}
    for number in range(rounds):
        for name, place in turns(workloads):
            times[name][number, place] = run(name, workloads[name].batches[place])
    return times


def turns(workloads: Mapping[str, Workload]) -> Iterator[tuple[str, int]]:
    """Every batch of a round, each workload's spread evenly over it.

    Of two batches of a and one of b: a's first, b's, a's second.
    """
    places = [
        ((place + 0.5) / len(workload.batches), name, place)
        for name, workload in workloads.items()
        for place in range(len(workload.batches))
    ]
    for _, name, place in sorted(places, key=lambda one: one[0]):
        yield name, place


def needed_memory(shape: ModelShape, workloads: Sequence[Workload], dtype: torch.dtype) -> float:
    """Bytes that timing them takes: weights, the largest batch's logits, and what its blocks keep at once."""
    size, positions = max(one.size for one in workloads), max(one.positions for one in workloads)
    weights = shape.parameters(size, tied=False)
    logits = max(one.size * one.positions for one in workloads)
    kept = positions * (8 * shape.width + 4 * shape.hidden)
    return float(dtype.itemsize * (weights + logits + kept))
