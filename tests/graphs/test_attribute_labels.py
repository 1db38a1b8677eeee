"""Labels from attributes: bins as defined, learned from training graphs alone."""

from fractions import Fraction
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.svm import SVC

import naive
import naive_labels
from grafik import (
    AttributeLabels,
    FiltrationClassifier,
    FiltrationEmbedding,
    FiltrationKernel,
    Graphs,
    datasets,
    load,
)
from grafik.system.archive import read_archive, write_archive
from strategies import build, finite, raw_batches

# Before scikit-learn 1.7 there was only this one, and it had no name.
NAMED = "quantile_method" in signature(KBinsDiscretizer).parameters
LINEAR = {"quantile_method": "linear"} if NAMED else {}

tied = st.lists(st.sampled_from([-2.5, 0.0, 0.1, 1.0, 1.5, 4.0, 1e9]), min_size=1, max_size=12)
spread = st.lists(finite, min_size=1, max_size=20)
values = st.one_of(tied, spread)
strategies = st.sampled_from(["quantile", "kmeans", "uniform"])
attributed = raw_batches().map(build).filter(lambda g: g.node_attributes is not None)


def isolated(rows, **columns):
    """One graph of vertices with these attributes, and no edges."""
    return Graphs([0, len(rows)], [0, 0], [], node_attributes=rows, **columns)


def found_bins(rows, **parameters):
    """The estimator, and the number of the bin of each row of one column."""
    fitted = AttributeLabels(**parameters).fit(isolated(rows))
    names = fitted.labels_[0]
    labels = fitted.transform(isolated(rows))[0].node_labels
    return fitted, [names.index(label) for label in labels]


# Bins


@given(values, st.integers(2, 6))
def test_quantiles_are_those_of_the_definition(rows, n_bins):
    fitted, bins = found_bins(rows, n_bins=n_bins)
    assert bins == naive_labels.bins(rows, naive_labels.quantile(rows, n_bins))
    assert set(bins) == set(range(fitted.n_bins_[0]))  # none is empty


@given(st.lists(st.integers(-4, 9), min_size=1, max_size=7), st.integers(2, 4))
def test_kmeans_is_an_optimal_clustering(rows, n_bins):
    _, bins = found_bins(rows, n_bins=n_bins, strategy="kmeans")
    least = [min(x for x, b in zip(rows, bins, strict=True) if b == k) for k in sorted(set(bins))]
    assert least[::-1] in naive.best_clusterings(rows, n_bins)


@given(values, st.integers(2, 6))
def test_uniform_bins_are_equally_wide(rows, n_bins):
    fitted, bins = found_bins(rows, n_bins=n_bins, strategy="uniform")
    cuts = fitted.bin_edges_[0][1:-1].tolist()
    assert bins == naive_labels.bins(rows, cuts)
    exact = naive_labels.uniform(rows, n_bins)
    largest, width = max(map(abs, rows)), exact[0] - Fraction(min(rows)) if exact else 0
    for cut in cuts:  # rounded to a hundredth of a bin, or to a float
        slack = max(width / 99, Fraction(largest) / 10**15)
        assert min(abs(Fraction(cut) - one) for one in exact) <= slack
    if width > 1e-12 * largest:
        assert len(cuts) == n_bins - 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=6, unique=True), st.integers(1, 4))
def test_scikit_learn_agrees(rows, times):
    n_bins = len(rows)
    rows = np.concatenate([np.array(rows) + shift for shift in range(times)])
    assume(len(np.unique(rows)) == len(rows) and np.diff(np.sort(rows)).min() > 1e-3)
    for strategy in ("quantile", "uniform"):
        theirs = KBinsDiscretizer(n_bins, encode="ordinal", strategy=strategy, **LINEAR)
        expected = theirs.fit_transform(rows[:, np.newaxis])[:, 0]
        edges = theirs.bin_edges_[0]
        near = np.ptp(rows) / n_bins / 50
        assume(strategy == "quantile" or np.abs(rows[:, np.newaxis] - edges[1:-1]).min() > near)
        assert found_bins(rows, n_bins=n_bins, strategy=strategy)[1] == expected.tolist()


