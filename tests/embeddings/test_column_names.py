"""Names of columns are readable and different."""

import numpy as np
from numpy.testing import assert_allclose

from grafik import FiltrationEmbedding, FiltrationKernel, Graphs
from grafik.features import ShortestPaths, WeisfeilerLehman


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


def test_histograms_of_very_many_levels_are_numbered():
    weights = np.arange(9.0, 0.0, -1.0)
    stars = [[(0, leaf) for leaf in range(1, n + 1)] for n in (9, 5)]
    graphs = Graphs.from_edge_lists(stars, edge_attributes=[weights, weights[:5]])
    shown = []
    for n_levels in (8, 9):
        how = {"weight": "attribute", "thresholds": weights[:n_levels].tolist()}
        embedding = FiltrationEmbedding(WeisfeilerLehman(1), **how).fit(graphs)
        names = embedding.get_feature_names_out()
        shown.append([name.removeprefix("*(*) ") for name in names if name.startswith("*(*) ")])
    assert [len(name.split()) for name in shown[0]] == [8, 8]
    assert shown[1] == ["[0]", "[1]"]
