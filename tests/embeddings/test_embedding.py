"""Explicit maps: products of vectors are the kernel, exactly or on average."""

import os
import pickle
import subprocess
import sys
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
from grafik import FiltrationEmbedding, FiltrationKernel, Graphs, datasets, weights
from grafik.embeddings.hashed import draw_grids
from grafik.features import ShortestPaths, WeisfeilerLehman
from grafik.system import memory
from strategies import build, raw_batches

some = raw_batches(label=st.integers(0, 1), max_graphs=6, max_nodes=8).filter(len).map(build)
THREE = {"thresholds": [3.0, 2.0, 1.0]}


@pytest.fixture(scope="module")
def batch():
    return datasets.random_graphs(60, n_nodes=(5, 15), density=(0.1, 0.4), n_labels=3)


def products(vectors, others=None):
    """All products; columns without entries are left out first, of which there may be billions."""
    both = vectors if others is None else sparse.vstack([vectors, others]).tocsr()
    used, places = np.unique(both.indices, return_inverse=True)
    rows = sparse.csr_array((both.data, places, both.indptr), (both.shape[0], len(used)))
    n = vectors.shape[0]
    return (rows[:n] @ (rows if others is None else rows[n:]).T).toarray()


def naive_histograms(graphs, alphas, depth):
    found = []
    for graph in graphs:
        degrees = Counter(v for edge in graph.edges.tolist() for v in edge)
        edges = graph.edges.tolist()
        entry = naive.levels([max(degrees[u], degrees[v]) for u, v in edges], alphas)
        plain = graph.n_nodes, edges, graph.node_labels, None
        found.append(naive.wl_histograms(plain, entry, len(alphas), depth))
    return found


@given(
    some, st.sampled_from([0.0, 0.3, 1.0, 40.0]), st.booleans(), st.sampled_from(["unit", "raw"])
)
def test_products_are_the_gram_matrix(graphs, gamma, normalize, scale):
    options = {"n_levels": 4, "gamma": gamma, "normalize": normalize, "scale": scale}
    gram = FiltrationKernel(WeisfeilerLehman(2), **options).fit_transform(graphs)
    vectors = FiltrationEmbedding(WeisfeilerLehman(2), **options).fit_transform(graphs)
    size = np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
    assert (np.abs(products(vectors) - gram) <= 1e-11 * size).all()


@given(some, st.sampled_from([0.3, 2.0]))
def test_products_are_the_definition(graphs, gamma):
    vectors = FiltrationEmbedding(WeisfeilerLehman(2), gamma=gamma, **THREE).fit_transform(graphs)
    rows, alphas = naive_histograms(graphs, [3.0, 2.0, 1.0], 2), [1.0, 0.5, 0.0]
    expected = [[naive.sum_kernel(a, b, alphas, gamma) for b in rows] for a in rows]
    assert_allclose(products(vectors), expected, rtol=1e-11)


@given(some, some, st.booleans())
def test_products_of_new_and_training_graphs_are_the_kernel(train, new, normalize):
    options = {"n_levels": 3, "normalize": normalize, "gamma": 2.0}
    kernel = FiltrationKernel(WeisfeilerLehman(2), **options).fit(train)
    embedding = FiltrationEmbedding(WeisfeilerLehman(2), **options)
    known = embedding.fit_transform(train)
    found = products(embedding.transform(new), known)
    assert_allclose(found, kernel.transform(new), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"rank": 2}, {"tol": 0.1}, {"min_graphs": 3}])
@pytest.mark.parametrize("levels", [{"n_levels": 5}, {"thresholds": "distinct"}])
def test_transform_has_the_bits_of_fit_transform(batch, options, levels):
    graphs, _ = batch
    embedding = FiltrationEmbedding(WeisfeilerLehman(2), weight="walks", **levels, **options)
    found = embedding.fit_transform(graphs)
    assert (embedding.n_levels < len(embedding.alphas_)) == ("thresholds" in levels)
    parts = sparse.vstack([embedding.transform(graphs[i : i + 7]) for i in range(0, 60, 7)])
    more = embedding.set_params(n_jobs=3)
    for other in (embedding.transform(graphs), parts, more.transform(graphs)):
        assert same(found, other)
    assert same(found, more.fit_transform(graphs))


