"""Pipelines and searches are explained like the models of the library."""

import math
import re
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KernelCenterer,
    MaxAbsScaler,
    Normalizer,
    StandardScaler,
)
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC

from explained import GRID, together, training
from grafik import (
    FiltrationClassifier,
    FiltrationEmbedding,
    FiltrationKernel,
    datasets,
    explain_prediction,
    vertex_importance,
)
from grafik.features import ShortestPaths, WeisfeilerLehman

NEW = datasets.random_graphs(5, 9, density=0.3, n_labels=2, random_state=9)[0]
NEAR = {"rel": 1e-9, "abs": 1e-9}


def mixed(n_classes):
    """Classes one after the other would hide whose support vectors come first."""
    graphs, y = training(n_classes)
    order = np.random.default_rng(0).permutation(len(y))
    return graphs[order.tolist()], y[order]


def kernel(**options):
    return FiltrationKernel(WeisfeilerLehman(2), **options)


def embedding(**options):
    return FiltrationEmbedding(WeisfeilerLehman(2), **{"normalize": True, **options})


def svc(**options):
    return SVC(kernel="precomputed", **options)


PRODUCT = {"combine": "product", "beta": 1e-4}
CLASSIFIERS = {
    "svc": make_pipeline(kernel(normalize=True), svc(C=2.0)),
    "svc, product": make_pipeline(kernel(**PRODUCT), svc(class_weight="balanced")),
    "nu": make_pipeline(kernel(normalize=True), NuSVC(kernel="precomputed", nu=0.3)),
    "logistic on kernel": make_pipeline(kernel(normalize=True), LogisticRegression(C=9.0)),
    "logistic": make_pipeline(embedding(), LogisticRegression(C=30.0)),
    "linear svc": make_pipeline(embedding(), MaxAbsScaler(), LinearSVC(C=0.1)),
    "ridge": make_pipeline(embedding(normalize=False, min_graphs=2), RidgeClassifier()),
    "sgd": make_pipeline(
        embedding(), StandardScaler(with_mean=False), SGDClassifier(random_state=0)
    ),
    "dual": make_pipeline(embedding(gamma=0.2), SVC(kernel="linear", C=5.0)),
    "paths": make_pipeline(FiltrationEmbedding(ShortestPaths()), LogisticRegression(C=1e-3)),
    "nested": Pipeline(
        [
            ("first", FunctionTransformer(lambda graphs: graphs)),
            ("nothing", "passthrough"),
            ("inner", make_pipeline(kernel(normalize=True), svc(C=3.0))),
        ]
    ),
    "search": GridSearchCV(
        make_pipeline(kernel(normalize=True), svc()),
        {"svc__C": [0.1, 10.0], "filtrationkernel__n_levels": [1, 3]},
        cv=2,
    ),
    "search inside": make_pipeline(
        kernel(normalize=True), GridSearchCV(svc(), {"C": [0.1, 10.0]}, cv=2)
    ),
    "search of ours": GridSearchCV(FiltrationClassifier(**GRID), {"weight": ["degree"]}, cv=2),
}
REGRESSORS = {
    "svr": make_pipeline(kernel(normalize=True), SVR(kernel="precomputed", C=50.0)),
    "kernel ridge": make_pipeline(kernel(**PRODUCT), KernelRidge(kernel="precomputed")),
    "ridge": make_pipeline(embedding(), Ridge()),
    "linear svr": make_pipeline(embedding(), MaxAbsScaler(), LinearSVR(C=9.0)),
    "search": GridSearchCV(make_pipeline(embedding(), Ridge()), {"ridge__alpha": [1.0]}, cv=2),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_contributions_add_up_to_the_decision_between_two_classes(name):
    graphs, y = mixed(2)
    model = CLASSIFIERS[name].fit(graphs, y)
    for g, decision in zip(NEW, model.decision_function(NEW), strict=True):
        found = explain_prediction(model, g)
        assert (found.toward, found.against) == ("class 1", "class 0")
        check(found, decision)
        assert explain_prediction(model, g, toward="class 0").value == pytest.approx(-decision)


def check(found, decision):
    """All parts add up to a decision, and so do the vertices, up to the base."""
    assert found.value == pytest.approx(decision, **NEAR)
    assert together(found) == pytest.approx(decision, **NEAR)
    assert len(found.features) > 2
    if found.graphs:
        by_graph = math.fsum(graph.contribution for graph in found.graphs)
        assert found.intercept + by_graph == pytest.approx(decision, **NEAR)
    if found.barcodes[0] is not None:
        present = math.fsum(f.contribution for f in found.features if f.masses[0])
        assert vertex_importance(found).sum() == pytest.approx(present, **NEAR)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_contributions_add_up_to_decisions_among_three_classes(name):
    graphs, y = mixed(3)
    model = CLASSIFIERS[name].fit(graphs, y)
    classes, decisions = model.classes_.tolist(), model.decision_function(NEW)
    by_pairs = name in ("svc", "svc, product", "nu", "dual", "nested") or "search" in name
    for i, g in enumerate(NEW):
        found = explain_prediction(model, g)
        assert (found.toward, found.against) == (model.predict(g)[0], None)
        others = [other for other in classes if other != found.toward]
        against = [explain_prediction(model, g, against=other) for other in others]
        if by_pairs:
            check(found, math.fsum(pair.value for pair in against))
        else:
            check(found, decisions[i, classes.index(found.toward)])
            for pair in against:
                apart = decisions[i, classes.index(pair.toward)]
                check(pair, apart - decisions[i, classes.index(pair.against)])


@pytest.mark.parametrize("name", ["svc", "svc, product", "dual"])
def test_machines_decide_between_two_of_three_classes_as_scikit_learn_does(name):
    graphs, y = mixed(3)
    model = CLASSIFIERS[name].fit(graphs, y)
    decisions = model.set_params(svc__decision_function_shape="ovo").decision_function(NEW)
    for i, g in enumerate(NEW):
        for pair, (a, b) in enumerate(combinations(model.classes_, 2)):
            check(explain_prediction(model, g, toward=a, against=b), decisions[i, pair])
    model.set_params(svc__decision_function_shape="ovr")


@pytest.mark.parametrize("name", REGRESSORS)
def test_contributions_add_up_to_predicted_numbers(name):
    graphs, _ = mixed(3)
    model = REGRESSORS[name].fit(graphs, graphs.n_edges)
    for g, expected in zip(NEW, model.predict(NEW), strict=True):
        found = explain_prediction(model, g)
        assert found.toward is None
        check(found, expected)
        assert str(found).startswith(f"prediction = {found.value:.10g}\n")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("combine", ["sum", "product"])
def test_a_pipeline_is_explained_like_our_own_model(combine, n_classes):
    graphs, y = mixed(n_classes)
    options = {"combine": combine, "beta": 1e-4, "normalize": combine == "sum"}
    own = FiltrationClassifier(**options, **GRID).fit(graphs, y)
    model = make_pipeline(kernel(n_levels=3, **options), svc(C=2.0)).fit(graphs, y)
    mine, theirs = (explain_prediction(m, NEW[0], toward="class 1") for m in (own, model))
    assert [f[:3] for f in mine.features] == [f[:3] for f in theirs.features]
    parts = ([f.contribution for f in each.features] for each in (mine, theirs))
    assert_allclose(*parts, rtol=1e-6, atol=1e-9)
    assert [g[:2] for g in mine.graphs] == [g[:2] for g in theirs.graphs]
    assert_allclose([g[2:] for g in mine.graphs], [g[2:] for g in theirs.graphs], rtol=1e-6)
    assert str(theirs).splitlines()[0] == str(mine).splitlines()[0]


def test_with_one_level_a_feature_contributes_its_count_times_its_coefficient():
    graphs, y = mixed(2)
    model = make_pipeline(
        FiltrationEmbedding(WeisfeilerLehman(1), n_levels=1), LogisticRegression(C=1e-3)
    ).fit(graphs, y)
    g = NEW[1]
    counts = model[0].transform(g).toarray()[0]
    names = model[0].get_feature_names_out()
    expected = {
        name: count * weight
        for name, count, weight in zip(names, counts, model[1].coef_[0], strict=True)
        if count
    }
    found = explain_prediction(model, g)
    assert found.base == model[1].intercept_[0]
    assert found.graphs == ()
    assert "training graphs" not in str(found)
    told = {re.sub(" without edges$", "()", f.name): f.contribution for f in found.features}
    assert told == pytest.approx(expected)
    assert len(told) > 5


def test_what_is_not_linear_is_refused_with_a_reason():
    graphs, y = mixed(2)
    g, n = graphs[0], graphs.n_edges

    def refused(model, message, targets=y):
        with pytest.raises(TypeError, match=message):
            explain_prediction(model.fit(graphs, targets), g)

    refused(make_pipeline(kernel(), SVC()), r"take SVC\(kernel='precomputed'\)")
    refused(make_pipeline(kernel(), KernelRidge()), "take KernelRidge", n)
    hashed = embedding(method="hashed", n_components=64)
    refused(make_pipeline(hashed, LogisticRegression()), "hashed embedding are sums of many feat")
    refused(
        make_pipeline(embedding(), RandomForestClassifier(2)), "ends in a RandomForestClassifier"
    )
    refused(make_pipeline(kernel(), KernelCenterer(), svc()), "KernelCenterer between the Filtra")
    refused(make_pipeline(embedding(), Normalizer(), Ridge()), "Normalizer.*take a MaxAbsScaler", n)
    two = np.column_stack([n, n])
    refused(make_pipeline(embedding(), Ridge()), "the Ridge predicts 2 targets", two)
    refused(
        make_pipeline(kernel(), KernelRidge(kernel="precomputed")), "Ridge predicts 2 targets", two
    )
    refused(make_pipeline(embedding(), PoissonRegressor()), "cannot be split", n)
    refused(kernel(), "model must be .* got a FiltrationKernel")
    sizes = FunctionTransformer(lambda graphs: graphs.n_edges[:, None])
    refused(make_pipeline(sizes, SVC()), "got a Pipeline of FunctionTransformer, SVC")
    search = GridSearchCV(make_pipeline(kernel(), svc()), {"svc__C": [1.0]}, cv=2, refit=False)
    refused(search, "GridSearchCV with refit=False")
    with pytest.raises(NotFittedError):
        explain_prediction(make_pipeline(kernel(), svc()), g)
    with pytest.raises(NotFittedError):
        explain_prediction(GridSearchCV(make_pipeline(kernel(), svc()), {}), g)


def test_vertices_of_a_model_without_graphs_are_refused_and_what_is_recommended_works():
    graphs, y = mixed(2)
    model = make_pipeline(kernel(normalize=True), svc()).fit(graphs, y)
    message = r"got a Pipeline; write vertex_importance\(explain_prediction\(model, graph\)\)"
    for arguments in ((model,), (model, graphs[0])):
        with pytest.raises(TypeError, match=message):
            vertex_importance(*arguments)
    assert vertex_importance(explain_prediction(model, graphs[0])).shape == (8,)
