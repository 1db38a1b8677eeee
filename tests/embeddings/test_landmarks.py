"""Fewer landmarks leave a rest that shrinks, within the tolerance."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive
from embedded_graphs import products
from grafik import FiltrationEmbedding, FiltrationKernel, Graphs
from grafik.embeddings import landmarks
from grafik.embeddings.landmarks import choose_landmarks
from grafik.features import VertexEdgeHistogram
from grafik.features.histograms import Histograms
from grafik.kernels.gram import KernelOnHistograms
from grafik.system import memory


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


# Edges enter as soon as their attribute is reached, so each occurs at one or two levels.
TWO = {"weight": "attribute", "thresholds": [2.0, 1.0]}


def stars(*attributes):
    """Stars whose edges have the given attributes."""
    edges = [[(0, 1 + i) for i in range(len(one))] for one in attributes]
    return Graphs.from_edge_lists(edges, edge_attributes=attributes)


@pytest.mark.parametrize("mass", ["linear", "min"])
def test_the_first_landmark_is_what_the_trace_lacks_most(mass):
    # Three graphs of mass 2, of which the squares add up to 12, and one of mass 5, with square 25.
    graphs = stars([2.0], [2.0], [2.0], [1.0] * 5)
    options = {"features": VertexEdgeHistogram(vertices=False), "mass": mass, **TWO}
    gram = FiltrationKernel(**options).fit_transform(graphs)
    embedding = FiltrationEmbedding(rank=1, **options)
    rest = np.diag(gram - products(embedding.fit_transform(graphs)))
    exact = [False, False, False, True] if mass == "linear" else [True, True, True, False]
    assert (rest < 1e-12).tolist() == exact


def chosen(features, counts):
    """Landmarks among the histograms of graphs, each of which has one feature, and factors."""
    n, levels = len(counts), np.tile(np.arange(3, dtype=np.int32), len(counts))
    rows = np.arange(n + 1), np.zeros(n, np.int32), np.array(features, np.uint64)
    histograms = Histograms(3, *rows, np.arange(n + 1) * 3, levels, np.ravel(counts))
    kernel = KernelOnHistograms.of(FiltrationKernel(gamma=2.0)).at(np.array([3.0, 2.0, 1.0]))
    return choose_landmarks(histograms, kernel, 1, None, 1e-12, None)


def test_the_refusal_tells_the_largest_number_of_histograms(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 0.0)
    monkeypatch.setattr(memory, "_SURELY_FREE", 0)
    with pytest.raises(MemoryError, match="of 2 features with up to 3 different histograms takes"):
        chosen([5, 7, 7, 7], [[1, 1, 1], [1, 1, 1], [0, 1, 1], [0, 0, 1]])


def test_coordinates_of_distinct_histograms_have_their_base_kernels_as_products():
    counts = np.array([[1, 1, 1], [0, 1, 1], [0, 0, 1], [2, 2, 2], [0, 3, 1]])
    landmarks, factors = chosen([7] * 5, counts)
    distinct = counts[[0, 1, 2, 4]]  # one more is the same as the first, once normalised
    assert factors.uses.tolist() == [2, 1, 1, 1]
    assert factors.ends.shape == (4, 2)
    assert landmarks.column_ptr.tolist() == [0, 4]
    rows = np.zeros((4, 4))
    for row, (start, stop) in zip(rows, factors.ends.tolist(), strict=True):
        row[: stop - start] = factors.coordinates[start:stop]
    alphas = naive.unit([3.0, 2.0, 1.0])
    apart = [[naive.wasserstein(x, y, alphas) for y in distinct] for x in distinct]
    assert_allclose(rows @ rows.T, np.exp(-2.0 * np.array(apart)), rtol=1e-11)


def test_a_raised_flag_ends_the_search_for_landmarks(batch, monkeypatch):
    graphs, _ = batch

    class EndedError(Exception):
        pass

    def raised(work, cost, n_jobs, flag, **how):
        assert work(0, len(cost) - 1)[0].min() > 0
        flag[0] = 1
        n_columns, *_, values = work(0, len(cost) - 1)
        assert n_columns.max() == 0
        assert not len(values)
        raise EndedError

    monkeypatch.setattr(landmarks, "run_blocks", raised)
    with pytest.raises(EndedError):
        FiltrationEmbedding(weight="walks").fit(graphs)


PRESSED = """
import os, signal, threading
import numpy as np
from grafik import FiltrationEmbedding, Graphs
from grafik.system import threads

threads._BRIEF = {brief}
edges = np.tile(np.stack([np.arange(11), np.arange(1, 12)], 1), (500, 1))
random = np.random.default_rng(0).random(len(edges))
graphs = Graphs(np.arange(501) * 12, np.arange(501) * 11, edges, edge_attributes=random)
how = dict(weight="attribute", thresholds="quantile", n_levels=50)
FiltrationEmbedding(**how).fit(graphs[:3])
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    FiltrationEmbedding(**how).fit_transform(graphs)
except BaseException as error:
    print(type(error).__name__)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal for one process")
@pytest.mark.parametrize("brief", ["0.0", "float('inf')"])
def test_an_interrupt_of_loops_that_return_arrays_is_no_other_error(brief):
    """On the main thread, numba would end the process, or raise a SystemError."""
    script = PRESSED.format(brief=brief)
    end = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (end.returncode, end.stdout, end.stderr) == (0, b"KeyboardInterrupt\n", b"")
