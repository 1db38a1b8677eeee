"""The test of isomorphism: what it decides, what it says, and what it does where weights refuse."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networkx.generators.atlas import graph_atlas_g

import naive
from filtered_graphs import written_out
from grafik import Filtration, Graphs, as_graphs, datasets, isomorphism_test, weights
from grafik.features import isomorphism
from strategies import build, raw_batches

WEIGHTS = ["auto", "degree", "canonical"]
UNDIRECTED = ["triangles", "walks", "jaccard", "curvature", "core"]


@st.composite
def pairs(draw, most=5):
    """Two graphs of the same kind: a copy with another order, or any other with as many vertices.

    They may be directed, empty, have isolated vertices, labels of vertices and of edges.
    """
    directed, value = draw(st.booleans(), label="directed"), st.integers(0, 1)
    raw = draw(
        raw_batches(
            label=value, value=value, max_graphs=2, max_nodes=most, loops=False, directed=directed
        ).filter(lambda batch: len(batch) == 2)
    )
    graphs = build(raw, directed=directed)
    g = graphs[0]
    if not draw(st.booleans(), label="copy"):
        return g, graphs[1]
    order = draw(st.permutations(range(g.n_nodes)))
    row = np.argsort(order)
    other = Graphs(
        [0, g.n_nodes],
        [0, g.n_edges],
        np.array(order, np.int64)[g.edges],
        directed=directed,
        node_labels=None if g.node_labels is None else [g.node_labels[v] for v in row],
        edge_labels=g.edge_labels,
        node_attributes=None if g.node_attributes is None else g.node_attributes[row],
        edge_attributes=g.edge_attributes,
    )
    return g, other[0]


@given(pairs(), st.integers(0, 4))
def test_isomorphic_graphs_are_never_told_apart_and_canonical_weights_decide(pair, depth):
    g, h = pair
    plain = [written_out(graph) for graph in pair]
    truth = {labels: naive.isomorphic(*plain, edge_labels=labels) for labels in (False, True)}
    for weight in WEIGHTS + (UNDIRECTED if not g.directed else []):
        for labels in ("auto", False):
            found = isomorphism_test(g, h, weight, depth, edge_labels=labels)
            compared = found.edge_labels
            assert compared == (labels == "auto" and g.edge_labels is not None)
            assert not (found.different and truth[compared])
            assert found.isomorphic in (None, truth[compared])
            assert bool(found) == found.different
            if weight == "canonical" and depth > 0:
                assert found.different is not truth[compared]
                assert found.isomorphic is truth[compared]


def test_canonical_weights_decide_for_all_graphs_of_up_to_six_vertices():
    """Each against its shuffled copy, and all others with as many vertices and edges."""
    rng = np.random.default_rng(0)
    groups = {}
    for g in graph_atlas_g():
        if len(g) <= 6:
            groups.setdefault((len(g), g.size()), []).append(Graphs.from_networkx([g]))
    assert sum(map(len, groups.values())) == 209
    for graphs in groups.values():
        for i, g in enumerate(graphs):
            order = rng.permutation(int(g.n_nodes[0]))
            copy = Graphs.from_edge_lists([order[g.edges]], g.n_nodes)
            assert isomorphism_test(g, copy, "canonical", 1).isomorphic is True
            for other in graphs[:i]:
                found = isomorphism_test(other, copy, "canonical", 1)
                assert (found.different, found.isomorphic) == (True, False)
    for one, other in zip(list(groups.values()), list(groups.values())[1:], strict=False):
        assert isomorphism_test(one[0], other[0], "canonical", 1).isomorphic is False


@given(pairs(most=6), st.sampled_from(["auto", "degree", "canonical"]))
def test_what_is_said_of_a_difference_is_so(pair, weight):
    found = isomorphism_test(*pair, weight, 3)
    if not found:
        assert found[1:6] == (None,) * 5
        assert (found.name, found.vertices) == (None, None)
        return
    both = Graphs.concat([as_graphs(graph) for graph in pair])
    if found.weight is None:
        entries, alphas = [[0] * graph.n_edges for graph in pair], [None]
    else:
        filtration = Filtration(found.weight, thresholds="distinct").fit(both)
        levels, alphas = filtration.levels(both), filtration.alphas_.tolist()
        entries = [part.tolist() for part in np.split(levels, both.edge_ptr[1:-1])]
    plain = [written_out(graph) for graph in pair]
    depth, level, where = naive.first_difference(plain, entries, len(alphas), 3, found.edge_labels)
    assert (found.depth, found.level, found.alpha) == (depth, level, alphas[level])
    assert found.vertices in where
    assert found.counts == tuple(map(len, found.vertices))
    assert found.counts[0] != found.counts[1]
    names, lone = set(), set()
    for graph, entry, vertices in zip(plain, entries, found.vertices, strict=True):
        for v in vertices:
            tree = naive.unfolding(graph, entry, level, v, depth, found.edge_labels)
            names.add(naive.tree_text(tree, 2, 4))
            root = tree[0]
            lone.add(any(v in edge for edge in graph[1]))
    if depth and names == {f"{root}()"}:
        names = {f"{root} {'before its' if lone == {True} else 'without'} edges"}
    assert names == {found.name}
    assert str(found).startswith("different: ")
    assert f" {found.name} of depth {depth} occurs " in str(found)


def test_whole_graphs_are_compared_first_and_then_the_strongest_weight(monkeypatch):
    def never(graphs):
        raise AssertionError("no weight is needed where whole graphs differ")

    path, star = nx.path_graph(4), nx.star_graph(3)
    monkeypatch.setattr(isomorphism, "_STRONGER", (never,))
    found = isomorphism_test(path, star)
    assert (found.weight, found.level, found.alpha, found.depth) == (None, 0, None, 1)
    assert str(found) in (
        "different: in the whole graphs, *(*) of depth 1 occurs 2 times in g (0, 3) and 3 times "
        "in h (1, 2, 3)",
        "different: in the whole graphs, *(2x*) of depth 1 occurs 2 times in g (1, 2) and 0 times "
        "in h",
        "different: in the whole graphs, *(3x*) of depth 1 occurs 0 times in g and 1 time in h (0)",
    )
    monkeypatch.undo()
    for name in ("decalin", "triangles"):
        graphs = datasets.triangle_pair()[0] if name == "triangles" else datasets.wl_hard(name)[0]
        found = isomorphism_test(graphs[0], graphs[1])
        assert (found.different, found.weight) == (True, isomorphism._STRONGER[0])
    rook = datasets.wl_hard("rook")[0]
    found = isomorphism_test(rook[0], rook[1])
    assert (found.different, found.weight) == (True, isomorphism._STRONGER[-1])
    monkeypatch.setattr(isomorphism, "_PATIENCE", 1e-5)
    found = isomorphism_test(rook[0], rook[1])
    assert (found.different, found.weight) == (False, isomorphism._STRONGER[0])


@pytest.mark.parametrize("error", [ValueError, MemoryError])
def test_where_the_strongest_weight_refuses_the_next_one_is_taken(monkeypatch, error):
    def refuses(graphs):
        raise error("this would take 100 years")

    prism, k33 = datasets.triangle_pair()[0]
    monkeypatch.setattr(isomorphism, "_STRONGER", (refuses, refuses, "triangles"))
    found = isomorphism_test(prism, k33)
    assert (found.different, found.weight, found.level) == (True, "triangles", 0)
    monkeypatch.setattr(isomorphism, "_STRONGER", (refuses,))
    found = isomorphism_test(prism, k33)
    assert (found.different, found.weight, found.isomorphic) == (False, "degree", None)
    assert str(found) == "not told apart, by the weight 'degree'"
    # Who asks for a weight gets it or the error.
    with pytest.raises(error, match="100 years"):
        isomorphism_test(prism, k33, weight=refuses)
    monkeypatch.setattr(isomorphism, "_LAST_RESORT", refuses)
    with pytest.raises(error, match="100 years"):
        isomorphism_test(prism, k33)


def test_every_strong_weight_is_exact_and_the_last_takes_directed_graphs():
    loop = Graphs.from_edge_lists([[(0, 1), (1, 2), (2, 0)]], directed=True)
    assert isomorphism_test(loop, loop).weight == isomorphism._STRONGER[-1]
    assert isomorphism_test(loop, loop, isomorphism._LAST_RESORT).weight == "degree"
    rng = np.random.default_rng(0)
    graphs, _ = datasets.random_graphs(20, n_nodes=(2, 40), density=(0.05, 0.6), random_state=1)
    for g in graphs:
        copy = Graphs.from_edge_lists([rng.permutation(g.n_nodes)[g.edges]], [g.n_nodes])
        for weight in isomorphism._STRONGER:
            assert not isomorphism_test(g, copy, weight)


def test_graphs_without_vertices_and_without_edges():
    empty, dots = nx.empty_graph(0), nx.empty_graph(3)
    for weight in ("auto", "canonical", "degree"):
        assert not isomorphism_test(empty, empty, weight).different
        assert not isomorphism_test(dots, dots, weight, depth=0).different
        found = isomorphism_test(empty, dots, weight)
        assert (found.counts, found.vertices, found.name) == ((0, 3), ([], [0, 1, 2]), "*")
        found = isomorphism_test(dots, nx.path_graph(3), weight)
        assert (found.different, found.depth) == (True, 1)
    assert isomorphism_test(empty, empty, "canonical").isomorphic is True
    assert isomorphism_test(dots, dots, "canonical", depth=0).isomorphic is None
    assert str(isomorphism_test(dots, dots, "canonical")) == "isomorphic, by the weight 'canonical'"
    assert str(isomorphism_test(dots, dots, weights.canonical)).startswith("isomorphic, by the ")


def test_large_stars_take_linear_time_and_all_their_leaves_are_named():
    n = 100_000
    star = np.column_stack([np.zeros(n, np.int64), np.arange(1, n + 1)])
    labels = ["hub"] + ["leaf"] * n
    g = Graphs.from_edge_lists([star], node_labels=[labels])
    assert not isomorphism_test(g, g)
    h = Graphs.from_edge_lists([star], node_labels=[[*labels[:-1], "other"]])
    found = isomorphism_test(g, h)
    assert (found.depth, sum(found.counts)) in ((0, 2 * n - 1), (0, 1))
    shorter = Graphs.from_edge_lists([star[:-1]], [n + 1], node_labels=[labels])
    found = isomorphism_test(g, shorter, "degree")
    assert (found.depth, found.level) == (1, 0)
    assert found.counts == tuple(map(len, found.vertices))
    assert len(str(found)) < 200


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": -1}, "depth must be an integer of at least 0, got -1"),
        ({"depth": 10_001}, "depth must be at most 10000, got 10001"),
        ({"weight": "size"}, "weight must be one of 'degree', .* got 'size'"),
    ],
)
def test_bad_parameters_are_refused_even_where_graphs_differ_anyway(options, message):
    with pytest.raises(ValueError, match=message):
        isomorphism_test(nx.path_graph(3), nx.path_graph(4), **options)


def test_inputs_are_not_changed():
    g, h = nx.path_graph(3), nx.cycle_graph(4)
    before = [dict(graph.adjacency()) for graph in (g, h)]
    isomorphism_test(g, h)
    assert [dict(graph.adjacency()) for graph in (g, h)] == before


@pytest.mark.parametrize("never", [None, "g", "h"])
def test_vertices_before_their_edges_are_told_from_those_that_never_have_any(never):
    """With other labels, other features have the least hash: with some, that of lone vertices."""
    early, late = [(0, 1)], [(1, 2), (3, 4)]
    names = set()
    for label in range(20):
        graphs = [
            Graphs.from_edge_lists(
                [early + late + more],
                [6 if never else 5],
                node_labels=[[label] * (6 if never else 5)],
                edge_attributes=[[2.0, first, 1.0] + [1.0] * len(more)],
            )
            for first, more in (
                (1.0, [(4, 5)] if never == "h" else []),
                (2.0, [(4, 5)] if never == "g" else []),
            )
        ]
        found = isomorphism_test(*graphs, "attribute", 1)
        assert (found.depth, found.level) == (1, 0)
        names.add(found.name.replace(str(label), "L", 1).replace(str(label), "L"))
        if "edges" in found.name:
            rest = [5] if never else []
            assert found.vertices == ([2, 3, 4, *rest], [3, 4, *rest])
    told = "without" if never else "before its"
    assert {name for name in names if "edges" in name} == {f"L {told} edges"}
    assert len(names) > 1


@pytest.mark.parametrize("weight", [["canonical"], ["degree", "canonical"], ["degree", "core"]])
def test_combined_weights_do_not_tell_copies_with_labels_of_edges_apart(weight):
    rng = np.random.default_rng(0)
    ring = nx.cycle_graph(6)
    nx.set_edge_attributes(ring, {edge: int(edge == (0, 1)) for edge in ring.edges}, "label")
    for _ in range(10):
        order = rng.permutation(6).tolist()
        copy = nx.Graph()
        copy.add_nodes_from(range(6))
        copy.add_edges_from((order[u], order[v], kept) for u, v, kept in ring.edges(data=True))
        assert not isomorphism_test(ring, copy, weights.Combined(weight))


def test_each_side_is_one_graph():
    path = nx.path_graph(3)
    with pytest.raises(ValueError, match="two graphs are compared, but g has 2"):
        isomorphism_test([path, path], [])
    with pytest.raises(ValueError, match="two graphs are compared, but h has 2"):
        isomorphism_test(path, [path, path])


def test_default_weights_with_very_many_levels_are_compared_to_a_smaller_depth(monkeypatch):
    graphs = datasets.random_graphs(2, n_nodes=60, density=0.3)[0]
    asked = []
    real = isomorphism.first_difference

    def noted(pair, levels, n_levels, depth, labelled):
        asked.append(depth)
        return real(pair, levels, n_levels, depth, labelled)

    monkeypatch.setattr(isomorphism, "first_difference", noted)
    monkeypatch.setattr(isomorphism, "_PER_LEVEL_AND_EDGE", 5.0 / 2.5)
    monkeypatch.setattr(isomorphism, "_STRONGER", (lambda g: np.zeros(len(g.edges)),))
    one = Graphs.from_edge_lists([[(0, 1)]])
    assert not isomorphism_test(one, one)
    assert asked == [5, 1]
    asked.clear()
    assert isomorphism_test(graphs[0], graphs[0]).weight == "degree"
    assert asked == [5, 5]


def test_labels_of_one_graph_only_are_refused_or_left_out():
    plain, labelled = nx.cycle_graph(4), nx.cycle_graph(4)
    nx.set_edge_attributes(labelled, "z", "label")
    for pair, name, other in (((labelled, plain), "h", "g"), ((plain, labelled), "g", "h")):
        message = f"^{name} has no edge_labels, but {other} has; .*, or .* edge_labels=False$"
        with pytest.raises(ValueError, match=message):
            isomorphism_test(*pair)
        found = isomorphism_test(*pair, "canonical", edge_labels=False)
        assert (found.isomorphic, found.edge_labels) == (True, False)
        assert not isomorphism_test(*pair, edge_labels=False)
    nx.set_node_attributes(plain, "c", "label")
    with pytest.raises(ValueError, match="^h has no node_labels, but g has; give all the same"):
        isomorphism_test(plain, nx.cycle_graph(4))
    dots = nx.empty_graph(4)
    assert isomorphism_test(labelled, dots).different


def test_graphs_of_two_kinds_are_named_as_they_were_given():
    with pytest.raises(ValueError, match="^h has directed=True, but g has directed=False; make"):
        isomorphism_test(nx.path_graph(3), Graphs.from_edge_lists([[(0, 1)]], directed=True))
    typed = Graphs.from_smiles("CC", atoms="typed")
    with pytest.raises(ValueError, match="^the molecules of h were read .*, but those of g with"):
        isomorphism_test("CC", typed)
