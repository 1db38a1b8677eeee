"""Explicit maps: products of vectors are the kernel, exactly or on average."""

import pickle
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import naive
from all_kernels import EXTRACTORS, LABELS
from embedded_graphs import THREE, naive_histograms, products, same
from grafik import FiltrationEmbedding, FiltrationKernel, Graphs, datasets, weights
from grafik.features import WeisfeilerLehman
from grafik.system import memory
from kernel_strategies import masses
from strategies import build, raw_batches, two_parts

some = raw_batches(label=st.integers(0, 1), max_graphs=6, max_nodes=8).filter(len).map(build)


scales = st.sampled_from(["unit", "raw"])


@given(some, st.sampled_from([0.0, 0.3, 1.0, 40.0]), st.booleans(), scales, masses)
def test_products_are_the_gram_matrix(graphs, gamma, normalize, scale, mass):
    options = {"gamma": gamma, "normalize": normalize, "scale": scale, "mass": mass, "n_levels": 4}
    gram = FiltrationKernel(WeisfeilerLehman(2), **options).fit_transform(graphs)
    vectors = FiltrationEmbedding(WeisfeilerLehman(2), **options).fit_transform(graphs)
    size = np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
    assert (np.abs(products(vectors) - gram) <= 1e-11 * size).all()


@given(some, st.sampled_from([0.3, 2.0]), masses)
def test_products_are_the_definition(graphs, gamma, mass):
    embedding = FiltrationEmbedding(WeisfeilerLehman(2), gamma=gamma, mass=mass, **THREE)
    vectors = embedding.fit_transform(graphs)
    rows, alphas = naive_histograms(graphs, [3.0, 2.0, 1.0], 2), [1.0, 0.5, 0.0]
    expected = [[naive.sum_kernel(a, b, alphas, gamma, mass) for b in rows] for a in rows]
    assert_allclose(products(vectors), expected, rtol=1e-11)


@pytest.mark.filterwarnings("ignore:no (vertex|edge) label of")
@given(two_parts(some), st.booleans(), masses)
def test_products_of_new_and_training_graphs_are_the_kernel(parts, normalize, mass):
    train, new = parts
    options = {"n_levels": 3, "normalize": normalize, "gamma": 2.0, "mass": mass}
    kernel = FiltrationKernel(WeisfeilerLehman(2), **options).fit(train)
    embedding = FiltrationEmbedding(WeisfeilerLehman(2), **options)
    known = embedding.fit_transform(train)
    found = products(embedding.transform(new), known)
    assert_allclose(found, kernel.transform(new), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [{}, {"rank": 2}, {"tol": 0.1}, {"min_graphs": 3}, {"mass": "min"}, {"mass": "min", "rank": 2}],
)
@pytest.mark.parametrize("levels", [{"n_levels": 5}, {"thresholds": "distinct"}])
def test_transform_has_the_bits_of_fit_transform(batch, options, levels):
    graphs = batch[0][:32]
    embedding = FiltrationEmbedding(WeisfeilerLehman(2), weight="walks", **levels, **options)
    found = embedding.fit_transform(graphs)
    assert (embedding.n_levels < len(embedding.alphas_)) == ("thresholds" in levels)
    parts = sparse.vstack([embedding.transform(graphs[i : i + 7]) for i in range(0, 32, 7)])
    more = embedding.set_params(n_jobs=3)
    for other in (embedding.transform(graphs), parts, more.transform(graphs)):
        assert same(found, other)
    assert same(found, more.fit_transform(graphs))


def test_vertices_in_any_order(batch):
    graphs, _ = batch
    shuffled = reordered(graphs, np.random.default_rng(0))
    for options in ({}, {"method": "hashed"}, {"mass": "min"}):
        embedding = FiltrationEmbedding(gamma=3.0, **options)
        assert same(embedding.fit_transform(graphs), embedding.fit_transform(shuffled))


def reordered(graphs, random):
    parts = []
    for graph in graphs:
        place = random.permutation(graph.n_nodes)
        labels = [None] * graph.n_nodes
        for v, label in enumerate(graph.node_labels):
            labels[place[v]] = label
        edges = place[graph.edges][random.permutation(graph.n_edges)]
        parts.append(Graphs([0, graph.n_nodes], [0, len(edges)], edges, node_labels=labels))
    return Graphs.concat(parts)


def test_one_level_counts_labels():
    graphs = datasets.random_graphs(12, n_nodes=(3, 5), density=0.5, n_labels=2)[0]
    depth = 2
    embedding = FiltrationEmbedding(WeisfeilerLehman(depth), n_levels=1)
    vectors = embedding.fit_transform(graphs).toarray()
    counts = []
    for graph in graphs:
        plain = graph.n_nodes, graph.edges.tolist(), graph.node_labels, None
        entry = [0] * graph.n_edges
        trees = [
            (naive.tree_text(naive.unfolding(plain, entry, 0, v, d), depth, 99), d)
            for d in range(depth + 1)
            for v in range(graph.n_nodes)
        ]
        # These alone look the same at several depths.
        counts.append(Counter(f"{t} depth {d}" if t.endswith("()") else t for t, d in trees))
    names = embedding.get_feature_names_out()
    assert set(names) == set().union(*counts)
    assert len(set(names)) == len(names) == vectors.shape[1]
    for vector, count in zip(vectors, counts, strict=True):
        assert vector.tolist() == [count[name] for name in names]


