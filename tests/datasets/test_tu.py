"""Data sets of the TU format: read as published, written and read back, and mistakes named."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive
from grafik import Graphs, datasets
from grafik.datasets import write_tu
from strategies import build, raw_batches
from tu_files import SMALL, changed, write

# Set, graphs, classes, mean vertices, mean edges, node labels: the published counts.
PUBLISHED = [
    ("MUTAG", 188, 2, "17.9", "19.8", 7),
    ("PTC_MR", 344, 2, "14.29", "14.69", 18),
    ("DHFR", 756, 2, "42.4", "44.5", 9),
    ("NCI1", 4110, 2, "29.9", "32.3", 37),
    ("IMDB-BINARY", 1000, 2, "19.77", "96.53", None),
    ("EGO-1", 200, 4, "139.0", "593.5", None),
    ("BZR_MD", 306, 2, "21.30", "225.06", 8),
    ("ENZYMES", 600, 6, "32.46", "62.14", 3),
    ("REDDIT-BINARY", 2000, 2, "429.6", "497.8", None),
]


def rounded(value, like):
    """Write a number with as many digits as another one."""
    return f"{value:.{len(like.partition('.')[2])}f}"


def compare(graphs, y, folder):
    """Check a batch against the plain reader."""
    expected, labels = naive.read_tu(folder)
    assert len(graphs) == len(expected)
    assert (y is None) == (labels is None)
    if labels is not None:
        assert y.tolist() == [row[0] if len(row) == 1 else list(row) for row in labels]

    def label(row):
        return row[0] if len(row) == 1 else row

    for g, (vertices, edges) in zip(graphs, expected, strict=True):
        assert g.n_nodes == len(vertices)
        assert [tuple(e) for e in g.edges.tolist()] == list(edges)
        if g.node_labels is not None:
            assert g.node_labels == [label(v[0]) for v in vertices]
        if g.node_attributes is not None:
            assert [tuple(row) for row in g.node_attributes.tolist()] == [v[1] for v in vertices]
        if g.edge_labels is not None:
            assert g.edge_labels == [label(e[0]) for e in edges.values()]
        if g.edge_attributes is not None:
            assert [tuple(row) for row in g.edge_attributes.tolist()] == [
                e[1] for e in edges.values()
            ]


@pytest.mark.parametrize(("name", "n", "classes", "vertices", "edges", "labels"), PUBLISHED)
def test_real_data_sets_have_their_published_counts(
    data, name, n, classes, vertices, edges, labels
):
    graphs, y = datasets.read_tu(data / name)
    assert len(graphs) == len(y) == n
    assert len(np.unique(y)) == classes
    assert rounded(graphs.n_nodes.mean(), vertices) == vertices
    assert rounded(graphs.n_edges.mean(), edges) == edges
    assert (graphs.node_labels and len(graphs.node_labels.values)) == labels


@pytest.mark.parametrize("name", ["MUTAG", "BZR_MD", "EGO-1", "DHFR"])
def test_real_data_sets_are_read_as_the_plain_reader_does(data, name):
    graphs, y = datasets.read_tu(data / name)
    compare(graphs, y, data / name)


def test_all_optional_files(tmp_path):
    folder = write(tmp_path / "SMALL", SMALL)
    graphs, y = datasets.read_tu(folder)
    compare(graphs, y, folder)
    assert graphs.n_nodes.tolist() == [3, 3]
    assert graphs[1].edges.tolist() == [[0, 1]]
    assert graphs[0].edge_labels == [0, 2, 1]
    assert graphs[1].node_attributes.tolist() == [[7, 8], [9, 10], [-1, 0.5]]
    assert tuple(graphs.dropped) == (0, 0, 0)


@pytest.mark.parametrize(
    "form",
    [
        lambda text: text.rstrip("\n"),
        lambda text: text + "\n\n",
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: "\ufeff" + text.replace("\n", "\r\n").rstrip(),
        lambda text: text.replace(", ", ","),
        lambda text: text.replace(", ", " ,\t ").replace("\n", "  \n"),
        lambda text: "  " + text,
    ],
    ids=["no final newline", "blank end", "crlf", "bom", "bom crlf", "tight", "wide", "indent"],
)
def test_ways_to_write_the_same_files(tmp_path, form):
    plain = datasets.read_tu(write(tmp_path / "plain", SMALL))
    other = datasets.read_tu(write(tmp_path / "other", {k: form(v) for k, v in SMALL.items()}))
    assert other[0] == plain[0]
    assert other[1].tolist() == plain[1].tolist()


def test_edges_listed_once_in_any_order_and_vertices_of_graphs_mixed(tmp_path):
    plain, _ = datasets.read_tu(
        write(tmp_path / "plain", {"A": "1,2\n2,3\n4,5", "graph_indicator": "1\n1\n1\n2\n2"})
    )
    mixed, _ = datasets.read_tu(
        write(tmp_path / "mixed", {"A": "5,2\n3,1\n3,4", "graph_indicator": "1\n2\n1\n1\n2"})
    )
    assert [g.edges.tolist() for g in mixed] == [[[0, 1], [1, 2]], [[0, 1]]]
    assert mixed == plain


def test_empty_graphs_and_data_sets_without_edges(tmp_path):
    files = {"A": "", "graph_indicator": "2\n2\n4\n", "graph_labels": "7\n8\n9\n7\n"}
    graphs, y = datasets.read_tu(write(tmp_path / "gaps", files))
    assert graphs.n_nodes.tolist() == [0, 2, 0, 1]
    assert y.tolist() == [7, 8, 9, 7]
    files["graph_labels"] += "8\n"
    with pytest.warns(UserWarning, match="has 5 lines, but the last vertex belongs to graph 4"):
        graphs, y = datasets.read_tu(write(tmp_path / "behind", files))
    assert graphs.n_nodes.tolist() == [0, 2, 0, 1, 0]
    none, y = datasets.read_tu(write(tmp_path / "none", {"A": "", "graph_indicator": ""}))
    assert (len(none), y) == (0, None)


def test_several_columns_of_labels_become_tuples(tmp_path):
    files = changed(node_labels="1, 2\n1, 3\n1, 2\n4, 4\n5, 5\n6, 6\n", graph_labels="1, 0\n0, 1\n")
    graphs, y = datasets.read_tu(write(tmp_path / "wide", files))
    assert graphs[0].node_labels == [(1, 2), (1, 3), (1, 2)]
    assert y.tolist() == [[1, 0], [0, 1]]


def test_targets(tmp_path):
    both = write(tmp_path / "both", changed(graph_attributes="0.5\n-1e3\n"))
    assert datasets.read_tu(both)[1].tolist() == [1, -1]
    assert datasets.read_tu(both, target="attributes")[1].tolist() == [0.5, -1000.0]
    assert datasets.read_tu(both, ignore=["graph_labels"])[1].tolist() == [0.5, -1000.0]
    only = write(tmp_path / "only", changed(graph_labels=None, graph_attributes="1,2\n3,4\n"))
    assert datasets.read_tu(only)[1].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(FileNotFoundError, match="has no file SMALL_graph_labels.txt"):
        datasets.read_tu(only, target="labels")
    with pytest.raises(ValueError, match="target must be None, 'labels' or 'attributes'"):
        datasets.read_tu(both, target="weights")


def test_labels_and_attributes_follow_vertices_and_edges_that_are_mixed(tmp_path):
    files = {
        "A": "5,2\n3,1\n3,4\n",
        "graph_indicator": "1\n2\n1\n1\n2\n",
        "node_labels": "10\n20\n30\n40\n50\n",
        "node_attributes": "1\n2\n3\n4\n5\n",
        "edge_labels": "7\n8\n9\n",
        "edge_attributes": ".7\n.8\n.9\n",
    }
    folder = write(tmp_path / "SMALL", files)
    graphs, y = datasets.read_tu(folder)
    compare(graphs, y, folder)
    assert [g.node_labels for g in graphs] == [[10, 30, 40], [20, 50]]
    assert [g.edge_labels for g in graphs] == [[8, 9], [7]]
    write(folder, {"A": "5,2\n3,1\n3,3\n"})
    with pytest.raises(ValueError, match="SMALL_A.txt, line 3 is a self loop"):
        datasets.read_tu(folder, on_invalid="raise")
    write(folder, {"A": "1,3\n2,5\n3,1\n"})
    with pytest.raises(ValueError, match="A.txt, line 3 has the label 9, .*A.txt, line 1, has 7"):
        datasets.read_tu(folder)


def test_long_lines_are_read(tmp_path):
    folder = write(
        tmp_path / "SMALL", changed(node_labels="3" + " " * 3_000_000 + "\n" + "3\n" * 5)
    )
    assert datasets.read_tu(folder)[0].node_labels.values == (3,)


@pytest.mark.parametrize("value", [0, 2**53 + 1, -(2**53) - 1, 10**18, 2**63 - 1, -(2**63)])
def test_integers_are_read_exactly(tmp_path, value):
    folder = write(tmp_path / "SMALL", changed(node_labels=f"{value}\n" * 6))
    assert datasets.read_tu(folder)[0].node_labels.values == (value,)


@pytest.mark.filterwarnings("ignore")  # older NumPy only warns
@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**30])
def test_integers_that_are_too_large_are_refused_and_not_rounded(tmp_path, value):
    folder = write(tmp_path / "SMALL", changed(node_labels="3\n" * 5 + f"{value}\n"))
    with pytest.raises(ValueError, match=f"SMALL_node_labels.txt, line 6: {value} is too large"):
        datasets.read_tu(folder)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=6, max_size=6))
def test_floats_are_read_as_python_reads_them(tmp_path_factory, values):
    text = "".join(f"{value!r}\n" for value in values)
    folder = write(tmp_path_factory.mktemp("floats") / "SMALL", changed(node_attributes=text))
    assert datasets.read_tu(folder)[0].node_attributes[:, 0].tolist() == values


def test_targets_that_are_not_wanted_are_not_read(tmp_path):
    folder = write(tmp_path / "SMALL", changed(graph_attributes="broken"))
    assert datasets.read_tu(folder)[1].tolist() == [1, -1]
    with pytest.raises(ValueError, match="SMALL_graph_attributes.txt, line 1"):
        datasets.read_tu(folder, target="attributes")


def test_a_graph_number_beyond_reason_is_refused(tmp_path):
    files = {"A": "", "graph_indicator": "1\n100000000000\n"}
    with pytest.raises(ValueError, match="indicator.txt, line 2: graph 100000000000 is too large"):
        datasets.read_tu(write(tmp_path / "SMALL", files))


def test_files_can_be_ignored(tmp_path):
    folder = write(tmp_path / "SMALL", changed(edge_labels="broken"))
    assert datasets.read_tu(folder, ignore=["edge_labels"])[0].edge_labels is None
    with pytest.raises(ValueError, match="ignore must list some of"):
        datasets.read_tu(folder, ignore="edge_labels")
    with pytest.raises(ValueError, match="ignore must list some of"):
        datasets.read_tu(folder, ignore=["edges"])


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"A": "1, 2\n2, x\n"}, "SMALL_A.txt, line 2: expected an integer, got 'x'"),
        ({"A": "1, 2\n2\n"}, "SMALL_A.txt, line 2: expected 2 numbers .* got '2'"),
        ({"A": "1, 2\n\n2, 3\n"}, "SMALL_A.txt, line 2: the line is empty"),
        ({"A": "1, 2\n2, 3, 4\n"}, "SMALL_A.txt, line 2: expected 2 numbers"),
        ({"A": "1 2\n"}, "SMALL_A.txt, line 1: expected 2 numbers .* got '1 2'"),
        ({"A": "1, 2\n1.0, 2\n"}, "SMALL_A.txt, line 2: expected an integer, got '1.0'"),
        ({"A": "1, \n"}, "SMALL_A.txt, line 1: expected an integer, got ''"),
        ({"A": '"1", 2\n'}, "SMALL_A.txt, line 1: expected an integer, got '\"1\"'"),
        ({"A": "1, 99999999999999999999\n"}, "line 1: 99999999999999999999 is too large"),
        ({"A": b"1, 2\n\xff\xfe, 2\n"}, "SMALL_A.txt, line 2: expected an integer"),
        ({"A": b"1, 2\n\0\0\n"}, "SMALL_A.txt, line 2: expected 2 numbers"),
        ({"A": "0x1, 0x2\n"}, "SMALL_A.txt, line 1: expected an integer, got '0x1'"),
        ({"A": "1, +2\n"}, r"SMALL_A.txt, line 1: expected an integer, got '\+2'"),
        ({"A": "1,\u00a02\n"}, "SMALL_A.txt, line 1: expected an integer"),
        ({"A": "1, 2\n2,\x0b3\n"}, "SMALL_A.txt, line 2: expected an integer"),
        ({"A": "1, 2\n2, 3\u20283, 1\n"}, "SMALL_A.txt, line 2: expected 2 numbers"),
        ({"A": "1, 2\n2, " + "9" * 5000 + "\n"}, "SMALL_A.txt, line 2: 9+ is too large"),
        ({"A": "1, 2\n1, " + " " * 2_000_000 + "x\n"}, "SMALL_A.txt, line 2: expected an int"),
        ({"A": "1, 2\n2, 1_0\n"}, "SMALL_A.txt, line 2: expected an integer, got '1_0'"),
        ({"A": "1, 2\n2, --3\n"}, "SMALL_A.txt, line 2: expected an integer, got '--3'"),
        ({"A": "1, 2\n2, 3 1\n"}, "SMALL_A.txt, line 2: expected an integer, got '3 1'"),
        ({"A": "1, 2\n \t\n2, 3\n"}, "SMALL_A.txt, line 2: the line is empty"),
        ({"A": "1, 2\r\r2, 3\n"}, "SMALL_A.txt, line 2: the line is empty"),
        ({"A": "1, 2, 3\n2\n"}, "SMALL_A.txt, line 1: expected 2 numbers"),
        ({"A": f"1, 2\n2, {2**63}\n"}, "SMALL_A.txt, line 2: 9223372036854775808 is too large"),
        ({"node_labels": "0x10\n" + "3\n" * 5}, "node_labels.txt, line 1: expected an integer"),
        (
            {"A": "1, 2\n1, 7\n"},
            "SMALL_A.txt, line 2: there is no vertex 7; .* 6 vertices, counted",
        ),
        ({"A": "0, 1\n"}, "SMALL_A.txt, line 1: there is no vertex 0"),
        (
            {"A": "1, 2\n3, 4\n"},
            "SMALL_A.txt, line 2: .*vertex 3 of graph 1 to vertex 4 of graph 2",
        ),
        ({"graph_indicator": "1\n1\n1\n2\n2\n3\n"}, "indicator.txt, line 6: there is no graph 3"),
        ({"graph_indicator": "0\n1\n1\n2\n2\n2\n"}, "indicator.txt, line 1: there is no graph 0"),
        ({"graph_indicator": "1\n1\n1\n2\n2\n2, 2\n"}, "indicator.txt, line 6: expected 1 numbers"),
        ({"node_labels": "1\n" * 5}, "node_labels.txt has 5 lines, but SMALL_graph_.* has 6; they"),
        ({"node_labels": "1\n" * 5 + "a\n"}, "SMALL_node_labels.txt, line 6: expected an integer"),
        ({"node_labels": "1\n" * 5 + "1.5\n"}, "line 6: expected an integer, got '1.5'"),
        ({"edge_labels": "1\n" * 9}, "SMALL_edge_labels.txt has 9 lines, but SMALL_A.txt has 8"),
        ({"node_attributes": "1\n" * 5 + "nan\n"}, "line 6: expected a finite number, got 'nan'"),
        ({"node_attributes": "1\n" * 5 + "-inf\n"}, "line 6: expected a finite number, got '-inf'"),
        ({"node_attributes": "1\n" * 5 + "+1\n"}, r"line 6: expected a finite .* got '\+1'"),
        ({"node_attributes": "1\n" * 5 + "1e\n"}, "line 6: expected a finite number, got '1e'"),
        ({"node_attributes": "1\n" * 5 + "1_0\n"}, "line 6: expected a finite number, got '1_0'"),
        ({"node_attributes": "1\n" * 5 + "1e999\n"}, "line 6: 1e999 is too large a number"),
        (
            {"edge_attributes": "1,2\n" * 7 + "1\n"},
            "edge_attributes.txt, line 8: expected 2 numbers",
        ),
        ({"graph_labels": "1\nx\n"}, "SMALL_graph_labels.txt, line 2: expected an integer"),
        (
            {"edge_labels": "0\n1\n" + "0\n" * 6},
            "A.txt, line 2 has the label 1, .*A.txt, line 1, has 0",
        ),
        ({"edge_attributes": "0\n1\n" + "0\n" * 6}, "SMALL_A.txt, line 2 has the attributes"),
    ],
)
def test_mistakes_are_named_with_file_and_line(tmp_path, parts, message):
    folder = write(tmp_path / "SMALL", changed(**parts))
    if "A" in parts:
        for part in ("edge_labels", "edge_attributes"):
            (folder / f"SMALL_{part}.txt").unlink()
    with pytest.raises(ValueError, match=message):
        datasets.read_tu(folder)


def test_self_loops_and_repeated_edges_are_counted_or_refused(tmp_path):
    parts = {"A": "1,2\n2,1\n3,3\n1,2\n", "edge_labels": None, "edge_attributes": None}
    folder = write(tmp_path / "SMALL", changed(**parts))
    graphs, _ = datasets.read_tu(folder)
    assert tuple(graphs.dropped) == (1, 1, 0)
    with pytest.raises(ValueError, match=r"SMALL_A.txt, line 3 is a self loop"):
        datasets.read_tu(folder, on_invalid="raise")
    write(folder, {"A": "1,2\n2,1\n2,3\n1,2\n"})
    with pytest.raises(ValueError, match=r"SMALL_A.txt, line 4 is listed more than once"):
        datasets.read_tu(folder, on_invalid="raise")
    write(folder, {"A": "1,2\n2,1\n2,3\n"})
    assert len(datasets.read_tu(folder, on_invalid="raise")[0].edges) == 2


def test_directions_that_differ_can_be_folded(tmp_path):
    files = changed(edge_attributes="1\n3\n" + "0\n" * 6, edge_labels=None)
    graphs, _ = datasets.read_tu(write(tmp_path / "SMALL", files), fold="mean")
    assert graphs[0].edge_attributes.tolist() == [[2.0], [0.0], [0.0]]


def test_missing_and_foreign_places_are_named(tmp_path):
    folder = write(tmp_path / "SMALL", changed(graph_indicator=None))
    with pytest.raises(FileNotFoundError, match="has no file SMALL_graph_indicator.txt"):
        datasets.read_tu(folder)
    with pytest.raises(FileNotFoundError, match="SMALK; did you mean .*SMALL"):
        datasets.read_tu(tmp_path / "SMALK")
    with pytest.raises(FileNotFoundError, match="there is no folder .*/nowhere either"):
        datasets.read_tu(tmp_path / "nowhere" / "SMALL")
    with pytest.raises(FileNotFoundError, match="it has no file NAME_A.txt"):
        datasets.read_tu(tmp_path)
    write(folder, SMALL, name="OTHER")
    with pytest.raises(ValueError, match="more than one data set: OTHER, SMALL"):
        datasets.read_tu(folder)
    with pytest.raises(ValueError, match="neither a folder nor a complete zip"):
        datasets.read_tu(folder / "OTHER_A.txt")


# Round trip

tu_batches = raw_batches(
    label=st.integers(-(2**40), 2**40), value=st.floats(allow_nan=False, allow_infinity=False)
).map(build)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graphs=tu_batches, kind=st.sampled_from(["labels", "attributes", "columns"]), draw=st.data())
def test_round_trip_is_the_identity(tmp_path_factory, graphs, kind, draw):
    folder = tmp_path_factory.mktemp("tu") / "ROUND"
    n = len(graphs)
    if kind == "labels":
        y = np.array(draw.draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n)), np.int64)
    else:
        y = np.array(draw.draw(st.lists(st.floats(-9, 9), min_size=n, max_size=n)), float)
        y = np.column_stack([y, y + 1]) if kind == "columns" and n else y
    write_tu(folder, graphs, y)
    if n and graphs.n_nodes[-1] == 0:
        with pytest.warns(UserWarning, match="have no vertices"):
            again, y_again = datasets.read_tu(folder)
    else:
        again, y_again = datasets.read_tu(folder)
        compare(again, y if kind == "labels" else None, folder)
    assert again == graphs
    assert y_again.tolist() == y.tolist()
    assert y_again.dtype == y.dtype


def test_lines_are_directed_edges_if_asked_for(tmp_path):
    files = {"A": "1,2\n2,1\n3,2\n", "graph_indicator": "1\n1\n1\n", "edge_labels": "5\n6\n7\n"}
    folder = write(tmp_path / "SMALL", files)
    graphs, _ = datasets.read_tu(folder, directed=True)
    assert graphs.directed
    assert graphs.edges.tolist() == [[0, 1], [1, 0], [2, 1]]
    assert graphs[0].edge_labels == [5, 6, 7]
    with pytest.raises(ValueError, match="line 2 has the label 6, but the same edge, .*line 1"):
        datasets.read_tu(folder)
    assert datasets.read_tu(folder, fold="first")[0].edges.tolist() == [[0, 1], [1, 2]]


@pytest.mark.filterwarnings("ignore:.*the graphs after it have no vertices")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=raw_batches(label=st.integers(-9, 9)))
def test_directed_graphs_are_written_once(tmp_path_factory, raw):
    graphs = build(raw, directed=True)
    folder = tmp_path_factory.mktemp("tu") / "NEW"
    write_tu(folder, graphs, [0] * len(graphs))
    assert len((folder / "NEW_A.txt").read_text().split("\n")) - 1 == len(graphs.edges)
    assert datasets.read_tu(folder, directed=True)[0] == graphs


def test_round_trip_of_tuples_and_of_no_target(tmp_path):
    graphs = Graphs([0, 2], [0, 1], [[0, 1]], node_labels=[(1, 2), (3, 4)])
    write_tu(tmp_path / "TUPLES", graphs)
    again, y = datasets.read_tu(tmp_path / "TUPLES")
    assert again == graphs
    assert y is None


def test_real_data_survives_the_round_trip(data, tmp_path):
    for name in ("MUTAG", "BZR_MD"):
        graphs, y = datasets.read_tu(data / name)
        write_tu(tmp_path / name, graphs, y)
        again, y_again = datasets.read_tu(tmp_path / name)
        assert again == graphs
        assert np.array_equal(y, y_again)


@pytest.mark.parametrize(
    ("columns", "y", "message"),
    [
        (
            {"node_labels": ["a", 1]},
            None,
            "node_labels holds 'a': the TU format has only integers",
        ),
        ({"node_labels": [True, 1]}, None, "node_labels holds True"),
        ({"node_labels": [(1, 2), 1]}, None, "equally many columns everywhere"),
        ({"node_labels": [(), ()]}, None, r"node_labels holds \(\)"),
        ({}, [1, 2], r"y must have shape \(1,\) or .*, got \(2,\)"),
        ({}, np.ma.masked_equal([3], 3), "y must not be masked; fill the gaps"),
        ({}, ["a"], "y must be integers or finite floats"),
        ({}, [[1]], r"y must have shape \(1,\) or \(1, c\) with c > 1, got \(1, 1\)"),
        ({}, np.zeros((1, 0)), "y must have shape"),
        ({}, np.array([2**63], np.uint64), "y must be integers or finite floats"),
        ({"node_labels": [(1,), (2,)]}, None, r"node_labels holds \(1,\)"),
        ({"node_labels": [2**70, 1]}, None, "node_labels holds 1180591620717411303424"),
        ({}, [np.nan], "y must be integers or finite floats"),
    ],
)
def test_what_the_format_cannot_hold_is_refused_before_anything_is_written(
    tmp_path, columns, y, message
):
    with pytest.raises(ValueError, match=message):
        write_tu(tmp_path / "NEW", Graphs([0, 2], [0, 1], [[0, 1]], **columns), y)
    assert os.listdir(tmp_path) == []


def test_a_last_graph_without_vertices_needs_a_target(tmp_path):
    with pytest.raises(ValueError, match="the last graph has no vertices"):
        write_tu(tmp_path / "NEW", Graphs([0, 1, 1], [0, 0, 0], []))


def test_mutated_files_are_never_read_silently_wrong(tmp_path):
    """Delete, repeat or garble one line anywhere: an error that names a file, or the truth."""
    silent = []
    for part, text in SMALL.items():
        lines = text.splitlines()
        for place in range(len(lines)):
            for kind, mutant in (
                ("delete", lines[:place] + lines[place + 1 :]),
                ("repeat", lines[: place + 1] + lines[place:]),
                ("garble", [*lines[:place], lines[place] + "?", *lines[place + 1 :]]),
            ):
                folder = tmp_path / f"{part}-{place}-{kind}"
                write(folder, changed(**{part: "\n".join(mutant) + "\n"}))
                try:
                    if part == "graph_labels" and kind == "repeat":
                        with pytest.warns(UserWarning, match="have no vertices"):
                            datasets.read_tu(folder)
                        continue
                    graphs, _ = datasets.read_tu(folder)
                except ValueError as error:
                    assert "SMALL_" in str(error)  # noqa: PT017
                    continue
                silent.append((part, kind, graphs))
    assert silent == []
