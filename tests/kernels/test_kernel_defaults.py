"""What a kernel does if nothing is said."""

import math

import numpy as np

from grafik import Filtration, FiltrationKernel, Graphs


def test_by_default_graphs_are_built_up_as_by_a_filtration_and_formulas_have_no_factors():
    kernel, filtration = FiltrationKernel(), Filtration()
    for name, value in filtration.get_params().items():
        assert getattr(kernel, name) == value
    assert kernel.n_levels == 3
    one_and_two = Graphs.from_edge_lists([[], []], n_nodes=[1, 2])
    # They have one feature, of masses 1 and 2: exp(-(2 - 1)^2).
    found = FiltrationKernel(depth=0, n_levels=1, combine="product").fit_transform(one_and_two)
    np.testing.assert_allclose(found[0, 1], math.exp(-1), rtol=1e-14)
