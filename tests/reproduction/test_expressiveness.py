"""Which graphs weights tell apart: pairs one by one, copies that change, and resumed runs."""

import csv
import json
from itertools import combinations, product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grafik import Filtration, Graphs, datasets, weights
from grafik.evaluation.results import FILE
from grafik.features import WeisfeilerLehman
from grafik.reproduction import (
    expressiveness,
    expressiveness_plan,
    expressiveness_table,
    reproduce,
)
from grafik.reproduction.expressiveness import DEPTH, fingerprints, permuted
from grafik.reproduction.expressiveness_plan import Family, compared_weights
from grafik.reproduction.three_wl import three_wl
from grafik.system.journal import read_journal
from strategies import build, raw_batches

PAIRS = "regular\tE{Sw\tEFz_\nbasic\tCh\tC~\nregular\tEFz_\tE{Sw\n"
FEW = {"none": expressiveness_plan.plain, "triangles": weights.triangles}


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Three pairs in place of BREC, few weights, and one family beside it."""
    (tmp_path / "data" / "BREC").mkdir(parents=True)
    (tmp_path / "data" / "BREC" / "pairs.tsv").write_text(PAIRS)
    graphs = datasets.atlas(4)[0]
    little = Family(graphs, np.zeros(len(graphs), np.int64), ["up to 4 vertices"])
    brec = expressiveness_plan.FAMILIES["BREC"]
    for module in (expressiveness, expressiveness_plan, expressiveness_table):
        monkeypatch.setattr(module, "FAMILIES", {"BREC": brec, "atlas": lambda data: little})
    monkeypatch.setattr(expressiveness, "compared_weights", lambda: dict(FEW))
    return tmp_path


def rows_in(out):
    found = json.loads((out / "expressiveness" / "expressiveness.json").read_text())["rows"]
    with (out / "expressiveness" / "expressiveness.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert lines == [{key: str(value) for key, value in row.items()} for row in found]
    return {(row["family"], row["weight"], row["category"]): row for row in found}


def naive_three_wl(graphs):
    """How often each colour occurs, by the definition of 3-WL with tuples and dictionaries."""
    colours = {}
    for i, graph in enumerate(graphs):
        edges = {frozenset(edge) for edge in graph.edges.tolist()}
        for u, v in product(range(graph.n_nodes), repeat=2):
            colours[i, u, v] = (u == v, frozenset((u, v)) in edges)
    for _ in range(max(graph.n_nodes for graph in graphs) ** 2):
        new = {}
        for i, u, v in colours:
            others = range(graphs[i].n_nodes)
            pairs = sorted((colours[i, u, w], colours[i, w, v]) for w in others)
            new[i, u, v] = colours[i, u, v], tuple(pairs)
        names = {one: number for number, one in enumerate(sorted(set(new.values())))}
        if len(names) == len(set(colours.values())):
            break
        colours = {key: names[one] for key, one in new.items()}
    return [sorted(c for (i, _, _), c in colours.items() if i == j) for j in range(len(graphs))]


@given(raw_batches(max_nodes=5, max_graphs=4).filter(len))
def test_three_wl_is_that_of_the_definition(batch):
    graphs = build(batch)
    found, expected = three_wl(graphs), naive_three_wl(graphs)
    for i, j in combinations(range(len(graphs)), 2):
        assert (found[i] == found[j]) == (expected[i] == expected[j])


@given(raw_batches(max_nodes=7, max_graphs=3).filter(len))
def test_three_wl_does_not_depend_on_the_order_of_vertices(batch):
    graphs = build(batch)
    copies = permuted(graphs, 1)
    plain = Graphs(graphs.node_ptr, graphs.edge_ptr, graphs.edges)
    found = three_wl(Graphs.concat([plain, copies]))
    assert found[: len(graphs)].tolist() == found[len(graphs) :].tolist()


def test_three_wl_is_stronger_than_wl_and_weaker_than_isomorphism():
    for pair, told in (("decalin", True), ("rook", False), ("cfi", False)):
        assert (three_wl(datasets.wl_hard(pair)[0]).tolist() == [0, 1]) == told
    atlas = datasets.atlas(6)[0]
    assert len(set(three_wl(atlas).tolist())) == len(atlas)
    for q in (13, 17):
        assert three_wl(Graphs.concat(2 * [datasets.paley(q)[0]])).tolist() == [0, 0]
    assert three_wl(Graphs.from_edge_lists([[], []], [0, 0])).tolist() == [0, 0]


def test_three_wl_has_the_numbers_of_brec(data):
    family = expressiveness_plan.FAMILIES["BREC"](data)
    if family is None:
        pytest.skip("BREC is not there")
    found = dict.fromkeys(family.category, 0)
    for pair, category in enumerate(family.category):
        graphs = family.graphs[2 * pair : 2 * pair + 2]
        if graphs.n_nodes.max() <= 70:
            found[category] += len(set(three_wl(graphs).tolist())) - 1
    # Those of CFI graphs that are not too large for a test; the experiment has 60 of all.
    assert found.pop("cfi") > 0
    assert found == {
        "basic": 60,
        "regular": 50,
        "strongly-regular": 0,
        "extension": 100,
        "4-vertex-condition": 0,
        "distance-regular": 0,
    }


@given(raw_batches(max_nodes=6), st.sampled_from(["degree", "triangles", "betweenness", "walks"]))
def test_graphs_differ_together_if_they_differ_alone(batch, name):
    """One batch with all thresholds says of every pair what its own thresholds say."""
    built = build(batch)
    graphs = Graphs(built.node_ptr, built.edge_ptr, built.edges)  # without labels
    together = fingerprints(graphs, weights.NAMES[name])
    for i, j in combinations(range(len(graphs)), 2):
        pair = graphs[[i, j]]
        filtration = Filtration(name, thresholds="distinct").fit(pair)
        alone = WeisfeilerLehman(DEPTH).histograms(pair, filtration)
        one, other = ({k: v.tolist() for k, v in alone[i].items()} for i in range(2))
        assert (together[i] == together[j]) == (one == other)


def test_graphs_that_differ_in_when_their_edge_enters_differ():
    """The same features occur as often; with the third graph, none has its edge at the start."""
    graphs = Graphs.from_edge_lists([[(0, 1)], [(0, 1)], [(0, 1)], [(0, 1)]])
    found = fingerprints(graphs, lambda graphs: [2.0, 1.0, 3.0, 2.0][: len(graphs.edges)])
    assert [found.index(one) for one in found] == [0, 1, 2, 0]


def test_permuted_copies_are_isomorphic_and_permuted():
    graphs = datasets.csl(n=11, skips=(2, 3), copies=1)[0]
    copies = permuted(graphs, 3)
    assert len(copies) == 6
    assert permuted(graphs, 3) == copies
    for i, copy in enumerate(copies.to_networkx()):
        assert nx.is_isomorphic(copy, graphs.to_networkx()[i % 2])
        assert copies[i] != graphs[i % 2]


def test_pairs_are_counted_by_category(small):
    page = reproduce(["expressiveness"], small / "out", data=small / "data").read_text()
    rows = rows_in(small / "out")
    found = {key: (row["pairs"], row["apart"], row["changed"]) for key, row in rows.items()}
    assert found == {
        ("BREC", "none", "regular"): (2, 0, 0),
        ("BREC", "none", "basic"): (1, 1, 0),
        ("BREC", "triangles", "regular"): (2, 2, 0),
        ("BREC", "triangles", "basic"): (1, 1, 0),
        ("BREC", "3-WL", "regular"): (2, 2, 0),
        ("BREC", "3-WL", "basic"): (1, 1, 0),
        ("atlas", "none", "up to 4 vertices"): (171, 171, 0),
        ("atlas", "triangles", "up to 4 vertices"): (171, 171, 0),
        ("atlas", "3-WL", "up to 4 vertices"): (171, 171, 0),
    }
    assert {row["copies"] for row in rows.values()} == {0, 10, 20, 95}
    assert "| weight | all 3 | regular: 2 | basic: 1 | copies changed | seconds |" in page
    assert "| none (plain WL) | 1 | 0 | 1 | 0 of 30 |" in page
    assert "| **3-WL** | 3 | 2 | 1 | - |" in page
    assert "![Which graphs each weight tells apart](expressiveness/expressiveness.png)" in page
    _, entries = read_journal(small / "out" / "expressiveness" / "BREC" / FILE)
    assert entries[0]["missed"] == [[0, 1], [4, 5]]  # numbers of graphs in the file


def test_pairs_whose_copies_change_do_not_count(small, monkeypatch):
    def first_vertex(graphs):
        return (graphs.edges == 0).any(axis=1).astype(float)

    monkeypatch.setattr(expressiveness, "compared_weights", lambda: {"order": first_vertex})
    reproduce(["expressiveness"], small / "out", data=small / "data", only=["BREC"])
    row = rows_in(small / "out")["BREC", "order", "basic"]
    assert row["changed"] > 0  # the path; the complete graph looks the same from all vertices
    assert (row["pairs"], row["apart"]) == (1, 0)


def test_a_run_that_was_stopped_goes_on(small, monkeypatch):
    options = {"data": small / "data", "only": ["BREC"]}
    compared, asked = expressiveness._compared, []

    def stopped(graphs, group, weight):
        asked.append(len(graphs))
        if len(asked) == 3:
            raise KeyboardInterrupt
        return compared(graphs, group, weight)

    monkeypatch.setattr(expressiveness, "_compared", stopped)
    with pytest.raises(KeyboardInterrupt):
        reproduce(["expressiveness"], small / "out", **options)
    reproduce(["expressiveness"], small / "out", tables_only=True)
    assert len(rows_in(small / "out")) == 2
    reproduce(["expressiveness"], small / "out", **options)
    assert len(asked) == 3 + 4
    assert len(rows_in(small / "out")) == 6
    before = {p: p.read_bytes() for p in (small / "out").rglob("*") if p.is_file()}
    reproduce(["expressiveness"], small / "out", **options)
    reproduce(["expressiveness"], small / "out", tables_only=True)
    assert {p: p.read_bytes() for p in (small / "out").rglob("*") if p.is_file()} == before
    assert len(asked) == 3 + 4


def test_weights_that_became_others_are_computed_again(small, monkeypatch):
    options = {"data": small / "data", "only": ["BREC"]}
    for length, apart in ((1, 0), (3, 2)):
        some = {"walks": weights.Walks(length)}
        monkeypatch.setattr(expressiveness, "compared_weights", lambda some=some: some)
        reproduce(["expressiveness"], small / "out", **options)
        row = rows_in(small / "out")["BREC", "walks", "regular"]
        assert (row["is"], row["apart"]) == (f"Walks(length={length})", apart)
    # Those that are not known here are kept.
    monkeypatch.setattr(expressiveness, "compared_weights", lambda: dict(FEW))
    reproduce(["expressiveness"], small / "out", **options)
    assert {weight for _, weight, _ in rows_in(small / "out")} == {"walks", *FEW, "3-WL"}


def test_only_weights_that_were_run_on_all_categories_have_a_total():
    def entry(weight, category, apart):
        counts = {"pairs": 9, "copies": 0, "changed": 0, "seconds": 1.0}
        return {"weight": weight, "category": category, "apart": apart, **counts}

    entries = [entry("a", "x", 3), entry("b", "x", 4), entry("c", "x", 1)]
    entries += [entry("a", "y", 5), entry("c", "y", 9)]
    found = expressiveness_table._totals(entries)
    assert [(row["weight"], row["apart"]) for row in found] == [
        ("c", {"x": 1, "y": 9}),
        ("a", {"x": 3, "y": 5}),
    ]


def test_other_data_are_refused(small):
    options = {"data": small / "data", "only": ["BREC"]}
    reproduce(["expressiveness"], small / "out", **options)
    (small / "data" / "BREC" / "pairs.tsv").write_text(PAIRS.replace("Ch", "Cl"))
    with pytest.raises(ValueError, match="holds results of another run: data is"):
        reproduce(["expressiveness"], small / "out", **options)


def test_families_that_are_not_there_are_named(small):
    (small / "empty").mkdir()
    page = reproduce(["expressiveness"], small / "out", data=small / "empty").read_text()
    assert "Missing: BREC. To add" in page
    with pytest.raises(ValueError, match="only must hold some of BREC, atlas, got 'MUTAG'"):
        reproduce(["expressiveness"], small / "out", only=["MUTAG"])


def test_all_weights_without_attributes_are_compared_and_each_once():
    found = compared_weights()
    assert set(weights.NAMES) - set(found) == {"attribute", "attribute:small", "node-distance"}
    described = [expressiveness_plan.described(weight) for weight in found.values()]
    assert len(set(described)) == len(described)
    assert "Walks(length=7)" in described
    combined = {name for name in found if "+" in name}
    assert not combined or hasattr(weights, "Combined")


def test_families_are_what_their_names_say():
    for name, read in expressiveness_plan.FAMILIES.items():
        if name == "BREC":
            continue
        family = read(None)
        assert len(family.category) == family.group.max() + 1
        assert len(set(family.category)) == len(family.category)
        for number, category in enumerate(family.category):
            assert family.of(category).tolist() == np.flatnonzero(family.group == number).tolist()
    cfi = expressiveness_plan.FAMILIES["cfi"](None)
    # Three neighbours make a gadget of four vertices; an edge of the base makes two.
    assert cfi.graphs.n_nodes[cfi.of("Petersen")].tolist() == [10 * 4 + 15 * 2] * 2
    assert cfi.graphs.n_nodes[cfi.of("ladder of 8")].tolist() == [16 * 4 + 24 * 2] * 2


def test_the_table_needs_no_results(tmp_path):
    page = reproduce(["expressiveness"], tmp_path, tables_only=True).read_text()
    assert "Missing: BREC, strongly-regular, cfi, atlas." in page
    assert not (tmp_path / "expressiveness" / "expressiveness.png").exists()


def test_the_committed_results_are_of_known_families():
    folder = Path(__file__).parents[2] / "experiments" / "expressiveness"
    for path in folder.glob("*/results.jsonl"):
        header, entries = read_journal(path)
        assert header["family"] == path.parent.name in expressiveness_plan.FAMILIES
        assert (header["depth"], header["copies"]) == (DEPTH, expressiveness.COPIES)
        assert not any(entry["changed"] for entry in entries)


def test_the_committed_results_tell_apart_what_is_promised():
    """More than 3-WL with one weight, more with several, all with the canonical form; no copy."""
    folder = Path(__file__).parents[2] / "experiments" / "expressiveness"
    rows = json.loads((folder / "expressiveness.json").read_text())["rows"]
    assert all(row["changed"] == 0 for row in rows)
    found = dict.fromkeys((row["weight"] for row in rows), 0)
    for row in rows:
        found[row["weight"]] += row["apart"] if row["family"] == "BREC" else 0
    assert found["3-WL"] == 270
    assert found["marked"] >= 320
    assert found["marked, one more + resistance"] >= 330
    assert found["canonical"] == 400
