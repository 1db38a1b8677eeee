import hashlib
import json
import os
import pickle
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from grafik import Graphs
from grafik.graphs.parquet import GraphFile, write_parquet
from strategies import full_batches

same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def full():
    return Graphs.from_edge_lists(
        [[(0, 1), (1, 2)], [], [(0, 1)]],
        [3, 0, 2],
        node_labels=[["a", 1, True], [], [None, (1, "b")]],
        edge_labels=[[1.5, "1"], [], [1]],
        node_attributes=[np.ones((3, 2)), np.ones((0, 2)), np.ones((2, 2))],
        edge_attributes=[[1, 2], [], [3]],
    )


@same_folder
@given(graphs=full_batches())
def test_round_trip_is_the_identity(tmp_path, graphs):
    graphs.to_parquet(tmp_path / "graphs.parquet")
    again = Graphs.from_parquet(tmp_path / "graphs.parquet")
    assert again == graphs
    for column in ("node_labels", "node_names", "ids"):
        kinds = [list(map(type, getattr(one, column) or [])) for one in (again, graphs)]
        assert kinds[0] == kinds[1]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_need_not_be_utf_8(tmp_path, full):
    path = tmp_path / os.fsdecode(b"graphs\xff.parquet")
    full.to_parquet(path, graphs_per_group=2)
    assert Graphs.from_parquet(path) == full
    assert [len(block) for block in Graphs.iter_parquet(path)] == [2, 1]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match="graphs\udcff.parquet is damaged or not a Parquet file"):
        Graphs.from_parquet(path)


@same_folder
@given(graphs=full_batches())
def test_slices_are_written_like_fresh_batches(tmp_path, graphs):
    graphs[1:].to_parquet(tmp_path / "part.parquet")
    assert Graphs.from_parquet(tmp_path / "part.parquet") == graphs[1:]


def test_values_that_do_not_occur_are_not_kept(tmp_path, full):
    full.to_parquet(tmp_path / "graphs.parquet")
    change(
        tmp_path / "graphs.parquet",
        node_labels=pa.array([["1", "1", "1"], [], ["1", "1"]], pa.list_(pa.string())).cast(
            pa.list_(pa.dictionary(pa.int32(), pa.string()))
        ),
    )
    assert Graphs.from_parquet(tmp_path / "graphs.parquet").node_labels.values == (1,)


@pytest.mark.parametrize("reading", ["atoms='typed'", None])
def test_how_molecules_were_read_is_kept(tmp_path, reading):
    path = tmp_path / "graphs.parquet"
    Graphs.from_edge_lists([[(0, 1)]], node_labels=[["C", "O"]]).to_parquet(path)
    plain = pq.read_schema(path).metadata[b"grafik.about"]
    Graphs([0, 2], [0, 1], [(0, 1)], reading=reading).to_parquet(path)
    assert Graphs.from_parquet(path).reading == reading
    # Graphs that are no molecules are written as before there were readings.
    assert (pq.read_schema(path).metadata[b"grafik.about"] == plain) == (reading is None)


