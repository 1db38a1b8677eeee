"""Hypothesis makes the graphs: empty ones, isolated vertices, loops, duplicates, odd labels."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from grafik import Graphs

labels = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.integers(-3, 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=3),
    st.tuples(st.integers(0, 1), st.one_of(st.booleans(), st.text(max_size=1))),
)
finite = st.floats(allow_nan=False, allow_infinity=False)


@dataclass
class RawGraph:
    """A graph as a person would write it: edges in any order, direction and number."""

    n: int
    edges: list = field(default_factory=list)
    node_labels: list | None = None
    edge_labels: list | None = None
    node_attributes: list | None = None
    edge_attributes: list | None = None


@st.composite
def raw_batches(draw, label=labels, value=finite, max_graphs=4, max_nodes=6, loops=True):
    """Lists of raw graphs that all have the same columns; what is listed twice agrees."""
    has = {
        column: draw(st.booleans(), label=column)
        for column in ("node_labels", "edge_labels", "node_attributes", "edge_attributes")
    }
    width = draw(st.integers(1, 2))
    row = st.lists(value, min_size=width, max_size=width)
    batch = []
    for _ in range(draw(st.integers(0, max_graphs))):
        n = draw(st.integers(0, max_nodes))
        end = st.integers(0, n - 1)
        pairs = st.tuples(end, end) if loops else st.tuples(end, end).filter(lambda e: e[0] != e[1])
        enough = n >= (1 if loops else 2)
        edges = draw(st.lists(pairs, max_size=10)) if enough else []
        kinds = dict.fromkeys(sorted({(min(e), max(e)) for e in edges}))
        graph = RawGraph(n, edges)
        if has["node_labels"]:
            graph.node_labels = [draw(label) for _ in range(n)]
        if has["edge_labels"]:
            chosen = {pair: draw(label) for pair in kinds}
            graph.edge_labels = [chosen[min(e), max(e)] for e in edges]
        if has["node_attributes"]:
            graph.node_attributes = [draw(row) for _ in range(n)]
        if has["edge_attributes"]:
            chosen = {pair: draw(row) for pair in kinds}
            graph.edge_attributes = [chosen[min(e), max(e)] for e in edges]
        batch.append(graph)
    return batch


def build(batch, **options):
    """Put raw graphs through the constructor."""

    def joined(column):
        parts = [getattr(graph, column) for graph in batch]
        if not parts or parts[0] is None:
            return None
        rows = [row for part in parts for row in part]
        if column.endswith("attributes") and not rows:
            return None
        return rows

    return Graphs(
        np.cumsum([0, *(graph.n for graph in batch)]),
        np.cumsum([0, *(len(graph.edges) for graph in batch)]),
        [edge for graph in batch for edge in graph.edges],
        node_labels=joined("node_labels"),
        edge_labels=joined("edge_labels"),
        node_attributes=joined("node_attributes"),
        edge_attributes=joined("edge_attributes"),
        **options,
    )


batches = raw_batches().map(build)


@st.composite
def two_parts(draw, whole):
    """Cut a batch in two: graphs to fit, and new ones that have labels of the same kinds."""
    batch = draw(whole.filter(lambda batch: len(batch) > 1))
    cut = draw(st.integers(1, len(batch) - 1))
    return batch[:cut], batch[cut:]
