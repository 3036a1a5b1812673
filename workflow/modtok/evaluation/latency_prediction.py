"""What a forward pass should take, from its operations and bytes, calibrated on the monolingual tokenizers.

The seconds of a part of a pass (the blocks, the logits) are taken to be so many per operation and so many per
byte. Both numbers come from the batches of the monolingual tokenizers alone; what another vocabulary and
other lengths take then follows, and so does a model that the machine cannot hold, from the largest one
that it could.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modtok.core.model_shapes import ModelShape
from modtok.evaluation.latency import BODY, OUTPUT, Workload
from modtok.evaluation.memory import forward_operations

Work = NDArray[np.float64]
"(batches, parts, 2): operations and bytes"


def work(shape: ModelShape, workload: Workload, number_bytes: int) -> Work:
    """Operations and bytes of each batch, the blocks' and the logits'.

    A batch reads all weights of a part once; it writes and reads some vectors of each position, and writes
    the logits. Padding costs what tokens cost.
    """
    return np.array([_parts(shape, workload.size, batch, number_bytes) for batch in workload.batches])


def _parts(shape: ModelShape, size: int, batch: tuple[int, int], number_bytes: int) -> list[list[float]]:
    lines, longest = batch
    positions = lines * longest
    kept = 2 * shape.layers * positions * (8 * shape.width + 4 * shape.hidden)
    blocks: list[float] = [
        lines * forward_operations(shape, 0, longest),
        number_bytes * (shape.body_parameters + kept),
    ]
    numbers = size * shape.width + positions * (size + shape.width)
    return [blocks, [2 * positions * size * shape.width, number_bytes * numbers]]


@dataclass(frozen=True)
class Calibration:
    """Seconds per operation and per byte, of each part: (parts, 2)."""

    seconds_per: NDArray[np.float64]

    @classmethod
    def fitted(cls, works: Sequence[Work], seconds: Sequence[NDArray[np.float64]]) -> "Calibration":
        """From the batches of runs: their work, and their seconds (batches, parts)."""
        done, took = np.concatenate(works), np.concatenate(seconds)
        return cls(np.array([_fit(done[:, part], took[:, part]) for part in (BODY, OUTPUT)]))

    @classmethod
    def of_operations(cls) -> "Calibration":
        """Where nothing was measured: an operation takes a unit of time, bytes none."""
        return cls(np.array([[1.0, 0.0], [1.0, 0.0]]))

    def seconds(self, done: Work) -> float:
        """Seconds of a pass over all batches."""
        return float((done * self.seconds_per).sum())


def _fit(done: NDArray[np.float64], took: NDArray[np.float64]) -> NDArray[np.float64]:
    """The two numbers, none below 0, that bring the relative errors of the batches lowest by least squares.

    Where all batches are alike the numbers are not known apart, and their smallest are taken: what they
    predict for like batches is the same.
    """
    scale = done.mean(axis=0)
    relative = done / scale / took[:, None]
    target = np.ones(len(took))
    best, least = np.zeros(2), np.inf
    for columns in ([0, 1], [0], [1]):
        found, *_ = np.linalg.lstsq(relative[:, columns], target, rcond=1e-6)
        error = float(np.square(relative[:, columns] @ found - target).sum())
        if found.min() >= 0 and error < least:
            best, least = np.zeros(2), error
            best[columns] = found
    return best / scale
