"""Long loops look at their flag: if it is raised, they leave their work undone."""

import numba
import numpy as np
import pytest

from grafik import (
    Filtration,
    FiltrationKernel,
    Graphs,
    isomorphism_test,
    weights,
)
from grafik.baselines import PersistentWL
from grafik.features import (
    CyclicPatterns,
    Graphlets,
    ShortestPaths,
    WeisfeilerLehman,
    cyclic_patterns,
)
from grafik.features.barcodes import barcodes
from grafik.kernels import products
from grafik.system import threads
from grafik.weights import Cliques, Cycles, Marked, Walks

RANDOM = np.random.default_rng(0)
N = 12 if numba.config.DISABLE_JIT else 20
PAIRS = np.array([(u, v) for u in range(N) for v in range(u)])
EDGES = PAIRS[RANDOM.random(len(PAIRS)) < 0.6]
PLAIN = Graphs([0, N], [0, len(EDGES)], EDGES)
LABELLED = Graphs([0, N], [0, len(EDGES)], EDGES, node_labels=list(range(N)))
# Of more than 256 vertices, so that walks are counted vertex by vertex.
RING = Graphs([0, 300], [0, 300], [(v, (v + 1) % 300) for v in range(300)])

# Of two graphs that share most features.
BOTH = Graphs.concat([PLAIN, Graphs([0, N], [0, len(EDGES) - 1], EDGES[1:])])
PRODUCT = FiltrationKernel(combine="product", beta=1e-4, depth=1).fit(BOTH)

PATH = Graphs([0, 5], [0, 4], [(0, 1), (1, 2), (2, 3), (3, 4)])


def counted(extractor, graphs):
    filtration = Filtration("degree", n_levels=2).fit(graphs)
    return extractor.histograms(graphs, filtration).run_counts.sum()


def of_edges(weight, graphs):
    return weights.compute(weight, graphs).sum()


WORK = {
    "few walks": lambda: of_edges(Walks(3), PLAIN),
    "walks": lambda: of_edges(Walks(3), RING),
    "triangles": lambda: of_edges("triangles", PLAIN),
    "cycles": lambda: of_edges(Cycles(5), PLAIN),
    "cliques": lambda: of_edges(Cliques(4), PLAIN),
    "betweenness": lambda: of_edges("betweenness", PLAIN),
    "labels": lambda: counted(WeisfeilerLehman(3), PLAIN),
    "bars": lambda: len(barcodes(PLAIN, Filtration("degree").fit(PLAIN)).features),
    "paths": lambda: counted(ShortestPaths(), PLAIN),
    "graphlets of four": lambda: counted(Graphlets(4), PLAIN),
    "graphlets of five": lambda: counted(Graphlets(5), PLAIN),
    "drawn graphlets": lambda: counted(Graphlets(5, sampling=True), PLAIN),
    "cycles that are visited": lambda: counted(CyclicPatterns(trees=False), LABELLED),
    "cycles that are counted": lambda: counted(CyclicPatterns(trees=False), PLAIN),
    "trees": lambda: counted(CyclicPatterns(), PATH),
    "products": lambda: PRODUCT.on_histograms().gram(*[PRODUCT.histograms_] * 2).sum(),
    "marked": lambda: np.count_nonzero(Marked()(PLAIN)),
    "persistent labels": lambda: PersistentWL(depth=1).fit_transform(BOTH).sum(),
    "isomorphism": lambda: bool(isomorphism_test(PLAIN[0], RING[0], weight="degree")),
}


@pytest.mark.parametrize("name", WORK)
def test_a_raised_flag_leaves_work_undone(name, monkeypatch):
    whole = WORK[name]()

    def at_once(work, blocks, n_threads, flag):
        flag[0] = 1
        return [work(*block) for block in blocks]

    monkeypatch.setattr(threads, "_BRIEF", 0.0)
    monkeypatch.setattr(products, "_MANY", 0)
    monkeypatch.setattr(cyclic_patterns, "_cost", lambda graphs, length: np.full(len(graphs), 1e12))
    monkeypatch.setattr(threads, "_run_watched", at_once)
    assert WORK[name]() < whole
