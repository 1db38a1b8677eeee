"""What all extractors have in common: what must not matter, and what is refused."""

import math
import re
from collections import Counter
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from all_kernels import EXTRACTORS, SAMPLING
from feature_counts import OneLevel, filtered, named, permuted, table
from filtered_graphs import Levels
from grafik import Graphs
from grafik.features import WeisfeilerLehman, as_extractor
from grafik.features.cyclic_patterns import CyclicPatterns
from grafik.features.function_features import FunctionFeatures
from grafik.features.graphlets import Graphlets
from grafik.features.shortest_paths import ShortestPaths
from grafik.features.vertex_edge_histogram import VertexEdgeHistogram
from grafik.features.wl_occurrences import Occurrences

each = pytest.mark.parametrize("extractor", EXTRACTORS, ids=named)
each_with_sampling = pytest.mark.parametrize("extractor", EXTRACTORS + SAMPLING, ids=named)


@each
def test_vertex_order_does_not_matter(extractor):
    @given(filtered(), st.integers(0, 99))
    def check(batch, seed):
        graphs, filtration = batch
        moved, levels = permuted(graphs, filtration.found, seed)
        again = extractor.histograms(moved, Levels(levels, filtration.n_levels_))
        assert table(again) == table(extractor.histograms(graphs, filtration))

    check()


@each_with_sampling
def test_other_graphs_do_not_matter(extractor):
    @given(filtered())
    def check(batch):
        graphs, filtration = batch
        together = table(extractor.histograms(graphs, filtration))
        for index in range(len(graphs)):
            levels = filtration.found[graphs.edge_ptr[index] : graphs.edge_ptr[index + 1]]
            single = Levels(levels, filtration.n_levels_)
            assert table(extractor.histograms(graphs[index], single)) == [together[index]]

    check()


@each_with_sampling
def test_graphs_without_much_in_them(extractor):
    graphs = Graphs([0, 0, 1, 4, 6], [0, 0, 0, 0, 1], [[0, 1]])
    histograms = extractor.histograms(graphs, Levels([2], 4))
    assert len(histograms) == 4
    assert histograms.n_levels == 4
    assert table(histograms)[0] == {}
    assert len(extractor.histograms([], OneLevel())) == 0


@each_with_sampling
def test_any_kind_of_graph_is_accepted(extractor):
    cycle = nx.cycle_graph(5)
    assert table(extractor.histograms([cycle], OneLevel())) == table(
        extractor.histograms(Graphs.from_networkx([cycle]), OneLevel())
    )


def test_features_are_the_same_in_every_process():
    """Written down once; a change here makes stored histograms worthless."""
    graphs = Graphs([0, 4], [0, 4], [[0, 1], [1, 2], [0, 2], [2, 3]], node_labels=list("CCON"))
    found = {
        type(extractor).__name__: sum(extractor.histograms(graphs, OneLevel()).features.tolist())
        % 2**64
        for extractor in (VertexEdgeHistogram(), ShortestPaths(), Graphlets(), CyclicPatterns())
    }
    assert found == {
        "VertexEdgeHistogram": 2696291823537250913,
        "ShortestPaths": 4709106183822492275,
        "Graphlets": 14132177380842006336,
        "CyclicPatterns": 4488722612225739372,
    }


def test_extractors_never_share_features():
    graphs = Graphs([0, 4], [0, 4], [[0, 1], [1, 2], [0, 2], [2, 3]])
    found = [set(e.histograms(graphs, OneLevel()).features.tolist()) for e in EXTRACTORS[3:]]
    kinds = [VertexEdgeHistogram(edges=False), VertexEdgeHistogram(vertices=False)]
    found += [set(e.histograms(graphs, OneLevel()).features.tolist()) for e in kinds]
    of_type = {}
    for extractor, features in zip([*EXTRACTORS[3:], *kinds], found, strict=True):
        name = repr(extractor) if isinstance(extractor, VertexEdgeHistogram) else ""
        of_type.setdefault((type(extractor), name), set()).update(features)
    for one, other in combinations(of_type.values(), 2):
        assert not one & other


# What is refused


GRAPH = Graphs([0, 0, 4], [0, 0, 3], [[0, 1], [1, 2], [2, 3]])


