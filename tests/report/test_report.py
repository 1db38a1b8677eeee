"""Pages hold what they should, fit into a few megabytes, and are the same every time."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grafik import FiltrationKernel, Graphs, datasets, weights
from grafik.evaluation import PROTOCOLS, evaluate
from grafik.features import ShortestPaths, WeisfeilerLehman
from grafik.report import page, sample, write_pair, write_report
from grafik.report.sample import as_groups, stratified
from page_data import Blocks, data_in

# What is in a page


@given(st.recursive(st.text() | st.floats(allow_nan=False, allow_infinity=False), st.lists))
def test_json_stands_in_a_script_whatever_it_holds(value):
    text = page.as_json(value)
    assert json.loads(text) == value
    assert text.isascii()
    assert not set(text) & set("<>&")


def test_a_page_is_one_file_that_asks_nobody(tmp_path):
    graphs, y = datasets.csl(copies=2)
    text = write_report(tmp_path / "x.html", graphs, y, name="a<b>&\"'\ud800").read_text("ascii")
    found = Blocks(text)
    assert "<title>a&lt;b&gt;&amp;&quot;&#x27;&#55296;</title>" in text
    assert [tag for tag, _ in found.tags if tag in ("script", "style", "link")] == [
        *("link", "style", "script", "script")
    ]
    for tag, attributes in found.tags:
        assert "src" not in attributes, tag
        assert attributes.get("href", "data:").startswith("data:")
    policy = next(a["content"] for _, a in found.tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert len(found.scripts) == 2


def test_the_same_call_makes_the_same_bytes(others, tmp_path):
    code = """