def test_home_is_found(tmp_path, full, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    full.to_parquet("~/graphs.parquet")
    assert Graphs.from_parquet("~/graphs.parquet") == full


def test_many_row_groups(tmp_path, full):
    full.to_parquet(tmp_path / "graphs.parquet", graphs_per_group=2)
    assert pq.ParquetFile(tmp_path / "graphs.parquet").num_row_groups == 2
    assert Graphs.from_parquet(tmp_path / "graphs.parquet") == full


def test_other_programs_find_one_row_per_graph(tmp_path, full):
    full.to_parquet(tmp_path / "graphs.parquet")
    table = pq.read_table(tmp_path / "graphs.parquet")
    assert table.schema.metadata[b"grafik.schema_version"] == b"2"
    first = table.to_pylist()[0]
    assert (first["n_nodes"], first["u"], first["v"]) == (3, [0, 1], [1, 2])
    assert [json.loads(label) for label in first["node_labels"]] == ["a", 1, True]
    assert first["node_attributes"] == [[1.0, 1.0]] * 3


def test_other_programs_find_names_and_ids(tmp_path):
    graphs = Graphs.from_edge_lists(
        [[(1, 0)], []], [2, 1], node_names=[["a", 7], [None]], ids=["x", 1.5], directed=True
    )
    graphs.to_parquet(tmp_path / "graphs.parquet")
    table = pq.read_table(tmp_path / "graphs.parquet")
    assert table.column("id").to_pylist() == ['"x"', "1.5"]
    assert table.column("node_names").to_pylist() == [['"a"', "7"], ["null"]]
    assert json.loads(table.schema.metadata[b"grafik.about"])["directed"] is True


def test_blocks_that_mean_different_things_are_refused(tmp_path, full):
    named = Graphs.from_edge_lists(
        [[(0, 1)]], edge_attributes=[[1]], edge_attribute_names=["weight"]
    )
    other = Graphs.from_edge_lists([[(0, 1)]], edge_attributes=[[1]])
    with pytest.raises(ValueError, match='block 1 has .*null}, but block 0 has .*"weight"'):
        write_parquet(tmp_path / "graphs.parquet", [named, other])
    with pytest.raises(ValueError, match="block 1 has no id, but block 0 has id of "):
        write_parquet(tmp_path / "graphs.parquet", [other.with_ids([1]), other])
    assert not list(tmp_path.iterdir())


def change(path, **columns):
    """Replace or add columns of a file, or remove those given as None."""
    table = pq.read_table(path)
    for name, values in columns.items():
        if name in table.column_names:
            table = table.drop_columns(name)
        if values is not None:
            table = table.append_column(name, values)
    # The range of values is left out, as it is looked up for label numbers that do not exist.
    pq.write_table(table, path, write_statistics=False)


def label_numbers(numbers):
    """Return labels of vertices by their numbers; there are the numbers 0, 1 and 2."""
    words = pa.array(["1", "2", "3"])
    labels = pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), words, safe=False)
    return pa.LargeListArray.from_arrays(pa.array([0, 3, 3, 5]), labels)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"u": pa.array([[0, 7], [], [0]], pa.list_(pa.int32()))},
            "graph 0, edge 1 .*: .* vertex 7",
        ),
        (
            {
                "u": pa.array([[0, 0], [], [0]], pa.list_(pa.int32())),
                "v": pa.array([[1, 1], [], [1]], pa.list_(pa.int32())),
            },
            "listed more than once",
        ),
        ({"u": pa.array([[0, None], [], [0]], pa.list_(pa.int32()))}, "column u has nulls"),
        ({"node_labels": pa.array([["[" * 9999, "1", "1"], [], ["1", "1"]])}, "is not JSON"),
        ({"u": pa.array([[0], [], [0]], pa.list_(pa.int32()))}, "u and v have different lengths"),
        ({"u": pa.array([[0, 1], None, [0]], pa.list_(pa.int32()))}, "column u has nulls"),
        (
            {"u": pa.array([[0, 1], [], [0]], pa.list_(pa.int64()))},
            "u must hold lists of int32 .*not int64",
        ),
        ({"u": pa.array([1, 2, 3])}, "column u must hold lists .*not int64"),
        ({"u": None}, "there is no column u"),
        ({"edge_lab": pa.array([1, 2, 3])}, "there is a column 'edge_lab', which no batch has"),
        ({"n_nodes": None}, "there is no column n_nodes"),
        (
            {"n_nodes": pa.array([3, 0, None], pa.int32())},
            "column n_nodes must hold int32 without nulls",
        ),
        ({"n_nodes": pa.array(["3", "0", "2"])}, "column n_nodes must hold int32 .*not string"),
        ({"n_nodes": pa.array([3, 0, 1], pa.int32())}, "does not fit the number of vertices"),
        (
            {"n_nodes": pa.array([3, -5, 2], pa.int32())},
            "column n_nodes says that graph 1 has -5 vertices",
        ),
        ({"id": pa.array(["1", None, "2"])}, "column id has nulls"),
        ({"id": pa.array(["1", "{}", "2"])}, "column id, distinct label 1: labels must be"),
        (
            {"edge_attributes": pa.array([[["x"], ["y"]], [], [["z"]]])},
            "equally long lists of double",
        ),
        (
            {"edge_attributes": pa.array([[1.0, 2.0], [], [3.0]])},
            "edge_attributes must hold lists of equally long lists of double",
        ),
        (
            {"node_labels": label_numbers([0, 1, 2, 2, 3])},
            "Dictionary indices invalid: .* position 4 out of bounds",
        ),
        (
            {"node_labels": pa.array([["{", "1", "1"], [], ["1", "1"]])},
            "node_labels holds a label that is not JSON",
        ),
        ({"node_labels": pa.array([["{}", "1", "1"], [], ["1", "1"]])}, "labels must be strings"),
        ({"node_labels": pa.array([["NaN", "1", "1"], [], ["1", "1"]])}, "label must be finite"),
        (
            {"node_labels": pa.array([[1, 1, 1], [], [1, 1]])},
            "node_labels must hold lists of string .*not int64",
        ),
    ],
)
def test_everything_in_a_file_is_checked(tmp_path, full, columns, message):
    path = tmp_path / "graphs.parquet"
    full.to_parquet(path)
    change(path, **columns)
    with pytest.raises(ValueError, match=f"graphs.parquet is damaged: .*{message}"):
        Graphs.from_parquet(path)


def test_files_that_are_cut_or_flipped_are_refused_or_read_right(tmp_path, full):
    path = tmp_path / "graphs.parquet"
    full.to_parquet(path)
    data = path.read_bytes()
    for size in range(0, len(data), 97):
        path.write_bytes(data[:size])
        with pytest.raises(ValueError, match="graphs.parquet is damaged or not a Parquet file"):
            Graphs.from_parquet(path)
    wrong = 0
    for place in range(0, len(data), 29):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        try:
            wrong += Graphs.from_parquet(path) != full
        except ValueError as error:
            assert "graphs.parquet" in str(error)  # noqa: PT017
    assert wrong == 0