def test_what_needs_to_be_fitted(batch):
    graphs, _ = batch
    for options in ({"method": "hashed"}, {}, THREE, {"n_levels": 1}):
        with pytest.raises(NotFittedError):
            FiltrationEmbedding(**options).transform(graphs)
    hashed = FiltrationEmbedding(method="hashed").fit(graphs)
    given_now = FiltrationEmbedding(method="hashed", thresholds=hashed.alphas_.tolist())
    assert same(hashed.transform(graphs), given_now.transform(graphs))
    as_array = FiltrationEmbedding(method="hashed", thresholds=hashed.alphas_)
    assert same(hashed.transform(graphs), as_array.transform(graphs))
    assert same(hashed.transform(graphs), as_array.fit_transform(graphs))
    assert not given_now.__sklearn_tags__().requires_fit
    assert FiltrationEmbedding().__sklearn_tags__().requires_fit


def test_an_embedding_that_is_not_fitted_says_so():
    with pytest.raises(NotFittedError):
        FiltrationEmbedding().get_feature_names_out()
    with pytest.raises(NotFittedError):
        FiltrationEmbedding(method="hashed").transform([[(0, 1)]])


def test_empty_graphs_and_no_graphs():
    graphs = Graphs([0, 0, 1, 4], [0, 0, 0, 2], [[0, 1], [1, 2]])
    for options in ({}, {"method": "hashed"}, {"mass": "min"}):
        for normalize in (False, True):
            embedding = FiltrationEmbedding(normalize=normalize, **options)
            found = embedding.fit_transform(graphs)
            assert found[0].nnz == 0
            assert np.isfinite(found.data).all()
            assert embedding.transform([]).shape == (0, found.shape[1])
    assert FiltrationEmbedding().fit(graphs[:1]).transform(graphs).shape == (3, 0)


@pytest.mark.parametrize("gamma", [2.0**-12, 2.0**12, 1e300])
def test_any_gamma(batch, gamma):
    graphs, _ = batch
    options = {"weight": "walks", "n_levels": 4, "gamma": gamma}
    gram = FiltrationKernel(**options).fit_transform(graphs)
    assert_allclose(
        products(FiltrationEmbedding(**options).fit_transform(graphs)), gram, rtol=1e-10
    )
    hashed = FiltrationEmbedding(method="hashed", n_components=2**20, n_bins=9, **options)
    found = products(hashed.fit_transform(graphs))
    apart = np.abs(found - gram) / np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
    assert apart.max() < 0.02


@pytest.mark.parametrize("method", ["exact", "hashed"])
def test_scikit_learn_takes_the_vectors(method):
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    embedding = FiltrationEmbedding(
        WeisfeilerLehman(2), weight=weights.Walks(7), thresholds="distinct", normalize=True,
        method=method, n_components=2**12,
    )  # fmt: skip
    for model in (LinearSVC(C=0.1, tol=0.1), LogisticRegression(C=100)):
        assert cross_val_score(make_pipeline(embedding, model), graphs, y, cv=3).min() == 1.0
    points = make_pipeline(embedding, TruncatedSVD(2, random_state=0)).fit_transform(graphs)
    assert points.shape == (18, 2)
    groups = make_pipeline(embedding, KMeans(3, n_init=3, random_state=0)).fit_predict(graphs)
    assert len(set(zip(groups.tolist(), y.tolist(), strict=True))) == 3
    if method == "hashed":
        return
    model = make_pipeline(clone(embedding), LinearSVC(C=0.1, tol=0.1))
    grid = {
        "filtrationembedding__features__depth": [0, 2],
        "filtrationembedding__weight__length": [1, 7],
    }
    search = GridSearchCV(model, grid, cv=3).fit(graphs, y)
    assert search.best_params_ == {k: v[1] for k, v in grid.items()}


def test_clone_pickle_and_no_trace(batch):
    graphs, _ = batch
    embedding = FiltrationEmbedding(WeisfeilerLehman(2), weight=weights.Walks(3), gamma=0.5)
    twin = clone(embedding)
    assert twin.get_params()["features__depth"] == 2
    assert twin.features is not embedding.features
    found = embedding.fit_transform(graphs[:40])
    state = {name: id(value) for name, value in vars(embedding).items()}
    new = embedding.transform(graphs)
    embedding.get_feature_names_out()
    assert {name: id(value) for name, value in vars(embedding).items()} == state
    assert same(new[:40], found)
    again = pickle.loads(pickle.dumps(embedding))
    assert same(again.transform(graphs), new)
    assert again.get_feature_names_out().tolist() == embedding.get_feature_names_out().tolist()
    plain = clone(embedding).set_output(transform="default")
    assert same(plain.fit_transform(graphs[:40]), found)


