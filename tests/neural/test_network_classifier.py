"""FiltrationNetworkClassifier among scikit-learn's tools and grafik's evaluation."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from grafik import AttributeLabels, Graphs, datasets
from grafik.evaluation import PROTOCOLS, evaluate
from grafik.system import memory

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./run test-neural")
pytest.importorskip("safetensors", reason="safetensors is not installed: ./run test-neural")

from grafik.neural import FiltrationNetworkClassifier  # noqa: E402
from grafik.neural.training import held_out  # noqa: E402

SHORT = {"max_epochs": 3, "hidden_channels": 8, "n_layers": 2}


@pytest.fixture(scope="module")
def skips():
    """Classes that a plain GIN cannot tell apart."""
    return datasets.csl(skips=(2, 3, 5), copies=10)


@pytest.fixture(scope="module")
def labelled():
    """Graphs whose labels tell the class."""
    graphs, _ = datasets.random_graphs(40, n_nodes=(4, 9), density=(0.2, 0.5), n_labels=2)
    y = np.array(["a", "b"] * 20)
    labels = [["x" if one == "a" else "y"] * g.n_nodes for g, one in zip(graphs, y, strict=True)]
    edges = [g.edges.tolist() for g in graphs]
    return Graphs.from_edge_lists(edges, graphs.n_nodes.tolist(), node_labels=labels), y


def weights_of(model):
    return {name: one.numpy() for name, one in model.network_.state_dict().items()}


def test_a_filtration_learns_what_a_plain_network_cannot(skips):
    graphs, y = skips
    model = FiltrationNetworkClassifier("walks", "distinct", hidden_channels=16)
    assert model.fit(graphs[::2], y[::2]).score(graphs[1::2], y[1::2]) == 1
    plain = FiltrationNetworkClassifier(None, **SHORT).fit(graphs[::2], y[::2])
    assert plain.network_.n_levels == plain.filtration_.n_levels_ == 1
    shares = plain.predict_proba(graphs)
    np.testing.assert_allclose(shares, np.tile(shares[0], (len(graphs), 1)), atol=1e-5)
    assert np.ptp(model.predict_proba(graphs), axis=0).min() > 0.5


def test_labels_are_learned_and_classes_are_what_was_given(labelled):
    graphs, y = labelled
    model = FiltrationNetworkClassifier(**SHORT | {"max_epochs": 30}).fit(graphs[:30], y[:30])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict(graphs[30:]).tolist() == y[30:].tolist()
    shares = model.predict_proba(graphs)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(graphs)).all()


def test_a_seed_fixes_everything_and_pytorch_is_left_as_it_was(labelled):
    graphs, y = labelled
    models = []
    for number, seed in enumerate((1, 1, 2)):
        torch.manual_seed(number)  # another one for each
        before = torch.get_rng_state(), torch.get_num_threads()
        model = FiltrationNetworkClassifier(dropout=0.3, random_state=seed, **SHORT)
        models.append(model.fit(graphs, y))
        assert torch.equal(torch.get_rng_state(), before[0])
        assert torch.get_num_threads() == before[1]
    one, same, other = models
    for name, value in weights_of(one).items():
        assert np.array_equal(value, weights_of(same)[name]), name
    assert one.history_ == same.history_
    assert not np.array_equal(weights_of(one)["start.weight"], weights_of(other)["start.weight"])
    assert np.array_equal(one.predict_proba(graphs), same.predict_proba(graphs))


def test_other_processes_find_the_same(others):
    code = """
