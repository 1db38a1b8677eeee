"""Saved networks: the same bits when loaded, and refused when anything is wrong with the file."""

import json
import random
import struct
import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import command_line
import grafik
from grafik import Graphs, datasets, weights

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./run test-neural")
safetensors = pytest.importorskip("safetensors", reason="safetensors is not installed")

from safetensors.numpy import load as unpacked  # noqa: E402
from safetensors.numpy import save as packed  # noqa: E402

from grafik.neural import FiltrationNetworkClassifier  # noqa: E402
from grafik.neural.saving import _digest, load  # noqa: E402

SHORT = {"max_epochs": 2, "hidden_channels": 4, "n_layers": 2}


@pytest.fixture(scope="module")
def data():
    graphs, _ = datasets.random_graphs(20, n_nodes=(4, 9), density=(0.2, 0.5), n_labels=2)
    return graphs, np.array(["few", "many"])[np.arange(20) % 2]


@pytest.fixture
def saved(data, tmp_path):
    model = FiltrationNetworkClassifier(**SHORT).fit(*data)
    model.save(tmp_path / "network.safetensors")
    return model, tmp_path / "network.safetensors"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weight": None},
        {"weight": weights.Walks(3), "thresholds": "distinct"},
        {"weight": weights.degree, "thresholds": [3.0, 1.0]},
        {"weight": weights.Combined(["degree", "core"])},
        {"validation_fraction": 0.0, "random_state": None},
    ],
    ids=["usual", "plain", "walks", "function", "keys", "no-validation"],
)
def test_a_loaded_network_predicts_the_same_bits(options, data, tmp_path):
    graphs, y = data
    model = FiltrationNetworkClassifier(**SHORT, **options).fit(graphs[:15], y[:15])
    model.save(tmp_path / "a.safetensors")
    again = grafik.load(tmp_path / "a.safetensors")
    assert np.array_equal(again.predict_proba(graphs), model.predict_proba(graphs))
    assert again.predict(graphs).tolist() == model.predict(graphs).tolist()
    assert again.history_ == model.history_
    assert repr(again) == repr(model)
    again.save(tmp_path / "b.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()
    with pytest.warns(UserWarning, match="no vertex label of graph 0 was seen in training"):
        again.predict(Graphs.from_edge_lists([[(0, 1)]], node_labels=[["?", "!"]]))
    again.fit(graphs, y)


@pytest.mark.parametrize(
    "y",
    [
        *([0, 1] * 3, [2.0, 5.0] * 3, [True, False] * 3, ["b", "aa"] * 3),
        *(np.array([1, 2] * 3, kind) for kind in (np.int32, np.uint8, np.int16)),
    ],
    ids=str,
)
def test_classes_of_all_types_come_back(y, tmp_path):
    directed = Graphs.from_edge_lists([[(0, 1)], [(1, 0), (0, 2)]] * 3, directed=True)
    model = FiltrationNetworkClassifier(**SHORT).fit(directed, y)
    model.save(tmp_path / "network")
    again = grafik.load(tmp_path / "network")
    assert again.classes_.tolist() == model.classes_.tolist()
    assert again.classes_.dtype == model.classes_.dtype
    assert again.network_.directed


def test_parameters_that_were_changed_after_the_fit_do_not_change_the_network(saved, data):
    model, path = saved
    expected = model.predict_proba(data[0])
    changed = {"hidden_channels": 99, "n_layers": 7, "weight": "betweenness", "n_levels": 9}
    model.set_params(**changed).save(path)
    again = grafik.load(path)
    assert {name: getattr(again, name) for name in changed} == changed
    assert np.array_equal(again.predict_proba(data[0]), expected)
    assert np.array_equal(again.predict_proba(data[0]), model.predict_proba(data[0]))


def test_a_file_appears_only_when_it_is_complete(saved, tmp_path, monkeypatch):
    model, path = saved
    before = path.read_bytes()
    own = FiltrationNetworkClassifier(lambda graphs: graphs.edges[:, 0] * 1.0, **SHORT)
    own.fit(*datasets.csl(skips=(2, 3), copies=3))
    with pytest.raises(ValueError, match="a file holds no code"):
        own.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        model.save(tmp_path / "nowhere" / "network")
    with pytest.raises(NotFittedError):
        FiltrationNetworkClassifier().save(path)


def test_cut_and_damaged_files_are_refused(saved):
    _, path = saved
    whole = path.read_bytes()
    chance = random.Random(0)
    for place in [*range(0, 64, 3), *chance.sample(range(len(whole)), 200)]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=path.name):
            grafik.load(path)
    for length in [0, 5, 9, 300, len(whole) // 2, len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=path.name):
            grafik.load(path)
    path.write_bytes(whole + b"more")
    with pytest.raises(ValueError, match=path.name):
        grafik.load(path)


def rewritten(path, change):
    """Change content and tensors of a file, with a checksum that is right."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    text = json.loads(data[8 : 8 + length])["__metadata__"]["grafik"].partition("\n")[2]
    content, tensors = json.loads(text), dict(unpacked(data))
    change(content, tensors)
    text = json.dumps(content)
    path.write_bytes(packed(tensors, {"grafik": f"{_digest(text, tensors)}\n{text}"}))


def put(keys, value):
    def change(content, tensors):
        *above, last = keys
        for key in above:
            content = content[key]
        content[last] = value

    return change


def tensor(name, change):
    def changed(content, tensors):
        tensors[name] = change(tensors[name])

    return changed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(["network", "hidden_channels"], 10**12), "overflow"),
        (
            put(["network", "hidden_channels"], 10**6),
            r"must be torch.float32 of shape \(4, 1000000\)",
        ),
        (put(["network", "n_layers"], 10**12), "the network is"),
        (put(["network", "n_layers"], 1), "layers.1.* is not known"),
        (put(["network", "n_layers"], 3), "layers.2.* is missing"),
        (
            put(["version"], 9),
            "is a grafik network of version 9, made by grafik .* reads version 1",
        ),
        (put(["network", "more"], 1), "the network is"),
        (put(["network", "directed"], True), "against.weight is missing"),
        (put(["classes"], ["few"]), "classes are"),
        (put(["classes"], ["few", "few"]), "classes are"),
        (put(["classes"], ["many", "few"]), "classes are"),
        (put(["classes"], ["few", "many", "most"]), "but the network is for others"),
        (put(["classes_type"], "object"), "classes are of type 'object'"),
        (put(["classes_type"], "int32"), "many|invalid literal"),
        (put(["directed"], 1), "directed is 1"),
        (put(["directed"], True), "differ in whether graphs are directed"),
        (put(["labelled", "vertices"], None), "but the network is for others"),
        (put(["history", "loss"], ["low"]), "the history must be lists of numbers"),
        (put(["history", "loss"], [float("nan"), 0.5]), "must be lists of finite numbers"),
        (put(["history", "loss"], [True, 0.5]), "the history must be lists of numbers"),
        (put(["history", "loss"], "ab"), "the history must be lists of numbers"),
        (put(["history", "validation_loss"], [0.5]), "has 2 epochs, and those of held-out"),
        (put(["history", "more"], []), "more"),
        (put(["parameters", "dict", "n_jobs"], 0), "n_jobs"),
        (put(["parameters", "dict", "speed"], 0), "speed"),
        (lambda content, tensors: content.pop("classes"), "there is no 'classes'"),
        (lambda content, tensors: tensors.pop("alphas"), "there is no 'alphas'"),
        (lambda content, tensors: tensors.update(more=np.ones(2)), "nothing is known of more"),
        (tensor("alphas", lambda a: a[::-1].copy()), "thresholds must be finite and decrease"),
        (tensor("alphas", lambda a: a[:-1]), "but the network is for others"),
        (tensor("network.pooled.running_var", np.negative), "running_var must not be negative"),
        (
            tensor("network.pooled.num_batches_tracked", lambda a: np.array(a - 99)),
            "num_batches_tracked must not be negative, got -9",
        ),
        (tensor("labels/vertices", lambda a: a[::-1].copy()), "labels of vertices do not increase"),
        (tensor("network.out.bias", lambda a: a * np.nan), "must hold finite numbers"),
        (tensor("network.out.bias", lambda a: a.astype(np.float64)), "got torch.float64 of shape"),
        (tensor("network.out.bias", lambda a: a.astype(np.int32)), "must hold finite numbers"),
        (tensor("network.out.bias", lambda a: a[:1]), r"of shape \(2,\), got torch.float32 of sha"),
        (tensor("labels/vertices", lambda a: a.astype(np.int64)), "does not say which labels"),
        (tensor("labels/vertices", lambda a: a[:1]), "but the network is for others"),
    ],
)
def test_content_that_makes_no_sense_is_refused(change, message, saved):
    _, path = saved
    rewritten(path, lambda content, tensors: None)
    grafik.load(path)
    rewritten(path, change)
    with pytest.raises(ValueError, match=rf"does not hold a valid .*{message}"):
        grafik.load(path)


def test_a_loss_that_was_not_finite_can_be_saved(saved):
    model, path = saved
    model.history_.validation_loss[0] = float("inf")
    model.save(path)
    assert np.isnan(grafik.load(path).history_.validation_loss[0])


def test_tensors_are_read_only_from_files_that_are_ours(saved, monkeypatch):
    """Metadata is checked first: tensors of others may take all memory."""
    _, path = saved
    read = []

    class Opened:
        def __init__(self, about):
            self.about = about

        def __call__(self, *_, **__):
            return self

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return False

        def metadata(self):
            return self.about

        def keys(self):
            return ["x"]

        def get_tensor(self, name):
            read.append(name)
            return np.ones(1)

    newer = json.dumps({"format": "grafik network", "version": 2, "grafik": "9.0"})
    for about, message in (
        (None, "a safetensors file of others"),
        ({"grafik": "0\nno JSON"}, "does not hold a valid"),
        ({"grafik": f"0\n{newer}"}, "of version 2, made by grafik 9.0"),
    ):
        monkeypatch.setattr("safetensors.safe_open", Opened(about))
        with pytest.raises(ValueError, match=message):
            load(path)
    assert read == []


def test_files_of_others_are_refused(saved):
    _, path = saved
    path.write_bytes(packed({"x": np.ones(2)}, {"format": "pt"}))
    with pytest.raises(ValueError, match="it is a safetensors file of others"):
        grafik.load(path)


def test_where_pytorch_is_missing_the_remedy_is_named(saved, monkeypatch):
    _, path = saved
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"needs torch, .*: pip install 'grafik\[neural\]'"):
        grafik.load(path)


def test_the_command_line_predicts_with_networks(saved, data, tmp_path):
    model, path = saved
    graphs, _ = data
    graphs.to_parquet(tmp_path / "new.parquet")
    run = command_line.grafik("predict", path, tmp_path / "new.parquet")
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == model.predict(graphs).tolist()
