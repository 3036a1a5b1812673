"""Predictions against machines that are known: so many seconds per operation and per byte."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from modtok.core.model_shapes import find_shape
from modtok.evaluation.latency import Workload
from modtok.evaluation.latency_prediction import Calibration, work
from modtok.evaluation.memory import forward_operations

SHAPE = find_shape("0.5B")[1]
BIG = find_shape("30B")[1]
MONO = Workload.of(24_004, list(range(10, 90)))
FULL = Workload.of(387_000, list(range(10, 88)))
rates = st.floats(1e-13, 1e-9)


@given(rates, rates, rates, rates)
def test_a_machine_of_two_rates_is_found_from_its_monolingual_run(
    a: float, b: float, c: float, d: float
) -> None:
    machine = np.array([[a, b], [c, d]])
    done = work(SHAPE, MONO, 4)
    found = Calibration.fitted([done], [(done * machine).sum(axis=2)])
    for shape, workload in ((SHAPE, MONO), (SHAPE, FULL), (BIG, FULL)):
        other = work(shape, workload, 4)
        assert found.seconds(other) == pytest.approx((other * machine).sum(), rel=0.02)


@given(rates, rates, st.integers(1, 4))
def test_like_batches_predict_a_larger_vocabulary(rate: float, byte_rate: float, number: int) -> None:
    # One kind of batch cannot tell operations from bytes, and need not.
    machine = np.array([[rate, byte_rate], [byte_rate, rate]])
    done = work(SHAPE, Workload(24_004, ((25, 40),) * number), 4)
    found = Calibration.fitted([done], [(done * machine).sum(axis=2)])
    other = work(SHAPE, Workload(387_000, ((25, 40),) * 3), 4)
    assert found.seconds(other) == pytest.approx((other * machine).sum(), rel=0.02)


@given(st.lists(st.floats(0.5, 2.0), min_size=8, max_size=8), st.integers(0, 2**32 - 1))
def test_noise_makes_no_rate_negative(noise: list[float], seed: int) -> None:
    assume(max(noise) > min(noise))
    lengths = np.random.default_rng(seed).integers(1, 300, 60).tolist()
    done = work(SHAPE, Workload.of(24_004, lengths), 4)
    took = np.resize(noise, done.shape[:2])
    assert (Calibration.fitted([done], [took]).seconds_per >= 0).all()


def test_operations_of_a_line_are_those_of_a_document() -> None:
    done = work(SHAPE, Workload(24_004, ((1, 500),)), 4)
    assert done[0, :, 0].sum() == forward_operations(SHAPE, 24_004, 500)


def test_bytes_of_a_short_line_are_those_of_the_weights() -> None:
    done = work(SHAPE, Workload(24_004, ((1, 1),)), 2)
    weights = 2 * (SHAPE.parameters(24_004, tied=True))
    assert done[0, :, 1].sum() == pytest.approx(weights, rel=0.01)


def test_without_measurements_the_ratio_is_that_of_operations() -> None:
    # Nearly the paper's 1.07 for its full vocabulary at 30B.
    seconds = [
        Calibration.of_operations().seconds(work(BIG, Workload(size, ((1, 40),)), 2))
        for size in (387_000, 24_004)
    ]
    operations = [forward_operations(BIG, size, 40) for size in (387_000, 24_004)]
    assert seconds[0] / seconds[1] == pytest.approx(operations[0] / operations[1])
    assert seconds[0] / seconds[1] == pytest.approx(1.07, abs=0.02)
