import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import naive
from grafik import Filtration, Graphs, datasets, weights
from grafik.arrays import kmeans
from grafik.filtration import thresholds
from grafik.filtration.axis import unit_axis
from grafik.filtration.thresholds import choose_alphas
from strategies import batches


def path(values):
    """One path with these edge weights as attribute."""
    n = len(values)
    edges = [[i, i + 1] for i in range(n)]
    return Graphs([0, n + 1], [0, n], edges, edge_attributes=values if n else None)


def paths(*rows):
    return Graphs.concat([path(row) for row in rows])


heavy_first = weights.Attribute()
few = st.lists(st.integers(-4, 9), min_size=1, max_size=7)


@given(few, st.integers(1, 4))
def test_kmeans_takes_the_minima_of_an_optimal_clustering(values, k):
    alphas = Filtration(heavy_first, n_levels=k).fit(path(values)).alphas_
    assert alphas.tolist() in naive.best_clusterings(values, k)


@given(st.lists(few, min_size=1, max_size=3), st.integers(1, 3))
def test_kmeans_distinct_counts_each_weight_once_per_graph(rows, k):
    alphas = Filtration(heavy_first, "kmeans-distinct", k).fit(paths(*rows)).alphas_
    pooled = [v for row in rows for v in set(row)]
    assert alphas.tolist() in naive.best_clusterings(pooled, k)


def test_kmeans_and_kmeans_distinct_differ_where_weights_repeat():
    graphs = paths([0] * 20 + [1] * 20 + [2, 3])
    assert Filtration(heavy_first, "kmeans", 2).fit(graphs).alphas_.tolist() == [1, 0]
    assert Filtration(heavy_first, "kmeans-distinct", 2).fit(graphs).alphas_.tolist() == [2, 0]


@given(few)
def test_distinct_makes_every_weight_a_level(values):
    alphas = Filtration(heavy_first, "distinct").fit(path(values)).alphas_
    assert alphas.tolist() == sorted(set(map(float, values)), reverse=True)


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=30), st.integers(1, 6))
def test_quantiles_cut_the_weights_into_equal_parts(values, k):
    alphas = Filtration(heavy_first, "quantile", k).fit(path(values)).alphas_
    found = np.array(values)
    assert alphas[-1] == found.min()
    assert set(alphas) <= set(values)
    assert (np.diff(alphas) < 0).all()
    if len(set(values)) == len(values) and len(values) % k == 0:
        at_least = [(found >= a).sum() for a in alphas]
        step = len(values) // k
        assert all(abs(n - step * (i + 1)) <= 1 for i, n in enumerate(at_least))


@given(st.sampled_from(["kmeans", "kmeans-distinct", "quantile"]), few, st.integers(1, 9))
def test_fewer_distinct_weights_than_levels_make_fewer_levels(rule, values, k):
    assume(len(set(values)) <= k)
    filtration = Filtration(heavy_first, rule, k).fit(path(values))
    assert filtration.alphas_.tolist() == sorted(set(map(float, values)), reverse=True)
    assert filtration.n_levels_ == len(set(values))


@pytest.mark.parametrize("rule", ["kmeans", "kmeans-distinct", "quantile", "distinct"])
def test_no_edges_make_one_level(rule):
    filtration = Filtration("degree", rule).fit(Graphs([0, 3], [0, 0], []))
    assert filtration.alphas_.tolist() == [0.0]
    assert filtration.levels(Graphs([0, 2], [0, 1], [[0, 1]])).tolist() == [0]


def test_huge_weights_do_not_overflow():
    values = [-1.7e308, -1.6e308, 1.6e308, 1.7e308]
    assert Filtration(heavy_first, n_levels=2).fit(path(values)).alphas_.tolist() == [
        1.6e308,
        -1.7e308,
    ]
    axis, length = unit_axis(np.array([1.7e308, 0.0, -1.7e308]))
    assert axis.tolist() == [1.0, 0.5, 0.0]
    assert np.isfinite(length)


