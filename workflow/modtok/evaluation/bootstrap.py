"""Bootstrap over lines: one set of resamples for all tokenizers and languages of a parallel set.

A series is an array of 1 + resamples numbers: what was observed, then the same figure in each resample.
Series of sums are divided, averaged and compared as they are, so a ratio is resampled whole, not term by
term; and since line i means the same in each language, its weight is the same in each.
"""

import numpy as np
from numpy.typing import NDArray

Series = NDArray[np.float64]
LEVEL = 0.95
RESAMPLES = 1000


def resampling_weights(n_lines: int, resamples: int, seed: int) -> Series:
    """How often each line was drawn, shape (1 + resamples, n_lines).

    The first row, all ones, is the sample itself.
    """
    drawn = np.random.default_rng(seed).integers(0, n_lines, (resamples, n_lines))
    cells = (drawn + n_lines * np.arange(resamples)[:, None]).ravel()
    counts = np.bincount(cells, minlength=resamples * n_lines).reshape(resamples, n_lines)
    return np.vstack([np.ones(n_lines), counts])


def resampled_sums(weights: Series, values: NDArray[np.int64]) -> Series:
    """The sum of `values` (one a line) in the sample and in each resample, shape (1 + resamples,).

    Exact below 2^53, whatever the order of summation, so the same on every machine.
    """
    return np.asarray(weights @ values.astype(np.float64))


def interval(series: Series) -> tuple[float | None, float | None]:
    """Percentile interval at LEVEL; none where no resample gave a number."""
    resampled = series[1:][np.isfinite(series[1:])]
    if resampled.size == 0:
        return None, None
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