def test_parameters_changed_after_fitting_do_not_mix(batch):
    graphs, _ = batch
    embedding = FiltrationEmbedding(gamma=2.0)
    found = embedding.fit_transform(graphs)
    embedding.set_params(gamma=5.0, weight="core", n_levels=1)
    assert same(embedding.transform(graphs), found)


def test_any_kind_of_graphs_and_features():
    graphs = [nx.path_graph(3), nx.star_graph(3), nx.complete_graph(4)]
    for features in [*LABELS, *EXTRACTORS]:
        gram = FiltrationKernel(features, n_levels=2).fit_transform(graphs)
        embedding = FiltrationEmbedding(features, n_levels=2)
        found = embedding.fit_transform(graphs)
        assert_allclose(products(found), gram)
        assert same(embedding.transform(graphs[2]), found[2])
        assert len(embedding.get_feature_names_out()) == found.shape[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "method must be 'exact' or 'hashed', got 'magic'"),
        ({"rank": 0}, "rank must be an integer of at least 1, got 0"),
        ({"min_graphs": 1.5}, "min_graphs must be an integer of at least 1, got 1.5"),
        ({"tol": -1}, "tol must be a finite number of at least 0, got -1"),
        ({"n_components": 0}, "n_components must be an integer of at least 1, got 0"),
        ({"n_components": 2**31}, "n_components must be at most 2147483647"),
        ({"n_bins": 0}, "n_bins must be an integer of at least 1, got 0"),
        ({"random_state": None}, "random_state must be an integer of at least 0, got None"),
        ({"gamma": -1}, "gamma must be a finite number of at least 0, got -1"),
        (
            {"method": "hashed", "features": WeisfeilerLehman(exact=True)},
            "exact=True\\) numbers labels as they come",
        ),
    ],
)
def test_mistakes_are_explained(batch, options, message):
    with pytest.raises(ValueError, match=message):
        FiltrationEmbedding(**options).fit(batch[0])


def test_what_does_not_fit_is_refused(batch, monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 1e4)
    monkeypatch.setattr(memory, "_SURELY_FREE", 0)
    with pytest.raises(MemoryError, match="an exact embedding of .* give rank"):
        FiltrationEmbedding(weight="walks", n_levels=8).fit(batch[0])


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("MUTAG", {}),
        ("PTC_MR", {"gamma": 8.0}),
        ("ENZYMES", {"n_levels": 5}),
        ("BZR_MD", {"weight": "attribute:small"}),
        ("EGO-1", {"n_levels": 10}),
        ("IMDB-BINARY", {"n_levels": 10}),
    ],
)
def test_products_are_the_gram_matrix_on_real_data(data, name, options):
    graphs, _ = datasets.read_tu(data / name)
    gram = FiltrationKernel(n_jobs=-1, **options).fit_transform(graphs)
    vectors = FiltrationEmbedding(n_jobs=-1, **options).fit_transform(graphs)
    assert_allclose(products(vectors), gram, rtol=1e-9)


@pytest.mark.parametrize("method", ["exact", "hashed"])
def test_depth_is_that_of_the_default_features(batch, method):
    graphs = batch[0][:20]
    expected = FiltrationEmbedding(WeisfeilerLehman(2), method=method).fit_transform(graphs)
    assert same(FiltrationEmbedding(method=method, depth=2).fit_transform(graphs), expected)
    with pytest.raises(ValueError, match=r"depth=2 is that of the default features, but features="):
        FiltrationEmbedding(WeisfeilerLehman(2), method=method, depth=2).fit(graphs)


@pytest.mark.parametrize("method", ["exact", "hashed"])
@pytest.mark.parametrize("thresholds", ["kmeans", (3.0, 2.0, 1.0)])
def test_labels_of_new_graphs_must_match(batch, method, thresholds):
    graphs = batch[0][:20]
    shape = graphs.node_ptr, graphs.edge_ptr, graphs.edges
    bonds = Graphs(*shape, node_labels=graphs.node_labels, edge_labels=[1] * len(graphs.edges))
    embedding = FiltrationEmbedding(method=method, thresholds=thresholds, depth=1).fit(bonds)
    assert embedding.extractor_.edge_labels is True
    assert embedding.transform(bonds).shape[0] == 20
    with pytest.raises(ValueError, match="these graphs have no edge labels, but those the model"):
        embedding.transform(graphs)
    with pytest.raises(ValueError, match="these graphs have edge labels, but those the model was"):
        embedding.fit(graphs).transform(bonds)