def same(x, y):
    parts = ("data", "indices", "indptr")
    return x.shape == y.shape and all(np.array_equal(getattr(x, p), getattr(y, p)) for p in parts)


def test_vertices_in_any_order(batch):
    graphs, _ = batch
    shuffled = reordered(graphs, np.random.default_rng(0))
    for method in ("exact", "hashed"):
        embedding = FiltrationEmbedding(method=method, gamma=3.0)
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


def test_hashed_vectors_of_one_level_are_the_same_counts_with_signs():
    graphs = datasets.random_graphs(12, n_nodes=(3, 9), density=0.3, n_labels=2)[0]
    options = {"features": WeisfeilerLehman(2), "n_levels": 1}
    exact = FiltrationEmbedding(**options).fit_transform(graphs)
    hashed = FiltrationEmbedding(**options, method="hashed", n_components=2**30)
    found = hashed.transform(graphs)  # not fitted
    for i in range(len(graphs)):
        assert sorted(np.abs(found[i].data)) == sorted(exact[i].data)
    assert_allclose(products(found), products(exact))
    assert (found.data < 0).any()
    assert (found.data > 0).any()


def test_leaving_out_what_few_graphs_have(batch):
    graphs, _ = batch
    gram = FiltrationKernel().fit_transform(graphs)
    embedding = FiltrationEmbedding(min_graphs=2)
    found = products(embedding.fit_transform(graphs))
    apart = ~np.eye(len(graphs), dtype=bool)
    assert_allclose(found[apart], gram[apart], rtol=1e-11)
    assert (np.diag(found) < np.diag(gram)).any()
    everything = FiltrationEmbedding().fit_transform(graphs)
    in_graphs = np.bincount(everything.indices, minlength=everything.shape[1])
    assert embedding.landmarks_.column_ptr[-1] < (in_graphs > 0).sum()


def test_fewer_landmarks_leave_a_positive_rest_that_shrinks(batch):
    graphs, _ = batch
    options = {"weight": "walks", "n_levels": 6, "gamma": 5.0}
    gram = FiltrationKernel(**options).fit_transform(graphs)
    lost = []
    for rank in (1, 2, 4, 8, None):
        embedding = FiltrationEmbedding(rank=rank, **options)
        rest = gram - products(embedding.fit_transform(graphs))
        assert np.linalg.eigvalsh(rest).min() > -1e-10 * gram.max()
        lost.append(np.trace(rest) / np.trace(gram))
        widths = np.diff(embedding.landmarks_.column_ptr)
        assert widths.max() == rank if rank else lost[-1] < 1e-12
    assert lost == sorted(lost, reverse=True)
    assert lost[0] > 0.01


def test_tolerance_bounds_the_error_of_base_kernels(batch):
    graphs, _ = batch
    options = {"weight": "walks", "n_levels": 6, "gamma": 5.0}
    gram = FiltrationKernel(**options).fit_transform(graphs)
    most = FiltrationKernel(**{**options, "gamma": 0.0}).fit_transform(graphs)
    n_columns = []
    for tol in (0.5, 0.2, 1e-12):
        vectors = FiltrationEmbedding(tol=tol, **options).fit_transform(graphs)
        assert (np.abs(gram - products(vectors)) <= (tol + 1e-12) * most).all()
        n_columns.append(vectors.shape[1])
    assert n_columns == sorted(set(n_columns))


def test_names_are_readable_and_different(batch):
    graphs, _ = batch
    embedding = FiltrationEmbedding(WeisfeilerLehman(1), weight="walks", n_levels=3).fit(graphs)
    names = embedding.get_feature_names_out()
    assert len(set(names)) == len(names) == embedding.transform(graphs).shape[1]
    several = [name for name in names if name.endswith("]")]
    assert len({name.split(" [")[0] for name in several}) < len(several)
    shares = [[float(x) for x in name[name.index("[") + 1 : -1].split()] for name in several]
    assert_allclose(np.sum(shares, axis=1), 1.0, atol=0.02)
    paths = FiltrationEmbedding(ShortestPaths(), n_levels=1).fit(graphs)
    shown = FiltrationKernel(ShortestPaths(), n_levels=1).fit(graphs).histograms_.names.values()
    assert set(paths.get_feature_names_out()) == {repr(name) for name in shown} or not shown
    hashed = FiltrationEmbedding(method="hashed", n_components=3).fit(graphs)
    assert hashed.get_feature_names_out().tolist() == ["hashed0", "hashed1", "hashed2"]


