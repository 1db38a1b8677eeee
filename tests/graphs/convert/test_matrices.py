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
    again = Graphs.from_scipy(
        matrices, labels, edge_attribute="w" if weighted else None, on_invalid="raise"
    )
    assert again == named(graphs, "w")
    assert tuple(again.dropped) == (0, 0, 0)


def named(graphs, name):
    """The same graphs with a name for their edge attribute."""
    if not len(graphs.edges) or graphs.edge_attributes is None:
        return graphs
    columns = {c: getattr(graphs, c) for c in ("node_ptr", "edge_ptr", "edges", "node_labels")}
    return Graphs(**columns, edge_attributes=graphs.edge_attributes, edge_attribute_names=[name])


def test_entries_other_than_0_and_1_are_weights():
    plain = np.array([[5, 1, 0], [1, 0, 1], [0, 1, 0]])  # the diagonal does not count
    assert Graphs.from_scipy([plain]).edge_attributes is None
    named_one = Graphs.from_scipy([plain], edge_attribute="weight")
    assert named_one.edge_attributes.tolist() == [[1.0], [1.0]]
    heavy = np.array([[0.0, 0.5], [0.5, 0.0]])
    for form in (heavy, sp.csr_array(heavy)):
        graphs = Graphs.from_scipy([form, plain])
        assert graphs.edge_attribute_names == ("weight",)
        assert graphs.edge_attributes.tolist() == [[0.5], [1.0], [1.0]]
        assert Graphs.from_scipy([form], edge_attribute=None).edge_attributes is None
    assert Graphs.from_scipy([heavy != 0]).edge_attributes is None
    with pytest.raises(ValueError, match="edge_attribute must be a name or None, got True"):
        Graphs.from_scipy([heavy], edge_attribute=True)


def test_directed_matrices():
    matrix = np.array([[0, 1, 0], [3, 0, 0], [0, 5, 0]])
    graphs = Graphs.from_scipy([matrix], directed=True, ids=["one"])
    assert graphs.edges.tolist() == [[0, 1], [1, 0], [2, 1]]
    assert graphs.edge_attributes.tolist() == [[1.0], [3.0], [5.0]]
    assert graphs[0].id == "one"
    forgotten = Graphs.from_scipy([matrix], directed=False, edge_attribute=None, on_invalid="raise")
    assert forgotten.edges.tolist() == [[0, 1], [1, 2]]
    with pytest.raises(ValueError, match=r"has the attributes \[3.0\], but the same"):
        Graphs.from_scipy([matrix], directed=False)


def test_matrix_entries_stored_in_pieces_or_as_zero():
    pieces = sp.coo_matrix(([1, 1, 2, 0, 0], ([0, 0, 1, 1, 2], [1, 1, 0, 2, 1])), (3, 3))
    graphs = Graphs.from_scipy(pieces)
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
            {},
            r"has the attributes \[2.0\], but the same",
        ),
        (
            np.ma.masked_equal([[0, 1, 2], [1, 0, 0], [2, 0, 0]], 2),
            {},
            "graph 0: the adjacency matrix must not be masked",
        ),
        (sp.csr_array([[0, 1j], [1j, 0]]), {}, "graph 0: the entries .* real numbers, got complex"),
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
    assert Graphs.from_scipy([matrix]).edge_attributes.tolist() == [[2.0]]


def test_directed_matrices_can_be_folded():
    matrix = np.array([[0, 1, 0], [3, 0, 0], [0, 5, 0]])
    graphs = Graphs.from_scipy(matrix, fold="mean")
    assert graphs[0].edges.tolist() == [[0, 1], [1, 2]]
    assert graphs[0].edge_attributes.tolist() == [[2.0], [5.0]]
