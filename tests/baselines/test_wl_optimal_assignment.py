"""The best bijection of labels is read off their counts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive_baselines
from baseline_definitions import depths, gram, plain, raw
from grafik import FiltrationKernel
from grafik.baselines import WLOptimalAssignment
from grafik.features import WeisfeilerLehman
from strategies import build


@given(raw, depths)
def test_the_best_bijection_is_read_off_the_counts(batch, depth):
    graphs = plain(batch)
    expected = gram(graphs, lambda a, b: naive_baselines.optimal_assignment(a, b, depth))
    assert np.array_equal(WLOptimalAssignment(depth).fit_transform(build(batch)), expected)


@given(raw, depths, st.sampled_from(["auto", False]), st.booleans())
def test_it_is_the_filtration_kernel_of_one_level_and_smaller_masses(
    batch, depth, edge_labels, normalize
):
    graphs = build(batch)
    one = WLOptimalAssignment(depth, edge_labels, normalize)
    features = WeisfeilerLehman(depth, edge_labels)
    other = FiltrationKernel(features, n_levels=1, normalize=normalize, mass="min", gamma=7.0)
    assert np.array_equal(one.fit_transform(graphs), other.fit_transform(graphs))
    assert np.array_equal(one.transform(graphs), other.transform(graphs))
    assert np.array_equal(one.diagonal(graphs), other.diagonal(graphs))
