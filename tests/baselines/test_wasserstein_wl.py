"""The Wasserstein Weisfeiler-Lehman kernel, against a plain loop over POT."""

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import naive
import naive_baselines
from baseline_definitions import depths, gram, raw
from grafik import Graphs, datasets, weights
from grafik.baselines import WassersteinWL, transport
from strategies import build, raw_batches

numbers = st.sampled_from([-1.5, 0.0, -0.0, 0.1, 1 / 3, 2.0, 7.0])


@st.composite
def attributed(draw):
    """Raw batches without loops, with one vertex and one edge attribute each."""
    batch = draw(raw_batches(value=numbers, max_graphs=4, loops=False).filter(len))
    for graph in batch:
        graph.edges = naive.simple_edges(graph.edges)
        graph.node_attributes = [[draw(numbers)] for _ in range(graph.n)]
        graph.edge_attributes = [[draw(numbers)] for _ in graph.edges]
        graph.node_labels = graph.edge_labels = None
    return batch


@pytest.mark.parametrize("solver", ["auto", "emd"])
@given(batch=raw, depth=depths)
def test_labels_equal_a_direct_loop(solver, batch, depth):
    graphs = [(g.n, naive.simple_edges(g.edges), g.node_labels or [0] * g.n) for g in batch]
    expected = gram(graphs, lambda a, b: naive_baselines.label_distance(a, b, depth))
    kernel = WassersteinWL(depth, gamma=3.0, solver=solver).fit(build(batch))
    np.testing.assert_allclose(kernel.distances(build(batch)), expected, atol=1e-14)
    np.testing.assert_allclose(kernel.transform(build(batch)), np.exp(-3 * expected), rtol=1e-13)


@given(attributed(), depths, st.booleans())
def test_attributes_equal_a_direct_loop(batch, depth, weighted):
    graphs = build(batch)
    points = [
        naive_baselines.averaged(
            g.n,
            g.edges,
            g.node_attributes,
            [row[0] if weighted else 1.0 for row in g.edge_attributes],
            depth,
        )
        for g in batch
    ]
    expected = gram(points, naive_baselines.attribute_distance)
    weight = weights.Attribute() if weighted and len(graphs.edges) else None
    kernel = WassersteinWL(depth, 0.5, "continuous", edge_weight=weight).fit(graphs)
    np.testing.assert_allclose(kernel.distances(graphs), expected, rtol=1e-12, atol=1e-12)
    found = kernel.transform(graphs)
    np.testing.assert_allclose(found, np.exp(-0.5 * expected), rtol=1e-12, atol=1e-13)


def test_real_labels_and_attributes(data):
    graphs, _ = datasets.read_tu(data / "DHFR")
    graphs = graphs[::20]
    formula, solver = (WassersteinWL(3, solver=s).fit_transform(graphs) for s in ("auto", "emd"))
    np.testing.assert_allclose(formula, solver, rtol=1e-13)
    found = WassersteinWL(1, embedding="continuous").fit(graphs).distances(graphs[:5])
    points = [
        naive_baselines.averaged(
            g.n_nodes, g.edges.tolist(), g.node_attributes, np.ones(g.n_edges), 1
        )
        for g in graphs
    ]
    for i in range(5):
        for j, other in enumerate(points):
            n, m = len(points[i]), len(other)
            uniform = np.full(n, 1 / n), np.full(m, 1 / m)
            assert found[i, j] == pytest.approx(
                ot.emd2(*uniform, cdist(points[i], other)), rel=1e-12, abs=1e-12
            )


def test_distances_of_labels_are_rounded_once():
    """Both vertices of an edge are ends, of the others three in seven are not: 3/7 in round 1."""
    graphs = Graphs.from_edge_lists([[(0, 1)], [(0, 1), (2, 3), (3, 4), (4, 5), (5, 6)]])
    kernel = WassersteinWL(1).fit(graphs)
    assert kernel.distances(graphs)[0, 1] == (3 / 7) / 2
    assert (np.diag(kernel.distances(graphs)) == 0).all()