def test_another_file_of_the_same_name_is_refused(tmp_path, full):
    path = tmp_path / "graphs.parquet"
    full.to_parquet(path, graphs_per_group=1)
    sent = pickle.dumps(GraphFile(path))
    assert pickle.loads(sent)[2] == full[2:]
    full[::-1].to_parquet(path, graphs_per_group=1)
    with pytest.raises(ValueError, match=r"graphs.parquet on .* is not the file that was opened"):
        pickle.loads(sent)[2]
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"graphs.parquet on .*all workers .* must see it"):
        pickle.loads(sent)[2]


def test_a_file_is_known_by_its_size_and_its_description(tmp_path, full):
    path = tmp_path / "graphs.parquet"
    full.to_parquet(path)
    data = path.read_bytes()
    # Behind the description stand its length, in 4 bytes, and 4 letters.
    end = data[-pq.read_metadata(path).serialized_size - 8 :]
    assert GraphFile(path)._digest == f"{len(data)} {hashlib.sha256(end).hexdigest()}"


def test_foreign_and_newer_files_are_refused(tmp_path, full):
    path = tmp_path / "graphs.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(
        ValueError, match="holds no graphs: it was not written by Graphs.to_parquet"
    ):
        Graphs.from_parquet(path)
    pq.write_table(
        pa.table({"a": [1]}).replace_schema_metadata({"grafik.schema_version": "9"}), path
    )
    with pytest.raises(ValueError, match="schema version 9, this grafik reads 2; write the file"):
        Graphs.from_parquet(path)
    path.write_text("hello")
    with pytest.raises(ValueError, match="damaged or not a Parquet file"):
        Graphs.from_parquet(path)
    with pytest.raises(FileNotFoundError, match="there is no file .*absent.parquet"):
        Graphs.from_parquet(tmp_path / "absent.parquet")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, full, monkeypatch):
    path = tmp_path / "graphs.parquet"
    full.to_parquet(path)
    before = path.read_bytes()

    def fail(writer, table, **_):
        raise OSError("no space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", fail)
    with pytest.raises(OSError, match="no space left"):
        full[:1].to_parquet(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["graphs.parquet"]


def test_a_missing_folder_is_named(tmp_path, full):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        full.to_parquet(tmp_path / "nowhere" / "graphs.parquet")


def test_written_files_have_ordinary_permissions(tmp_path, full):
    (tmp_path / "plain").touch()
    full.to_parquet(tmp_path / "graphs.parquet")
    modes = [(tmp_path / name).stat().st_mode for name in ("plain", "graphs.parquet")]
    assert modes[0] == modes[1]


def forged(path, n_nodes):
    """Write a small file that stands for very many vertices or graphs."""
    Graphs([0], [0], []).to_parquet(path)
    empty = pq.read_table(path)
    none = pa.LargeListArray.from_arrays(
        np.zeros(len(n_nodes) + 1, np.int64), pa.array([], pa.int32())
    )
    columns = {"n_nodes": pa.array(n_nodes, pa.int32()), "u": none, "v": none}
    pq.write_table(pa.table(columns).replace_schema_metadata(empty.schema.metadata), path)


def test_small_files_that_need_much_memory_are_refused_by_name(tmp_path, monkeypatch):
    path = tmp_path / "large.parquet"
    forged(path, [2**31 - 1])
    monkeypatch.setattr("grafik.system.memory.available", lambda: 2e7)
    with pytest.raises(
        MemoryError, match="large.parquet: a batch of 1 graph, 2147483647 vertices .* 34.4 GB"
    ):
        Graphs.from_parquet(path)
    forged(path, np.zeros(300_000, np.int32))
    with pytest.raises(
        MemoryError, match="large.parquet: reading 300000 graphs takes .*iter_parquet"
    ):
        Graphs.from_parquet(path)
    with pytest.raises(MemoryError, match="large.parquet: reading 300000 graphs takes"):
        next(iter(Graphs.iter_parquet(path, 10)))


def test_for_reading_each_graph_takes_150_bytes_and_each_byte_is_there_three_times(
    tmp_path, monkeypatch
):
    path = tmp_path / "graphs.parquet"
    n = 100_000
    Graphs(np.zeros(n + 1, int), np.zeros(n + 1, int), []).to_parquet(path, graphs_per_group=n)
    needed = 150 * n + 3 * pq.read_metadata(path).row_group(0).total_byte_size
    monkeypatch.setattr("grafik.system.memory.available", lambda: needed)
    assert len(Graphs.from_parquet(path)) == n
    monkeypatch.setattr("grafik.system.memory.available", lambda: needed - 1)
    with pytest.raises(MemoryError, match="graphs.parquet: reading 100000 graphs takes 15.0 MB"):
        Graphs.from_parquet(path)
