"""Batches with levels, what extractors count on them, and what the definitions do."""

import re
from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from filtered_graphs import Levels
from grafik import Graphs
from strategies import build, raw_batches


class OneLevel:
    n_levels_ = 1

    def levels(self, graphs):
        return np.zeros(len(graphs.edges), np.int32)


few_labels = st.sampled_from(["C", "O", 1, True, (0, "a")])


@st.composite
def filtered(draw, max_graphs=3, max_nodes=7, max_edges=14, max_levels=5):
    """A batch with levels: from hypothesis' strange graphs, or denser ones with few labels."""
    if draw(st.booleans()):
        graphs = build(draw(raw_batches()))
    else:
        sizes = draw(st.lists(st.integers(0, max_nodes), max_size=max_graphs))
        edges = []
        for n in sizes:
            pairs = list(combinations(range(n), 2))
            kept = st.lists(st.sampled_from(pairs), max_size=max_edges, unique=True)
            edges.append(draw(kept) if pairs else [])
        nodes, kept = sum(sizes), sum(map(len, edges))
        graphs = Graphs(
            np.cumsum([0, *sizes]),
            np.cumsum([0, *map(len, edges)]),
            [edge for part in edges for edge in part],
            node_labels=draw(st.none() | st.lists(few_labels, min_size=nodes, max_size=nodes)),
            edge_labels=draw(st.none() | st.lists(few_labels, min_size=kept, max_size=kept)),
        )
    n_levels = draw(st.integers(1, max_levels))
    m = len(graphs.edges)
    levels = draw(st.lists(st.integers(0, n_levels - 1), min_size=m, max_size=m))
    return graphs, Levels(levels, n_levels)


def table(histograms):
    """For every graph the counts of each feature at all levels, as {feature: tuple}."""
    result = []
    for graph in range(len(histograms)):
        rows = range(histograms.graph_ptr[graph], histograms.graph_ptr[graph + 1])
        assert len({int(histograms.features[row]) for row in rows}) == len(rows)
        result.append({})
        for row in rows:
            runs = slice(histograms.run_ptr[row], histograms.run_ptr[row + 1])
            counts = np.zeros(histograms.n_levels, np.int64)
            starts, values = histograms.run_levels[runs], histograms.run_counts[runs]
            for start, value in zip(starts, values, strict=True):
                counts[start:] = value
            result[-1][int(histograms.features[row])] = tuple(counts.tolist())
    return result


def expected(graphs, filtration, extract):
    """The same by the definitions: {readable feature: tuple}, filtration graph by graph."""
    result = []
    for index, graph in enumerate(graphs):
        levels = filtration.found[graphs.edge_ptr[index] : graphs.edge_ptr[index + 1]]
        found = []
        for level in range(filtration.n_levels_):
            kept = [tuple(e) for e in graph.edges[levels <= level].tolist()]
            names = None
            if graph.edge_labels is not None:
                names = dict(zip(map(tuple, graph.edges.tolist()), graph.edge_labels, strict=True))
            found.append(extract(graph.n_nodes, kept, graph.node_labels, names))
        features = {feature for counter in found for feature in counter}
        result.append({f: tuple(counter[f] for counter in found) for f in features})
    return result


def up_to_names(counts, n_levels):
    """How many features have the same counts in all graphs at all levels.

    Two batches agree in this exactly if renaming features makes one the other.
    """
    absent = (0,) * n_levels
    features = {feature for graph in counts for feature in graph}
    return Counter(tuple(graph.get(feature, absent) for graph in counts) for feature in features)


def assert_same(histograms, graphs, filtration, extract):
    found = up_to_names(table(histograms), filtration.n_levels_)
    assert found == up_to_names(expected(graphs, filtration, extract), filtration.n_levels_)


def named(value):
    """What a case is called: without addresses, which differ between processes."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def permuted(graphs, levels, seed):
    """Number the vertices of every graph anew."""
    generator = np.random.default_rng(seed)
    parts, order_of_edges = [], []
    for index, graph in enumerate(graphs):
        place = generator.permutation(graph.n_nodes)
        old = np.argsort(place)
        labels = graph.node_labels
        values = graph.node_attributes
        rows = np.arange(graphs.edge_ptr[index], graphs.edge_ptr[index + 1])
        moved = np.sort(place[graph.edges], axis=1) if len(rows) else graph.edges
        order = np.lexsort((moved[:, 1], moved[:, 0]))
        order_of_edges += rows[order].tolist()
        parts.append(
            Graphs(
                [0, graph.n_nodes],
                [0, graph.n_edges],
                moved[order],
                node_labels=None if labels is None else [labels[v] for v in old],
                edge_labels=graph.edge_labels and [graph.edge_labels[i] for i in order],
                node_attributes=None if values is None else values[old],
                edge_attributes=None
                if graph.edge_attributes is None
                else graph.edge_attributes[order],
            )
        )
    return Graphs.concat(parts), levels[order_of_edges] if len(levels) else levels
