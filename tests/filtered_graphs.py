"""Graphs with a level drawn for each edge, and how their histograms are compared."""

import numpy as np
from hypothesis import strategies as st

import naive
from strategies import build, raw_batches


class Levels:
    """A filtration with levels drawn for each edge."""

    def __init__(self, levels, n_levels):
        self.found, self.n_levels_ = np.asarray(levels, np.int32), n_levels

    def levels(self, graphs):
        return self.found


@st.composite
def filtered(draw, **options):
    """A batch with a random level for each edge."""
    graphs = build(draw(raw_batches(**options)))
    n_levels = draw(st.integers(1, 5))
    m = len(graphs.edges)
    levels = draw(st.lists(st.integers(0, n_levels - 1), min_size=m, max_size=m))
    return graphs, Levels(levels, n_levels)


def plain(graphs, filtration, depth, edge_labels=True):
    """The histograms of the definition, one dictionary per graph."""
    result = []
    for i, g in enumerate(graphs):
        entry = filtration.found[graphs.edge_ptr[i] : graphs.edge_ptr[i + 1]].tolist()
        graph = (g.n_nodes, g.edges.tolist(), g.node_labels, g.edge_labels)
        result.append(naive.wl_histograms(graph, entry, filtration.n_levels_, depth, edge_labels))
    return result


def renaming(found, expected):
    """Check that histograms agree up to the names of features: any two graphs share the same."""
    for i, a in enumerate(found):
        for j, b in enumerate(found):
            shared = sorted((d, tuple(a[d, f]), tuple(b[d, f])) for d, f in a.keys() & b.keys())
            x, y = expected[i], expected[j]
            assert shared == sorted(
                (d, tuple(x[d, f]), tuple(y[d, f])) for d, f in x.keys() & y.keys()
            )


def sorted_columns(histograms):
    """Their content in an order that does not depend on how they were made."""
    graphs = np.repeat(np.arange(len(histograms)), np.diff(histograms.graph_ptr))
    order = np.lexsort((histograms.features, histograms.depths, graphs))
    lengths = np.diff(histograms.run_ptr)[order]
    starts = np.repeat(histograms.run_ptr[order] - np.cumsum(lengths) + lengths, lengths)
    runs = starts + np.arange(lengths.sum())
    rows = (histograms.graph_ptr, histograms.depths[order], histograms.features[order], lengths)
    return *rows, histograms.run_levels[runs], histograms.run_counts[runs]
