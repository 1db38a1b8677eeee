"""The gate names what is wrong with arrays, and where."""

import numpy as np
import pytest

from grafik import Graphs
from grafik.graphs.validation import MAX_NODES, checked_layout


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (
            ([0, 3], [0, 1], [[0, 3]]),
            {},
            r"graph 0, edge 0 \(0, 3\): there is no vertex 3; .* 0 to 2",
        ),
        (([0, 3], [0, 1], [[-1, 0]]), {}, "graph 0, edge 0 .*: there is no vertex -1"),
        (
            ([0, 2, 4], [0, 1, 3], [[0, 1], [0, 1], [1, 2]]),
            {},
            r"graph 1, edge 1 \(1, 2\): .* vertex 2",
        ),
        (([0, 0], [0, 1], [[0, 0]]), {}, "no vertex 0; the graph has no vertices"),
        (([0, 3], [0, 1], [[0, 2**40]]), {}, "no vertex 1099511627776"),
        (([0, 3], [0, 1], np.array([[0, 2**63]], np.uint64)), {}, "no vertex 9223372036854775808"),
        (
            ([0, 3], [0, 1], [[0.0, 1.0]]),
            {},
            "graph 0, edge 0: edges must be integers, got .*float64",
        ),
        (([0, 3], [0, 1], [[True, False]]), {}, "edges must be integers, got .*bool"),
        (([0, 3], [0, 1], [["a", "b"]]), {}, "edges must be integers"),
        (([0, 3], [0, 1], [[0, 1, 2]]), {}, r"edges must have shape \(n_edges, 2\), got \(1, 3\)"),
        (([0, 3], [0, 1], [[0, 1], [2]]), {}, "edges must be a rectangular array of integers"),
        (([0, 3], [0, 2], [[0, 1]]), {}, "edge_ptr ends at 2, but there are 1 edges"),
        (([0, 3, 3, 3], [0, 1, 2, 4], [[0, 1]]), {}, "edge_ptr ends at 4, but there are 1 edges"),
        (([1, 3], [0, 0], []), {}, "node_ptr must rise from 0: graph 0 would start at 1"),
        (([0, 3, 2], [0, 0, 0], []), {}, "node_ptr must rise from 0.*: graph 1 .* 3 and end at 2"),
        (([0, 3], [0, 2, 1], [[0, 1]]), {}, "edge_ptr must rise from 0.*: graph 1"),
        (([0, 3], [0, 0, 0], []), {}, "one entry more than there are graphs, got 2 and 3"),
        (([], [0], []), {}, r"node_ptr must have shape \(n_graphs \+ 1,\)"),
        (([0, 2**31], [0, 0], []), {}, "graph 0 has 2147483648 vertices, more than 2147483647"),
        (
            ([0, 2**31 - 1, 2**32 - 1], [0, 0, 0], []),
            {},
            "graph 1 has 2147483648 vertices, more than 2147483647",
        ),
        (([0, 1], [0, 0], []), {"node_labels": []}, "node_labels has 0 entries, 1 are needed"),
        (
            ([0, 1], [0, 0], []),
            {"node_labels": "C"},
            "node_labels must be a list with one label per item, got 'C'",
        ),
        (([0, 1], [0, 0], []), {"edge_labels": [1]}, "edge_labels has 1 entries, 0 are needed"),
        (
            ([0, 1, 3], [0, 0, 0], []),
            {"node_labels": ["a", "b", float("nan")]},
            "graph 1, vertex 1: a label must be finite, got nan",
        ),
        (
            ([0, 2, 4], [0, 0, 0], []),
            {"node_attributes": [0, 1, 2, np.inf]},
            "graph 1, vertex 1: node_attributes must be finite, got inf",
        ),
        (
            ([0, 2], [0, 1], [[0, 1]]),
            {"edge_attributes": [[1.0, np.nan]]},
            r"graph 0, edge 0 \(0, 1\): edge_attributes must be finite, got nan",
        ),
        (
            ([0, 1], [0, 0], []),
            {"node_attributes": ["x"]},
            "graph 0, vertex 0: node_attributes must be numbers, got",
        ),
        (
            ([0, 2], [0, 0], []),
            {"node_attributes": [1j, 2j]},
            "graph 0, vertex 0: node_attributes must be numbers, got .*1j",
        ),
        (([0, 1], [0, 0], []), {"reading": 3}, "reading must be text such as .*, got 3"),
        (
            ([0, 1, 4], [0, 0, 0], []),
            {"node_names": ["a", "a", "b", "b"]},
            "graph 1, vertex 1 and graph 1, vertex 2 have the same name 'b'",
        ),
        (
            ([0, 3], [0, 4], [[0, 1], [1, 2], [1, 0], [2, 1]]),
            {"edge_labels": ["a", "b", "a", "c"]},
            r"edge 3 \(2, 1\) has the label 'c', but the same edge, .*edge 1 \(1, 2\), has 'b'",
        ),
        (
            ([0, 3], [0, 4], [[0, 1], [1, 2], [1, 0], [2, 1]]),
            {"edge_attributes": [[1, 1], [2, 2], [1, 1], [3, 2]]},
            r"edge 3 \(2, 1\) has the attributes \[3.0, 2.0\], .* edge 1 \(1, 2\), has \[2.0",
        ),
        (([0, 1], [0, 0], []), {"node_attributes": "x"}, "vertex 0: .* numbers, got .*'x'"),
        (([0, 1], [0, 0], []), {"node_attributes": [[]]}, r"shape \(n,\) or \(n, d\)"),
        (([0, 2], [0, 0], []), {"node_attributes": [[1], [1, 2]]}, "rows of equal length"),
        (([0, 1], [0, 0], []), {"node_attributes": [1, 2]}, "has 2 rows, 1 are needed"),
        (([0, 2], [0, 1], [[0, 1.5]]), {}, r"graph 0, edge 0: edges must be integers, got \[0"),
        (([0, 2], [0, 2], [[0, 1], [1, 0.5]]), {}, r"graph 0, edge 1: edges must be integers"),
        ((np.array([0, 2**63], np.uint64), [0, 0], []), {}, "below 2.63: graph 0"),
        (([0, 1], [0, 0], []), {"node_labels": 5}, "node_labels must be a list .*, got 5"),
        (([0, 1], [0, 0], []), {"node_labels": {0: "C"}}, r"got a dict; .* \[labels\[i\] for i"),
        (([0, 1], [0, 0], []), {"node_labels": {"C"}}, "node_labels must be a list .* got a set"),
        (
            ([0, 3], [0, 0], []),
            {"node_attributes": [1.0, 2.0, None]},
            "graph 0, vertex 2: node_attributes must be numbers, got None",
        ),
        (
            ([0, 2], [0, 0], []),
            {"node_attributes": np.ma.array([1.0, 2.0], mask=[False, True])},
            "node_attributes must not be masked",
        ),
        (
            ([0, 1], [0, 0], []),
            {"node_attributes": np.array([np.finfo(np.longdouble).max])},
            "graph 0, vertex 0: node_attributes must be finite",
        ),
        (([0, 1], [0, 0], []), {"on_invalid": "keep"}, "on_invalid must be one of 'drop', 'raise'"),
        (([0, 1], [0, 0], []), {"fold": "median"}, "fold must be one of None, 'first'"),
    ],
)
def test_the_gate_names_what_is_wrong_and_where(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        Graphs(*arguments, **options)


def test_numbers_that_are_not_finite_are_named_in_pointers_and_edges():
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=f"node_ptr must be integers, got {bad}"):
            Graphs([0, bad], [0, 0], [])
        with pytest.raises(ValueError, match="graph 0, edge 1: edges must be integers, got"):
            Graphs([0, 3], [0, 2], [[0, 1], [1, bad]])


