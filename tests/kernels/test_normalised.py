"""Means and Gaussians of matrices, against NumPy and with any number of threads."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from grafik.kernels.normalised import RunningMean, gaussian_of


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 9), st.sampled_from([None, 2]))
def test_running_means_and_gaussians_of_arrays(height, width, seed, n_jobs):
    rng = np.random.default_rng(seed)
    grams = rng.random((3, height, width))
    rows, columns = rng.integers(0, 3, height) / 2, rng.integers(1, 3, width) / 2
    before = grams.copy()
    mean = RunningMean(np.full((height, width), np.nan), n_jobs)
    for gram, weight in zip(grams, (1.0, 2.0, 4.0), strict=True):
        mean.add(gram, weight, rows, columns)
    scale = np.sqrt(np.outer(rows, columns))
    parts = np.divide(grams, scale, out=np.zeros_like(grams), where=scale > 0)
    expected = (parts * np.array([1.0, 2.0, 4.0])[:, None, None]).sum(axis=0) / 7
    assert_allclose(mean.finished(), expected, rtol=1e-12)
    assert np.array_equal(mean.finished(), mean.out)
    found = gaussian_of(grams[0], 2.0, rows, columns, n_jobs=n_jobs)
    inner = np.minimum(parts[0], 1)
    assert_allclose(found, np.where(scale > 0, np.exp(-2 * (1 - inner)), 0), rtol=1e-12)
    assert np.array_equal(grams, before)
    assert gaussian_of(grams[0], 2.0, rows, columns, out=grams[0]) is not None
    assert np.array_equal(grams[0], found)


def test_threads_of_large_arrays():
    rng = np.random.default_rng(0)
    gram, own = rng.random((1500, 1500)), rng.random(1500)
    means = []
    for n_jobs in (None, 2, 3):
        mean = RunningMean(np.empty_like(gram), n_jobs)
        mean.add(gram, 1.0, own, own)
        mean.add(gram, 0.3)
        means.append(gaussian_of(mean.finished(), 3.0, n_jobs=n_jobs))
    assert np.array_equal(means[0], means[1])
    assert np.array_equal(means[0], means[2])
