"""Estimators among scikit-learn's tools: names of arguments, metadata routing and tags."""

import inspect

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.fixes import parse_version

import grafik
from grafik import (
    FiltrationClassifier,
    FiltrationEmbedding,
    FiltrationKernel,
    FiltrationRegressor,
    baselines,
)
from grafik.features import WeisfeilerLehman
from small_models import SMALL, noisy

# What scikit-learn calls, by position or by these names.
CALLED = ("fit", "transform", "fit_transform", "predict", "predict_proba", "decision_function")
ESTIMATORS = [
    found
    for room in (grafik, baselines)
    for found in (getattr(room, name) for name in room.__all__)
    if inspect.isclass(found) and issubclass(found, BaseEstimator)
]
everyone = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda found: found.__name__)
WEIGHTED = {"sample_weight": True}
# Older pipelines do not hand on the weights of `score`.
PIPELINES_ROUTE = parse_version(sklearn.__version__) >= parse_version("1.8")
# What those are made of that need something to be made of.
PARTS = {
    grafik.MeanKernel: "degree+core",
    grafik.GaussianKernel: FiltrationKernel(),
    grafik.KernelEmbedding: FiltrationKernel(),
}


@everyone
def test_graphs_are_called_x_and_targets_y(estimator):
    for name in (*CALLED, "score"):
        if method := getattr(estimator, name, None):
            _, *names = inspect.signature(method).parameters
            assert names[0] == "X"
            if "fit" in name or name == "score":
                assert names[1] == "y"
    assert hasattr(estimator, "fit")


@everyone
def test_tags_say_that_graphs_are_no_table(estimator):
    tags = get_tags(made(estimator))
    assert (tags.input_tags.one_d_array, tags.input_tags.two_d_array) == (True, False)
    assert tags.target_tags.required == hasattr(estimator, "predict")


@everyone
def test_what_scikit_learn_checks_without_data_holds(estimator):
    name = estimator.__name__
    for check in (
        "check_estimator_cloneable",
        "check_estimator_tags_renamed",
        "check_valid_tag_types",
        "check_estimator_repr",
        "check_no_attributes_set_in_init",
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_mixin_order",
        "check_parameters_default_constructible",
        "check_get_params_invariance",
        "check_set_params",
    ):
        found = getattr(estimator_checks, check, None)  # later versions may have others
        if found and (estimator not in PARTS or "default_constructible" not in check):
            found(name, made(estimator))


@everyone
def test_an_unknown_argument_is_refused_in_the_name_of_the_class(estimator):
    with pytest.raises(TypeError, match=rf"^{estimator.__name__}\.__init__\(\) got an unexpected"):
        estimator(levels_of_detail=3)


def made(estimator):
    return estimator(PARTS[estimator]) if estimator in PARTS else estimator()


def weighted():
    model = FiltrationClassifier(**SMALL)
    return model.set_fit_request(**WEIGHTED).set_score_request(**WEIGHTED)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_pipelines_and_searches():
    graphs, y = noisy(60)
    samples = np.random.default_rng(0).uniform(0.2, 4, 60)
    folds = list(StratifiedKFold(3).split(y, y))
    expected = []
    for train, test in folds:
        model = FiltrationClassifier(**SMALL)
        model.fit(graphs[train.tolist()], y[train], samples[train])
        expected.append(model.score(graphs[test.tolist()], y[test], samples[test]))
    params = {"sample_weight": samples}
    piped = make_pipeline(FunctionTransformer(), weighted())
    for estimator in (weighted(), piped) if PIPELINES_ROUTE else (weighted(),):
        found = cross_validate(estimator, graphs, y, cv=folds, params=params)
        assert found["test_score"].tolist() == expected
    if not PIPELINES_ROUTE:
        return
    grid = {"filtrationclassifier__weight": ["degree"]}
    search = GridSearchCV(piped, grid, cv=folds).fit(graphs, y, sample_weight=samples)
    assert search.best_score_ == np.mean(expected)
    whole = FiltrationClassifier(**SMALL).fit(graphs, y, samples)
    assert np.array_equal(search.decision_function(graphs), whole.decision_function(graphs))
    assert search.score(graphs, y, sample_weight=samples) == whole.score(graphs, y, samples)


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_ensembles_and_calibration():
    graphs, y = noisy(60)
    samples = np.where(y == "few", 1e-3, 1.0)
    whole = FiltrationClassifier(**SMALL).fit(graphs, y, samples)
    voting = VotingClassifier([("one", weighted())]).fit(graphs, y, sample_weight=samples)
    assert (voting.predict(graphs) == whole.predict(graphs)).all()
    calibrated = CalibratedClassifierCV(weighted(), cv=3)
    found = calibrated.fit(graphs, y, sample_weight=samples).predict(graphs)
    assert np.mean(found == "many") > 0.9