@given(values, st.integers(2, 6), st.sampled_from(["quantile", "kmeans"]))
def test_cuts_lie_about_halfway_between_the_values_that_they_part(rows, n_bins, strategy):
    fitted, _ = found_bins(rows, n_bins=n_bins, strategy=strategy)
    distinct = sorted(set(rows))
    for cut in fitted.bin_edges_[0][1:-1].tolist():
        high = next(x for x in distinct if x >= cut)
        low = max(x for x in distinct if x < cut)
        assert cut == pytest.approx(low / 2 + high / 2, rel=0.005, abs=1e-323)


@pytest.mark.parametrize("strategy", ["quantile", "kmeans", "uniform"])
def test_few_values_and_rare_values_are_told_apart(strategy):
    one_hot = found_bins([0, 1, 0, 0, 0, 0, 0, 0, 0, 0], strategy=strategy)[1]
    assert len(set(one_hot)) == 2
    mostly_zero = [0.0] * 90 + [float(x) for x in range(1, 11)]
    assert found_bins(mostly_zero, strategy=strategy, n_bins=4)[1][89:91] in ([0, 1], [0, 0])
    assert found_bins(mostly_zero, strategy=strategy, n_bins=4)[1][99] > 0
    constant, bins = found_bins([3.5] * 4, strategy=strategy)
    assert bins == [0] * 4
    assert constant.labels_ == [("any",)]


def test_cuts_that_rounding_could_move_stay_where_they_are():
    uniform, _ = found_bins([999.9, 1001.0], n_bins=2, strategy="uniform")
    assert uniform.labels_ == [("<1000.45", ">=1000.45")]  # not 1000, an eleventh of the width
    neighbours = [1.0, np.nextafter(1.0, 2.0), 3.0]
    assert found_bins(neighbours)[1] == [0, 1, 2]


def test_bins_reach_beyond_what_was_seen():
    fitted = AttributeLabels(n_bins=2).fit(isolated([1.0, 2.0, 4.0, 5.0]))
    assert fitted.bin_edges_[0].tolist() == [-np.inf, 3.0, np.inf]
    new = fitted.transform(isolated([-100.0, 2.9999, 3.0, 1e300]))
    assert new[0].node_labels == ["<3", "<3", ">=3", ">=3"]


@given(values, st.integers(2, 8), strategies)
def test_names_tell_bins_apart_and_say_where_they_lie(rows, n_bins, strategy):
    fitted, _ = found_bins(rows, n_bins=n_bins, strategy=strategy)
    names, edges = fitted.labels_[0], fitted.bin_edges_[0].tolist()
    assert len(set(names)) == len(names) == fitted.n_bins_[0] == len(edges) - 1
    for name, low, high in zip(names[1:-1], edges[1:], edges[2:], strict=False):
        assert [float(end) for end in name.split("..")] == [low, high]
    if len(names) > 1:
        assert float(names[0].removeprefix("<")) == edges[1]
        assert float(names[-1].removeprefix(">=")) == edges[-2]


def test_names_have_the_digits_that_are_needed():
    def names(rows):
        return AttributeLabels(3).fit(isolated(rows)).labels_[0]

    assert names([1.0, 1.0001, 1.0002]) == ("<1.00005", "1.00005..1.00015", ">=1.00015")
    assert names([0.0, 1 / 3, 2 / 3]) == ("<0.167", "0.167..0.5", ">=0.5")
    assert names([1e300, 2e300]) == ("<1.5e+300", ">=1.5e+300")


# Labels


