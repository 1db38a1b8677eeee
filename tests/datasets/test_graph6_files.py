"""Graphs from graph6 files: the same as networkx reads, and damage is named."""

import gzip

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grafik import Graphs, as_graphs
from grafik.datasets import brec, graph6_files, read_graph6, within_memory
from strategies import raw_batches

PAIRS = "regular\tE{Sw\tEFz_\nbasic\tCh\tC~\n"


def graph6(graph):
    """A line of the format, by networkx."""
    return nx.to_graph6_bytes(graph, header=False).decode().strip()


def as_networkx(raw):
    graph = nx.empty_graph(raw.n)
    graph.add_edges_from((int(u), int(v)) for u, v in raw.edges if u != v)
    return graph


@given(raw_batches(max_nodes=20).filter(len), st.sampled_from(["\n", "\r\n"]))
def test_graphs_that_networkx_writes_are_read(tmp_path_factory, raws, end):
    graphs = [as_networkx(raw) for raw in raws]
    path = tmp_path_factory.mktemp("g6") / "graphs.g6"
    path.write_bytes("".join(graph6(graph) + end for graph in graphs).encode())
    expected = [sorted(map(tuple, map(sorted, graph.edges))) for graph in graphs]
    found = read_graph6(path)
    assert found.n_nodes.tolist() == list(map(len, graphs))
    assert [list(map(tuple, one.edges.tolist())) for one in found] == expected


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 61, 62, 63, 64, 65, 200])
def test_all_sizes_around_the_borders(n, tmp_path, monkeypatch):
    monkeypatch.setattr(graph6_files, "_BLOCK", 7)  # so that lines are unpacked in several parts
    for graph in (nx.complete_graph(n), nx.empty_graph(n), nx.path_graph(n)):
        (tmp_path / "one.g6").write_text(graph6(graph))
        found = read_graph6(tmp_path / "one.g6")
        assert found == Graphs.from_edge_lists([list(graph.edges)], [n])


def test_numbers_of_vertices_in_longer_forms(tmp_path):
    (tmp_path / "one.g6").write_text("Bw\n~??Bw\n~~?????Bw\n")
    assert read_graph6(tmp_path / "one.g6") == Graphs.from_edge_lists(
        3 * [[(0, 1), (0, 2), (1, 2)]]
    )


def test_spellings_of_the_file(tmp_path):
    expected = Graphs.from_edge_lists([[(0, 1), (0, 2), (1, 2)], [(0, 1), (1, 2), (2, 3)]])
    for name, data in {
        "a.g6": b"Bw\nCh\n",
        "b.g6": b"Bw\r\nCh",
        "c.g6": b">>graph6<<Bw\nCh\n",
        "d.g6": b">>graph6<<\nBw\n>>graph6<<Ch\n\n\n",
        "e.g6": b"\xef\xbb\xbfBw\nCh\n",
        "f.g6.gz": gzip.compress(b"Bw\nCh\n"),
    }.items():
        (tmp_path / name).write_bytes(data)
        assert read_graph6(tmp_path / name) == expected, name


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "line 2: must hold a graph in graph6 format, is empty"),
        ("C", r"line 2: a graph of 4 vertices takes 2 letters, got 1 in 'C'"),
        ("Chh", "line 2: a graph of 4 vertices takes 2 letters, got 3 in 'Chh'"),
        ("?w", "line 2: a graph of 0 vertices takes 1 letters, got 2"),
        ("C h", "line 2: graph6 has the letters '\\?' to '~' only, but letter 2 is ' '"),
        ("C\x7f", r"line 2: graph6 has the letters .* but letter 2 is '\\x7f'"),
        ("Cä", "line 2: graph6 has the letters .* but letter 2 is 'ä'"),
        ("Bx", "line 2: the bits behind the last pair of vertices must be 0, but the last .* 'x'"),
        ("A?", None),
        ("A`", "line 2: the bits behind the last pair of vertices must be 0"),
        ("~", "line 2: the number of vertices takes 4 letters, but '~' ends within"),
        ("~??", "line 2: the number of vertices takes 4 letters"),
        ("~~?????", "line 2: the number of vertices takes 8 letters"),
        ("~~~~~~~~", "line 2: a graph of 68719476735 vertices takes .* letters, got 8"),
        ("~}~~", "line 2: a graph of 258047 vertices takes 5548999685 letters, got 4"),
        (":Fa@x^", "line 2: ':Fa@x\\^' is in sparse6 format, not in graph6; convert it"),
        ("&AO", "line 2: '&AO' is in digraph6 format"),
        (">>sparse6<<:Fa@x^", "line 2: .* is in sparse6 format"),
        ("C" + 100 * "h", "line 2: .* got 101 in 'Chhh.*hhh\\.\\.\\.'"),
    ],
)
def test_damaged_lines_are_named(line, message, tmp_path):
    path = tmp_path / "some.g6"
    path.write_text(f"Bw\n{line}\nBw\n", encoding="utf-8")
    if message is None:
        assert len(read_graph6(path)) == 3
        return
    with pytest.raises(
        ValueError, match=f"^some.g6, {message}" if "line 2" in message else message
    ):
        read_graph6(path)


@pytest.mark.parametrize("byte", [b"\x80", b"\xc3", b"\xff"])
def test_a_byte_that_is_not_ascii_is_damage(byte, tmp_path):
    path = tmp_path / "some.g6"
    path.write_bytes(b"Bw\nC" + byte + b"\nBw\n")
    said = r"^some.g6, line 2: not UTF-8 text \(.*\); graph6 is ASCII, so the file is damaged; "
    with pytest.raises(ValueError, match=said):
        read_graph6(path)
    path.write_bytes(b"basic\tCh\tC" + byte)
    said = r"^some.g6, line 1: .*; save the file as UTF-8, unless the byte is in a graph: graph6 is"
    with pytest.raises(ValueError, match=said):
        brec(path)


