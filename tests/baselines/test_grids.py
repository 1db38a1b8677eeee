"""Grids of the baselines: many depths and gammas from one pass over the graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from all_kernels import BASELINES, GRIDS
from grafik import Graphs, datasets
from grafik.baselines import CoreWL, WassersteinWL
from grafik.system import memory
from strategies import build, raw_batches

WITHOUT_DEPTH = {
    name: kernel for name, kernel in BASELINES.items() if "depth" not in kernel.get_params()
}
WITH_GAMMA = [kernel for kernel in GRIDS.values() if "gamma" in kernel.get_params()]

every = pytest.mark.parametrize("kernel", GRIDS.values(), ids=GRIDS)
value = st.sampled_from([-1.5, 0.0, 0.1, 1 / 3])


@st.composite
def batches(draw):
    """Batches with small labels and with attributes, as every kernel needs one of them."""
    raw = draw(raw_batches(label=st.integers(0, 2), max_graphs=4, max_nodes=7).filter(len))
    for graph in raw:
        graph.node_attributes = [draw(st.tuples(value)) for _ in range(graph.n)]
    return build(raw)


@pytest.fixture(scope="module")
def some():
    graphs, _ = datasets.random_graphs(30, n_nodes=(2, 12), density=(0.1, 0.5), n_labels=2)
    values = np.random.default_rng(0).normal(size=int(graphs.node_ptr[-1])).round(1)
    return Graphs(
        graphs.node_ptr,
        graphs.edge_ptr,
        graphs.edges,
        node_labels=graphs.node_labels,
        node_attributes=values,
    )


def check(kernel, graphs, depths, gammas):
    """Every matrix is what `fit_transform` gives, for every gamma all depths."""
    seen = []
    for depth, gamma, matrix in kernel.gram_grid(graphs, depths=depths, gammas=gammas):
        single = clone(kernel).set_params(depth=depth)
        if gamma is not None:
            single.set_params(gamma=gamma)
        assert np.array_equal(matrix, single.fit_transform(graphs))
        matrix[:] = np.nan  # it is the caller's
        seen.append((depth, gamma))
    return seen


@every
@given(graphs=batches())
def test_a_grid_has_the_bits_of_single_matrices(kernel, graphs):
    gammas = [2.0, 0.5] if kernel in WITH_GAMMA else None
    seen = check(kernel, graphs, [3, 0, 1, 3], gammas)
    assert seen == [(depth, gamma) for gamma in gammas or [None] for depth in (0, 1, 3)]


@pytest.mark.parametrize("name", [*GRIDS][:-2])  # without those that take long, or attributes
def test_a_grid_of_real_graphs(name, data):
    graphs, _ = datasets.read_tu(data / "MUTAG")
    assert len(check(GRIDS[name], graphs, range(5), None)) == 5


@every
def test_by_default_a_grid_is_the_kernel_itself(kernel, some):
    ((depth, gamma, matrix),) = kernel.gram_grid(some)
    assert depth is None
    assert gamma == getattr(kernel, "gamma", None) if kernel in WITH_GAMMA else gamma is None
    assert np.array_equal(matrix, clone(kernel).fit_transform(some))
    assert not [name for name in vars(kernel) if name.endswith("_")]


@every
def test_a_grid_writes_to_the_matrix_it_is_given(kernel, some):
    gammas = [0.5, 2.0] if kernel in WITH_GAMMA else None
    out = np.empty((30, 30))
    expected = [matrix for _, _, matrix in kernel.gram_grid(some, [0, 2], gammas)]
    n = 0
    for _, _, matrix in kernel.gram_grid(some, [0, 2], gammas, out=out):
        assert matrix is out
        assert np.array_equal(out, expected[n])
        out[:] = np.nan
        n += 1
    assert n == len(expected)
    for wrong in (np.empty((30, 29)), np.empty((30, 30), np.float32)):
        with pytest.raises(ValueError, match=r"out must be .* of shape \(30, 30\), got float"):
            kernel.gram_grid(some, out=wrong)


@every
def test_a_grid_goes_on_as_it_began(kernel, some):
    changing = clone(kernel)
    expected = [matrix for _, _, matrix in kernel.gram_grid(some, [0, 1, 2])]
    grid = changing.gram_grid(some, [0, 1, 2])
    found = [next(grid)[2]]
    changing.set_params(normalize=not kernel.normalize, depth=7)
    found += [matrix for _, _, matrix in grid]
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("kernel", WITHOUT_DEPTH.values(), ids=WITHOUT_DEPTH)
def test_kernels_without_depth(kernel, some):
    ((depth, gamma, matrix),) = kernel.gram_grid(some)
    assert (depth, gamma) == (None, None)
    assert np.array_equal(matrix, kernel.fit_transform(some))
    with pytest.raises(ValueError, match="has no depth, so depths must be None"):
        kernel.gram_grid(some, depths=[1])


def test_wrong_grids_are_refused(some, monkeypatch):
    for kernel in [*GRIDS.values(), *WITHOUT_DEPTH.values()]:
        if kernel in WITH_GAMMA:
            continue
        with pytest.raises(ValueError, match="has no gamma, so gammas must be None"):
            kernel.gram_grid(some, gammas=[1.0])
    with pytest.raises(ValueError, match="gamma must be a finite number of at least 0, got -1"):
        WassersteinWL().gram_grid(some, gammas=[-1])
    monkeypatch.setattr(memory, "available", lambda: 1000.0)
    monkeypatch.setattr(memory, "_SURELY_FREE", 0.0)
    for kernel in GRIDS.values():
        with pytest.raises(ValueError, match="a depth must be an integer of at least 0, got -1"):
            kernel.gram_grid(some, depths=[-1])
        with pytest.raises(ValueError, match="at least one graph is needed to fit, got none"):
            kernel.gram_grid([])
        with pytest.raises(ValueError, match="normalize must be True or False, got 1"):
            clone(kernel).set_params(normalize=1).gram_grid(some)
        with pytest.raises(MemoryError, match="the Gram matrix of 30 x 30 graphs takes"):
            kernel.gram_grid(some, depths=[0, 1])
    with pytest.raises(ValueError, match="a depth must be at most 10000, got 10001"):
        CoreWL().gram_grid(some, depths=[1, 10_001])
