"""How networks are trained: what they learn from, and that nothing else changes them."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from grafik import Graphs, datasets

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./run test-neural")
pytest.importorskip("safetensors", reason="safetensors is not installed: ./run test-neural")

from grafik.neural import FiltrationGIN, FiltrationNetworkClassifier, gin, training  # noqa: E402
from grafik.neural import classifier as module  # noqa: E402

FAST = {"max_epochs": 5, "hidden_channels": 8, "n_layers": 2}


@pytest.fixture(scope="module")
def labelled():
    graphs, _ = datasets.random_graphs(40, n_nodes=(4, 9), density=(0.2, 0.5), n_labels=2)
    return graphs, np.array(["a", "b"] * 20)


def test_held_out_graphs_are_never_learned_from(labelled, monkeypatch):
    graphs, y = labelled
    learned, found, usual = set(), [], training.held_out
    networks, encoded = [], training.Encoded.batch

    def watched(self, rows):
        if networks and networks[0].training:
            learned.update(np.asarray(rows).tolist())
        return encoded(self, rows)

    def held_out(*given):
        found.append(usual(*given))
        return found[0]

    class Watched(FiltrationGIN):
        def __init__(self, *given, **options):
            super().__init__(*given, **options)
            networks.append(self)

    monkeypatch.setattr(training.Encoded, "batch", watched)
    monkeypatch.setattr(module, "held_out", held_out)
    monkeypatch.setattr(module, "FiltrationGIN", Watched)
    FiltrationNetworkClassifier(**FAST).fit(graphs, y)
    of_training, held = found[0]
    assert len(held)
    assert learned == set(of_training.tolist())


def test_threads_do_not_change_the_network(labelled):
    graphs, y = labelled

    def fitted(n_jobs):
        model = FiltrationNetworkClassifier(**FAST, n_jobs=n_jobs).fit(graphs, y)
        return [one.numpy() for one in model.network_.state_dict().values()]

    alone = fitted(1)
    with ThreadPoolExecutor(2) as pool:
        several = [fitted(2), *pool.map(fitted, [1, 1, 2])]
    for one in several:
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(one, alone, strict=True))


def test_graphs_unlike_those_of_training_get_probabilities(labelled):
    cycles = Graphs.from_edge_lists([[(i, (i + 1) % n) for i in range(n)] for n in range(3, 23)])
    paths = Graphs.from_edge_lists([[(i, i + 1) for i in range(n)] for n in range(1, 30)])
    model = FiltrationNetworkClassifier(max_epochs=4).fit(cycles, np.arange(20) % 2)
    outputs = model._outputs(paths)
    assert np.abs(outputs).max() < 1e4
    with torch.no_grad():
        model.network_.out.bias[0] = np.inf
    with pytest.raises(ValueError, match="graph 0: what the network computes is no finite number"):
        model.predict(paths)


@pytest.mark.parametrize("weight", [None, "degree"])
def test_deep_networks_can_be_trained_on_vertices_that_are_all_alike(weight):
    """Normalisation by a variance of nothing would multiply gradients until they are infinite."""
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=4)  # regular, without labels
    model = FiltrationNetworkClassifier(weight, n_layers=12, max_epochs=3).fit(graphs, y)
    assert np.isfinite(model.history_.loss).all()
    assert max(model.history_.loss) < 2.0  # of three classes; a guess has 1.1
    assert np.isfinite(model.predict_proba(graphs)).all()


def test_columns_that_vary_are_normalised_as_usual_and_others_centred():
    rows = torch.randn(50, 4, generator=torch.Generator().manual_seed(0)) * 3 + 1000
    rows[:, 1] = 7.0
    rows[:, 2] = 1e4 + 1e-3 * (torch.arange(50) % 2)  # less than single precision tells
    norm, usual = gin._Norm(4), torch.nn.BatchNorm1d(4)
    found, expected = norm(rows).detach(), usual(rows).detach()
    assert torch.equal(found[:, [0, 3]], expected[:, [0, 3]])
    assert float(found[:, 1].abs().max()) < 1e-5
    assert float(found[:, 2].abs().max()) < 0.01
    for name, mine in norm.state_dict().items():
        assert torch.equal(mine, usual.state_dict()[name])


def test_a_loss_that_is_not_finite_is_not_the_best():
    assert training.History([1.0, 1.0, 1.0], [0.5, np.nan, 0.4], [0.0, 0.0, 0.0]).best == 2


def test_networks_are_trained_where_gradients_are_switched_off(labelled):
    graphs, y = labelled
    with torch.no_grad():
        model = FiltrationNetworkClassifier(**FAST).fit(graphs, y)
    expected = FiltrationNetworkClassifier(**FAST).fit(graphs, y)
    assert model.history_ == expected.history_