@given(attributed, st.integers(2, 4), strategies, st.booleans())
def test_labels_are_those_of_the_definition(graphs, n_bins, strategy, keep):
    fitted = AttributeLabels(n_bins, strategy, keep_labels=keep).fit(graphs)
    found = fitted.transform(graphs)
    columns = [
        [names[i] for i in naive_labels.bins(column, edges[1:-1])]
        for column, edges, names in zip(
            graphs.node_attributes.T, fitted.bin_edges_, fitted.labels_, strict=True
        )
    ]
    old = list(graphs.node_labels) if keep and graphs.node_labels is not None else None
    expected = Graphs(
        graphs.node_ptr,
        [0] * len(graphs.node_ptr),
        [],
        node_labels=naive_labels.labels(old, columns),
    )
    assert found.node_labels == expected.node_labels
    assert len(set(map(repr, found.node_labels.values))) == len(found.node_labels.values)


@given(attributed, strategies, st.randoms(use_true_random=False))
def test_order_of_graphs_and_vertices_does_not_matter(graphs, strategy, random):
    fitted = AttributeLabels(3, strategy).fit(graphs)
    order = random.sample(range(len(graphs)), len(graphs))
    assert fitted.transform(graphs[order]) == fitted.transform(graphs)[order]
    again = AttributeLabels(3, strategy).fit(graphs[order])
    rows = random.sample(range(len(graphs.node_attributes)), len(graphs.node_attributes))
    mixed = AttributeLabels(3, strategy).fit(isolated(graphs.node_attributes[rows]))
    for mine, other, third in zip(
        fitted.bin_edges_, again.bin_edges_, mixed.bin_edges_, strict=True
    ):
        assert mine.tobytes() == other.tobytes() == third.tobytes()


@given(attributed, st.data())
def test_new_graphs_get_their_labels_from_training_graphs_alone(graphs, data):
    half = data.draw(st.integers(1, len(graphs)))
    train, test = graphs[:half], graphs[half:]
    assume(train.node_ptr[-1] > 0)
    fitted = AttributeLabels(3).fit(train)
    before = [edges.copy() for edges in fitted.bin_edges_]
    together = fitted.transform(test)
    for i in range(len(test)):
        assert fitted.transform(test[[i]]) == together[[i]]
    assert all(map(np.array_equal, before, fitted.bin_edges_))


def test_all_else_stays_as_it_is():
    graphs = Graphs(
        [0, 2, 3],
        [0, 1, 1],
        [(1, 0)],
        directed=True,
        node_labels=["C", "O", "C"],
        edge_labels=["single"],
        node_attributes=[[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]],
        edge_attributes=[2.5],
        node_names=["a", "b", "a"],
        node_attribute_names=["charge", "mass"],
        edge_attribute_names=["length"],
        ids=["first", "second"],
    )
    copy = Graphs.concat([graphs[:1], graphs[1:]])
    found = AttributeLabels(columns="charge").fit_transform(graphs)
    assert list(found.node_labels) == [("C", "<0.5"), ("O", "0.5..1.5"), ("C", ">=1.5")]
    assert graphs == copy
    for name in Graphs.__slots__:
        if name not in ("__weakref__", "_adjacency", "node_labels"):
            assert np.array_equal(getattr(found, name), getattr(graphs, name)), name


def test_columns_are_chosen_by_number_or_name():
    rows = [[0.0, 7.0, 1.0], [1.0, 8.0, 1.0]]
    graphs = isolated(rows, node_attribute_names=["x", "y", "z"])
    for columns in ([1, 0], ["y", "x"], np.array([1, 0])):
        fitted = AttributeLabels(columns=columns).fit(graphs)
        assert fitted.transform(graphs)[0].node_labels == [("<7.5", "<0.5"), (">=7.5", ">=0.5")]
        assert fitted.columns_ == [1, 0]
    assert AttributeLabels(columns="y").fit_transform(graphs)[0].node_labels == ["<7.5", ">=7.5"]
    assert AttributeLabels().fit_transform(graphs)[0].node_labels[0] == ("<0.5", "<7.5", "any")


# Mistakes


