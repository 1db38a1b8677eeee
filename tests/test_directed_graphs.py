"""Directed graphs: nothing forgets where edges lead without saying so."""

import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone

from all_kernels import BASELINES, EXTRACTORS, LABELS, SAMPLING, WEIGHTS
from feature_counts import named
from grafik import (
    Filtration,
    FiltrationClassifier,
    FiltrationEmbedding,
    FiltrationKernel,
    FiltrationRegressor,
    GraphIndex,
    Graphs,
    datasets,
    explain_pair,
    explain_prediction,
    isomorphism_test,
    load,
    vertex_importance,
    weights,
)
from grafik.baselines import WL, WassersteinWL
from grafik.features import WeisfeilerLehman
from grafik.features.wl_trees import unfolding_tree
from kernel_definitions import naive_gram
from kernel_strategies import directed_batches

# A path, and the same with one edge turned; both are the same path without directions.
PATHS = Graphs.from_edge_lists(
    [[(0, 1), (1, 2)], [(0, 1), (2, 1)]],
    node_labels=[["a", "b", "c"]] * 2,
    edge_labels=[["x", "x"]] * 2,
    node_attributes=[[0.0, 1.0, 2.0]] * 2,
    edge_attributes=[[2.0, 1.0]] * 2,
    directed=True,
)
# Of the tables of weights, features and baselines, those that take directed graphs; and those of
# them for which it does not matter where edges lead.
WITH_DIRECTIONS = {"degree", "attribute", "canonical", "function", "WeisfeilerLehman"}
WITH_DIRECTIONS |= {"attribute:small", "node-distance", "marked"}
WITH_DIRECTIONS |= {"ShortestPaths", "WL", "WLOptimalAssignment", "ShortestPath"}
WITH_DIRECTIONS |= {"FunctionFeatures", "WassersteinWL", "VertexEdgeHistogram", "VEHist"}
BLIND = {"degree", "attribute", "function", "VertexEdgeHistogram", "VEHist", "FunctionFeatures"}
BLIND |= {"attribute:small", "node-distance"}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_take_directed_graphs_or_refuse_them_by_name(name):
    weight = WEIGHTS[name]
    if name in WITH_DIRECTIONS:
        path, turned = weights.values(weight, PATHS).reshape(2, 2).tolist()
        assert (path == turned) == (name in BLIND)
        return
    with pytest.raises(
        ValueError, match=f"the weight '{re.split('[ :]', name)[0]}' takes undirected graphs"
    ):
        weights.compute(weight, PATHS)
    assert len(weights.compute(weight, PATHS.undirected())) == 4  # the remedy


@pytest.mark.parametrize("extractor", [*EXTRACTORS, *SAMPLING, *LABELS], ids=named)
def test_features_take_directed_graphs_or_refuse_them_by_name(extractor):
    name, filtration = type(extractor).__name__, Filtration("attribute").fit(PATHS)
    if name in WITH_DIRECTIONS:
        path, turned = (
            {feature: counts.tolist() for feature, counts in one.items()}
            for one in extractor.histograms(PATHS, filtration)
        )
        assert (path == turned) == (name in BLIND)
        return
    with pytest.raises(ValueError, match=rf"{name} takes undirected .* with graphs.undirected\(\)"):
        extractor.histograms(PATHS, filtration)


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_take_directed_graphs_or_refuse_them_by_name(name):
    kernel = clone(BASELINES[name]).set_params(normalize=True)
    if type(kernel).__name__ in WITH_DIRECTIONS and "continuous" not in name:
        value = kernel.fit_transform(PATHS)[0, 1]
        assert (value == pytest.approx(1.0)) == (type(kernel).__name__ in BLIND)
        assert kernel.fit_transform(PATHS.undirected())[0, 1] == pytest.approx(1.0)
        return
    who = {"GraphletSampling": "Graphlets", "CyclicPattern": "CyclicPatterns"}
    who["WassersteinWL"] = "embedding='continuous'"
    said = who.get(type(kernel).__name__, type(kernel).__name__)
    with pytest.raises(ValueError, match=f"^{said} takes undirected graphs"):
        kernel.fit(PATHS)