def test_regression_takes_weights_by_position_and_name():
    graphs, _ = noisy(40)
    y, samples = graphs.n_edges * 1.0, np.linspace(1, 3, 40)
    one = FiltrationRegressor(**SMALL).fit(graphs, y, samples)
    other = FiltrationRegressor(**SMALL).fit(X=graphs, y=y, sample_weight=samples)
    assert np.array_equal(one.predict(graphs), other.predict(X=graphs))
    assert one.score(graphs, y, samples) == other.score(X=graphs, y=y, sample_weight=samples)


def columns(graphs):
    """The same graphs as arrays of objects and frames."""
    flat = np.empty(len(graphs), object)
    flat[:] = list(graphs)
    return [flat, flat[:, np.newaxis], pd.Series(flat), pd.DataFrame({"graph": flat})]


def test_arrays_and_frames_of_graphs_are_graphs():
    graphs, y = noisy(40)
    expected = FiltrationClassifier(**SMALL).fit(graphs, y).decision_function(graphs)
    for same in columns(graphs):
        found = FiltrationClassifier(**SMALL).fit(same, y).decision_function(same)
        assert np.array_equal(found, expected)


def test_ensembles_of_models():
    graphs, y = noisy(60, noise=2.0)
    model = FiltrationClassifier(**SMALL)
    _, column, _, frame = columns(graphs)
    for table in (column, frame):
        bagged = BaggingClassifier(clone(model), n_estimators=3, random_state=0).fit(table, y)
        assert bagged.score(table, y) > 0.8
    for ensemble in (
        StackingClassifier([("one", model)], LogisticRegression(), cv=3),
        VotingClassifier([("one", model), ("other", clone(model))], voting="soft"),
        CalibratedClassifierCV(model, cv=3),
        OneVsRestClassifier(model),
    ):
        assert ensemble.fit(graphs, y).score(graphs, y) > 0.8


def test_graphs_beside_other_columns_of_a_frame():
    graphs, y = noisy(40)
    size = np.arange(40.0)
    frame = columns(graphs)[3].assign(size=size)
    labels = FiltrationEmbedding(WeisfeilerLehman(1), n_levels=1)
    for chosen in ("graph", ["graph"]):
        both = make_column_transformer((labels, chosen), ("passthrough", ["size"]))
        found = both.fit_transform(frame)
        expected = clone(labels).fit_transform(graphs).toarray()
        found = found.toarray() if hasattr(found, "toarray") else found
        assert np.array_equal(found, np.column_stack([expected, size]))
        assert make_pipeline(both, SVC()).fit(frame, y).predict(frame).shape == (40,)


@pytest.mark.parametrize("method", ["exact", "hashed"])
def test_an_embedding_as_a_sparse_frame(method):
    graphs, _ = noisy(30)
    embedding = FiltrationEmbedding(WeisfeilerLehman(1), method=method, n_components=64)
    expected = embedding.fit_transform(graphs)
    numbered = columns(graphs)[2].set_axis(range(5, 35))
    for given, index in ((graphs, range(30)), (numbered, range(5, 35))):
        framed = clone(embedding).set_output(transform="pandas")
        with sklearn.config_context(transform_output="pandas"):
            by_setting = clone(embedding).fit_transform(given)
        for found in (
            framed.fit_transform(given),
            framed.transform(given),
            by_setting,
        ):
            assert found.columns.tolist() == embedding.get_feature_names_out().tolist()
            assert found.index.tolist() == list(index)
            assert all(isinstance(kind, pd.SparseDtype) for kind in found.dtypes)
            np.testing.assert_allclose(found.to_numpy(), expected.toarray(), rtol=1e-9, atol=1e-9)
    with sklearn.config_context(transform_output="pandas"):
        both = make_column_transformer((embedding, "graph")).fit_transform(columns(graphs)[3])
        default = clone(embedding).set_output(transform="default").fit_transform(graphs)
    assert both.shape == expected.shape
    assert (default != expected).nnz == 0


@pytest.mark.parametrize("kernel", [FiltrationKernel(), baselines.WL(), baselines.CoreWL()])
def test_a_kernel_says_why_it_gives_no_frame(kernel):
    graphs, y = noisy(20)
    message = rf"{type(kernel).__name__} gives a matrix .* no pandas frame.*FiltrationEmbedding"
    with pytest.raises(ValueError, match=message):
        clone(kernel).set_output(transform="pandas")
    pipeline = make_pipeline(kernel, SVC(kernel="precomputed"))
    with pytest.raises(ValueError, match=message):
        pipeline.set_output(transform="pandas")
    expected = pipeline.set_output(transform="default").fit(graphs, y).predict(graphs)
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(clone(kernel).fit_transform(graphs), np.ndarray)
        model = FiltrationClassifier(**SMALL).fit(graphs, y)
        assert model.predict(graphs).shape == expected.shape