@pytest.mark.parametrize(
    ("extractor", "message"),
    [
        (VertexEdgeHistogram(vertices=1), "vertices must be True or False, got 1"),
        (VertexEdgeHistogram(edges="no"), "edges must be True or False, got 'no'"),
        (VertexEdgeHistogram(False, False), "vertices or edges must be True, got False for both"),
        (Graphlets(6), "size must be one of 3, 4, 5, got 6"),
        (Graphlets(connected=None), "connected must be True or False, got None"),
        (Graphlets(sampling=3), "sampling must be True or False, got 3"),
        (Graphlets(sampling=True, epsilon=0), "epsilon must be a number between 0 and 1, got 0"),
        (Graphlets(sampling=True, delta="x"), "delta must be a number between 0 and 1, got 'x'"),
        (
            Graphlets(sampling=True, n_samples=0),
            "n_samples must be an integer of at least 1, got 0",
        ),
        (
            Graphlets(n_samples=9),
            "n_samples is for sampling=True, got n_samples=9 and sampling=None",
        ),
        (
            Graphlets(sampling=True, random_state=None),
            "random_state must be an integer, got None",
        ),
        (CyclicPatterns(2), "max_length must be an integer of at least 3, got 2"),
        (CyclicPatterns(3.5), "max_length must be an integer of at least 3, got 3.5"),
        (CyclicPatterns(trees=0), "trees must be True or False, got 0"),
        (FunctionFeatures("degree"), "function must be callable, got 'degree'"),
        (
            FunctionFeatures(len),
            "graph 0, level 0: the function must return an iterable of features, got 0",
        ),
        (
            FunctionFeatures(lambda graph: Counter("aab")),
            "graph 0, level 0: the function must return features one by one, got a Counter; "
            "for a Counter return counter.elements()",
        ),
        (
            FunctionFeatures(lambda graph: "abc"),
            "graph 0, level 0: the function must return an iterable of features, got 'abc'",
        ),
        (
            FunctionFeatures(lambda graph: [{1}] if graph.number_of_edges() == 3 else []),
            "graph 1, level 2: features must be strings, integers, bools, finite floats, None or "
            "tuples of these, got {1} of type set",
        ),
        (
            FunctionFeatures(lambda graph: [(1, math.nan)]),
            "graph 0, level 0: features must be strings, integers, bools, finite floats, None or "
            "tuples of these, got (1, nan) of type tuple",
        ),
    ],
    ids=named,
)
def test_what_is_wrong_is_said_when_it_is_used(extractor, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        extractor.histograms(GRAPH, Levels([0, 2, 1], 3))


@pytest.mark.parametrize(
    ("filtration", "message"),
    [
        (
            Levels([0, 1], 2),
            "one integer level for each of 3 edges, got an array of int32 of",
        ),
        (Levels([0, 1, 2], 2), "levels must be from 0 to 1, got 0 to 2"),
        (Levels([0, -1, 1], 2), "levels must be from 0 to 1, got -1 to 1"),
    ],
    ids=named,
)
@each
def test_wrong_levels_are_refused(extractor, filtration, message):
    with pytest.raises(ValueError, match=message):
        extractor.histograms(GRAPH, filtration)


@pytest.mark.parametrize("extractor", [CyclicPatterns(), Graphlets()], ids=named)
def test_directed_graphs_are_refused_where_features_have_no_direction(extractor):
    graphs = Graphs([0, 2], [0, 1], [[0, 1]], directed=True)
    message = f"{type(extractor).__name__} takes undirected graphs, but these are directed"
    with pytest.raises(ValueError, match=message):
        extractor.histograms(graphs, OneLevel())


@each_with_sampling
def test_parameters_are_scikit_learn_parameters(extractor):
    copy = clone(extractor)
    assert copy.get_params() == extractor.get_params()
    assert copy is not extractor


def test_features_are_extractors_or_functions():
    extractor = WeisfeilerLehman(1)
    assert as_extractor(extractor) is extractor
    assert isinstance(as_extractor(lambda graph: []), FunctionFeatures)
    for wrong in (3, WeisfeilerLehman, "wl"):
        with pytest.raises(TypeError):
            as_extractor(wrong)


def test_bars_that_die_before_they_are_born_are_refused():
    columns = [0, 2], [0, 0], [7, 8], [0, 1]
    bars = Occurrences(*map(np.array, (*columns, [0, 1], [2, 1])))
    with pytest.raises(ValueError, match="bar 1 is born at level 1 and dies at 1"):
        bars.checked(3)
    assert Occurrences(*map(np.array, (*columns, [0, 1], [2, 3]))).checked(3).deaths[1] == 3
