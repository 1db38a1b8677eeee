"""The features that tell classes apart, as pages show them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from grafik import FiltrationKernel, Graphs, datasets, explain_pair
from grafik.features import WeisfeilerLehman
from grafik.report import write_report
from grafik.report.class_features import telling_features
from grafik.report.data_set import _telling
from grafik.report.sample import Groups, Shown
from kernel_strategies import masses
from page_data import data_in
from strategies import build, raw_batches

few = st.sampled_from("CO")
several = raw_batches(label=few, max_graphs=6).map(build).filter(lambda graphs: len(graphs) >= 2)


@given(several, st.integers(1, 3), st.booleans(), masses, st.data())
def test_telling_features_add_up_to_the_distance_of_means(graphs, levels, normalize, mass, data):
    codes = np.array([data.draw(st.integers(0, 2)) for _ in range(len(graphs))])
    options = {"n_levels": levels, "normalize": normalize, "gamma": 0.7, "mass": mass}
    kernel = FiltrationKernel(WeisfeilerLehman(2), **options)
    matrix = kernel.fit_transform(graphs)
    for c, found in enumerate(telling_features(kernel, codes, 3, top=10**6)):
        mine = codes == c
        if mine.all() or not mine.any():
            assert found is None
            continue
        means = (
            matrix[np.ix_(a, b)].mean() for a, b in ((mine, mine), (~mine, ~mine), (mine, ~mine))
        )
        within, others, between = means
        scale = max(1.0, matrix.max())
        assert found.distance == pytest.approx(within + others - 2 * between, abs=1e-9 * scale)
        assert all(one.weights[0] > one.weights[1] and one.distance > 0 for one in found.features)
        keys = [round(one.distance, 12) for one in found.features]
        assert keys == sorted(keys, reverse=True)


@pytest.mark.parametrize("mass", ["linear", "min"])
def test_telling_features_are_made_of_what_explain_pair_says(mass):
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=3)
    options = {"weight": "triangles", "normalize": True, "mass": mass}
    codes = np.unique(y, return_inverse=True)[1]
    kernel = FiltrationKernel(WeisfeilerLehman(2), **options).fit(graphs)
    parts = {}
    for i, j in [*combinations(range(9), 2), *((i, i) for i in range(9))]:
        for one in explain_pair(kernel, graphs[i], graphs[j]).features:
            for key in one.keys:
                table = parts.setdefault(key, np.zeros((9, 9)))
                table[i, j] = table[j, i] = one.contribution / len(one.keys)
    for c, found in enumerate(telling_features(kernel, codes, 3, top=100)):
        mine = codes == c
        assert found.features
        for one in found.features:
            table = parts[one.depth, one.feature]
            expected = table[np.ix_(mine, mine)].mean() + table[np.ix_(~mine, ~mine)].mean()
            expected -= 2 * table[np.ix_(mine, ~mine)].mean()
            assert_allclose(one.distance, expected, atol=1e-12)
            assert one.graphs == np.flatnonzero(np.diagonal(table)).tolist()


def test_a_feature_is_witnessed_where_the_page_draws_it(tmp_path):
    graphs, y = datasets.csl(skips=(2, 3), copies=2)
    kernel = FiltrationKernel(WeisfeilerLehman(2), weight="triangles")
    found = data_in(write_report(tmp_path / "x.html", graphs, y, kernel=kernel))["telling"]
    assert [len(one["features"]) > 0 for one in found["classes"]] == [True, True]
    for code, one in enumerate(found["classes"]):
        for feature in one["features"]:
            place, vertex, level = feature["witness"]
            assert place in feature["graphs"]
            bars = kernel.fit(graphs).extractor_.occurrences(graphs[place], kernel.filtration_)
            here = (bars.vertices == vertex) & (bars.births == level)
            assert int(feature["feature"], 0) in bars.features[here].tolist()
            assert code == [2, 3].index(y[place])


def test_what_is_the_same_at_several_depths_is_one_line(tmp_path):
    """Isolated vertices have the same tree at all depths but the first."""
    edges = [[(0, 1)], [(0, 1)], [(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 2), (2, 3)]]
    graphs = Graphs.from_edge_lists(edges, n_nodes=[4] * 4)
    kernel = FiltrationKernel(WeisfeilerLehman(3), n_levels=1)
    path = write_report(tmp_path / "x.html", graphs, [0, 0, 1, 1], kernel=kernel)
    for found in data_in(path)["telling"]["classes"]:
        lines = found["features"]
        told = [(one["name"], one["distance"], *one["weights"], *one["graphs"]) for one in lines]
        assert len(set(told)) == len(told)
        assert all(one["depth"] == one["depths"][0] for one in lines)
        parts = [one["distance"] for one in lines]
        assert sum(parts) <= found["distance"] * (1 + 1e-12)
        assert parts == sorted(parts, reverse=True)
    lines = data_in(path)["telling"]["classes"][0]["features"]
    lone = next(one for one in lines if one["name"] == "* without edges")
    assert lone["depths"] == [1, 2, 3]
    assert lone["distance"] == pytest.approx(3 * 2**2)  # two in each graph of the class


def test_a_label_of_lone_vertices_is_one_line_with_that_of_depth_0(tmp_path):
    """Sodium never has a bond, so "Na" and "Na without edges" are the same; Cl may have one."""
    salts = ["CC(=O)[O-].[Na+]", "[Na+].[Cl-]", "ClCC(=O)[O-].[Na+]"]
    graphs = Graphs.from_smiles([*salts, "CCO", "CCC", "CCCC"])
    kernel = FiltrationKernel(WeisfeilerLehman(3), n_levels=1, normalize=True)
    path = write_report(tmp_path / "x.html", graphs, ["salt"] * 3 + ["none"] * 3, kernel=kernel)
    lines = {one["name"]: one for one in data_in(path)["telling"]["classes"][1]["features"]}
    assert "Na" not in lines
    assert lines["Na without edges"]["depths"] == [0, 1, 2, 3]
    assert lines["Na without edges"]["graphs"] == [0, 1, 2]
    assert lines["Cl"]["depths"] == [0]
    assert lines["Cl without edges"]["depths"] == [1, 2, 3]
    assert sorted(lines["Na without edges"]) == sorted(
        ["depth", "feature", "distance", "weights", "graphs", "name", "witness", "depths"]
    )


def test_a_class_has_no_telling_feature_that_is_rarer_in_it():
    """One graph with many B outweighs the others, but fewer graphs of its class have any."""
    labels = [list("BBBBBB"), list("A"), list("A"), list("AB"), list("AB"), list("A")]
    graphs = Graphs.from_edge_lists([[]] * 6, n_nodes=list(map(len, labels)), node_labels=labels)
    kernel = FiltrationKernel(WeisfeilerLehman(0), n_levels=1).fit(graphs)
    first, second = telling_features(kernel, np.repeat([0, 1], 3), 2, top=9)
    assert first.features == []  # B occurs in 1 of 3 graphs, and in 2 of 3 others
    assert [one.graphs for one in second.features] == [[1, 2, 3, 4, 5]]


def test_where_no_feature_tells_classes_apart_it_is_said_why():
    graphs = Graphs([0, 1, 2], [0, 0, 0], [], node_labels=["C", "O"])
    every = np.ones(2, bool)
    shown, kernel = Shown(graphs, np.arange(2), every, every), FiltrationKernel(depth=0)
    product = FiltrationKernel(depth=0, combine="product").fit(graphs)
    two, one = (Groups(list(names), np.arange(2) % len(names), "class") for names in ("ab", "a"))
    assert _telling(product, shown, two)["missing"].startswith("A product kernel is no sum over")
    assert _telling(kernel.fit(graphs), shown, one)["missing"].startswith("There is one class only")
    assert [len(found["features"]) for found in _telling(kernel, shown, two)["classes"]] == [1, 1]