import hashlib
from grafik import datasets
from grafik.neural import FiltrationNetworkClassifier
graphs, y = datasets.random_graphs(20, n_nodes=(3, 9), density=(0.2, 0.5), n_labels=3)
model = FiltrationNetworkClassifier(max_epochs=2, hidden_channels=8)
model.fit(graphs, [i % 2 for i in range(20)])
print(hashlib.sha256(model.predict_proba(graphs).tobytes()).hexdigest())
"""
    one, other = others(code)
    assert one == other


def test_the_weights_of_the_best_epoch_are_kept(labelled):
    graphs, _ = labelled
    y = np.arange(40) % 2  # nothing to learn, so that the loss of held-out graphs soon grows
    options = {"hidden_channels": 16, "patience": 4, "validation_fraction": 0.3}
    model = FiltrationNetworkClassifier(max_epochs=60, learning_rate=0.02, **options)
    history = model.fit(graphs, y).history_
    assert history.best == int(np.argmin(history.validation_loss))
    assert len(history.loss) == history.best + 1 + 4 < 60
    again = clone(model).set_params(max_epochs=history.best + 1).fit(graphs, y)
    for name, value in weights_of(model).items():
        assert np.array_equal(value, weights_of(again)[name]), name


def test_without_held_out_graphs_all_epochs_are_done(labelled):
    graphs, y = labelled
    model = FiltrationNetworkClassifier(validation_fraction=0, patience=1, **SHORT).fit(graphs, y)
    assert len(model.history_.loss) == 3
    assert model.history_.validation_loss == []
    assert model.history_.best == 2


def test_the_same_share_of_each_class_is_held_out():
    y = np.repeat([0, 1, 2, 3], [20, 10, 2, 1])
    train, test = held_out(y, 0.2, np.random.RandomState(0))
    assert sorted([*train, *test]) == list(range(len(y)))
    assert np.bincount(y[test], minlength=4).tolist() == [4, 2, 1, 0]
    assert len(held_out(y, 0, np.random.RandomState(0))[1]) == 0


def test_odd_graphs_are_learned_from_and_predicted():
    lists = [[], [(0, 1)], [], [(0, 1), (1, 2)], [], [(0, 2)]]
    graphs = Graphs.from_edge_lists(lists, [0, 2, 1, 3, 5, 3])
    model = FiltrationNetworkClassifier(batch_size=2, **SHORT).fit(graphs, [0, 1, 0, 1, 0, 1])
    assert np.isfinite(model.predict_proba(graphs)).all()
    assert model.predict(graphs[:0]).shape == (0,)
    assert model.predict_proba(graphs[:0]).shape == (0, 2)
    without = Graphs.from_edge_lists([[]] * 4, [0, 1, 0, 1])
    model.fit(without, [0, 1, 0, 1])
    assert model.filtration_.n_levels_ == 1
    assert np.isfinite(model.predict_proba(graphs)).all()  # edges, though none was seen


def test_labels_that_were_not_seen_are_no_features(labelled):
    graphs, y = labelled
    model = FiltrationNetworkClassifier(**SHORT).fit(graphs, y)
    strange = Graphs.from_edge_lists([[(0, 1)]] * 2, node_labels=[["x", "?"], ["x", "!"]])
    one, other = model.predict_proba(strange)
    assert np.array_equal(one, other)
    known = Graphs.from_edge_lists([[(0, 1)]], node_labels=[["x", "y"]])
    assert not np.array_equal(model.predict_proba(known)[0], one)
    with pytest.warns(UserWarning, match="no vertex label of graph 0 was seen in training"):
        model.predict(Graphs.from_edge_lists([[(0, 1)]], node_labels=[["?", "!"]]))
    with pytest.raises(ValueError, match="these graphs have no vertex labels, but those the model"):
        model.predict(Graphs.from_edge_lists([[(0, 1)]]))


def test_the_order_of_vertices_and_other_graphs_change_last_bits_at_most(labelled):
    graphs, y = labelled
    model = FiltrationNetworkClassifier(**SHORT).fit(graphs, y)
    random = np.random.default_rng(0)
    made = []
    for g in graphs:
        order = random.permutation(g.n_nodes)
        labels = [g.node_labels[i] for i in np.argsort(order)]
        made.append(
            Graphs.from_edge_lists([order[g.edges].tolist()], [g.n_nodes], node_labels=[labels])
        )
    found = model.predict_proba(graphs)
    np.testing.assert_allclose(model.predict_proba(Graphs.concat(made)), found, atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(graphs[7:8]), found[7:8], atol=1e-5)


def test_directions_are_told_apart_and_must_be_those_of_training():
    star = [(0, 1), (0, 2), (0, 3)]
    lists = [star, [(v, u) for u, v in star]] * 10
    graphs, y = Graphs.from_edge_lists(lists, directed=True), np.arange(20) % 2
    options = {**SHORT, "max_epochs": 40, "weight": None}
    model = FiltrationNetworkClassifier(**options).fit(graphs, y)
    assert model.score(graphs, y) == 1
    with pytest.raises(ValueError, match="directed"):
        model.predict(graphs.undirected())


def test_it_is_an_estimator_among_others(labelled):
    graphs, y = labelled
    model = FiltrationNetworkClassifier(**SHORT)
    assert cross_val_score(model, graphs, y, cv=2).shape == (2,)
    search = GridSearchCV(model, {"weight": [None, "degree"]}, cv=2).fit(graphs, y)
    assert set(search.best_params_) == {"weight"}
    numbers = Graphs.from_edge_lists(
        [[(0, 1)]] * 8, node_attributes=[[[0.0], [0.5]], [[5.0], [6.0]]] * 4
    )
    pipe = make_pipeline(AttributeLabels(), FiltrationNetworkClassifier(**SHORT))
    assert pipe.fit(numbers, [0, 1] * 4).predict(numbers).shape == (8,)


def test_it_can_be_evaluated_in_several_processes(labelled):
    graphs, y = labelled
    protocol = PROTOCOLS["quick"].with_values(n_splits=2, inner_splits=2)
    model = FiltrationNetworkClassifier(**SHORT)
    runs = [
        evaluate({"network": model, "wl": "wl"}, graphs, y, protocol=protocol, n_jobs=jobs)
        for jobs in (1, 2)
    ]
    assert runs[0].units == runs[1].units
    assert {unit["method"] for unit in runs[0].units} == {"network", "wl"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_epochs": 0}, "max_epochs must be an integer of at least 1, got 0"),
        ({"patience": 0}, "patience must be an integer of at least 1, got 0"),
        ({"batch_size": 1.5}, "batch_size must be an integer of at least 1, got 1.5"),
        ({"learning_rate": "fast"}, "learning_rate must be a finite number of at least 0"),
        ({"validation_fraction": 1.0}, "validation_fraction must be less than 1, got 1.0"),
        ({"hidden_channels": 0}, "hidden_channels must be an integer of at least 1, got 0"),
        ({"weight": "height"}, "height"),
        ({"learning_rate": 1e30, "max_epochs": 50}, "training diverged in epoch .* lower learning"),
    ],
)
def test_wrong_parameters_are_refused_and_leave_the_model_as_it_was(options, message, labelled):
    graphs, y = labelled
    model = FiltrationNetworkClassifier(**SHORT).fit(graphs, y)
    before = model.predict_proba(graphs)
    with pytest.raises(ValueError, match=message):
        model.set_params(**options).fit(graphs, y)
    assert np.array_equal(model.predict_proba(graphs), before)


def test_wrong_targets_are_refused(labelled):
    graphs, y = labelled
    model = FiltrationNetworkClassifier(**SHORT)
    with pytest.raises(ValueError, match="there are 40 graphs, but y has 39 entries"):
        model.fit(graphs, y[1:])
    with pytest.raises(ValueError, match="at least two classes are needed, got only a"):
        model.fit(graphs, ["a"] * 40)
    with pytest.raises(ValueError, match="requires y to be passed"):
        model.fit(graphs)
    with pytest.raises(NotFittedError):
        model.predict(graphs)


def test_what_does_not_fit_in_memory_is_refused(labelled, monkeypatch):
    graphs, y = labelled
    monkeypatch.setattr(memory, "available", lambda: 1e8)
    with pytest.raises(
        MemoryError, match="a step of training with 4 levels and .* labels takes .* batch_size"
    ):
        FiltrationNetworkClassifier("curvature", hidden_channels=100_000).fit(graphs, y)


def test_a_bar_is_shown_if_it_is_wanted(labelled, capfd):
    graphs, y = labelled
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FiltrationNetworkClassifier(progress=True, **SHORT).fit(graphs, y)
    assert "training" in capfd.readouterr().err
    FiltrationNetworkClassifier(progress=False, **SHORT).fit(graphs, y)
    assert capfd.readouterr().err == ""
