"""The best bijection of labels is read off their counts."""

import numpy as np
from hypothesis import given

import naive_baselines
from baseline_definitions import depths, gram, plain, raw
from grafik.baselines import WLOptimalAssignment
from strategies import build


@given(raw, depths)
def test_the_best_bijection_is_read_off_the_counts(batch, depth):
    graphs = plain(batch)
    expected = gram(graphs, lambda a, b: naive_baselines.optimal_assignment(a, b, depth))
    assert np.array_equal(WLOptimalAssignment(depth).fit_transform(build(batch)), expected)