@given(few, st.lists(st.integers(-6, 12), min_size=1, max_size=8), st.integers(1, 4))
def test_edges_enter_at_the_first_threshold_they_reach(train, new, k):
    filtration = Filtration(heavy_first, n_levels=k).fit(path(train))
    found = filtration.levels(path(new))
    assert found.tolist() == naive.levels(new, filtration.alphas_.tolist())
    assert found.dtype == np.int32


def test_thresholds_can_be_given():
    assert Filtration(thresholds=[2**70, 1]).fit(path([1])).alphas_.tolist() == [2.0**70, 1.0]
    filtration = Filtration(heavy_first, thresholds=[5, 2.5]).fit(path([1, 2]))
    assert filtration.alphas_.tolist() == [5.0, 2.5]
    assert filtration.levels(path([6, 5, 3, 2])).tolist() == [0, 0, 1, 1]


@given(batches, st.integers(1, 3))
def test_filtration_graphs_are_nested_and_end_with_the_graph(graphs, k):
    assume(len(graphs))
    filtration = Filtration("degree", n_levels=k).fit(graphs)
    for graph in graphs:
        steps = filtration.graphs(graph)
        assert len(steps) == filtration.n_levels_
        assert steps[-1] == graph
        entry = naive.levels(weights.degree(graphs_of(graph)), filtration.alphas_)
        for i, step in enumerate(steps):
            kept = [e for e, at in enumerate(entry) if at <= i]
            assert step.edges.tolist() == graph.edges[kept].tolist()
            assert step.node_labels == graph.node_labels
            if graph.edge_labels is not None:
                assert step.edge_labels == [graph.edge_labels[e] for e in kept]


def graphs_of(graph):
    from grafik import as_graphs

    return as_graphs(graph)


def test_filtration_graphs_as_networkx():
    graphs, _ = datasets.figure_one()
    filtration = Filtration(heavy_first, "distinct").fit(graphs)
    steps = filtration.graphs(graphs[0]).to_networkx()
    assert [g.number_of_edges() for g in steps] == [1, 2, 5, 7]
    assert nx.is_isomorphic(steps[-1], graphs[0].to_networkx())


def test_real_distances_give_as_many_levels_as_asked(data):
    graphs, _ = datasets.read_tu(data / "BZR_MD")
    for rule in ("kmeans", "kmeans-distinct", "quantile"):
        for k in (2, 7, 20):
            filtration = Filtration("attribute", rule, k).fit(graphs)
            assert filtration.n_levels_ == k
            assert np.unique(filtration.levels(graphs)).tolist() == list(range(k))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"thresholds": "mean"},
            "thresholds must be 'auto', 'kmeans', .* or a decreasing sequence, got 'mean'",
        ),
        ({"thresholds": [1, 2]}, r"thresholds must be finite and decrease, got \[1, 2\]"),
        ({"thresholds": [2, 2]}, "thresholds must be finite and decrease"),
        ({"thresholds": [np.inf, 2]}, "thresholds must be finite and decrease"),
        ({"thresholds": []}, "thresholds must be numbers, at least one"),
        ({"thresholds": ["a"]}, "thresholds must be numbers"),
        ({"thresholds": ["3", 1.0]}, r"thresholds must be numbers, at least one, got \['3', 1"),
        ({"n_levels": 0}, "n_levels must be an integer of at least 1, got 0"),
        ({"n_levels": 0, "thresholds": "quantile"}, "n_levels must be an integer of at least 1"),
        ({"n_levels": 0, "thresholds": "kmeans-distinct"}, "n_levels must be an integer"),
        ({"thresholds": [[1, 2], [3]]}, "thresholds must be numbers, at least one"),
        ({"thresholds": 5}, "thresholds must be numbers, at least one, got 5"),
        ({"n_levels": 2.0}, "n_levels must be an integer of at least 1, got 2.0"),
        ({"n_levels": True}, "n_levels must be an integer of at least 1, got True"),
        ({"weight": "degrees"}, "degree"),
    ],
)
def test_wrong_parameters_are_refused_in_fit(parameters, message):
    with pytest.raises(ValueError, match=message):
        Filtration(**parameters).fit(path([1, 2, 3]))


