"""The description at the end of a Parquet file: damaged, forged, or of another program."""

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzzing.compact import joined, split
from grafik import Graphs
from grafik.graphs.parquet import GraphFile

SEAL = len(b"grafik description sha256") + 32


def field(structure, number):
    """Return a field of a structure of a description: its number, its kind and its value."""
    return next(one for one in structure if one[0] == number)


def rewritten(path, change, sealed=False):
    """Change a description; without a seal, as other programs write none."""
    pages, description = split(path.read_bytes())
    change(description)
    path.write_bytes(joined(pages if sealed else pages[:-SEAL], description))


def promise(n_graphs, groups):
    """Return a change of how many graphs a description promises."""

    def change(description):
        field(description, 3)[2] = n_graphs
        for group, size in zip(field(description, 4)[2]["items"], groups, strict=True):
            field(group, 3)[2] = size

    return change


@pytest.fixture
def path(tmp_path):
    """Return a file of seven graphs in two row groups."""
    path = tmp_path / "graphs.parquet"
    Graphs.from_edge_lists([[(0, 1)]] * 7).to_parquet(path, graphs_per_group=5)
    return path


@pytest.mark.parametrize("what", ["graphs", "columns"])
def test_a_description_that_is_not_the_written_one_is_refused(path, what):
    def swap(description):
        columns = field(field(description, 4)[2]["items"][0], 1)[2]["items"]
        for number in (9, 11):  # where the pages of a column begin
            u, v = (field(field(columns[i], 3)[2], number) for i in (1, 2))
            u[2], v[2] = v[2], u[2]

    rewritten(path, promise(4, [2, 2]) if what == "graphs" else swap, sealed=True)
    for read in (GraphFile, Graphs.from_parquet, lambda path: list(Graphs.iter_parquet(path))):
        with pytest.raises(ValueError, match="graphs.parquet is damaged: the description at its"):
            read(path)


def test_files_that_other_programs_have_written_again_are_read(path):
    pq.write_table(pq.read_table(path).slice(1, 5), path)
    assert Graphs.from_parquet(path) == Graphs.from_edge_lists([[(0, 1)]] * 5)
    assert b"grafik description" not in path.read_bytes()


@pytest.mark.parametrize("kind", [pa.large_string(), pa.string_view()], ids=str)
def test_labels_of_programs_that_have_other_strings_are_read(tmp_path, kind):
    graphs = Graphs.from_edge_lists([[(0, 1)]] * 2, node_labels=[["a", 1], ["a", "b"]])
    path = tmp_path / "graphs.parquet"
    graphs.to_parquet(path)
    table = pq.read_table(path)
    labels = table["node_labels"].combine_chunks()
    words = pa.array(labels.flatten().to_pylist(), kind)
    large = pa.LargeListArray.from_arrays(labels.offsets, words)
    place = table.column_names.index("node_labels")
    try:
        pq.write_table(table.set_column(place, "node_labels", large), path)
    except pa.ArrowNotImplementedError:
        pytest.skip(f"pyarrow {pa.__version__} does not write {kind}")
    assert pq.read_schema(path).field("node_labels").type.value_type == kind
    assert Graphs.from_parquet(path) == graphs


def test_a_row_group_that_says_it_is_empty_is_seen(path):
    rewritten(path, promise(7, [5, 0]))
    with pytest.raises(ValueError, match=r"it has 7 graphs, but its row groups have 5 \+ 0"):
        Graphs.from_parquet(path)


@pytest.mark.parametrize("promised", [[4, 2], [6, 2], [2, 2]])
def test_a_description_that_promises_fewer_or_more_graphs_is_seen(path, promised):
    rewritten(path, promise(sum(promised), promised))
    blocks = GraphFile(path)
    message = f"graphs.parquet, row group 0 is damaged: it has 5 graphs where .* {promised[0]}$"
    for read in (blocks.all, lambda: blocks[0], lambda: list(blocks)):
        with pytest.raises(ValueError, match=message):
            read()
    assert len(blocks[1]) == 2


@pytest.mark.parametrize("size", [-1, -4])
def test_a_row_group_of_fewer_than_no_graphs_is_seen(path, size):
    rewritten(path, promise(5 + size, [5, size]))
    message = rf"it has {5 + size} graphs, but its row groups have 5 \+ {size}"
    with pytest.raises(ValueError, match=message):
        GraphFile(path, graphs_per_block=3)


def test_more_blocks_than_there_is_memory_for_can_be_promised(path):
    rewritten(path, promise(2**60, [2**59, 2**59]))
    blocks = GraphFile(path, graphs_per_block=1)
    assert len(blocks) == 2**60
    for read in (lambda: next(iter(blocks)), lambda: blocks[2**60 - 1], lambda: blocks.lengths):
        with pytest.raises(MemoryError, match=r"graphs.parquet: .* only .* of memory are free"):
            read()


def test_a_page_that_takes_more_memory_than_there_is_names_the_file(path, monkeypatch):
    def no_memory(*_):
        raise pa.ArrowMemoryError("malloc of size 800000064 failed")

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", no_memory)
    with pytest.raises(MemoryError, match=r"graphs.parquet: reading .* \(malloc .*\); is it damag"):
        Graphs.from_parquet(path)


def test_a_column_that_says_it_has_more_values_than_there_are_is_seen(path):
    def change(description):
        promise(8, [5, 3])(description)
        columns = field(field(description, 4)[2]["items"][1], 1)[2]["items"]
        field(field(columns[0], 3)[2], 5)[2] = 3

    rewritten(path, change)
    with pytest.raises(ValueError, match="row group 1 is damaged: it has 2 graphs where .* 3$"):
        Graphs.from_parquet(path)


def test_descriptions_that_say_things_twice_or_nest_deeply_are_damaged(tmp_path):
    path = tmp_path / "some.parquet"
    Graphs.from_edge_lists([[(0, 1)]]).to_parquet(path)
    table = pq.read_table(path)
    names = [*table.column_names, "n_nodes"]
    twice = pa.table([*table.columns, table["n_nodes"]], names=names)
    pq.write_table(twice.replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(ValueError, match="some.parquet is damaged: there are several columns 'n_n"):
        Graphs.from_parquet(path)
    nested = {**table.schema.metadata, b"grafik.about": b"[" * 5000}
    pq.write_table(table.replace_schema_metadata(nested), path)
    with pytest.raises(ValueError, match="some.parquet is damaged: the schema does not say"):
        Graphs.from_parquet(path)


@pytest.mark.parametrize(("groups", "said"), [(9, " + ".join("1" * 9)), (10, "10")])
def test_the_sizes_of_few_row_groups_are_told(tmp_path, groups, said):
    path = tmp_path / "graphs.parquet"
    Graphs.from_edge_lists([[(0, 1)]] * groups).to_parquet(path, graphs_per_group=1)
    rewritten(path, promise(11, [1] * groups))
    message = f"has 11 graphs, but its row groups have {re.escape(said)}$"
    with pytest.raises(ValueError, match=message):
        GraphFile(path)