def test_mistakes_are_named():
    graphs = isolated([[0.0, 1.0], [2.0, 3.0]], node_attribute_names=["x", "y"])
    bare = Graphs([0, 2], [0, 0], [])
    with pytest.raises(ValueError, match=r"no node attributes; .*node_attribute=.*leave Attribute"):
        AttributeLabels().fit(bare)
    with pytest.raises(ValueError, match="at least one vertex is needed to learn bins"):
        AttributeLabels().fit(Graphs([0, 0], [0, 0], []))
    with pytest.raises(ValueError, match="at least one graph is needed to fit"):
        AttributeLabels().fit([])
    with pytest.raises(ValueError, match="n_bins must be an integer of at least 2, got 1"):
        AttributeLabels(1).fit(graphs)
    with pytest.raises(ValueError, match="strategy must be one of 'quantile', .* got 'median'"):
        AttributeLabels(strategy="median").fit(graphs)
    with pytest.raises(ValueError, match="keep_labels must be True or False, got 'no'"):
        AttributeLabels(keep_labels="no").fit(graphs)
    with pytest.raises(ValueError, match="at most 255 bins, got n_bins=256; use strategy='quant"):
        AttributeLabels(256, "kmeans").fit(graphs)
    with pytest.raises(ValueError, match="no node attribute 'z'; there are 'x', 'y'"):
        AttributeLabels(columns="z").fit(graphs)
    with pytest.raises(NotFittedError):
        AttributeLabels().transform(graphs)


def test_new_graphs_must_be_like_those_learned_from():
    graphs = isolated([[0.0, 1.0], [2.0, 3.0]], node_attribute_names=["x", "y"])
    fitted = AttributeLabels().fit(graphs)
    with pytest.raises(ValueError, match="graphs with 2 node attributes, but these have 1"):
        fitted.transform(isolated([1.0]))
    swapped = isolated([[0.0, 1.0]], node_attribute_names=["y", "x"])
    with pytest.raises(
        ValueError, match=r"\['x', 'y'\], but these have \['y', 'x'\]; give the same"
    ):
        fitted.transform(swapped)
    with pytest.raises(ValueError, match="no node attributes"):
        fitted.transform(Graphs([0, 1], [0, 0], []))
    labelled = isolated([[0.0, 1.0], [2.0, 3.0]], node_labels=["C", "O"])
    with pytest.raises(ValueError, match="with no node labels, but these have node labels; .*"):
        fitted.transform(labelled)
    with pytest.raises(ValueError, match="with node labels, but these have no node labels"):
        AttributeLabels().fit(labelled).transform(graphs)
    replaced = AttributeLabels(keep_labels=False).fit(labelled)
    assert replaced.transform(graphs)[0].node_labels == replaced.transform(labelled)[0].node_labels
    empty = Graphs([0, 0], [0, 0], [])
    assert fitted.transform(empty) == empty


# scikit-learn


@pytest.fixture(scope="module")
def charged():
    """Paths that differ in nothing but a number at their vertices: how often it is large."""
    random = np.random.default_rng(0)
    y = np.array([0, 1] * 20)
    rows = [(random.normal(size=8) + 6 * (random.random(8) < 0.1 + 0.8 * c)).tolist() for c in y]
    edges = [[(i, i + 1) for i in range(7)]] * len(y)
    return Graphs.from_edge_lists(edges, node_attributes=rows), y


def test_pipelines_learn_bins_from_the_training_part_of_each_split(charged):
    graphs, y = charged
    model = make_pipeline(
        AttributeLabels(2, "kmeans"), FiltrationKernel(), SVC(kernel="precomputed")
    )
    folds = list(StratifiedKFold(4).split(y, y))
    found = cross_validate(model, graphs, y, cv=folds, return_estimator=True)
    assert found["test_score"].mean() > 0.8
    edges = [estimator[0].bin_edges_[0] for estimator in found["estimator"]]
    for (train, _), learned in zip(folds, edges, strict=True):
        alone = AttributeLabels(2, "kmeans").fit(graphs[train])
        assert np.array_equal(learned, alone.bin_edges_[0])
    assert len({one.tobytes() for one in edges}) > 1
    blind = cross_validate(make_pipeline(*model[1:]), graphs, y, cv=folds)
    assert blind["test_score"].mean() == 0.5