def test_graphs_of_any_size_with_equal_shares_are_alike():
    once = Graphs.from_edge_lists([[(0, 1), (1, 2)]])
    twice = Graphs.from_edge_lists([[(0, 1), (1, 2), (3, 4), (4, 5)]])
    for solver in ("auto", "emd"):
        kernel = WassersteinWL(4, solver=solver).fit(once)
        assert kernel.transform(twice).tolist() == [[1.0]]


def test_empty_graphs_are_far_from_others():
    graphs = Graphs([0, 0, 0, 2], [0, 0, 0, 1], [[0, 1]], node_attributes=[1.0, 2.0])
    for solver in ("auto", "emd"):
        found = WassersteinWL(1, solver=solver).fit(graphs).distances(graphs)
        assert found.tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    for gamma in (0.0, 1.0):
        found = WassersteinWL(1, gamma, "continuous").fit_transform(graphs)
        assert found.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_equal_graphs_are_compared_once(monkeypatch):
    solved = []
    solve = transport.emd_solver()

    def counting(*problem):
        solved.append(problem)
        return solve(*problem)

    monkeypatch.setattr(transport, "emd_solver", lambda: counting)
    graphs = Graphs.from_edge_lists([[(0, 1), (1, 2)], [(0, 1)], [(2, 1), (0, 1)]] * 4)
    kernel = WassersteinWL(1, solver="emd")
    matrix = kernel.fit_transform(graphs)
    assert len(solved) == 1
    assert [side.shape for side in solved[0]] in ([(1,), (2,), (1, 2)], [(2,), (1,), (2, 1)])
    assert len(np.unique(matrix)) == 2


def test_the_compiled_part_of_pot_can_be_used(monkeypatch):
    """Else `emd2` is called, and all is slow: then see what POT has changed."""
    monkeypatch.setattr("ot.emd2", None)
    graphs, _ = datasets.random_graphs(4, n_nodes=(3, 9), n_labels=2)
    assert WassersteinWL(2, solver="emd").fit_transform(graphs).shape == (4, 4)


def fewer_arguments(a, b, costs):
    raise AssertionError("called with fewer arguments")


