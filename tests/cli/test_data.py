"""What an argument of the command line names: graphs, their classes, and one of them."""

import pytest

from grafik import Graphs
from grafik.cli import data

GRAPHS = Graphs.from_edge_lists([[(0, 1)]] * 14)


def test_a_file_of_classes_has_a_line_for_each_graph(tmp_path):
    GRAPHS[:2].to_parquet(tmp_path / "two.parquet")
    labels = tmp_path / "classes.txt"
    labels.write_text("a\nb\n")
    graphs, y = data.load(str(tmp_path / "two.parquet"), labels)
    assert (graphs, y.tolist()) == (GRAPHS[:2], ["a", "b"])
    labels.write_text("a\nb\nc\n")
    with pytest.raises(ValueError, match="a line for each of 2 graphs of .*two.parquet, got 3"):
        data.load(str(tmp_path / "two.parquet"), labels)


def test_graphs_of_one_id_are_told_by_their_numbers():
    named = GRAPHS.with_ids(["a", *["b"] * 13])
    assert data.find_graph("a", named, "mols.csv") == 0
    assert data.find_graph("13", named, "mols.csv") == 13
    few, many = named[:3], named
    with pytest.raises(ValueError, match=r"2 graphs of mols.csv have the id 'b'; .* one: 1, 2$"):
        data.find_graph("b", few, "mols.csv")
    with pytest.raises(ValueError, match=r"^13 graphs .* one: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...$"):
        data.find_graph("b", many, "mols.csv")


def test_names_of_tu_data_sets_are_fetched_if_they_are_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAFIK_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("grafik.datasets.fetch_tu", lambda name: (GRAPHS, [name]))
    assert data.load("MUTAG") == (GRAPHS, ["MUTAG"])
