"""Exact one-dimensional k-means."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grafik.arrays import kmeans


@given(
    st.lists(
        st.one_of(st.integers(-3, 9).map(float), st.sampled_from([0.0, 1e-9, 2e-9, 0.5, 1.0, 1e9])),
        min_size=2,
        max_size=9,
    ),
    st.integers(2, 4),
)
def test_both_ways_to_cluster_are_optimal(values, k):
    """Small numbers beside large ones must not drown in rounding."""
    assume(len(set(values)) > k)
    points, counts = np.unique(values, return_counts=True)
    unit = (points - points[0]) / (points[-1] - points[0])
    starts = kmeans._weighted_clusters(unit, counts, k)
    assert starts[0] == 0
    assert (np.diff(starts) > 0).all()

    def cost(cuts):
        parts = np.split(np.arange(len(points)), cuts)
        means = [(unit[p] * counts[p]).sum() / counts[p].sum() for p in parts]
        return math.fsum(
            c * (Fraction(x) - Fraction(m)) ** 2
            for p, m in zip(parts, means, strict=True)
            for x, c in zip(unit[p].tolist(), counts[p].tolist(), strict=True)
        )

    best = min(cost(cuts) for cuts in combinations(range(1, len(points)), k - 1))
    assert cost(starts[1:]) == pytest.approx(best, rel=1e-6, abs=1e-30)
    if len(values) == len(points):
        assert cost(kmeans._clusters(unit, k)[1:]) == pytest.approx(best, rel=1e-6, abs=1e-15)