CHANGES = {
    "gone": None,
    "takes fewer arguments": fewer_arguments,
    "returns the cost alone": lambda *problem: 6.0,
    "returns another cost": lambda *problem: (None, 3.0, None, None, 1),
    "returns another code": lambda *problem: (None, 6.0, None, None, 0),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_with_pots_own_function_should_the_compiled_one_change(monkeypatch, change):
    graphs, _ = datasets.random_graphs(8, n_nodes=(3, 9), n_labels=2)
    kernel = WassersteinWL(2, solver="emd")
    expected = kernel.fit_transform(graphs)
    if change is None:
        monkeypatch.delattr("ot.lp.emd_wrap")
    else:
        monkeypatch.setattr("ot.lp.emd_wrap.emd_c", change)
    np.testing.assert_allclose(kernel.fit_transform(graphs), expected, rtol=1e-13)


def test_a_solver_that_gives_up_is_no_result(monkeypatch):
    monkeypatch.setattr(transport, "_MAX_ITERATIONS", 1)
    graphs, _ = datasets.random_graphs(4, n_nodes=(20, 30), n_labels=3)
    with pytest.raises(RuntimeError, match="optimal transport found no solution, POT returned"):
        WassersteinWL(3, solver="emd").fit_transform(graphs)


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_many_threads_and_a_progress_bar_change_nothing(seed):
    graphs, _ = datasets.random_graphs(12, n_nodes=(3, 9), n_labels=2, random_state=seed)
    kernel = WassersteinWL(2, solver="emd")
    expected = kernel.fit_transform(graphs)
    for jobs in (2, 5, -1):
        assert np.array_equal(
            kernel.set_params(n_jobs=jobs, progress=True).fit_transform(graphs), expected
        )


def test_the_progress_bar_is_shown_where_it_is_wanted(capsys, monkeypatch):
    graphs, _ = datasets.random_graphs(12, n_nodes=(3, 9), n_labels=2)
    kernel = WassersteinWL(2, solver="emd")
    kernel.fit_transform(graphs)
    assert capsys.readouterr() == ("", "")
    kernel.set_params(progress=True).fit_transform(graphs)
    out, err = capsys.readouterr()
    assert out == ""
    assert "comparing graphs" in err
    assert "66/66" in err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    kernel.set_params(progress=None).fit_transform(graphs)
    assert capsys.readouterr() == ("", "")  # too short to be worth it
    monkeypatch.setattr(transport, "_WORTH_SHOWING", 10)
    kernel.fit_transform(graphs)
    assert "comparing graphs" in capsys.readouterr().err


def test_an_edge_weight_changed_after_fit_does_not_matter():
    graphs = Graphs.from_edge_lists(
        [[(0, 1), (1, 2)], [(0, 1)]],
        node_attributes=[[1.0, 2.0, 4.0], [1.0, 3.0]],
        edge_attributes=[[[1.0, 2.0], [3.0, 5.0]], [[2.0, 7.0]]],
    )
    weight = weights.Attribute(column=0)
    kernel = WassersteinWL(1, embedding="continuous", edge_weight=weight).fit(graphs)
    matrix = kernel.transform(graphs)
    assert kernel.get_params()["edge_weight__column"] == 0
    kernel.set_params(edge_weight__column=1)
    assert np.array_equal(kernel.transform(graphs), matrix)
    assert not np.array_equal(kernel.fit_transform(graphs), matrix)


def test_attributes_that_do_not_fit_are_refused():
    one = Graphs([0, 2], [0, 1], [[0, 1]], node_attributes=[1.0, 2.0])
    two = Graphs([0, 2], [0, 1], [[0, 1]], node_attributes=[[1.0, 2.0], [3.0, 4.0]])
    kernel = WassersteinWL(1, embedding="continuous").fit(one)
    with pytest.raises(ValueError, match="points of 2 numbers like the training graphs, got 4"):
        kernel.transform(two)
    large = Graphs([0, 2], [0, 1], [[0, 1]], node_attributes=[1e300, 2.0])
    with pytest.raises(ValueError, match=r"must stay below 1e\+100 in all rounds, got 1e\+300"):
        WassersteinWL(1, embedding="continuous").fit(large)
    heavy = WassersteinWL(3, embedding="continuous", edge_weight=lambda graphs: [1e200])
    with pytest.raises(ValueError, match="bring attributes and edge weights to a smaller scale"):
        heavy.fit(one)


@pytest.mark.parametrize("power", [-900, -60, -40, 0, 40])
def test_the_scale_of_attributes_changes_only_the_scale_of_distances(power):
    """Costs that are tiny must not drown in the large ones that the simplex adds."""
    rng = np.random.default_rng(0)
    values = [rng.normal(size=(n, 2)) for n in (20, 33, 47)]
    given = [Graphs([0, len(v)], [0, 0], np.empty((0, 2), int), node_attributes=v) for v in values]
    scaled = [
        Graphs([0, len(v)], [0, 0], np.empty((0, 2), int), node_attributes=np.ldexp(v, power))
        for v in values
    ]
    kernel = WassersteinWL(0, embedding="continuous")
    expected, found = (
        kernel.fit(batch).distances(batch) for batch in map(Graphs.concat, (given, scaled))
    )
    if power > -500:
        np.testing.assert_allclose(np.ldexp(found, -power), expected, rtol=1e-14)
    else:  # squares of the differences vanish
        assert np.isfinite(found).all()


def test_transport_that_finds_no_solution_is_an_error(monkeypatch):
    monkeypatch.setattr(transport, "_MAX_ITERATIONS", 2)
    rng = np.random.default_rng(0)
    costs, masses = rng.random((30, 30)), np.ones(30)
    with pytest.raises(RuntimeError, match="optimal transport found no solution"):
        transport.emd_solver()(masses, masses, costs)
    compiled = pytest.importorskip("ot.lp.emd_wrap")
    monkeypatch.setattr(compiled, "emd_c", lambda *_: (1, 2, 3, 4, 5, 6))
    with (
        pytest.warns(UserWarning, match="numItermax"),
        pytest.raises(RuntimeError, match="optimal transport found no solution"),
    ):
        transport.emd_solver()(masses, masses, costs)
