"""Distances of histograms: those of the definition, SciPy and POT, for any number of levels."""

import math

import numpy as np
import ot
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

import naive
from grafik import wasserstein
from grafik.features.histograms import Runs
from grafik.kernels import wasserstein as distances

histogram_runs = st.lists(
    st.tuples(st.integers(1, 12), st.integers(0, 5)), min_size=1, max_size=5
).filter(lambda runs: any(count for _, count in runs))


@given(histogram_runs, histogram_runs, st.integers(0, 10), st.integers(1, 1000), st.data())
def test_distances_by_runs_are_those_of_the_definition(a, b, late, factor, data):
    """Long runs, that overlap in every way, with one overtaking the other on the way."""
    n_levels = max(late + sum(n for n, _ in a), sum(n for n, _ in b))
    alphas = sorted(
        data.draw(
            st.lists(
                st.integers(1, 10**6), min_size=n_levels - 1, max_size=n_levels - 1, unique=True
            )
        ),
        reverse=True,
    )
    alphas = np.array([*alphas, 0.0])
    alphas /= max(alphas[0], 1.0)
    rows = [[0] * late, []]
    for row, runs in zip(rows, (a, b), strict=True):
        for length, count in runs:
            row += [count] * length
        row += [0] * (n_levels - len(row))
    expected = pytest.approx(naive.wasserstein(*rows, alphas.tolist()), abs=2e-15)
    profiles = [run_profile(row, n_levels) for row in rows]
    many = run_profile([factor * count for count in rows[0]], n_levels)
    assert np.array_equal(many, profiles[0])
    ends = [distances.Lines(0, len(p)) for p in profiles]
    axis = long_axis(alphas)
    for function in (distances._distance_by_runs, distances._distance_by_levels):
        found = function(profiles[0], ends[0], profiles[1], ends[1], axis)
        assert found == expected
        assert function(profiles[1], ends[1], profiles[0], ends[0], axis) == found
        assert function(profiles[0], ends[0], many, ends[0], axis) == 0.0
    by_level = [np.empty(n_levels - 1) for _ in rows]
    for out, p, end in zip(by_level, profiles, ends, strict=True):
        ptr = np.array([end.start, end.stop])
        distances.accumulate(distances.Profiles(ptr, p), 0, 0, n_levels - 1, out)
    gaps = alphas[:-1] - alphas[1:]
    all_levels = distances.Lines(0, n_levels - 1)
    assert distances.distance(by_level[0], all_levels, by_level[1], all_levels, gaps) == found


def run_profile(row, n_levels):
    """The runs of a histogram, normalised, as for many levels."""
    starts = [i for i in range(n_levels) if (i == 0 and row[0]) or (i and row[i] != row[i - 1])]
    levels, counts = np.array(starts, np.int32), np.array([row[i] for i in starts], np.int64)
    lines = np.empty((len(starts), 3))
    ptr = np.array([0, len(starts)])
    runs = Runs(ptr, levels, counts, n_levels)
    distances._normalise(0, 1, np.zeros(1, np.int64), runs, distances.Profiles(ptr, lines))
    return lines


def long_axis(alphas):
    """The axis of any number of thresholds, as for many levels."""
    padding = np.linspace(-1, -2, distances.FEW + 1)
    axis = distances.axis_of(np.concatenate([alphas, padding]))[: len(alphas) + 1].copy()
    axis[len(alphas) - 1 :, 3] = 0.0
    return axis


def test_distances_of_many_levels_do_not_lose_digits():
    """Sums of 100,000 thresholds are subtracted from each other."""
    rng = np.random.default_rng(0)
    alphas = np.sort(rng.random(100_000))[::-1]
    alphas = (alphas - alphas[-1]) / (alphas[0] - alphas[-1])
    axis = distances.axis_of(alphas)
    assert len(alphas) > distances.DENSE
    for a, b in [((99_990, 3), (99_980, 1)), ((0, 1), (99_000, 2)), ((5, 7), (6, 9))]:
        x, y = (np.where(np.arange(100_000) < start, 0, count) for start, count in (a, b))
        x[:3] += 1
        p, q = (run_profile(row.tolist(), 100_000) for row in (x, y))
        mine, theirs = distances.Lines(0, len(p)), distances.Lines(0, len(q))
        found = distances.distance(p, mine, q, theirs, axis)
        cumulative = np.cumsum(x) / x.sum() - np.cumsum(y) / y.sum()
        expected = math.fsum((alphas[:-1] - alphas[1:]) * np.abs(cumulative[:-1]))
        assert found == pytest.approx(expected, rel=1e-13, abs=1e-15)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6),
    st.lists(st.floats(-100, 100), min_size=6, max_size=6, unique=True),
)
def test_wasserstein_is_that_of_scipy_and_pot(pairs, points):
    x, y = (np.array(column, float) for column in zip(*pairs, strict=True))
    assume(x.sum() > 0)
    assume(y.sum() > 0)
    alphas = np.sort(points)[::-1][: len(x)]
    found = wasserstein(x, y, alphas)
    largest = max(1.0, np.abs(alphas).max())
    assert found == pytest.approx(wasserstein_distance(alphas, alphas, x, y), abs=1e-14 * largest)
    p, q = x / x.sum(), y / y.sum()
    assert found == pytest.approx(ot.wasserstein_1d(alphas, alphas, p, q), abs=1e-14 * largest)
    cost = np.abs(alphas[:, None] - alphas[None, :])
    assert found == pytest.approx(ot.emd2(p, q, cost), abs=1e-12 * largest)
    assert found == pytest.approx(naive.wasserstein(x, y, alphas), abs=1e-14 * largest)


def test_wasserstein_of_extreme_numbers():
    assert wasserstein([1, 0], [1, 0], [1.7e308, -1.7e308]) == 0.0
    assert wasserstein([1, 0], [0, 1], [1.7e308, -1.7e308]) == np.finfo(float).max
    assert wasserstein([1e308, 1e308], [1, 1], [2, 1]) == 0.0
    # Half of the mass, or a third, moves by more than the largest float.
    assert wasserstein([1, 2], [2, 1], [1e308, -1e308]) == pytest.approx(1e308 / 1.5, rel=1e-15)
    assert wasserstein([1, 1], [1, 0], [1.5e308, -1e308]) == pytest.approx(1.25e308, rel=1e-15)
    assert wasserstein([1, 0], [0, 1], [1e308, -1e308]) == np.finfo(float).max
    assert wasserstein([1, 0], [0, 1], [5e-324, 0.0]) == 5e-324


@pytest.mark.parametrize(
    ("x", "y", "alphas", "message"),
    [
        ([1, 2], [1, 2, 3], [3, 2, 1], r"x must have shape \(3,\), got \(2,\)"),
        ([1, 2], [0, 0], [2, 1], "y must be finite, not negative and not all zero"),
        ([1, -2], [1, 0], [2, 1], "x must be finite, not negative"),
        ([1, math.nan], [1, 0], [2, 1], "x must be finite"),
        ([1, 2], [1, 0], [1, 2], r"alphas must be finite and decrease, got \[1, 2\]"),
        ([1, 2], [1, 0], [math.inf, 2], r"alphas must be finite and decrease, got \[inf, 2\]"),
    ],
)
def test_wasserstein_refuses_what_is_no_histogram(x, y, alphas, message):
    with pytest.raises(ValueError, match=message):
        wasserstein(x, y, alphas)