@given(st.text(st.characters(codec="utf-8"), max_size=12))
def test_whatever_a_line_holds_is_read_as_networkx_does_or_refused(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("g6") / "graphs.g6"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        found = read_graph6(path)
    except ValueError as error:
        assert str(error).startswith("graphs.g6")  # noqa: PT017
        return
    lines = [line.removeprefix(">>graph6<<") for line in text.replace("\r", "\n").split("\n")]
    expected = [nx.from_graph6_bytes(line.encode()) for line in lines if line]
    assert found == Graphs.from_edge_lists(
        [list(graph.edges) for graph in expected], [len(graph) for graph in expected]
    )


def test_files_without_graphs_and_long_lines_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "some.g6"
    for text in ("", "\n\n", ">>graph6<<\n"):
        path.write_text(text)
        with pytest.raises(ValueError, match="some.g6 has no graphs"):
            read_graph6(path)
    path.write_text("Bw\n" + graph6(nx.path_graph(100)))
    with pytest.raises(ValueError, match="holds more than 100 bytes; if that is right, raise"):
        read_graph6(path, max_bytes=100)
    monkeypatch.setattr(graph6_files, "_LONGEST", 100)
    with pytest.raises(ValueError, match="some.g6, line 2: longer than 100 letters"):
        read_graph6(path)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read_graph6(tmp_path / "none.g6")


def test_more_graphs_than_memory_has_room_for_are_refused_on_the_way(tmp_path, monkeypatch):
    path = tmp_path / "many.g6"
    path.write_text("?\n" * 60_000 + "not graph6")
    monkeypatch.setattr(within_memory, "_STEP", 10**6)
    monkeypatch.setattr("grafik.system.memory.available", lambda: 1.5e7)
    message = rf"first 5\d{{4}} graphs of {path} takes 15.* MB, but only 15.0 MB .*; split the file"
    with pytest.raises(MemoryError, match=message):
        read_graph6(path)
    monkeypatch.setattr("grafik.system.memory.available", lambda: 1e9)
    with pytest.raises(ValueError, match="many.g6, line 60001: graph6 has the letters"):
        read_graph6(path)


def test_more_pairs_than_memory_has_room_for_are_refused_on_the_way(tmp_path, monkeypatch):
    path = tmp_path / "pairs.tsv"
    path.write_text("empty\t?\t?\n" * 30_000 + "not a pair")
    monkeypatch.setattr(within_memory, "_STEP", 10**6)
    monkeypatch.setattr("grafik.system.memory.available", lambda: 1.5e7)
    with pytest.raises(MemoryError, match=rf"first 5\d{{4}} graphs of {path} takes 15.* MB, but"):
        brec(path)


def test_a_graph_with_more_edges_than_memory_has_room_for_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "dense.g6"
    path.write_text("Bw\n" + graph6(nx.complete_graph(600)))
    monkeypatch.setattr("grafik.system.memory.available", lambda: 1.1e7)
    message = "dense.g6, line 2, which has 600 vertices, takes 11.5 MB, but only .*; leave it out"
    with pytest.raises(MemoryError, match=message):
        read_graph6(path)


def test_pairs_come_side_by_side_with_their_categories(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(PAIRS.replace("\n", "\r\n").encode())
    graphs, categories = brec(path)
    assert graphs == as_graphs([nx.from_graph6_bytes(g) for g in (b"E{Sw", b"EFz_", b"Ch", b"C~")])
    assert categories.tolist() == ["regular", "basic"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("basic\tCh", "must hold a category and two graphs in graph6 format, .* got 'basic.tCh'"),
        ("basic\tCh\tCh\tCh", "must hold a category and two graphs"),
        ("\tCh\tCh", "must hold a category and two graphs"),
        ("basic\t\tCh", "must hold a category and two graphs"),
        ("", "must hold a category and two graphs"),
        ("basic\tCh\tCi h", "graph6 has the letters .* but letter 3 is ' '"),
        ("basic\tC\tCh", "a graph of 4 vertices takes 2 letters, got 1"),
        ("basic\0\tCh\tCh", "holds a NUL; the file is damaged"),
    ],
)
def test_damaged_pairs_are_named(line, message, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(f"{PAIRS}{line}\n{PAIRS}")
    with pytest.raises(ValueError, match=f"^pairs.tsv, line 3: {message}"):
        brec(path)
    path.write_text("")
    with pytest.raises(ValueError, match="pairs.tsv has no pairs"):
        brec(path)


def test_brec_is_the_benchmark(data):
    path = data / "BREC" / "pairs.tsv"
    if not path.exists():
        pytest.skip("BREC is not there")
    graphs, categories = brec(path)
    names, counts = np.unique(categories, return_counts=True)
    assert dict(zip(names.tolist(), counts.tolist(), strict=True)) == {
        "4-vertex-condition": 20,
        "basic": 60,
        "cfi": 100,
        "distance-regular": 20,
        "extension": 100,
        "regular": 50,
        "strongly-regular": 50,
    }
    lines = [line.split("\t") for line in path.read_text().splitlines()[::37]]
    expected = as_graphs([nx.from_graph6_bytes(g.encode()) for _, *both in lines for g in both])
    assert Graphs.concat([graphs[2 * i : 2 * i + 2] for i in range(0, 400, 37)]) == expected
