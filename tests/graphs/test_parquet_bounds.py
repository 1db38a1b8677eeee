"""Blocks and descriptions of Parquet files at their bounds."""

import pytest

from grafik import Graphs
from grafik.graphs import parquet
from grafik.graphs.parquet import GraphFile, write_parquet


@pytest.fixture
def path(tmp_path):
    """Return a file of seven graphs in two row groups."""
    path = tmp_path / "graphs.parquet"
    Graphs.from_edge_lists([[(0, 1)]] * 7).to_parquet(path, graphs_per_group=5)
    return path


def test_blocks_end_with_their_row_group(path):
    assert GraphFile(path, 4).lengths == [4, 1, 2]
    assert GraphFile(path, 3).lengths == [3, 2, 2]


def test_a_file_without_row_groups_has_no_graphs(tmp_path):
    write_parquet(tmp_path / "none", [])
    found = GraphFile(tmp_path / "none")
    assert (found.n_graphs, len(found), found.lengths, list(found)) == (0, 0, [], [])


def test_a_list_of_blocks_is_compared_with_the_free_memory(path, monkeypatch):
    asked = []
    monkeypatch.setattr(parquet, "refuse_what_does_not_fit", lambda n, *_: asked.append(n))
    assert len(GraphFile(path, 1).lengths) == 7
    assert asked == [280.0]


def test_a_file_has_one_description(path):
    assert path.read_bytes().count(b"PAR1") == 2
    assert path.read_bytes().count(b"grafik description") == 1