def test_names_of_histograms_that_round_to_the_same_are_different():
    lengths = [[4] * (500 + more) + [1] * (500 - more) for more in (1, 2, 3)]
    stars = [[(0, 1 + i) for i in range(len(one))] for one in lengths]
    graphs = Graphs.from_edge_lists(stars, edge_attributes=lengths)
    options = {"weight": "attribute", "n_levels": 2, "gamma": 1e6}
    embedding = FiltrationEmbedding(WeisfeilerLehman(1), **options).fit(graphs)
    names = embedding.get_feature_names_out().tolist()
    assert len(set(names)) == len(names)
    rounded = [name for name in names if name.startswith("*(*) [")]
    assert len(rounded) == 3
    assert len({name[: name.index("]")] for name in rounded}) == 1


def hashed_products(graphs, seeds, **options):
    return np.array(
        [
            products(
                FiltrationEmbedding(method="hashed", random_state=s, **options).transform(graphs)
            )
            for s in seeds
        ]
    )


@pytest.fixture(scope="module")
def few():
    graphs = datasets.random_graphs(8, n_nodes=(8, 14), density=0.25, n_labels=2)[0]
    rows = naive_histograms(graphs, THREE["thresholds"], 2)
    return graphs, rows


def test_hashed_products_are_unbiased_and_vary_by_the_law_of_grids(few):
    graphs, rows = few
    gamma, n_bins, n_seeds = 3.0, 4, 200
    found = hashed_products(
        graphs, range(n_seeds), features=WeisfeilerLehman(2), gamma=gamma, n_bins=n_bins,
        n_components=2**28, **THREE,
    )  # fmt: skip
    n, alphas = len(graphs), [1.0, 0.5, 0.0]
    expected = [[naive.sum_kernel(a, b, alphas, gamma) for b in rows] for a in rows]
    law = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for f in rows[i].keys() & rows[j].keys():
                k = np.exp(-gamma * naive.wasserstein(rows[i][f], rows[j][f], alphas))
                law[i, j] += (sum(rows[i][f]) * sum(rows[j][f])) ** 2 * k * (1 - k) / n_bins
    apart = np.triu(law > 0, 1)
    assert apart.sum() > 15
    scores = (found.mean(0) - expected)[apart] / np.sqrt(law[apart] / n_seeds)
    assert np.abs(scores).max() < 4
    assert np.sqrt((scores**2).mean()) < 1.6
    assert_allclose(np.diagonal(found, axis1=1, axis2=2), [np.diag(expected)] * n_seeds, rtol=1e-6)
    # A feature shares its grids with one in 1024 others, which adds a little.
    ratios = found.var(0, ddof=1)[apart] / law[apart]
    assert 0.9 < ratios.mean() < 1.15


def test_hashed_products_vary_by_the_law_of_hashing(few):
    graphs, rows = few
    n_components, n_seeds = 16, 200
    options = {"features": WeisfeilerLehman(2), "n_levels": 1, "n_components": n_components}
    found = hashed_products(graphs, range(n_seeds), **options)
    counts = [{f: row[-1] for f, row in one.items() if row[-1]} for one in rows]
    every = sorted(set().union(*counts))
    x = np.array([[count.get(f, 0) for f in every] for count in counts], float)
    gram, squares = x @ x.T, (x**2) @ (x**2).T
    law = (np.outer(np.diag(gram), np.diag(gram)) + gram**2 - 2 * squares) / n_components
    scores = (found.mean(0) - gram)[np.triu_indices(len(x))]
    scores /= np.sqrt(law[np.triu_indices(len(x))] / n_seeds)
    assert np.abs(scores).max() < 4
    ratios = (found.var(0, ddof=1) / law)[np.triu_indices(len(x))]
    assert 0.85 < ratios.mean() < 1.15