def test_too_many_clusters_are_refused_with_a_way_out():
    graphs = path(list(range(400)))
    with pytest.raises(ValueError, match="at most 255 levels.*'quantile' or 'distinct'"):
        Filtration(heavy_first, n_levels=300).fit(graphs)
    assert Filtration(heavy_first, "quantile", 300).fit(graphs).n_levels_ == 300


def test_unfitted_and_several_graphs_are_refused():
    with pytest.raises(NotFittedError):
        Filtration().levels(path([1]))
    with pytest.raises(ValueError, match="exactly one graph is needed, got 2"):
        Filtration().fit(path([1])).graphs(paths([1], [2]))


def test_alphas_do_not_depend_on_the_order_of_graphs_or_edges():
    graphs, _ = datasets.random_graphs(20, n_nodes=15, density=0.3)
    found = [
        choose_alphas(weights.degree(g), g, rule, 3).tolist()
        for g in (graphs, graphs[::-1])
        for rule in ("kmeans", "kmeans-distinct", "quantile")
    ]
    assert found[:3] == found[3:]


def test_many_distinct_weights_are_clustered_like_few(monkeypatch):
    graphs, _ = datasets.random_graphs(40, n_nodes=(5, 30), density=0.4)
    few = Filtration("walks", n_levels=5).fit(graphs).alphas_
    monkeypatch.setattr(kmeans, "_MAX_TABLE", 0)
    assert np.array_equal(Filtration("walks", n_levels=5).fit(graphs).alphas_, few)


@given(st.lists(st.integers(-5, 5).map(float), min_size=1), st.floats(-1e300, 1e300))
def test_weights_are_counted_alike_whether_whole_or_not(values, shift):
    found = np.array(values) + shift
    distinct, counts = thresholds._counted(found)
    expected = np.unique(found, return_counts=True)
    assert np.array_equal(distinct, expected[0])
    assert np.array_equal(counts, expected[1])


@pytest.mark.parametrize("rule", ["kmeans", "quantile", "distinct", [3.0, 2.0]])
def test_fitting_and_finding_levels_at_once(rule):
    graphs, _ = datasets.random_graphs(30, n_nodes=(2, 60), density=0.3)
    once = Filtration("degree", rule, 4)
    twice = Filtration("degree", rule, 4).fit(graphs)
    assert np.array_equal(once.fit_levels(graphs), twice.levels(graphs))
    assert np.array_equal(once.alphas_, twice.alphas_)
    expected = [
        min(int((twice.alphas_ > w).sum()), twice.n_levels_ - 1) for w in weights.degree(graphs)
    ]
    assert twice.levels(graphs).tolist() == expected


def test_levels_are_found_alike_by_few_and_by_many_thresholds():
    """With many thresholds they are searched for; edges below all of them enter last."""
    alphas = np.arange(40.0, 0.0, -1.0)
    values = [45.0, 40.0, 39.5, 20.0, 1.5, 1.0, 0.5, -3.0]
    expected = [0, 0, 1, 20, 39, 39, 39, 39]
    many = Filtration(heavy_first, alphas).fit(path(values))
    assert many.levels(path(values)).tolist() == expected
    assert many.levels(path(values)).dtype == np.int32
    halves = Filtration(heavy_first, alphas[::2]).fit(path(values))
    assert halves.levels(path(values)).tolist() == [0, 0, 1, 10, 19, 19, 19, 19]


def test_a_filtration_knows_nothing_before_it_is_fitted():
    with pytest.raises(NotFittedError):
        Filtration().n_levels_  # noqa: B018
    with pytest.raises(NotFittedError):
        Filtration().plot(path([1.0, 2.0]))


