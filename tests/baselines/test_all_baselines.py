"""What all baselines have in common: promises, scikit-learn, and what is refused."""

import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from all_kernels import BASELINES, PSD, SAMPLED
from grafik import FiltrationKernel, Graphs, baselines, datasets
from grafik.baselines import (
    WL,
    CoreWL,
    CyclicPattern,
    PersistentWL,
    ShortestPath,
    VEHist,
    WassersteinWL,
    WLOptimalAssignment,
    transport,
)
from grafik.features import CyclicPatterns, ShortestPaths, VertexEdgeHistogram, WeisfeilerLehman
from grafik.kernels import tiles
from grafik.system import memory
from strategies import build, raw_batches

every = pytest.mark.parametrize("kernel", BASELINES.values(), ids=BASELINES)
every_psd = pytest.mark.parametrize("kernel", PSD.values(), ids=PSD)

# Some graphs have labels that others lack, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:no (vertex|edge) label of")


@st.composite
def batches(draw):
    """Batches with small labels and with attributes, as every kernel needs one of them."""
    value = st.sampled_from([-1.5, -0.0, 0.0, 0.1, 1 / 3, 2.0])
    raw = draw(raw_batches(label=st.integers(0, 2), value=value, max_graphs=5).filter(len))
    for graph in raw:
        graph.node_attributes = [draw(st.tuples(value, value)) for _ in range(graph.n)]
    return build(raw)


@pytest.fixture(scope="module")
def some():
    graphs, y = datasets.random_graphs(40, n_nodes=(4, 12), density=(0.2, 0.5), n_labels=2)
    values = np.random.default_rng(0).normal(size=(int(graphs.node_ptr[-1]), 2))
    return with_attributes(graphs, values), y


def with_attributes(graphs, values):
    return Graphs(
        graphs.node_ptr,
        graphs.edge_ptr,
        graphs.edges,
        node_labels=graphs.node_labels,
        node_attributes=values,
    )


def permuted(graphs, seed):
    """The same graphs with their vertices in another order."""
    rng = np.random.default_rng(seed)
    order = [rng.permutation(n) for n in graphs.n_nodes.tolist()]
    rows = [start + o for start, o in zip(graphs.node_ptr[:-1], order, strict=True)]
    rows = np.concatenate([np.empty(0, np.int64), *rows])
    edges = [
        np.argsort(o)[graph.edges].reshape(-1, 2) for o, graph in zip(order, graphs, strict=True)
    ]
    labels, kinds = graphs.node_labels, graphs.edge_labels
    values = graphs.node_attributes
    return Graphs(
        graphs.node_ptr,
        graphs.edge_ptr,
        np.concatenate([np.empty((0, 2), np.int64), *edges]),
        node_labels=None if labels is None else labels.take(rows),
        edge_labels=kinds,
        node_attributes=None if values is None else values[rows],
        edge_attributes=graphs.edge_attributes,
    )


@every
@given(batches(), st.integers(0, 2**31))
def test_other_graphs_threads_the_side_and_the_order_of_vertices_do_not_change_a_bit(
    kernel, graphs, seed
):
    matrix = kernel.fit_transform(graphs)
    assert np.isfinite(matrix).all()
    assert np.array_equal(matrix, matrix.T)
    assert np.array_equal(kernel.diagonal(graphs), np.diag(matrix))
    assert np.array_equal(kernel.transform(graphs), matrix)
    chosen = np.random.default_rng(seed).permutation(len(graphs))
    assert np.array_equal(kernel.fit_transform(graphs[chosen]), matrix[np.ix_(chosen, chosen)])
    part = clone(kernel).set_params(n_jobs=3).fit(graphs[chosen[:2]])
    assert np.array_equal(part.transform(graphs), matrix[:, chosen[:2]])
    if kernel is SAMPLED:
        return  # draws depend on the order of vertices
    other = permuted(graphs, seed)
    assert np.array_equal(clone(kernel).fit(graphs).transform(other), matrix)
    assert np.array_equal(kernel.fit_transform(other), matrix)


@every
def test_the_size_of_tiles_and_blocks_does_not_change_a_bit(kernel, some, monkeypatch):
    graphs, _ = some
    expected = kernel.fit_transform(graphs)
    monkeypatch.setattr(tiles, "_TILE", 7)
    monkeypatch.setattr(transport, "_BLOCK", 50)
    for jobs in (None, 3):
        kernel = clone(kernel).set_params(n_jobs=jobs)
        assert np.array_equal(kernel.fit_transform(graphs), expected)
        assert np.array_equal(kernel.transform(graphs[5:]), expected[5:])