def test_a_sum_that_overflows_in_one_of_several_columns_is_refused():
    values = [[1.0, 1e308], [2.0, 1e308], [3.0, 3.0]]
    arguments = [0, 3], [0, 3], [[0, 1], [1, 0], [1, 2]]
    with pytest.raises(ValueError, match=r"edge 0 \(0, 1\): the sum of its attributes overflows"):
        Graphs(*arguments, edge_attributes=values, fold="sum")
    folded = Graphs(*arguments, edge_attributes=values, fold="max")
    assert folded.edge_attributes.tolist() == [[2.0, 1e308], [3.0, 3.0]]


def test_labels_that_are_nested_too_deep_are_named():
    label = 1
    for _ in range(900):
        label = (label,)
    with pytest.raises(ValueError, match="graph 0, vertex 1: labels must not be nested deeper"):
        Graphs([0, 2], [0, 0], [], node_labels=["C", label])
    shallow = (((1,), 2), 3)
    assert list(Graphs([0, 1], [0, 0], [], node_labels=[shallow]).node_labels) == [shallow]


def test_a_graph_may_have_as_many_vertices_as_can_be_numbered():
    checked_layout(np.array([0, MAX_NODES]), np.array([0, 0]), 0)
    with pytest.raises(ValueError, match="graph 0 has 2147483648 vertices"):
        checked_layout(np.array([0, MAX_NODES + 1]), np.array([0, 0]), 0)


def test_a_mean_is_that_of_all_that_are_equal():
    edges = [[0, 1], [1, 0], [0, 1], [1, 2]]
    folded = Graphs([0, 3], [0, 4], edges, edge_attributes=[1.0, 2.0, 6.0, 5.0], fold="mean")
    assert folded.edge_attributes.tolist() == [[3.0], [5.0]]
