"""Graphs streamed to and from Parquet files, in flat memory."""

import pickle
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forked import Forked
from grafik import Graphs, datasets
from grafik.graphs.parquet import GraphFile, write_parquet
from strategies import batches

same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@same_folder
@given(
    graphs=batches,
    per_group=st.integers(1, 4),
    per_block=st.one_of(st.none(), st.integers(1, 4)),
)
def test_the_blocks_of_a_file_are_its_graphs_in_order(tmp_path, graphs, per_group, per_block):
    path = tmp_path / "graphs.parquet"
    graphs.to_parquet(path, graphs_per_group=per_group)
    blocks = GraphFile(path, per_block)
    assert blocks.n_graphs == len(graphs)
    assert len(blocks) == len(list(blocks))
    assert all(0 < len(block) <= min(per_group, per_block or per_group) for block in blocks)
    assert [blocks[i] for i in range(len(blocks))] == list(blocks) == blocks[:]
    assert Graphs.concat(blocks) == graphs or len(graphs) == 0
    assert Graphs.from_parquet(path) == graphs


def test_by_default_a_block_has_at_most_65536_graphs(tmp_path):
    nothing = np.zeros(2**16 + 2, int)
    Graphs(nothing, nothing, []).to_parquet(tmp_path / "graphs.parquet")
    assert GraphFile(tmp_path / "graphs.parquet").lengths == [65_536, 1]


def test_row_groups_without_graphs_are_passed_over(tmp_path):
    graphs, _ = datasets.csl(copies=1)
    write_parquet(tmp_path / "graphs.parquet", [graphs[:0], graphs[:4], graphs[:0], graphs[4:]])
    assert pq.read_metadata(tmp_path / "graphs.parquet").num_row_groups == 4
    blocks = GraphFile(tmp_path / "graphs.parquet")
    assert blocks.lengths == [4, 6]
    assert list(blocks) == blocks[:] == [graphs[:4], graphs[4:]]


@same_folder
@given(several=st.lists(batches.filter(len), min_size=1, max_size=3))
def test_what_is_streamed_into_a_file_is_what_was_joined(tmp_path, several):
    path = tmp_path / "graphs.parquet"
    columns = [[getattr(b, n) is None for n in COLUMNS] for b in several]
    widths = [[np.shape(getattr(b, n))[1:] for n in COLUMNS[2:]] for b in several]
    if columns.count(columns[0]) < len(columns) or widths.count(widths[0]) < len(widths):
        with pytest.raises(ValueError, match="block .* has .*give all blocks the same columns"):
            write_parquet(path, several)
        return
    assert write_parquet(path, iter(several)) == sum(map(len, several))
    assert Graphs.from_parquet(path) == Graphs.concat(several)
    assert [len(block) for block in Graphs.iter_parquet(path)] == [len(b) for b in several]


COLUMNS = ("node_labels", "edge_labels", "node_attributes", "edge_attributes")


def test_a_stream_that_breaks_off_leaves_the_old_file_and_nothing_else(tmp_path):
    graphs, _ = datasets.csl(copies=1)
    graphs.to_parquet(tmp_path / "graphs.parquet")

    def broken():
        yield graphs[:3]
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        write_parquet(tmp_path / "graphs.parquet", broken())
    assert Graphs.from_parquet(tmp_path / "graphs.parquet") == graphs
    assert [path.name for path in tmp_path.iterdir()] == ["graphs.parquet"]


def test_mistakes_are_named(tmp_path):
    graphs, _ = datasets.csl(copies=1)
    path = tmp_path / "graphs.parquet"
    with pytest.raises(TypeError, match="block 1 must be Graphs, got list"):
        write_parquet(path, [graphs, [graphs]])
    assert write_parquet(path, []) == 0
    assert len(Graphs.from_parquet(path)) == len(GraphFile(path)) == 0
    with pytest.raises(ValueError, match="graphs_per_group must be an integer of at least 1"):
        graphs.to_parquet(path, graphs_per_group=0)
    with pytest.raises(ValueError, match="graphs_per_block must be an integer of at least 1"):
        GraphFile(path, 0)
    with pytest.raises(FileNotFoundError, match="there is no file .*nowhere.parquet"):
        Graphs.iter_parquet(tmp_path / "nowhere.parquet")
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
    with pytest.raises(ValueError, match="graphs.parquet holds no graphs"):
        GraphFile(path)


def test_damage_is_found_in_its_block_and_the_others_can_be_read(tmp_path):
    graphs, _ = datasets.random_graphs(40, 12, 0.3, n_labels=3, random_state=0)
    path = tmp_path / "graphs.parquet"
    graphs.to_parquet(path, graphs_per_group=20)
    group = pq.ParquetFile(path).metadata.row_group(1).column(1)
    damaged = bytearray(path.read_bytes())
    start = group.dictionary_page_offset or group.data_page_offset
    damaged[start + group.total_compressed_size - 3] ^= 1
    path.write_bytes(damaged)
    blocks = GraphFile(path)
    assert blocks[0] == graphs[:20]
    with pytest.raises(ValueError, match="graphs.parquet is damaged"):
        blocks[1]
    with pytest.raises(ValueError, match="graphs.parquet is damaged"):
        list(blocks)


def test_a_list_of_blocks_can_be_sent_to_another_process(tmp_path):
    datasets.csl(copies=1)[0].to_parquet(tmp_path / "graphs.parquet")
    blocks = GraphFile(tmp_path / "graphs.parquet", 3)
    assert list(pickle.loads(pickle.dumps(blocks))) == list(blocks)


_STREAMED = """
import resource, sys
from grafik import Graphs, datasets
from grafik.graphs.parquet import write_parquet
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
def blocks(n):
    graphs, _ = datasets.random_graphs(2000, 20, 0.1, n_labels=5, random_state=0)
    for _ in range(n):
        yield graphs[::-1]
def through(n):
    write_parquet(sys.argv[1], blocks(n))
    return sum(len(block.edges) for block in Graphs.iter_parquet(sys.argv[1]))
few = through(5)
before = peak()
many = through(60)
print(many // few, peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="kilobytes as on Linux")
def test_twelve_times_the_graphs_take_no_more_memory(tmp_path):
    stdout, stderr = Forked(_STREAMED, tmp_path / "graphs.parquet").communicate()
    assert stderr == ""
    factor, growth = map(int, stdout.split())
    assert factor == 12
    # All 120,000 graphs at once take more than 50 MB as arrays alone.
    assert growth < 25e6