def test_hashed_vectors_are_the_same_whenever_and_wherever(batch):
    graphs, _ = batch
    options = dict(THREE, method="hashed", n_components=1000, gamma=2.0)
    embedding = FiltrationEmbedding(**options)
    found = embedding.transform(graphs)
    assert found.shape == (60, 1000)
    assert found.has_sorted_indices
    alone = sparse.vstack([embedding.transform(graphs[i]) for i in range(60)])
    assert same(found, alone)
    assert same(found, clone(embedding).set_params(n_jobs=4).fit(graphs[:3]).transform(graphs))
    assert not same(found, clone(embedding).set_params(random_state=1).transform(graphs))
    code = (
        "import hashlib; from grafik import FiltrationEmbedding, datasets\n"
        "g = datasets.random_graphs(60, n_nodes=(5, 15), density=(0.1, 0.4), n_labels=3)[0]\n"
        f"z = FiltrationEmbedding(**{options}).transform(g[30:])\n"
        "print(hashlib.sha256(z.data.tobytes() + z.indices.tobytes()).hexdigest())"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    import hashlib

    part = found[30:]
    own = hashlib.sha256(part.data.tobytes() + part.indices.tobytes()).hexdigest()
    assert answers == {own + "\n"}


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


def test_normalised_hashed_vectors_are_divided_by_the_self_similarity(batch):
    graphs, _ = batch
    options = {"method": "hashed", "n_bins": 3, **THREE}
    plain = FiltrationEmbedding(**options).transform(graphs)
    own = np.diag(FiltrationKernel(**THREE).fit_transform(graphs))
    found = FiltrationEmbedding(normalize=True, **options).transform(graphs)
    assert_allclose(found.toarray(), plain.toarray() / np.sqrt(own)[:, None])


def test_empty_graphs_and_no_graphs():
    graphs = Graphs([0, 0, 1, 4], [0, 0, 0, 2], [[0, 1], [1, 2]])
    for method in ("exact", "hashed"):
        for normalize in (False, True):
            embedding = FiltrationEmbedding(method=method, normalize=normalize)
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
    for features in (
        ShortestPaths(),
        WeisfeilerLehman(2, exact=True),
        lambda graph: [degree for _, degree in graph.degree],
    ):
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
        ("BZR_MD", {"weight": "attribute"}),
        ("EGO-1", {"n_levels": 10}),
        ("IMDB-BINARY", {"n_levels": 10}),
    ],
)
def test_products_are_the_gram_matrix_on_real_data(data, name, options):
    graphs, _ = datasets.read_tu(data / name)
    gram = FiltrationKernel(n_jobs=-1, **options).fit_transform(graphs)
    vectors = FiltrationEmbedding(n_jobs=-1, **options).fit_transform(graphs)
    assert_allclose(products(vectors), gram, rtol=1e-9)


@pytest.mark.parametrize("gamma", [0.5, 4.0])
def test_bins_are_shared_with_the_probability_of_the_base_kernel(gamma):
    alphas, scores = np.array([1.0, 0.6, 0.0]), []
    pairs = [((0.3, 0.5), (0.7, 0.5)), ((0.0, 0.5), (0.25, 1.0)), ((0.0, 0.0), (1.0, 1.0))]
    for seed in range(4):
        grids = draw_grids(alphas, gamma, 1000, seed)
        n = 1000 * len(grids.roots)
        for pair in pairs:
            a, b = (np.floor(grids.slopes * x + grids.shifts) for x in pair)
            same = (a == b).all(axis=1).sum() + n - len(a)  # the others have a single bin
            apart = 0.4 * abs(pair[0][0] - pair[1][0]) + 0.6 * abs(pair[0][1] - pair[1][1])
            p = np.exp(-gamma * apart)
            scores.append((same - n * p) / np.sqrt(n * p * (1 - p)))
    assert np.abs(scores).max() < 4