def test_the_degree_counts_edges_in_and_out():
    graphs = Graphs.from_edge_lists([[(0, 1), (1, 0), (2, 0), (3, 2)]], directed=True)
    assert dict(zip(map(tuple, graphs.edges.tolist()), weights.degree(graphs), strict=True)) == {
        (0, 1): 3.0,
        (1, 0): 3.0,
        (2, 0): 3.0,
        (3, 2): 2.0,
    }


def test_functions_get_directed_networkx_graphs():
    seen = []

    def sources(graph):
        seen.append(graph)
        return [graph.nodes[u]["label"] for u, v in graph.edges]

    kernel = FiltrationKernel(sources, weight="attribute", thresholds="distinct").fit(PATHS)
    assert all(type(graph) is nx.DiGraph for graph in seen)
    assert sorted(kernel.histograms_.names.values()) == ["a", "b", "c"]
    assert sorted(seen[-1].edges) == [(0, 1), (2, 1)]


# What is built on them


@pytest.mark.parametrize("combine", ["sum", "product"])
@given(graphs=directed_batches.filter(len), n_levels=st.integers(1, 4), depth=st.integers(0, 3))
def test_gram_matrices_are_those_of_the_definition(combine, graphs, n_levels, depth):
    kernel = FiltrationKernel(
        WeisfeilerLehman(depth), n_levels=n_levels, gamma=0.7, combine=combine, beta=0.01
    )
    found = kernel.fit_transform(graphs)
    assert_allclose(found, naive_gram(kernel, graphs), rtol=1e-12)
    assert kernel.transform(graphs).tobytes() == found.tobytes()


@pytest.fixture(scope="module")
def rings():
    """Rings with chords: all edges lead on round the ring, or half of them back."""
    generator = np.random.default_rng(0)
    lists, sizes = [], []
    for index in range(40):
        n = int(generator.integers(6, 12))
        edges = [(v, (v + 1) % n) for v in range(n)]
        edges.append((0, int(generator.integers(2, n - 1))))
        if index % 2:
            edges = [edge[::-1] if i % 2 else edge for i, edge in enumerate(edges)]
        lists.append(edges)
        sizes.append(n)
    return Graphs.from_edge_lists(lists, sizes, directed=True), np.arange(40) % 2


SMALL = {"levels": [1, 2], "depths": [2], "gammas": [1.0], "Cs": [10.0]}


def test_models_learn_what_only_directions_tell(rings, tmp_path):
    graphs, y = rings
    model = FiltrationClassifier(**SMALL).fit(graphs[:30], y[:30])
    assert model.score(graphs[30:], y[30:]) == 1.0
    without = clone(model).fit(graphs[:30].undirected(), y[:30])
    assert without.score(graphs[30:].undirected(), y[30:]) < 0.9
    model.save(tmp_path / "model")
    twin = load(tmp_path / "model")
    assert twin.decision_function(graphs).tobytes() == model.decision_function(graphs).tobytes()
    for one in (model, twin):
        with pytest.raises(ValueError, match="fitted on directed graphs, but these are undirected"):
            one.predict(graphs.undirected())
    found = explain_prediction(model, graphs[31])
    assert any("->" in feature.name for feature in found.features)
    assert found.value == pytest.approx(float(model.decision_function(graphs[31])[0]))


def test_explanations_name_directions(rings):
    graphs, _ = rings
    kernel = FiltrationKernel(WeisfeilerLehman(1), weight="degree", normalize=True)
    matrix = kernel.fit_transform(graphs)
    found = explain_pair(kernel, graphs[0], graphs[1])
    assert found.value == pytest.approx(matrix[0, 1])
    names = {feature.name for feature in found.features}
    assert {"*(->*)", "*(<-*)"} <= names
    assert_allclose(vertex_importance(found).sum(), found.value)


def test_trees_are_written_with_arrows():
    graphs = Graphs.from_edge_lists(
        [[(0, 1), (2, 0), (3, 0), (1, 2), (2, 1)]],
        node_labels=[["A", "B", "C", "C"]],
        edge_labels=[[1, 1, 1, 2, 3]],
        directed=True,
    )
    assert unfolding_tree(graphs, 0, 1, edge_labels=False) == "A(->B, 2x<-C)"
    assert unfolding_tree(graphs, 1, 1, edge_labels=True) == "B(->2:C, <-1:A, <-3:C)"
    assert unfolding_tree(graphs, 3, 2, edge_labels=False) == "C(->A(->B, 2x<-C))"