def test_other_attributes_than_those_of_the_fit_are_refused():
    def named(name):
        return Graphs.from_edge_lists(
            [[(0, 1)]], edge_attributes=[[[3.0]]], edge_attribute_names=[name]
        )

    filtration = Filtration("attribute").fit(named("calls"))
    with pytest.raises(ValueError, match=r"reads 'hours' of these graphs, .* fitted on 'calls'"):
        filtration.levels(named("hours"))


def test_a_filtration_is_drawn_with_the_options_that_are_given(monkeypatch):
    monkeypatch.setattr("grafik.plots.filtration", lambda *given, **options: (given, options))
    graph = path([1.0, 2.0])
    fitted = Filtration(heavy_first).fit(graph)
    assert fitted.plot(graph, "feature", seed=1) == ((graph, fitted, "feature"), {"seed": 1})


def keys_of(graphs):
    return np.column_stack([graphs.edge_attributes[:, 0].astype(np.int64), graphs.edges[:, 0]])


def test_weights_of_graphs_without_edges_may_become_numbers_or_keys_later():
    empty, full = path([]), path([3.0, 1.0])

    def weight(graphs):
        return keys_of(graphs) if len(graphs.edges) else np.zeros(0)

    filtration = Filtration(weight).fit(empty)
    assert filtration.levels(full).tolist() == [0, 0]
    # Two thresholds do not fit keys that nobody has seen.
    given = Filtration(weight, [2.0, 1.0]).fit(empty)
    with pytest.raises(ValueError, match="returns keys for these graphs, but it returned numbers"):
        given.levels(full)
    fitted = Filtration(keys_of, "distinct").fit(full)
    assert fitted.levels_of(np.zeros(0)).tolist() == []
    assert Filtration(heavy_first).fit(full).levels_of(np.zeros((0, 2), np.int64)).tolist() == []


def test_a_settled_filtration_ranks_keys_as_the_fit_has():
    train, other = path([5.0, 1.0, 3.0]), path([4.0, 0.0, 5.0])
    fitted = Filtration(keys_of, "distinct").fit(train)
    weight, alphas = fitted.settled()
    again = Filtration(weight, alphas).fit(other)
    assert again.keys_ is None
    # The keys of the training edges are ranked (1, 1), (3, 2), (5, 0) from 0 on.
    assert weight(train).tolist() == [2.0, 0.0, 1.0]
    assert again.levels(other).tolist() == fitted.levels(other).tolist()
    assert Filtration(heavy_first).fit(train).settled()[0] is heavy_first


def test_only_some_rules_depend_on_the_number_of_levels():
    depends = {rule: thresholds.depends_on_n_levels(rule) for rule in [*thresholds.RULES, "auto"]}
    assert depends == {
        "kmeans": True,
        "kmeans-distinct": True,
        "quantile": True,
        "distinct": False,
        "auto": True,
    }
    assert not thresholds.depends_on_n_levels([3.0, 1.0])


def test_kmeans_finds_as_many_levels_as_it_can():
    graphs = path([float(i) for i in range(300)])
    assert Filtration(heavy_first, n_levels=kmeans.MAX_CLUSTERS).fit(graphs).n_levels_ == 255


def test_kmeans_distinct_counts_by_weight():
    """The more graphs have a weight, the more it costs to be far from its mean."""
    for often, alphas in ((19.0, [19.0, 0.0]), (10.0, [10.0, 0.0])):
        rows = [[0.0, 10.0, 19.0], *[[often, often]] * 8]
        fitted = Filtration(heavy_first, "kmeans-distinct", 2).fit(paths(*rows))
        assert fitted.alphas_.tolist() == alphas
        assert [alphas] == naive.best_clusterings([0.0, 10.0, 19.0, *[often] * 8], 2)


def test_weights_that_are_partly_whole_are_not_rounded():
    assert Filtration(heavy_first, "distinct").fit(path([1.0, 2.5, 2.0])).alphas_.tolist() == [
        2.5,
        2.0,
        1.0,
    ]