def test_grid_search_tries_bins(charged):
    graphs, y = charged
    model = make_pipeline(AttributeLabels(), FiltrationClassifier(levels=[1], random_state=0))
    grid = {"attributelabels__n_bins": [2, 8], "attributelabels__strategy": ["kmeans", "uniform"]}
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(graphs, y)
    assert search.best_score_ > 0.7
    assert search.best_estimator_[0].n_bins_[0] == search.best_params_["attributelabels__n_bins"]


def test_parameters_and_output_are_as_in_scikit_learn(charged):
    labels = clone(AttributeLabels(3, columns=["x"])).set_params(strategy="uniform")
    expected = {"n_bins": 3, "strategy": "uniform", "columns": ["x"], "keep_labels": True}
    assert labels.get_params() == expected
    graphs, _ = charged
    model = make_pipeline(AttributeLabels(), FiltrationEmbedding(method="hashed"))
    model[:1].set_output(transform="pandas")
    assert isinstance(model[:1].fit_transform(graphs), Graphs)


@given(attributed, strategies, st.booleans(), st.data())
def test_saved_labels_are_the_same(graphs, strategy, keep, data):
    names = ["x", "y"][: graphs.node_attributes.shape[1]]
    columns = data.draw(st.sampled_from([None, 0, (0,), names, names[0]]))
    named = graphs._with(node_attribute_names=tuple(names))
    labels = AttributeLabels(3, strategy, columns, keep).fit(named)
    with TemporaryDirectory() as folder:
        labels.save(Path(folder) / "labels")
        twin = load(Path(folder) / "labels")
    assert type(twin) is AttributeLabels
    assert vars(twin).keys() == vars(labels).keys()
    for name, value in vars(labels).items():
        assert repr(getattr(twin, name)) == repr(value), name
    assert twin.transform(named) == labels.transform(named)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content, arrays: arrays.update({"cuts/0": arrays["cuts/0"][::-1]}), "increase"),
        (lambda content, arrays: arrays.update({"cuts/0": np.array([1.0, 1.0])}), "increase"),
        (lambda content, arrays: arrays.update({"cuts/0": arrays["cuts/0"] * np.inf}), "finite"),
        (lambda content, arrays: arrays.update({"cuts/0": np.array([1, 2])}), "bounds of bins"),
        (lambda content, arrays: arrays.pop("cuts/1"), "bins for 1 of 2 columns"),
        (lambda content, arrays: content.update(n_attributes=1), "names"),
        (lambda content, arrays: content.update(names=["x", "y"]), "names"),
        (lambda content, arrays: content.update(n_attributes="2", names=None), "attributes"),
        (lambda content, arrays: content.update(labelled=1), "attributes"),
        (lambda content, arrays: content["parameters"]["dict"].update(n_bins=0), "n_bins"),
        (lambda content, arrays: content.pop("names"), "there is no 'names'"),
    ],
)
def test_files_that_hold_no_labels_are_refused(change, message, tmp_path):
    graphs = isolated([[0, 5], [1, 6], [2, 7]], node_attribute_names=["x", "y"])
    AttributeLabels().fit(graphs).save(tmp_path / "labels")
    found = read_archive(tmp_path / "labels")
    content, arrays = dict(found.content), dict(found.arrays)
    change(content, arrays)
    write_archive(tmp_path / "labels", found.kind, content, arrays)
    with pytest.raises(ValueError, match=f"not hold a valid AttributeLabels: .*{message}"):
        load(tmp_path / "labels")


def test_only_fitted_labels_are_saved(tmp_path):
    with pytest.raises(NotFittedError):
        AttributeLabels().save(tmp_path / "labels")


def test_the_numbers_of_a_real_data_set_are_cut_evenly(data):
    graphs, _ = datasets.read_tu(data / "DHFR")
    found = AttributeLabels(4).fit_transform(graphs)
    bins = [label[1] for label in found.node_labels]
    shares = np.unique(bins, return_counts=True)[1] / len(bins)
    assert shares == pytest.approx([0.25] * 4, abs=0.001)