def test_the_hash_seed_does_not_change_a_bit(others):
    code = """
import hashlib
import numpy as np
from grafik import Graphs, datasets
from all_kernels import BASELINES
graphs, _ = datasets.random_graphs(12, n_nodes=(2, 12), density=(0.1, 0.5))
names, n = ["C", "O", ("N", 1)], int(graphs.node_ptr[-1])
graphs = Graphs(
    graphs.node_ptr,
    graphs.edge_ptr,
    graphs.edges,
    node_labels=[names[v * v % 7 % 3] for v in range(n)],
    edge_labels=["-=#"[e % 3] for e in range(len(graphs.edges))],
    node_attributes=np.sqrt(np.arange(n)),
)
for kernel in BASELINES.values():
    print(hashlib.sha256(kernel.fit_transform(graphs).tobytes()).hexdigest())
"""
    runs = [found.split() for found in others(code)]
    assert len(runs[0]) == len(BASELINES)
    assert runs[0] == runs[1]


def labelled(*letters):
    """Paths with these labels, and their places as attributes."""
    return Graphs.from_edge_lists(
        [[(i, i + 1) for i in range(len(word) - 1)] for word in letters],
        node_labels=[list(word) for word in letters],
        node_attributes=[np.arange(len(word)) / 3 for word in letters],
    )


@every
def test_labels_that_training_graphs_lack(kernel):
    known, new = labelled("aab", "bab", "aaaa"), labelled("cab", "ccc", "aab")
    together = kernel.fit_transform(Graphs.concat([known, new]))
    fitted = clone(kernel).fit(known)
    assert np.array_equal(fitted.transform(new), together[3:, :3])
    assert np.array_equal(fitted.diagonal(new), np.diag(together)[3:])


@pytest.mark.parametrize(
    ("kernel", "value"),
    [
        (WL(2), 0),
        (WLOptimalAssignment(2), 0),
        (CoreWL(2), 0),
        (PersistentWL(2, cycles=True, counts=True), 0),
        (ShortestPath(), 0),
        (CyclicPattern(), 0),
        (WassersteinWL(2), np.exp(-1)),
        (WassersteinWL(2, solver="emd"), np.exp(-1)),
    ],
)
def test_graphs_without_a_common_label(kernel, value):
    found = kernel.fit(labelled("aab", "bab")).transform(labelled("ccd", "d"))
    assert np.array_equal(found, np.full((2, 2), float(value)))


@every_psd
def test_positive_semi_definite_on_real_data(kernel, data):
    graphs, _ = datasets.read_tu(data / "MUTAG")
    values = np.linalg.eigvalsh(kernel.fit_transform(graphs))
    assert values[0] >= -1e-12 * values[-1]


@every
@given(batches())
def test_positive_semi_definite_and_normalised_by_self_similarities(kernel, graphs):
    plain = kernel.fit_transform(graphs)
    if kernel in PSD.values():
        values = np.linalg.eigvalsh(plain)
        assert values[0] >= -1e-10 * max(values[-1], 1e-300)
    normal = clone(kernel).set_params(normalize=True)
    found = normal.fit_transform(graphs)
    own = np.diag(plain)
    scale = np.sqrt(own[:, None] * own[None, :])
    assert np.array_equal(found, np.divide(plain, scale, where=scale > 0, out=np.zeros_like(plain)))
    assert np.array_equal(normal.diagonal(graphs), (own > 0).astype(float))
    np.testing.assert_allclose(np.diag(found), normal.diagonal(graphs), rtol=1e-15)


@every
def test_empty_graphs_and_isolated_vertices(kernel):
    graphs = Graphs(
        [0, 0, 1, 4, 9, 9],
        [0, 0, 0, 0, 3, 3],
        [[0, 1], [1, 2], [0, 2]],
        node_attributes=np.arange(9.0),
    )
    for normalize in (False, True):
        matrix = clone(kernel).set_params(normalize=normalize).fit_transform(graphs)
        assert np.isfinite(matrix).all()
        assert matrix[0, 0] == matrix[0, 4] == matrix[4, 4]
        if not isinstance(kernel, WassersteinWL):
            assert (matrix[0] == 0).all()
    nothing = Graphs([0, 0, 0], [0, 0, 0], [])
    fitted = clone(kernel).fit(nothing)
    same, apart = (1.0, None) if isinstance(kernel, WassersteinWL) else (0.0, 0.0)
    assert np.array_equal(fitted.fit_transform(nothing), np.full((2, 2), same))
    assert np.array_equal(fitted.diagonal(nothing), [same, same])
    if apart is None:  # labels are at distance 1, attributes infinitely far
        apart = 0.0 if kernel.embedding == "continuous" else np.exp(-kernel.gamma)
    found = fitted.transform(graphs)
    assert np.array_equal(found, np.repeat([[same], [apart], [apart], [apart], [same]], 2, axis=1))


