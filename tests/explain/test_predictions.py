"""Contributions add up to decisions, and are those of the definition."""

import json
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.svm import SVC

from explained import GRID, together, training
from grafik import (
    FiltrationClassifier,
    FiltrationKernel,
    FiltrationRegressor,
    datasets,
    explain_pair,
    explain_prediction,
    load,
    vertex_importance,
)
from grafik.features import WeisfeilerLehman
from strategies import build, raw_batches

KINDS = [("sum", True, 2), ("sum", False, 2), ("product", True, 2), ("sum", True, 3)]
KINDS += [("product", False, 3)]


@pytest.fixture(scope="module")
def models():
    found = {}
    for combine, normalize, n_classes in KINDS:
        options = {"combine": combine, "normalize": normalize, "beta": 1e-4, **GRID}
        model = FiltrationClassifier(**options).fit(*training(n_classes))
        found[combine, normalize, n_classes] = model
    return found


def like_training(raw):
    """Give all vertices labels, and the edges none."""
    for graph in raw:
        graph.node_labels, graph.edge_labels = graph.node_labels or ["new"] * graph.n, None
    return build(raw)


odd = raw_batches(label=st.sampled_from([0, 1, "new"]), max_nodes=7).filter(len).map(like_training)


@pytest.mark.filterwarnings("ignore:no vertex label of")
@given(odd, st.sampled_from(KINDS))
def test_contributions_add_up_to_the_decision(models, graphs, kind):
    model, g = models[kind], graphs[0]
    found = explain_prediction(model, g)
    if kind[2] == 2:
        assert (found.toward, found.against) == ("class 1", "class 0")
        decision = float(model.decision_function(g)[0])
    else:
        assert found.toward == model.predict(g)[0]
        others = [name for name in model.classes_ if name != found.toward]
        against = [explain_prediction(model, g, against=name).value for name in others]
        decision = math.fsum(against)
    near = {"rel": 1e-10, "abs": 1e-10}
    assert found.value == pytest.approx(decision, **near)
    assert together(found) == pytest.approx(decision, **near)
    by_graph = [graph.contribution for graph in found.graphs]
    assert found.intercept + math.fsum(by_graph) == pytest.approx(decision, **near)
    if kind[0] == "sum":
        assert found.base == found.intercept
    present = math.fsum(f.contribution for f in found.features if f.masses[0])
    assert vertex_importance(found).sum() == pytest.approx(present, **near)
    assert all(f.vertices[0] or not f.masses[0] for f in found.features)


@pytest.mark.parametrize("kind", KINDS)
def test_decisions_between_two_classes_are_those_of_the_machine(models, kind):
    model, (graphs, y) = models[kind], training(kind[2])
    new, _ = datasets.random_graphs(6, 8, density=0.3, n_labels=2, random_state=9)
    kernel = FiltrationKernel(
        WeisfeilerLehman(2), combine=kind[0], normalize=kind[1], gamma=1.0, beta=1e-4
    )
    machine = SVC(kernel="precomputed", C=2.0, decision_function_shape="ovo")
    machine.fit(kernel.fit_transform(graphs), y)
    pairs = machine.decision_function(kernel.transform(new)).reshape(len(new), -1)
    similar = kernel.transform(new)
    for i, g in enumerate(new):
        for pair, (a, b) in enumerate(combinations(model.classes_, 2)):
            sign = -1 if kind[2] == 2 else 1
            found = explain_prediction(model, g, toward=a, against=b)
            assert found.value == pytest.approx(sign * pairs[i, pair], rel=1e-9, abs=1e-9)
            other = explain_prediction(model, g, toward=b, against=a)
            assert other.value == -found.value
            for part in found.graphs:
                assert part.similarity == pytest.approx(similar[i, part.graph], rel=1e-12)
                assert part.target == y[part.graph]
                assert part.contribution == part.similarity * part.coefficient


def test_a_feature_contributes_what_the_decision_loses_without_it(models):
    """Take it out of the support vectors; the kernel here is not normalised."""
    model = models["sum", False, 2]
    graphs, _ = training(2)
    found = explain_prediction(model, graphs[3])
    kernel, whole = model.kernel_, model.kernel_.histograms_
    assert any(len(feature.keys) > 1 for feature in found.features[:5])
    for feature in found.features[:5]:
        masses = np.zeros(len(whole.features), np.uint64)
        for depth, name in feature.keys:
            masses[(whole.depths == depth) & (whole.features == np.uint64(name))] = 1
        other = whole.features + masses  # a hash that no graph has
        columns = whole.columns._replace(features=other)
        kernel.histograms_ = type(whole)(whole.n_levels, *columns)
        without = float(model.decision_function(graphs[3])[0])
        kernel.histograms_ = whole
        assert found.value - without == pytest.approx(feature.contribution, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind[0] == "product"])
