"""The bootstrap over lines."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from modtok.evaluation.bootstrap import interval, resampled_sums, resampling_weights


@given(n_lines=st.integers(1, 40), resamples=st.integers(1, 30), seed=st.integers(0, 2**63 - 1))
def test_every_resample_has_as_many_lines_as_the_sample(n_lines: int, resamples: int, seed: int) -> None:
    weights = resampling_weights(n_lines, resamples, seed)
    assert weights.shape == (1 + resamples, n_lines)
    assert (weights.sum(axis=1) == n_lines).all()
    assert (weights[0] == 1).all()


def test_the_seed_decides_the_resamples() -> None:
    assert (resampling_weights(50, 20, seed=1) == resampling_weights(50, 20, seed=1)).all()
    assert (resampling_weights(50, 20, seed=1) != resampling_weights(50, 20, seed=2)).any()


def test_sums_are_exact_beyond_32_bits() -> None:
    weights = np.array([[1.0, 1.0], [2.0, 0.0]])
    assert resampled_sums(weights, np.array([2**51, 1])).tolist() == [2.0**51 + 1, 2.0**52]


def test_the_interval_leaves_the_observed_value_and_what_is_no_number_out() -> None:
    assert interval(np.array([99.0, 1.0, 1.0, np.nan, np.inf])) == (1.0, 1.0)
    assert interval(np.array([99.0, np.nan])) == (None, None)


def test_the_interval_of_a_mean_has_the_width_that_the_normal_law_gives() -> None:
    values = np.random.default_rng(1).integers(0, 100, 2000)
    weights = resampling_weights(2000, 2000, seed=2)
    low, high = interval(resampled_sums(weights, values) / 2000)
    expected = 2 * 1.96 * values.std() / np.sqrt(2000)
    assert low is not None
    assert high is not None
    assert abs((high - low) / expected - 1) < 0.1