@every
def test_pipelines_grids_clones_and_pickles_in_memory(kernel, some):
    graphs, y = some
    before = pickle.dumps(graphs), kernel.get_params()
    model = make_pipeline(clone(kernel), SVC(kernel="precomputed"))
    name = type(kernel).__name__.lower()
    search = GridSearchCV(model, {f"{name}__normalize": [True, False]}, cv=3).fit(graphs, y)
    assert search.best_score_ >= 0.5
    scores = [cross_val_score(model, graphs, y, cv=3, n_jobs=jobs).tolist() for jobs in (1, 2)]
    assert scores[0] == scores[1]
    twin = clone(kernel)
    assert twin.get_params() == kernel.get_params()
    fitted = twin.fit(graphs[:20], y[:20])
    assert fitted is twin
    again = pickle.loads(pickle.dumps(fitted))
    state = {name: id(value) for name, value in vars(fitted).items()}
    assert np.array_equal(again.transform(graphs), fitted.transform(graphs))
    fitted.diagonal(graphs)
    assert {name: id(value) for name, value in vars(fitted).items()} == state
    assert (pickle.dumps(graphs), kernel.get_params()) == before


@every
def test_unfitted_and_wrongly_fitted_kernels_say_so(kernel, some):
    for method in ("transform", "diagonal"):
        with pytest.raises(NotFittedError):
            getattr(clone(kernel), method)(some[0])
    with pytest.raises(ValueError, match="at least one graph is needed to fit, got none"):
        clone(kernel).fit([])
    for wrong, message in (
        ({"normalize": 1}, "normalize must be True or False, got 1"),
        ({"n_jobs": 0}, "n_jobs must be None or an integer other than 0, got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            clone(kernel).set_params(**wrong).fit_transform(some[0])
        with pytest.raises(ValueError, match=message):
            clone(kernel).fit(some[0]).set_params(**wrong).transform(some[0])


@every_psd
def test_any_kind_of_graphs_and_one_graph(kernel):
    graphs = [nx.path_graph(4), nx.star_graph(4), nx.complete_graph(5)]
    matrix = kernel.fit_transform(graphs)
    assert matrix.shape == (3, 3)
    assert np.array_equal(kernel.transform(graphs[1]), matrix[[1]])
    assert np.array_equal(kernel.transform(g for g in graphs), matrix)
    assert kernel.transform([]).shape == (0, 3)
    assert kernel.diagonal([]).shape == (0,)


@every
def test_normalising_after_fit_leaves_no_trace(kernel, some):
    graphs, _ = some
    fitted = clone(kernel)
    plain = fitted.fit_transform(graphs)
    changed = fitted.set_params(normalize=True)
    expected = clone(kernel).set_params(normalize=True).fit_transform(graphs)
    assert np.array_equal(changed.transform(graphs), expected)
    assert set(changed.diagonal(graphs).tolist()) <= {0.0, 1.0}
    assert np.array_equal(changed.set_params(normalize=False).transform(graphs), plain)


def test_names_of_histogram_kernels_stand_for_one_level(some):
    graphs, _ = some
    for kernel, extractor in (
        (VEHist(), VertexEdgeHistogram()),
        (ShortestPath(), ShortestPaths()),
        (WL(3), WeisfeilerLehman(3, edge_labels=False)),
        (CyclicPattern(4), CyclicPatterns(4)),
    ):
        for weight, normalize in (("degree", False), ("triangles", True)):
            same = FiltrationKernel(extractor, weight=weight, n_levels=1, normalize=normalize)
            found = clone(kernel).set_params(normalize=normalize).fit_transform(graphs)
            assert np.array_equal(found, same.fit_transform(graphs))


@every
def test_what_does_not_fit_is_refused_and_changes_nothing(kernel, some, monkeypatch):
    graphs, _ = some
    fresh, fitted = clone(kernel), clone(kernel).fit(graphs[:3])
    before = fitted.transform(graphs[:2])
    monkeypatch.setattr(memory, "available", lambda: 1000.0)
    monkeypatch.setattr(memory, "_SURELY_FREE", 0.0)
    with pytest.raises(MemoryError, match="the Gram matrix of 40 x 40 graphs takes"):
        fresh.fit_transform(graphs)
    with pytest.raises(NotFittedError):
        fresh.transform(graphs[:1])
    with pytest.raises(MemoryError, match="the Gram matrix of 40 x 40 graphs takes"):
        fitted.fit_transform(graphs)
    monkeypatch.undo()
    assert np.array_equal(fitted.transform(graphs[:2]), before)


def test_every_baseline_has_a_formula_a_reference_and_an_example():
    for name in baselines.__all__:
        text = getattr(baselines, name).__doc__
        for needed in (".. math::", "References\n", ">>> ", "Prefer it", ":math:`O("):
            assert needed in text, (name, needed)
