"""The commands that make indexes and search them."""

import csv
import json

import numpy as np
import pytest

from command_line import grafik
from grafik import FiltrationKernel, GraphIndex, Graphs, datasets, load
from grafik.features import WeisfeilerLehman


@pytest.fixture
def batch(tmp_path):
    graphs, _ = datasets.random_graphs(40, n_nodes=(4, 12), density=0.3, n_labels=3)
    named = graphs.with_ids([f"g{i}" for i in range(40)])
    named.to_parquet(tmp_path / "all.parquet")
    graphs[5:8].to_parquet(tmp_path / "some.parquet")
    return named


def kernel(**options):
    return FiltrationKernel(WeisfeilerLehman(3), normalize=True, **options)


def test_an_index_is_made_and_searched(batch, tmp_path):
    out = tmp_path / "all.index"
    options = "--weight", "walks", "--mass", "min"
    run = grafik("index", tmp_path / "all.parquet", "--out", out, *options)
    assert (run.stdout, run.stderr) == (f"the index of 40 graphs is in {out}\n", "")
    assert type(load(out)) is GraphIndex
    expected = GraphIndex(kernel(weight="walks", mass="min")).add(batch).search(batch[5:8], top=4)
    options = "--top", 4
    told = json.loads(grafik("search", out, tmp_path / "some.parquet", *options, "--json").stdout)
    assert told["n_graphs"] == 40
    for i, answer in enumerate(told["queries"]):
        assert (answer["query"], answer["id"]) == (i, None)
        assert [hit["graph"] for hit in answer["found"]] == expected.graphs[i].tolist()
        assert [hit["id"] for hit in answer["found"]] == expected.ids[i].tolist()
        assert [hit["similarity"] for hit in answer["found"]] == expected.similarities[i].tolist()
    table = tmp_path / "found.csv"
    run = grafik("search", out, tmp_path / "all.parquet", *options, "--out", table)
    assert run.stdout == f"160 similar graphs are in {table}\n"
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["query", "query_id", "rank", "graph", "id", "similarity"]
    assert [row["query_id"] for row in rows[::4]] == [f"g{i}" for i in range(40)]
    assert rows[5 * 4]["id"] == expected.ids[0, 0]
    assert [float(row["similarity"]) for row in rows[20:24]] == expected.similarities[0].tolist()


def test_of_an_index_it_is_told_where_it_is(tmp_path):
    Graphs.from_edge_lists([[(0, 1)]] * 3).to_parquet(tmp_path / "few.parquet")
    command = ("index", tmp_path / "few.parquet", "--depth", 0, "--out", tmp_path / "few.index")
    told = {"index": str(tmp_path / "few.index"), "n_graphs": 3}
    assert json.loads(grafik(*command, "--json").stdout) == told
    assert grafik(*command, "--quiet").stdout == ""


def test_a_graph_of_the_data_is_searched_by_its_number(batch, tmp_path):
    expected = GraphIndex(kernel()).add(batch).search(batch[17], top=3)
    run = grafik("search", tmp_path / "all.parquet", 17, "--top", 3)
    assert run.returncode == 0, run.stderr
    rows = [line.split("│")[1:-1] for line in run.stdout.splitlines() if line.startswith("│")]
    cells = [[cell.strip() for cell in row] for row in rows]
    assert [row[:4] for row in cells] == [
        ["17", "g17", f"{rank + 1}", f"{graph}"]
        for rank, graph in enumerate(expected.graphs[0].tolist())
    ]
    assert [row[5] for row in cells] == [f"{value:.4f}" for value in expected.similarities[0]]


def test_only_graphs_that_are_similar_enough_are_listed(batch, tmp_path):
    row = kernel().fit(batch).transform(batch[17])[0]
    least = float(np.sort(row)[-6])
    search = "search", tmp_path / "all.parquet", 17, "--top", 40, "--min-similarity", least
    told = json.loads(grafik(*search, "--json").stdout)
    found = [hit["graph"] for hit in told["queries"][0]["found"]]
    assert sorted(found) == np.flatnonzero(row >= least).tolist()
    others, _ = datasets.random_graphs(9, n_nodes=(13, 15), density=0.3, n_labels=3, random_state=1)
    others.to_parquet(tmp_path / "others.parquet")
    grafik("index", tmp_path / "others.parquet", "--out", tmp_path / "o.index")
    none = "search", tmp_path / "o.index", tmp_path / "some.parquet", "--min-similarity", 0.999
    run = grafik(*none)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "no graph is so similar\n")
    told = json.loads(grafik(*none, "--json").stdout)
    assert [answer["found"] for answer in told["queries"]] == [[], [], []]
    assert grafik(*none, "--out", tmp_path / "none.csv", "--quiet").stdout == ""
    assert (tmp_path / "none.csv").read_text() == "query,query_id,rank,graph,id,similarity\n"


def test_molecules_are_searched_by_smiles(tmp_path):
    (tmp_path / "mols.csv").write_text("name,S\nethanol,CCO\nbenzene,c1ccccc1\nphenol,Oc1ccccc1\n")
    table = tmp_path / "mols.csv", "--smiles", "S", "--id", "name"
    assert grafik("index", *table, "--out", tmp_path / "m.index", "--quiet").stdout == ""
    run = grafik("search", tmp_path / "m.index", "smiles:OCC", "--json", "--top", 1)
    hit = json.loads(run.stdout)["queries"][0]["found"][0]
    assert hit == {"graph": 0, "id": "ethanol", "similarity": 1.0}
    # Columns are those of whichever is a table, and may be those of both.
    for source in (tmp_path / "m.index", tmp_path / "mols.csv"):
        run = grafik("search", source, *table, "--top", 1, "--json")
        answers = json.loads(run.stdout)["queries"]
        assert [answer["id"] for answer in answers] == ["ethanol", "benzene", "phenol"]
        assert [answer["found"][0]["id"] for answer in answers] == ["ethanol", "benzene", "phenol"]
    run = grafik("search", tmp_path / "mols.csv", "smiles:C1CC", "--smiles", "S")
    assert run.returncode == 2
    assert "C1CC" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{0}/all.index", "3"], "does not hold graphs, only what is counted of them"),
        (["{0}/all.parquet", "40"], "there is no graph 40: {0}/all.parquet has 40, counted from 0"),
        (["{0}/all.index", "csl", "--depth", "2"], "has a kernel of its own; leave them out"),
        (
            ["{0}/k.grafik", "csl"],
            "must hold an index, got a FiltrationKernel; make one: ",
        ),
        (["{0}/no.index", "csl"], "there is no file {0}/no.index"),
        (["{0}/all.index", "csl", "--id", "x"], "--id are for tables of molecules"),
        (["{0}/all.index", "csl", "--min-similarity", "2"], "must be at most 1 for a normalised k"),
        (["{0}/all.index", "nowhere"], "there is no folder or zip nowhere"),
        (["{0}/all.index", "csl", "--json", "--out", "{0}/a.csv"], "choose one of --out, for a"),
    ],
)
def test_mistakes_are_one_line_and_code_2(arguments, message, batch, tmp_path):
    GraphIndex(kernel()).add(batch).save(tmp_path / "all.index")
    kernel().fit(batch).save(tmp_path / "k.grafik")
    run = grafik("search", *(one.format(tmp_path) for one in arguments))
    assert (run.returncode, run.stdout) == (2, "")
    assert message.format(tmp_path) in run.stderr
    assert "Traceback" not in run.stderr
