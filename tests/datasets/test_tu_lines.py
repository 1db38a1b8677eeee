"""Lines of TU files that are bad, too long or too many; and the bounds of what is written."""

import tracemalloc

import numpy as np
import pytest

from grafik import Graphs, datasets
from grafik.datasets import tu_files, tu_tables
from tu_files import SMALL, changed, write


def test_a_bad_line_behind_many_good_ones_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("grafik.datasets.tu_tables._PIECE", 50)
    for end in ("\n", "\r\n", "\r"):
        for n_good in (0, 1, 9, 10, 11, 57):
            lines = ["1, 2"] * n_good + ["x, 1", "also, bad"]
            files = {"A": end.join(lines), "graph_indicator": "1\n1\n"}
            with pytest.raises(ValueError, match=f"_A.txt, line {n_good + 1}: expected an integer"):
                datasets.read_tu(write(tmp_path / "SMALL", files))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"A": "1, 2" + "\n" * 3_000_000 + "2, 1"}, "_A.txt, line 2: the line is empty"),
        (
            {"A": "1," * 200_000 + "1"},
            "_A.txt, line 1: expected 2 numbers .* got '1,1,1.*\\.\\.\\.'",
        ),
        ({"A": "1, " + "1" * 300_000}, "_A.txt, line 1: 1+ is too large an integer"),
        (
            {"node_attributes": "1," * 200_000 + "1"},
            "_node_attributes.txt, line 1: 200001 numbers, more than 100000",
        ),
    ],
)
def test_lines_that_are_far_too_long_or_many_are_named(tmp_path, files, message):
    folder = write(tmp_path / "SMALL", {**changed(), **files})
    with pytest.raises(ValueError, match=message) as caught:
        datasets.read_tu(folder)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("blank", ["", " ", "\t "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blank_lines_before_the_first_number_are_named_without_a_warning(
    tmp_path, monkeypatch, blank, end
):
    monkeypatch.setattr("grafik.datasets.tu_tables._PIECE", 5)
    for count in (1, 4, 50):
        folder = write(tmp_path / "SMALL", changed(graph_labels=(blank + end) * count + "1"))
        with pytest.raises(ValueError, match=r"_graph_labels.txt, line 1: the line is empty"):
            datasets.read_tu(folder)


@pytest.mark.parametrize("piece", range(1, 8))
def test_an_empty_line_is_named_wherever_it_is(tmp_path, monkeypatch, piece):
    monkeypatch.setattr("grafik.datasets.tu_tables._PIECE", piece)
    for place in range(6):
        lines = ["1"] * place + [""] + ["1"] * (6 - place)
        folder = write(tmp_path / "SMALL", changed(node_labels="\n".join(lines)))
        with pytest.raises(ValueError, match=f"_labels.txt, line {place + 1}: the line is empty"):
            datasets.read_tu(folder)


@pytest.mark.parametrize("lines", ["\n1\n2", "1\n\n2", "1\r\r2", "1\r\n\r\n2"])
def test_a_table_with_an_empty_line_is_not_read_to_its_end(tmp_path, monkeypatch, lines):
    monkeypatch.setattr(np, "loadtxt", lambda *_, **__: pytest.fail("read"))
    with pytest.raises(ValueError, match=r"_graph_indicator.txt, line \d: the line is empty"):
        datasets.read_tu(write(tmp_path / "SMALL", changed(graph_indicator=lines)))


@pytest.mark.parametrize(
    ("part", "line", "shown"),
    [
        ("node_labels", "x" * 61, "expected an integer, got '" + "x" * 60 + "'"),
        ("node_labels", "9" * 61, "9" * 60 + " is too large an integer"),
        ("node_attributes", "x" * 61, "expected a finite number, got '" + "x" * 60 + "'"),
        ("node_attributes", "9" * 400, "9" * 60 + " is too large a number"),
        ("A", "x" * 60, "expected 2 numbers with commas between them, got '" + "x" * 60 + "'"),
        ("A", "x" * 61, "expected 2 numbers with commas between them, got '" + "x" * 57 + "...'"),
    ],
)
def test_of_bad_lines_and_numbers_60_letters_are_shown(tmp_path, part, line, shown):
    folder = write(tmp_path / "SMALL", changed(**{part: line}))
    with pytest.raises(ValueError, match=f"_{part}.txt, line 1: ") as caught:
        datasets.read_tu(folder)
    assert str(caught.value) == f"SMALL_{part}.txt, line 1: {shown}"


def test_the_least_and_the_greatest_integer_before_a_bad_line_are_not_blamed(tmp_path):
    lines = f"{-(2**63)}\n{2**63 - 1}\n0\nx\n0\n0\n"
    with pytest.raises(ValueError, match="_node_labels.txt, line 4: expected an integer, got 'x'"):
        datasets.read_tu(write(tmp_path / "SMALL", changed(node_labels=lines)))


@pytest.mark.parametrize("last", [2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 10**60])
def test_one_long_integer_takes_no_more_memory_than_short_ones(tmp_path, last):
    lines = "1, 2\n" * 50_000 + f"1, {last}\n"
    source = tu_files.Source(write(tmp_path / "SMALL", {"A": lines}), ["SMALL_A.txt"])
    tracemalloc.start()
    try:
        if -(2**63) <= last < 2**63:
            assert tu_tables.read_table(source, "A", "integer")[-1].tolist() == [1, last]
        else:
            with pytest.raises(ValueError, match="line 50001: -?[0-9]+ is too large an integer"):
                tu_tables.read_table(source, "A", "integer")
        assert tracemalloc.get_traced_memory()[1] < 5 * len(lines)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("zeros", [0, 1, 30, 5000])
@pytest.mark.parametrize("before", ["", "0,\t", "1234567890123456789,"])
def test_integers_of_64_bits_and_no_others_are_read(tmp_path, before, zeros, sign):
    for size in (7, 10**18, 2**63 - 1, 2**63, 2**63 + 1, 10**19, 2**64, 2**64 + 7, 10**21):
        field = sign + "0" * zeros + str(size)
        lines = f"{before}{field}\n" * 2
        source = tu_files.Source(write(tmp_path / "SMALL", {"A": lines}), ["SMALL_A.txt"])
        if -(2**63) <= int(f"{sign}{size}") < 2**63:
            found = tu_tables.read_table(source, "A", "integer")
            assert found[:, -1].tolist() == [int(f"{sign}{size}")] * 2
            (source.path / "SMALL_A.txt").write_text(f"{lines}x\n")
            with pytest.raises(ValueError, match="line 3: expected "):
                tu_tables.read_table(source, "A", "integer")
        else:
            with pytest.raises(ValueError, match="line 1: -?[0-9]+ is too large an integer"):
                tu_tables.read_table(source, "A", "integer")


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("form", ["{}", "{}, 1\n2, 3", "1, {}", "1\n{}\n1234567890123456789"])
def test_integers_beyond_64_bits_are_found_without_numpy(form, sign):
    """Older NumPy reads them as floats."""
    for size in (0, 10**18, 9 * 10**18, 2**63 - 1, 2**63, 2**63 + 1, 10**19, 2**64 + 7, 10**30):
        number = f"{sign}{size}"
        right = -(2**63) <= int(number) < 2**63
        assert tu_tables._all_have_64_bits(form.format(number).encode()) == right, number


def test_a_graph_number_may_be_a_million_and_100_per_vertex_but_no_larger(tmp_path):
    files = {"A": "", "graph_indicator": "1000300\n1\n1\n"}
    graphs, y = datasets.read_tu(write(tmp_path / "SMALL", files))
    assert (len(graphs), graphs.n_nodes[0], graphs.n_nodes[-1], y) == (1_000_300, 2, 1, None)
    files["graph_indicator"] = "1\n1000301\n1\n"
    with pytest.raises(ValueError, match="line 2: graph 1000301 is too large .* for 3 vertices"):
        datasets.read_tu(write(tmp_path / "SMALL", files))


def test_files_of_a_data_set_without_graphs_have_one_column(tmp_path):
    files = dict.fromkeys(SMALL, "")
    graphs, y = datasets.read_tu(write(tmp_path / "SMALL", files))
    assert (len(graphs), y.shape, y.dtype) == (0, (0,), np.int64)
    assert graphs.node_attributes.shape == graphs.edge_attributes.shape == (0, 1)


def test_the_file_that_says_which_graph_a_vertex_is_of_cannot_be_ignored(tmp_path):
    folder = write(tmp_path / "SMALL", SMALL)
    with pytest.raises(ValueError, match="ignore must list some of node_labels, edge_labels, "):
        datasets.read_tu(folder, ignore=["graph_indicator"])


def test_files_that_do_not_fit_in_memory_are_refused(tmp_path, monkeypatch):
    folder = write(tmp_path / "SMALL", SMALL)
    monkeypatch.setattr("grafik.system.memory._SURELY_FREE", 0)
    monkeypatch.setattr("grafik.system.memory.available", lambda: 10.0)
    with pytest.raises(MemoryError, match=r"reading SMALL_graph_indicator.txt of .* takes 0.0 kB"):
        datasets.read_tu(folder)


def test_there_must_be_room_for_four_copies_of_a_file(tmp_path, monkeypatch):
    source = tu_files.Source(write(tmp_path / "SMALL", {"A": "1, 2\n" * 100}), ["SMALL_A.txt"])
    monkeypatch.setattr("grafik.system.memory._SURELY_FREE", 0)
    monkeypatch.setattr("grafik.system.memory.available", lambda: 1999.0)
    with pytest.raises(MemoryError, match=r"reading SMALL_A.txt of .* takes 2.0 kB, but only 2.0"):
        source.read("A")
    monkeypatch.setattr("grafik.system.memory.available", lambda: 2000.0)
    assert source.read("A") == b"1, 2\n" * 100


def test_labels_of_64_bits_are_written_and_no_others(tmp_path):
    bounds = [-(2**63), 2**63 - 1]
    graphs = Graphs([0, 2], [0, 1], [[0, 1]], node_labels=bounds, edge_labels=bounds[1:])
    datasets.write_tu(tmp_path / "X", graphs, [0])
    found, _ = datasets.read_tu(tmp_path / "X")
    assert list(found.node_labels) == bounds
    assert list(found.edge_labels) == bounds[1:]
    for label in (-(2**63) - 1, 2**63):
        beyond = Graphs([0, 2], [0, 0], [], node_labels=[0, label])
        with pytest.raises(ValueError, match=f"node_labels holds {label}: .* only integers"):
            datasets.write_tu(tmp_path / "Y", beyond, [0])
    assert np.array_equal([path.name for path in tmp_path.iterdir()], ["X"])


def test_edges_are_written_in_both_directions_one_after_the_other(tmp_path):
    graphs = Graphs([0, 2, 5], [0, 1, 3], [[0, 1], [0, 2], [1, 2]], edge_labels=[7, 8, 9])
    datasets.write_tu(tmp_path / "X", graphs)
    lines = (tmp_path / "X" / "X_A.txt").read_text().splitlines()
    assert lines == ["1, 2", "2, 1", "3, 5", "5, 3", "4, 5", "5, 4"]
    assert (tmp_path / "X" / "X_edge_labels.txt").read_text().split() == list("778899")
    assert datasets.read_tu(tmp_path / "X", on_invalid="raise")[0] == graphs


def test_labels_of_no_vertices_and_edges_are_written_and_read(tmp_path):
    none = Graphs([0, 0], [0, 0], [], node_labels=[], edge_labels=[])
    datasets.write_tu(tmp_path / "X", none, [0])
    with pytest.warns(UserWarning, match="have no vertices"):
        assert datasets.read_tu(tmp_path / "X")[0] == none


@pytest.mark.parametrize("n", [1, 2, 3])
def test_targets_in_a_table_of_one_column_are_refused(tmp_path, n):
    graphs = Graphs(np.arange(n + 1), np.zeros(n + 1, int), [])
    with pytest.raises(ValueError, match=rf"y must have shape .* c > 1, got \({n}, 1\)"):
        datasets.write_tu(tmp_path / "X", graphs, np.zeros((n, 1)))


def test_the_remedies_for_directions_that_differ_are_those_for_files(tmp_path):
    files = changed(edge_attributes="1\n2\n2\n2\n3\n3\n4\n4\n", edge_labels=None)
    folder = write(tmp_path / "SMALL", files)
    message = (
        r"line 2 has the attributes .*, or say how to fold them with read_tu\(path, fold=...\)"
    )
    with pytest.raises(ValueError, match=message):
        datasets.read_tu(folder)
    write(folder, {"edge_labels": "1\n2\n2\n2\n3\n3\n4\n4\n"})
    with pytest.raises(ValueError, match=r"line 2 has the label") as caught:
        datasets.read_tu(folder)
    first, ignored = "read_tu(path, fold='first')", "read_tu(path, ignore=['edge_labels'])"
    assert str(caught.value).endswith(
        f"keep the first with {first}, or leave labels out with {ignored}"
    )


def test_folders_on_the_way_are_made_and_may_be_there(tmp_path):
    graphs = Graphs([0, 2], [0, 1], [[0, 1]])
    for name in ("X", "Y"):
        datasets.write_tu(tmp_path / "a" / "b" / name, graphs, [0])
        assert datasets.read_tu(tmp_path / "a" / "b" / name)[0] == graphs
