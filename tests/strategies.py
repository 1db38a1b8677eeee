"""Hypothesis makes the graphs: empty ones, isolated vertices, loops, duplicates, odd labels."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
from hypothesis import strategies as st

from grafik import Graphs
from grafik.graphs.labels import content

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


@cache
def edge_lists(n, loops):
    """Lists of edges between n vertices; one draw for each edge, because every draw takes time."""
    pairs = [(u, v) for u in range(n) for v in range(n) if loops or u != v]
    return st.lists(st.sampled_from(pairs), max_size=10) if pairs else st.just([])


@st.composite
def raw_batches(
    draw, label=labels, value=finite, max_graphs=4, max_nodes=6, loops=True, directed=False
):
    """Lists of raw graphs that all have the same columns; what is listed twice agrees."""

    def pair(edge):
        return edge if directed else (min(edge), max(edge))

    has = {
        column: draw(st.booleans(), label=column)
        for column in ("node_labels", "edge_labels", "node_attributes", "edge_attributes")
    }
    width = draw(st.integers(1, 2))
    row = st.lists(value, min_size=width, max_size=width)
    batch = []
    for _ in range(draw(st.integers(0, max_graphs))):
        n = draw(st.integers(0, max_nodes))
        edges = draw(edge_lists(n, loops))
        kinds = sorted(set(map(pair, edges)))
        graph = RawGraph(n, edges)
        if has["node_labels"]:
            graph.node_labels = [draw(label) for _ in range(n)]
        if has["edge_labels"]:
            chosen = {kind: draw(label) for kind in kinds}
            graph.edge_labels = [chosen[pair(e)] for e in edges]
        if has["node_attributes"]:
            graph.node_attributes = [draw(row) for _ in range(n)]
        if has["edge_attributes"]:
            chosen = {kind: draw(row) for kind in kinds}
            graph.edge_attributes = [chosen[pair(e)] for e in edges]
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
def full_batches(draw, name=labels, **options):
    """Batches that may be directed and have names of vertices and attributes, and ids."""
    raw = draw(raw_batches(**options))
    given = {"directed": draw(st.booleans(), label="directed")}
    for column in ("node_attributes", "edge_attributes"):
        rows = [row for g in raw for row in getattr(g, column) or []]
        if rows and draw(st.booleans(), label=f"{column} have names"):
            words = st.text("abc[0]é\ud800 ", max_size=4)
            size = {"min_size": len(rows[0]), "max_size": len(rows[0])}
            given[f"{column[:-1]}_names"] = draw(st.lists(words, unique=True, **size))
    if draw(st.booleans(), label="names"):
        names = [
            draw(st.lists(name, min_size=g.n, max_size=g.n, unique_by=content), label="names")
            for g in raw
        ]
        given["node_names"] = [one for part in names for one in part]
    if draw(st.booleans(), label="ids"):
        given["ids"] = draw(st.lists(labels, min_size=len(raw), max_size=len(raw)), label="ids")
    return build(raw, **given)


@st.composite
def two_parts(draw, whole):
    """Cut a batch in two: graphs to fit, and new ones that have labels of the same kinds."""
    batch = draw(whole.filter(lambda batch: len(batch) > 1))
    cut = draw(st.integers(1, len(batch) - 1))
    return batch[:cut], batch[cut:]