def test_in_products_features_share_what_is_lost_by_their_logarithms(models, kind):
    model, (graphs, _) = models[kind], training(kind[2])
    g = datasets.random_graphs(1, 8, density=0.3, n_labels=2, random_state=5)[0][0]
    found = explain_prediction(model, g)
    expected = dict.fromkeys((key for f in found.features for key in f.keys), 0.0)
    for part in found.graphs:
        pair = explain_pair(model.kernel_, g, graphs[part.graph])
        for f in pair.features:
            share = f.contribution / pair.total / len(f.keys)
            for key in f.keys:
                expected[key] += part.coefficient * (pair.value - 1) * share
    assert_allclose(
        [f.contribution for f in found.features],
        [math.fsum(expected[key] for key in f.keys) for f in found.features],
        rtol=1e-9,
        atol=1e-12,
    )


@pytest.mark.parametrize("combine", ["sum", "product"])
def test_predicted_numbers_are_explained_too(combine):
    graphs, _ = datasets.random_graphs(30, n_nodes=10, density=(0.1, 0.5))
    model = FiltrationRegressor(combine=combine, beta=1e-4, **GRID).fit(graphs, graphs.n_edges)
    found = explain_prediction(model, graphs[3])
    expected = pytest.approx(float(model.predict(graphs[3])[0]), rel=1e-10)
    assert found.value == expected
    assert together(found) == expected
    assert found.intercept + math.fsum(g.contribution for g in found.graphs) == expected
    assert found.toward is None
    assert found.graphs[0].target is None
    with pytest.raises(ValueError, match="toward and against are for classifiers"):
        explain_prediction(model, graphs[3], toward=1)


def test_a_machine_without_support_vectors_is_its_intercept():
    graphs, _ = datasets.random_graphs(12, n_nodes=5, density=0.5)
    model = FiltrationRegressor(**GRID).fit(graphs, np.full(12, 7.0))
    found = explain_prediction(model, graphs[0])
    assert model.machine_.coefficients.shape == (1, 0)
    assert (found.value, found.base, found.features, found.graphs) == (7.0, 7.0, (), ())
    assert vertex_importance(found).tolist() == [0.0] * 5


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[2]])
def test_models_from_files_explain_as_the_saved_ones_do(models, tmp_path, kind):
    model, (graphs, _) = models[kind], training(2)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    mine, theirs = (explain_prediction(m, graphs[5]).to_dict() for m in (model, again))
    assert json.dumps(mine) == json.dumps(theirs)
    absent = [f["name"] for f in theirs["features"] if not f["mass_g"]]
    assert bool(absent) == (kind[0] == "product")
    assert all(name.startswith("#") and len(name) == 17 for name in absent)
    assert not any(f["name"].startswith("#") for f in theirs["features"] if f["mass_g"])


def test_an_explanation_of_a_prediction_reads_well(models):
    graphs, _ = training(3)
    found = explain_prediction(models["sum", True, 3], graphs[0])
    text = str(found).splitlines()
    assert text[0].startswith("decision = ")
    assert text[0].endswith("for class class 0 against the other classes")
    assert f"{len(found.graphs)} training graphs: " in text[1]
    assert json.dumps(found.to_dict(top=4), allow_nan=False)
    assert len(found.to_dict(top=4)["graphs"]) == 4


def test_what_cannot_be_explained_is_refused(models):
    graphs, _ = training(2)
    model = models["sum", True, 2]
    with pytest.raises(TypeError, match="model must be a FiltrationClassifier"):
        explain_prediction(FiltrationKernel(), graphs[0])
    with pytest.raises(ValueError, match="toward must be one of the classes .*, got 'x'"):
        explain_prediction(model, graphs[0], toward="x")
    with pytest.raises(ValueError, match="must be two classes, got 'class 0' twice"):
        explain_prediction(model, graphs[0], toward="class 0", against="class 0")
