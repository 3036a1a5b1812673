"""Batches and turns of timed passes; what a pass computes, counted by torch's own counter of operations."""

from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from modtok.core.model_shapes import ModelShape
from modtok.evaluation.latency import (
    PADDED,
    POSITIONS,
    Device,
    RandomModel,
    Workload,
    needed_memory,
    time_rounds,
    turns,
)
from modtok.evaluation.latency_prediction import work

SHAPE = ModelShape(width=16, layers=2, heads=2, kv_heads=1, hidden=24, context=8)
CPU = Device(torch.device("cpu"), torch.float32)


@given(st.lists(st.integers(0, 3 * POSITIONS), min_size=1, max_size=60))
def test_batches_hold_every_line_and_no_more_positions_than_allowed(lengths: list[int]) -> None:
    workload = Workload.of(100, lengths)
    assert sum(lines for lines, _ in workload.batches) == len(lengths)
    assert all(lines == 1 or lines * longest <= POSITIONS for lines, longest in workload.batches)
    assert workload.longest == max(1, *lengths)
    padded = [longest for lines, longest in workload.batches for _ in range(lines)]
    ordered = sorted((max(1, length) for length in lengths), reverse=True)
    assert all(room >= length >= PADDED * room for room, length in zip(padded, ordered, strict=True))


def test_every_batch_has_one_turn_and_nobody_waits_for_the_others_end() -> None:
    workloads = {name: Workload(9, ((1, 2),) * batches) for name, batches in [("a", 4), ("b", 1), ("c", 2)]}
    order = list(turns(workloads))
    assert Counter(name for name, _ in order) == {"a": 4, "b": 1, "c": 2}
    assert [name for name, _ in order] == ["a", "c", "a", "b", "a", "c", "a"]
    assert [place for name, place in order if name == "a"] == [0, 1, 2, 3]


@pytest.mark.parametrize("size", [5, 70])
def test_a_pass_does_the_operations_that_are_said_of_it(size: int) -> None:
    # The counter does not know attention on a CPU: two products of d numbers for each pair of tokens.
    model = RandomModel(SHAPE, 70, 4, CPU)
    with FlopCounterMode(display=False) as counter:
        model.seconds(torch.zeros(3, 4, dtype=torch.int64), size)
    attention = SHAPE.layers * 3 * (1 + 2 + 3 + 4) * 4 * SHAPE.width
    expected = work(SHAPE, Workload(size, ((3, 4),)), 4)[0, :, 0].sum()
    assert counter.get_total_flops() + attention == expected


def test_logits_are_of_all_positions_and_the_vocabulary_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    linear = torch.nn.functional.linear
    monkeypatch.setattr(
        "modtok.evaluation.latency.nn.functional.linear",
        lambda *args: made.append(linear(*args)) or made[-1],
    )
    RandomModel(SHAPE, 70, 4, CPU).seconds(torch.zeros(3, 4, dtype=torch.int64), 50)
    assert made[-1].shape == (3, 4, 50)
    assert torch.isfinite(made[-1]).all()


def test_every_round_times_every_batch() -> None:
    workloads = {"a": Workload(70, ((2, 4), (1, 3))), "b": Workload(9, ((3, 2),))}
    times = time_rounds(RandomModel(SHAPE, 70, 4, CPU), workloads, 3, seed=1)
    assert {name: one.shape for name, one in times.items()} == {"a": (3, 2, 2), "b": (3, 1, 2)}
    assert all((one > 0).all() for one in times.values())


def test_models_are_made_in_the_numbers_of_the_device() -> None:
    model = RandomModel(SHAPE, 70, 4, Device(torch.device("cpu"), torch.bfloat16))
    kinds = {tensor.dtype for tensor in (*model.body.parameters(), model.embedding_VD, model.output_VD)}
    assert kinds == {torch.bfloat16}
    assert torch.get_default_dtype() == torch.float32
    assert all(seconds > 0 for seconds in model.seconds(torch.zeros(2, 4, dtype=torch.int64), 50))


def test_memory_is_at_least_that_of_weights_and_logits() -> None:
    workloads = [Workload(70, ((3, 4),)), Workload(9, ((50, 20),))]
    needed = needed_memory(SHAPE, workloads, torch.float32)
    model = RandomModel(SHAPE, 70, 20, CPU)
    tensors = [*model.body.parameters(), model.embedding_VD, model.output_VD]
    weights = sum(tensor.nbytes for tensor in tensors)
    assert weights + 4 * 9 * 1000 <= needed < weights + 4 * 9 * 1000 + 4 * 1000 * 16 * 20