import os, sys
from grafik import datasets
from grafik.report import write_report, write_pair
graphs, y = datasets.csl(copies=3)
path = os.path.join(sys.argv[1], os.environ["PYTHONHASHSEED"])
write_report(path + ".html", graphs, y, name="csl", max_graphs=20)
write_pair(path + "-pair.html", graphs, 0, 5, y)
"""
    others(code, tmp_path)
    for name in ("{}.html", "{}-pair.html"):
        first, second = ((tmp_path / name.format(seed)).read_bytes() for seed in "12")
        assert first == second


def test_a_report_says_what_the_data_is(tmp_path):
    labelled = {"node_labels": list("CCOCCN"), "edge_labels": [1, 1, 2, 1]}
    graphs = Graphs([0, 3, 6], [0, 2, 4], [[0, 1], [1, 2]] * 2, **labelled)
    found = data_in(write_report(tmp_path / "x.html", graphs, ["b", "a"], name="two"))
    assert found["facts"]["totals"] == [2, 6, 4]
    assert found["facts"]["labels"]["vertices"] == {
        "count": 3,
        "top": [["C", 4], ["N", 1], ["O", 1]],
    }
    assert found["facts"]["labels"]["edges"] == {"count": 2, "top": [["1", 3], ["2", 1]]}
    assert found["classes"]["names"] == ["a", "b"]
    assert found["classes"]["of"] == [1, 0]
    assert [size["bins"] for size in found["facts"]["sizes"]] == [[[3, 3, 2]], [[2, 2, 2]]]
    assert found["graphs"][1]["edges"] == [0, 1, 1, 2]
    assert found["graphs"][1]["between"] == [1, 0]
    kernel = FiltrationKernel(WeisfeilerLehman(1, edge_labels=False))
    found = data_in(write_report(tmp_path / "x.html", graphs, ["b", "a"], kernel=kernel))
    assert "between" not in found["graphs"][1]  # this kernel does not look at them


def test_a_report_says_that_edges_are_directed(tmp_path):
    graphs = Graphs.from_edge_lists([[(1, 0), (1, 2)], [(0, 1), (2, 1)]], directed=True)
    found = data_in(write_report(tmp_path / "x.html", graphs, ["b", "a"]))
    told = dict(found["facts"]["rows"])
    assert told["directions"].startswith("edges are directed")
    assert found["kernel"]["directed"] is True
    assert found["graphs"][1]["edges"] == [0, 1, 2, 1]
    plain = data_in(write_report(tmp_path / "y.html", graphs.undirected(), ["b", "a"]))
    assert "directions" not in {name for name, _ in plain["facts"]["rows"]}
    assert plain["kernel"]["directed"] is False


def test_a_fitted_kernel_keeps_its_labels(tmp_path):
    edges = [[(0, 1), (1, 2)]] * 2
    graphs = Graphs.from_edge_lists(edges, edge_labels=[["a", "b"], ["a", "a"]])
    kernel = FiltrationKernel(depth=1).fit(graphs)
    found = data_in(write_pair(tmp_path / "x.html", graphs, 0, 1, kernel=kernel))
    assert (found["kernel"]["depth"], found["kernel"]["edgeLabels"]) == (1, ["a", "b"])
    with pytest.raises(ValueError, match="these graphs have no edge labels, but those the model"):
        write_pair(tmp_path / "x.html", Graphs.from_edge_lists(edges), 0, 1, kernel=kernel)


@pytest.mark.usefixtures("rough_layouts")
def test_sizes_are_counted_in_bins_that_hold_all_graphs(tmp_path):
    graphs = Graphs.from_edge_lists([[(0, 1)]] * 40, n_nodes=list(range(2, 42)))
    bins = data_in(write_report(tmp_path / "x.html", graphs))["facts"]["sizes"][0]["bins"]
    assert len(bins) > 5
    assert sum(count for *_, count in bins) == 40
    for low, high, count in bins:
        assert count == sum(low <= n <= high for n in range(2, 42))


def test_edges_are_counted_where_they_enter(tmp_path):
    graphs, _ = datasets.figure_one()
    heavy = weights.Attribute()
    kernel = FiltrationKernel(weight=heavy, thresholds=[4, 3, 2, 1])
    found = data_in(write_report(tmp_path / "x.html", graphs, kernel=kernel))["filtration"]
    values = graphs.edge_attributes[:, 0].tolist()
    assert found["entering"] == [values.count(alpha) for alpha in (4, 3, 2, 1)]
    assert found["alphas"] == [4, 3, 2, 1]
    assert found["weight"] == "Attribute(column=0, first='large')"
    assert found["source"] == "Thresholds were given."


def test_distances_are_written_as_they_were_given(tmp_path):
    graphs, _ = datasets.figure_one()
    near = weights.Attribute(first="small")
    kernel = FiltrationKernel(weight=near, thresholds=[-1, -2, -3, -4])
    page = data_in(write_report(tmp_path / "x.html", graphs, kernel=kernel))
    found = page["filtration"]
    values = graphs.edge_attributes[:, 0].tolist()
    assert found["alphas"] == [1, 2, 3, 4]
    assert found["smallFirst"] is True
    assert found["entering"] == [values.count(alpha) for alpha in (1, 2, 3, 4)]
    heavy = FiltrationKernel(weight="attribute", n_levels=2)
    other = data_in(write_report(tmp_path / "y.html", graphs, kernel=heavy))["filtration"]
    assert other["smallFirst"] is False


def test_pages_hold_the_ids_of_graphs(tmp_path):
    graphs, y = datasets.csl(copies=1)
    named = graphs.with_ids([f"id {i}" for i in range(8)] + ["two\nlines", " "])
    found = data_in(write_report(tmp_path / "x.html", named, y))
    assert [graph.get("name") for graph in found["graphs"]] == [
        *(f"id {i}" for i in range(8)),
        "two\\nlines",
        None,
    ]
    assert [graph["id"] for graph in found["graphs"]] == list(range(10))
    sampled = data_in(write_report(tmp_path / "x.html", named[:8], max_graphs=4))
    assert [graph["name"] for graph in sampled["graphs"]] == [
        f"id {graph['id']}" for graph in sampled["graphs"]
    ]
    pair = data_in(write_pair(tmp_path / "y.html", named, 7, 2, name="CSL"))
    assert pair["title"] == "CSL: id 7 and id 2"
    assert data_in(write_pair(tmp_path / "y.html", named, 7, 9))["title"].endswith("7 and graph 9")
    plain = data_in(write_pair(tmp_path / "y.html", graphs, 7, 2, name="CSL"))
    assert plain["title"] == "CSL: graphs 7 and 2"
    assert not any("name" in graph for graph in plain["graphs"])


@pytest.mark.usefixtures("rough_layouts")
def test_long_ids_do_not_make_large_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(sample, "_BUDGET", 20_000)
    graphs = Graphs.from_edge_lists([[(0, 1)]] * 40)
    for ids, all_fit in ((range(40), True), ([f"{i:02}" + "x" * 1000 for i in range(40)], False)):
        found = data_in(write_report(tmp_path / "x.html", graphs.with_ids(ids)))
        assert all("edges" in graph for graph in found["graphs"]) is all_fit


def test_attributes_are_told_by_name(tmp_path):
    graphs = Graphs.from_edge_lists(
        [[(0, 1)]] * 2, edge_attributes=[[1], [2]], edge_attribute_names=["weight"]
    )
    page = data_in(write_report(tmp_path / "x.html", graphs))
    assert ["edge attributes", "1: weight"] in page["facts"]["rows"]


def test_a_filtration_of_one_level_is_said_to_say_nothing(tmp_path):
    graphs, y = datasets.csl(copies=1)
    for weight, is_said in (("degree", True), ("triangles", False)):
        kernel = FiltrationKernel(weight=weight, normalize=True)
        write_report(tmp_path / "a.html", graphs, y, kernel=kernel)
        how = data_in(tmp_path / "a.html")["filtration"]["how"]
        assert ("There is one level" in how) is is_said
        assert (f"another edge weight than {weight}, may tell more." in how) is is_said


def test_thresholds_are_those_of_all_graphs_or_of_the_fitted_kernel(tmp_path):
    graphs, y = datasets.csl()
    kernel = FiltrationKernel(WeisfeilerLehman(1), weight="walks", n_levels=4)
    learned = data_in(write_pair(tmp_path / "x.html", graphs, 0, 1, y, kernel=kernel))
    assert learned["kernel"]["alphas"] == kernel.fit(graphs).alphas_.tolist()
    assert "learned from all 100 graphs: at most 4 levels" in learned["filtration"]["source"]
    kernel.fit(graphs[:10])
    fitted = data_in(write_pair(tmp_path / "x.html", graphs, 0, 1, y, kernel=kernel))
    assert fitted["kernel"]["alphas"] == kernel.alphas_.tolist() != learned["kernel"]["alphas"]


# Accuracy


def test_accuracy_comes_from_results(tmp_path):
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    few = PROTOCOLS["quick"].with_values(n_splits=3, depths=[1])
    results = evaluate(["wl", "fwl-triangles"], graphs, y, protocol=few)
    found = data_in(write_report(tmp_path / "x.html", graphs, y, results=results))
    summary = results.summary()
    told = [(score["title"], score["accuracy"]) for score in found["accuracy"]["scores"]]
    assert told == [(score.title, score.accuracy) for score in summary.scores]
    assert found["accuracy"]["majority"] == pytest.approx(100 / 3)
    assert found["accuracy"]["note"] == summary.note()
    assert "FWL-triangles, the most accurate filtration" in found["filtration"]["how"]
    assert [score["shown"] for score in found["accuracy"]["scores"]] == [False, True]
    assert found["accuracy"]["shown"] is None
    other = FiltrationKernel(normalize=True)
    given = data_in(write_report(tmp_path / "x.html", graphs, y, results=results, kernel=other))
    assert "a kernel that was not measured" in given["accuracy"]["shown"]
    assert found["filtration"]["weight"] == "triangles"


# What is left out is said


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(2, 20), st.integers(0, 5))
def test_samples_keep_the_shares_of_classes(codes, most, seed):
    codes = np.unique(codes, return_inverse=True)[1]
    chosen = stratified(codes, most, seed)
    assert len(chosen) == min(most, len(codes))
    assert (np.diff(chosen) > 0).all()
    assert chosen.tolist() == stratified(codes, most, seed).tolist()
    sizes, kept = np.bincount(codes), np.bincount(codes[chosen], minlength=codes.max() + 1)
    assert (kept <= sizes).all()
    if most >= len(sizes):
        assert (kept >= 1).all()
    if (most * sizes >= len(codes)).all():  # none is so rare that it gets more than its share
        assert (np.abs(kept - np.minimum(sizes, most * sizes / len(codes))) < 1).all()


def test_a_sample_is_said_to_be_one(tmp_path):
    graphs, y = datasets.csl(copies=5)
    whole = data_in(write_report(tmp_path / "x.html", graphs, y))
    assert whole["notes"] == []
    part = data_in(write_report(tmp_path / "x.html", graphs, y, max_graphs=20, random_state=3))
    assert "a random sample of 20 of the 50 graphs" in part["notes"][0]
    assert "random_state 3" in part["notes"][0]
    assert part["classes"]["shown"] == [2] * 10
    assert part["facts"]["totals"][0] == 50
    for graph in part["graphs"]:
        assert graph["edges"] == graphs[graph["id"]].edges.ravel().tolist()


def test_graphs_that_are_not_drawn_or_not_compared_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(sample, "_BUDGET", sample._BUDGET // 10)
    long = np.column_stack([np.arange(60_000), np.arange(1, 60_001)])
    path = long[:400]
    graphs = Graphs.from_edge_lists([path, path[:3], path[:4], long])
    found = data_in(write_report(tmp_path / "x.html", graphs, [0, 0, 1, 1]))
    assert found["notes"] == [
        "1 graph of more than 300 vertices can be compared, but not seen: so many vertices cannot "
        "be told apart in a small picture.",
        "1 graph of 60001 to 60001 vertices would make this page too large. They are on the map, "
        "but are neither drawn nor compared.",
    ]
    assert "at" not in found["graphs"][0]
    assert len(found["graphs"][0]["edges"]) == 800
    assert found["graphs"][3] == {"id": 3, "n": 60_001, "m": 60_000}
    assert found["start"] == [1, 2]
    assert len(found["map"]["x"]) == 4
    pair = data_in(write_pair(tmp_path / "y.html", graphs, 0, 1))  # but here there is room
    assert len(pair["graphs"][0]["at"]) == 802


@pytest.mark.usefixtures("rough_layouts")
def test_large_graphs_do_not_make_large_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(sample, "_BUDGET", sample._BUDGET // 5)
    sizes = [10, 1500] * 100
    chords = np.concatenate([_chords(n) for n in sizes])
    labels = np.arange(sum(sizes)) % 12
    node_ptr, edge_ptr = np.cumsum([0, *sizes]), np.cumsum([0, *(4 * n for n in sizes)])
    graphs = Graphs(node_ptr, edge_ptr, chords, node_labels=labels)
    path = write_report(tmp_path / "x.html", graphs, [0, 1] * 100)
    assert 0.6e6 < path.stat().st_size < 1e6
    kept = ["edges" in graph for graph in data_in(path)["graphs"]]
    assert all(kept[::2])  # the small ones come first
    assert 0 < sum(kept[1::2]) < 100


@pytest.mark.usefixtures("rough_layouts")
@pytest.mark.parametrize("edges_too", [False, True])
def test_many_labels_do_not_make_large_pages(tmp_path, monkeypatch, edges_too):
    """Paths of 60 vertices, on each of which every label is new, and a fifth of the usual room."""
    monkeypatch.setattr(sample, "_BUDGET", sample._BUDGET // 5)
    n, paths = 60, 200
    first = np.tile(np.arange(n - 1), paths)
    labels = [f"a label with a number, {i:_} & <more>" for i in range(n * paths)]
    between = [f"between & {i}" for i in range((n - 1) * paths)] if edges_too else None
    graphs = Graphs(
        np.arange(paths + 1) * n,
        np.arange(paths + 1) * (n - 1),
        np.column_stack([first, first + 1]),
        node_labels=labels,
        edge_labels=between,
    )
    kernel = FiltrationKernel(WeisfeilerLehman(0, edge_labels=edges_too), n_levels=2)
    path = write_report(tmp_path / "x.html", graphs, kernel=kernel)
    assert 0.6e6 < path.stat().st_size < 1e6
    found = data_in(path)
    kept = [graph for graph in found["graphs"] if "edges" in graph]
    assert 0 < len(kept) < paths
    table = found["kernel"]["vertexLabels"]
    assert len(table) == n * len(kept)
    for graph in kept[::10]:
        mine = labels[graph["id"] * n : (graph["id"] + 1) * n]
        assert [table[code] for code in graph["labels"]] == [repr(label) for label in mine]


def _chords(n):
    first = np.repeat(np.arange(n), 4)
    return np.column_stack([first, (first + np.tile([1, 2, 3, 4], n)) % n])


@pytest.mark.usefixtures("rough_layouts")
def test_a_thousand_graphs_take_less_than_5_megabytes(data, tmp_path):
    graphs, y = datasets.read_tu(data / "IMDB-BINARY")
    kernel = FiltrationKernel(WeisfeilerLehman(5), n_levels=10, normalize=True)
    path = write_report(tmp_path / "x.html", graphs[:1000], y[:1000], kernel=kernel)
    assert path.stat().st_size < 5e6
    found = data_in(path)
    assert found["notes"] == []
    assert len(found["graphs"]) == 1000


# Odd data


def test_targets_are_shown_as_ranges(tmp_path):
    graphs, _ = datasets.csl(copies=2)
    values = np.linspace(0.5, 3.7, 20)
    groups = as_groups(values, 20)
    assert groups.word == "target"
    assert np.bincount(groups.codes).tolist() == [4] * 5
    for name, code in zip(groups.names, range(5), strict=True):
        low, high = map(float, re.fullmatch("(.+) to (.+)", name).groups())
        inside = values[groups.codes == code]
        assert low <= inside.min() + 1e-3
        assert high >= inside.max() - 1e-3
    found = data_in(write_report(tmp_path / "x.html", graphs, values))
    assert "this data has none" in found["telling"]["missing"]
    assert as_groups([2.5] * 4, 4).names == ["2.5"]
    assert as_groups([1.0, 2.0], 2).names == ["1", "2"]
    assert as_groups(np.full((2, 2), np.nan), 2) is None  # several targets, some unknown


@pytest.mark.parametrize(
    "graphs",
    [
        Graphs([0, 0], [0, 0], []),
        Graphs([0, 1, 1], [0, 0, 0], []),
        Graphs.from_edge_lists([[(0, 1)]]),
    ],
)
def test_graphs_with_next_to_nothing_have_a_page(graphs, tmp_path):
    found = data_in(write_report(tmp_path / "x.html", graphs))
    assert found["facts"]["totals"][0] == len(graphs)
    assert found["classes"] is None
    pair = data_in(write_pair(tmp_path / "y.html", graphs, 0, len(graphs) - 1))
    assert [graph["id"] for graph in pair["graphs"]] == [0, len(graphs) - 1]


def test_mistakes_are_named(tmp_path):
    graphs, y = datasets.csl(copies=2)
    with pytest.raises(
        TypeError, match="a page explains Weisfeiler-Lehman labels, got features=Sh"
    ):
        write_report(tmp_path / "x", graphs, kernel=FiltrationKernel(ShortestPaths()))
    with pytest.raises(TypeError, match="kernel must be a FiltrationKernel, got a str"):
        write_pair(tmp_path / "x", graphs, 0, 1, kernel="wl")
    with pytest.raises(ValueError, match="the number of a graph must be at most 19, got 20"):
        write_pair(tmp_path / "x", graphs, 0, 20)
    with pytest.raises(ValueError, match="y must have an entry for each of 20 graphs, got"):
        write_report(tmp_path / "x", graphs, y[:3])
    for value in (np.nan, -np.inf):
        with pytest.raises(ValueError, match=f"graph 7: y must be a finite number, got {value}"):
            write_report(tmp_path / "x", graphs, [0.5] * 7 + [value] * 13)
    with pytest.raises(ValueError, match="max_graphs must be an integer of at least 2, got 1"):
        write_report(tmp_path / "x", graphs, y, max_graphs=1)
    assert list(tmp_path.iterdir()) == []
