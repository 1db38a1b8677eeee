"""What models know of labels: those of all training graphs, also after saving."""

import numpy as np
import pytest

from grafik import (
    FiltrationClassifier,
    FiltrationKernel,
    FiltrationRegressor,
    Graphs,
    datasets,
    load,
)
from grafik.features import WeisfeilerLehman
from grafik.graphs.labelling import Labelling
from grafik.models.gram_grid import Grid, filtration_grams

SMALL = {"levels": (1, 3), "depths": (1, 2), "gammas": (1.0,), "Cs": (1.0, 32.0)}


def with_bonds(graphs, kinds):
    shape = graphs.node_ptr, graphs.edge_ptr, graphs.edges
    return Graphs(*shape, node_labels=graphs.node_labels, edge_labels=kinds)


@pytest.fixture(scope="module")
def data():
    """Graphs of which only the edge labels tell the class."""
    graphs, _ = datasets.random_graphs(40, n_nodes=(5, 9), density=(0.3, 0.5), n_labels=2)
    y = np.arange(40) % 2
    kinds = np.where(np.repeat(y, graphs.n_edges), "double", "single")
    kinds[graphs.edge_ptr[:-1]] = "single"
    return with_bonds(graphs, kinds.tolist()), y


@pytest.mark.parametrize("kind", [FiltrationClassifier, FiltrationRegressor])
def test_a_model_knows_the_labels_of_all_training_graphs(data, kind, tmp_path):
    graphs, y = data
    model = kind(**SMALL).fit(graphs, y)
    model.save(tmp_path / "model")
    expected = Labelling.of(graphs)
    for one in (model, load(tmp_path / "model")):
        assert one.score(graphs, y) > 0.9
        assert one.kernel_.extractor_.edge_labels is True
        for mine, known in zip(one.kernel_.labelling_[:2], expected[:2], strict=True):
            assert mine.labelled is known.labelled is True
            assert mine.hashes.tolist() == known.hashes.tolist()
        with pytest.raises(ValueError, match="these graphs have no vertex labels, but those the"):
            one.predict(datasets.csl(copies=1)[0])
        with pytest.raises(ValueError, match="these graphs have no edge labels, but those the mod"):
            one.predict(with_bonds(graphs, None))
        strange = with_bonds(graphs, ["triple"] * len(graphs.edges))
        with pytest.warns(UserWarning, match=r"no edge label of graphs 0, 1, 2 .*has 'triple'\)"):
            one.predict(strange)


def test_a_model_of_plain_graphs_refuses_labels(data):
    graphs, _ = data
    plain, y = datasets.csl(skips=(2, 3), copies=6)
    model = FiltrationClassifier(weight="walks", **SMALL).fit(plain, y)
    assert model.kernel_.extractor_.edge_labels is False
    with pytest.raises(ValueError, match="these graphs have vertex labels, but those the model"):
        model.predict(graphs)


@pytest.mark.parametrize("option", ["auto", False])
def test_candidates_count_edge_labels_as_kernels_do(data, option):
    graphs, _ = data
    train = np.arange(0, 40, 3)
    kernel = FiltrationKernel(WeisfeilerLehman(edge_labels=option))
    for parameters, gram in filtration_grams(kernel, graphs, train, Grid([2], [0, 2], [1.0]), True):
        features = WeisfeilerLehman(parameters["depth"], edge_labels=option)
        single = FiltrationKernel(features, n_levels=2, normalize=True).fit(graphs[train])
        assert np.array_equal(single.transform(graphs), gram[:, train])
    assert single.extractor_.edge_labels is (option == "auto")