def test_search_and_embedding_tell_directions_apart(rings):
    graphs, y = rings
    kernel = FiltrationKernel(WeisfeilerLehman(2), normalize=True)
    gram = kernel.fit_transform(graphs)
    found = GraphIndex(kernel).add(graphs).search(graphs[:6], top=3)
    assert_allclose(found.similarities, -np.sort(-gram[:6])[:, :3])
    assert (y[found.graphs] == y[:6, None]).all()
    vectors = FiltrationEmbedding(WeisfeilerLehman(2), normalize=True).fit_transform(graphs)
    assert_allclose((vectors @ vectors.T).toarray(), gram, atol=1e-10)


FITTED = {
    "filtration": lambda graphs, y: Filtration().fit(graphs).levels,
    "kernel": lambda graphs, y: FiltrationKernel().fit(graphs).transform,
    "classifier": lambda graphs, y: FiltrationClassifier(**SMALL).fit(graphs, y).predict,
    "regressor": lambda graphs, y: FiltrationRegressor(**SMALL).fit(graphs, y * 1.0).predict,
    "embedding": lambda graphs, y: FiltrationEmbedding().fit(graphs).transform,
    "hashed": lambda graphs, y: FiltrationEmbedding(method="hashed").fit(graphs).transform,
    "index": lambda graphs, y: GraphIndex().add(graphs).search,
    "baseline": lambda graphs, y: WassersteinWL().fit(graphs).transform,
    "histogram kernel": lambda graphs, y: WL().fit(graphs).transform,
}


@pytest.mark.parametrize("name", FITTED)
def test_what_is_fitted_on_one_kind_refuses_the_other(rings, name):
    graphs, y = rings
    directed, without = FITTED[name](graphs, y), FITTED[name](graphs.undirected(), y)
    with pytest.raises(ValueError, match="fitted on directed graphs, but these are undirected"):
        directed(graphs[:2].undirected())
    with pytest.raises(ValueError, match="fitted on undirected graphs, but these are directed"):
        without(graphs[:2])


def test_graphs_without_edges_go_with_both():
    alone = Graphs.from_edge_lists([[]], [3], node_labels=[["a", "b", "b"]])
    for kernel in (FiltrationKernel(), WassersteinWL()):
        for batch in (PATHS, PATHS.undirected()):
            there, back = kernel.fit(batch).transform(alone), kernel.fit(alone).transform(batch)
            assert (there == back.T).all()
            assert (there > 0).all()


def test_isomorphism_tests_see_directions():
    both = [(0, 1), (0, 2)], [(1, 0), (2, 0)]
    out, into = (Graphs.from_edge_lists([edges], directed=True) for edges in both)
    assert isomorphism_test(out, into).different
    assert not isomorphism_test(out.undirected(), into.undirected()).different
    turned = Graphs.from_edge_lists([[(2, 1), (2, 0)]], directed=True)
    assert not isomorphism_test(out, turned, weight="canonical").different
    ring = [(v, (v + 1) % 6) for v in range(6)]
    two = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    hard = Graphs.from_edge_lists([ring, two], directed=True)
    assert not isomorphism_test(hard[0], hard[1], weight="degree").different
    for weight in ("auto", "marked", "canonical"):
        assert isomorphism_test(hard[0], hard[1], weight=weight).different
    with pytest.raises(ValueError, match="directed=False, but g has directed=True"):
        isomorphism_test(out, into.undirected())
    with pytest.raises(ValueError, match="the weight 'triangles' takes undirected graphs"):
        isomorphism_test(out, into, weight="triangles")


def test_turning_all_edges_is_seen_where_labels_tell():
    graphs, _ = datasets.random_graphs(12, 8, 0.3, n_labels=2, random_state=4)
    how = {"node_labels": graphs.node_labels, "directed": True}
    there = Graphs(graphs.node_ptr, graphs.edge_ptr, graphs.edges, **how)
    back = Graphs(graphs.node_ptr, graphs.edge_ptr, graphs.edges[:, ::-1], **how)
    for kernel in (FiltrationKernel(), FiltrationKernel(combine="product"), WL(), WassersteinWL()):
        first = kernel.fit_transform(there)
        assert_allclose(first, kernel.fit_transform(back))  # all directions, the other way round
        assert not np.allclose(np.diag(kernel.fit(there).transform(back)), np.diag(first))
