"""From matrices and back, and every refusal."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from grafik import Graphs
from strategies import build, raw_batches


@given(
    raw_batches(value=st.floats(0.1, 9)), st.sampled_from(["csr", "coo", "lil", "array", "dense"])
)
def test_matrix_round_trip_is_the_identity(raw, form):
    for g in raw:
        g.edge_labels = g.node_attributes = None
        g.edge_attributes = (
            [[g.edge_attributes[i][0]] for i in range(len(g.edges))]
            if g.edge_attributes is not None
            else None
        )
    graphs = build(raw)
    weighted = graphs.edge_attributes is not None
    matrices = []
    for g in graphs:
        matrix = np.zeros((g.n_nodes, g.n_nodes))
        for i, (u, v) in enumerate(g.edges):
            matrix[u, v] = matrix[v, u] = g.edge_attributes[i, 0] if weighted else 1
        if form == "array":
            matrix = sp.csr_array(matrix)
        elif form != "dense":
            matrix = sp.csr_matrix(matrix).asformat(form)
        matrices.append(matrix)
    labels = None if graphs.node_labels is None else [g.node_labels for g in graphs]
    again = Graphs.from_scipy(matrices, labels, weighted=weighted, on_invalid="raise")
    assert again == graphs
    assert tuple(again.dropped) == (0, 0, 0)


def test_matrix_entries_stored_in_pieces_or_as_zero():
    pieces = sp.coo_matrix(([1, 1, 2, 0, 0], ([0, 0, 1, 1, 2], [1, 1, 0, 2, 1])), (3, 3))
    graphs = Graphs.from_scipy(pieces, weighted=True)
    assert graphs[0].edges.tolist() == [[0, 1]]
    assert graphs[0].edge_attributes.tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("matrix", "options", "message"),
    [
        (np.ones((2, 3)), {}, r"graph 0: an adjacency matrix must be square, got shape \(2, 3\)"),
        (
            np.triu(np.ones((3, 3)), 1),
            {},
            "graph 0 is directed: it has an edge from 0 to 1 and none",
        ),
        (np.full((2, 2), np.nan), {}, r"graph 0: entry \(0, 0\) must be finite, got nan"),
        (np.eye(2), {"on_invalid": "raise"}, r"graph 0, edge 0 \(0, 0\) is a self loop"),
        (
            np.array([[0, 1], [2, 0]]),
            {"weighted": True},
            r"has the attributes \[2.0\], but the same",
        ),
        (np.zeros((2, 2)), {"node_labels": [["a"]]}, "graph 0 needs 2 node_labels, got 1"),
        (np.zeros((2, 2)), {"node_labels": []}, "node_labels has 0 entries for 1 graphs"),
    ],
)
def test_matrix_refusals(matrix, options, message):
    with pytest.raises(ValueError, match=message):
        Graphs.from_scipy([matrix], **options)


def test_old_numpy_matrices_are_matrices():
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[0, 2], [2, 0]])
    assert Graphs.from_scipy([matrix], weighted=True).edge_attributes.tolist() == [[2.0]]


def test_directed_matrices_can_be_folded():
    matrix = np.array([[0, 1, 0], [3, 0, 0], [0, 5, 0]])
    graphs = Graphs.from_scipy(matrix, weighted=True, fold="mean")
    assert graphs[0].edges.tolist() == [[0, 1], [1, 2]]
    assert graphs[0].edge_attributes.tolist() == [[2.0], [5.0]]
