"""Vertices are called by their names in explanations, and by numbers where they have none."""

import json

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from grafik import FiltrationKernel, Graphs, explain_pair, explain_prediction, vertex_importance
from grafik.features import VertexEdgeHistogram, WeisfeilerLehman

STAR = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]
NAMES = ["Ann", "person_3", "two\nlines", 7, ("a", 1), "<b>"]


@pytest.fixture
def graphs():
    """A star whose vertices have names, and the same without."""
    return Graphs([0, 6], [0, 5], STAR, node_names=NAMES), Graphs([0, 6], [0, 5], STAR)


@pytest.fixture
def why(graphs):
    return explain_pair(FiltrationKernel(WeisfeilerLehman(1), n_levels=1), *graphs)


def test_importance_by_name_has_the_same_numbers(why):
    plain, named = vertex_importance(why), vertex_importance(why, named=True)
    assert named == dict(zip(NAMES, plain.tolist(), strict=True))
    assert list(named.values()) == sorted(named.values(), reverse=True)
    assert list(vertex_importance(why, 1, named=True)) == [1, 2, 3, 4, 5, 0]


def test_tables_and_files_call_vertices_by_name(why):
    centre = next(f for f in why.features if f.name == "*(5x*)")
    assert centre.vertices == ([0], [0])
    frame = why.to_pandas().set_index("name")
    assert frame.loc["*(5x*)", "vertices_g"] == ["Ann"]
    assert frame.loc["*(5x*)", "vertices_h"] == [0]
    told = {f["name"]: f for f in json.loads(json.dumps(why.to_dict()))["features"]}
    assert told["*(*)"]["vertices_g"] == ["person_3", "two\nlines", 7, "('a', 1)", "<b>"]
    assert told["*(*)"]["vertices_h"] == [1, 2, 3, 4, 5]
    last = str(why).splitlines()[-1]
    first = "person_3 11, two\\nlines 11, 7 11, ('a', 1) 11, <b> 11, ..."
    assert last == f"most important vertices of g: {first}"
    assert "vertices of h" not in str(why)


def test_predictions_name_vertices_too(graphs):
    both = Graphs.concat(graphs)
    other = Graphs.from_edge_lists([[(0, 1), (1, 2)], [(0, 1)]])
    model = make_pipeline(FiltrationKernel(normalize=True), SVC(kernel="precomputed"))
    model.fit(Graphs.concat([both, other]), [0, 0, 1, 1])
    why = explain_prediction(model, graphs[0])
    assert why.node_names == (NAMES,)
    assert vertex_importance(why, named=True).keys() == set(NAMES)
    assert str(why).splitlines()[-1].startswith("most important vertices of g: ")


def test_features_without_a_place_have_no_vertices_to_name(graphs):
    found = explain_pair(FiltrationKernel(VertexEdgeHistogram()), *graphs)
    assert "vertices" not in str(found)
    assert found.to_pandas()["vertices_g"].isna().all()
