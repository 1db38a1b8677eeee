"""Saved models: the same bits when loaded, and refused when anything is wrong with the file."""

import io
import json
import os
import pickle
import random
import shutil
import signal
import sys
import time
import zipfile

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold

from all_kernels import COMBINED, EXTRACTORS, KERNELS, LABELS
from forked import Forked
from grafik import (
    FiltrationClassifier,
    FiltrationKernel,
    FiltrationRegressor,
    Graphs,
    datasets,
    features,
    load,
    weights,
)
from grafik.features import (
    CyclicPatterns,
    Graphlets,
    ShortestPaths,
    VertexEdgeHistogram,
    WeisfeilerLehman,
)
from grafik.system import archive
from grafik.system.archive import read_archive, write_archive

SMALL = {"levels": (1, 3), "gammas": (1.0,), "Cs": (1.0, 32.0)}


@pytest.fixture(scope="module")
def data():
    graphs, _ = datasets.random_graphs(50, n_nodes=(5, 12), density=(0.2, 0.5), n_labels=2)
    order = np.argsort(np.argsort(graphs.n_edges + np.arange(50) % 7))
    return graphs, np.array(["few", "many", "most"])[order * 3 // 50]


@pytest.fixture(scope="module")
def saved(data, tmp_path_factory):
    graphs, y = data
    model = FiltrationClassifier(depths=[1], **SMALL).fit(graphs[:30], y[:30])
    path = tmp_path_factory.mktemp("models") / "model.grafik"
    model.save(path)
    return model, path


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"depths": [0, 2], "weight": weights.Walks(3)},
        {"weight": ["degree", weights.core, weights.Walks(2)], "thresholds": "quantile"},
        {"features": WeisfeilerLehman(1, edge_labels=False), "levels": range(1, 4)},
        {"features": WeisfeilerLehman(1, exact=True), "random_state": 7},
        {"features": ShortestPaths(), "levels": np.array([1, 2]), "scale": "raw"},
        {"features": Graphlets(3), "normalize": False, "Cs": [0.125], "max_iter": 10**6},
        {"features": VertexEdgeHistogram(), "combine": "product", "beta": 0.01},
        {"features": CyclicPatterns(max_length=4), "thresholds": [5.0, 2.0]},
    ],
)
def test_a_loaded_classifier_predicts_the_same_bits(data, change, tmp_path):
    graphs, y = data
    model = FiltrationClassifier(**{**SMALL, **change}).fit(graphs[:30], y[:30])
    model.save(tmp_path / "model")
    twin = load(tmp_path / "model")
    assert type(twin) is FiltrationClassifier
    assert np.array_equal(twin.decision_function(graphs), model.decision_function(graphs))
    assert np.array_equal(twin.predict_proba(graphs), model.predict_proba(graphs))
    assert twin.predict(graphs).tolist() == model.predict(graphs).tolist()
    before, after = model.kernel_.histograms_, twin.kernel_.histograms_
    assert (after.names, after.dictionary) == (before.names, before.dictionary)
    for name in ("best_params_", "best_score_", "n_fits_", "n_skipped_", "n_unconverged_"):
        assert repr(getattr(twin, name)) == repr(getattr(model, name))
    assert repr(twin.cv_results_["params"]) == repr(model.cv_results_["params"])
    for name, column in model.cv_results_.items():
        if name.startswith("param"):  # may hold weights, which are equal to themselves alone
            assert repr(twin.cv_results_[name]) == repr(column)
        else:
            assert np.array_equal(twin.cv_results_[name], column)
    given, kept = model.get_params(), twin.get_params()
    # Ranges and arrays come back as tuples and lists.
    assert {name for name in given if repr(given[name]) != repr(kept[name])} <= {"levels"}
    twin.save(tmp_path / "again")
    if "levels" not in change:
        assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    assert twin.fit(graphs[:30], y[:30]).best_params_.keys() == model.best_params_.keys()


def test_kernels_of_all_kinds_are_saved_unless_they_call_functions(data, tmp_path):
    graphs, _ = data
    alone = map(FiltrationKernel, [*EXTRACTORS, *LABELS])
    for kernel in [*KERNELS.values(), *COMBINED.values(), *alone]:
        fitted = clone(kernel).fit(graphs[:20])
        if "<function" in repr(fitted.get_params()):
            with pytest.raises(ValueError, match="function"):
                fitted.save(tmp_path / "kernel")
            continue
        fitted.save(tmp_path / "kernel")
        twin = load(tmp_path / "kernel")
        assert repr(twin.get_params()) == repr(fitted.get_params())
        assert np.array_equal(twin.transform(graphs), fitted.transform(graphs))


@pytest.mark.parametrize("name", COMBINED)
def test_combined_kernels_come_back_with_their_parts(data, tmp_path, name):
    graphs, _ = data
    kernel = clone(COMBINED[name]).fit(graphs[:20])
    kernel.save(tmp_path / "kernel")
    twin = load(tmp_path / "kernel")
    assert [name for name, _ in twin._leaves()] == [name for name, _ in kernel._leaves()]
    assert np.array_equal(twin.diagonal(graphs), kernel.diagonal(graphs))
    twin.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "kernel").read_bytes()


@pytest.fixture(scope="module")
def complete(data):
    """Graphs that have all that a weight or a feature may ask for."""
    graphs, y = data
    shape, random = (graphs.node_ptr, graphs.edge_ptr, graphs.edges), np.random.default_rng(0)
    everything = Graphs(
        *shape,
        node_labels=graphs.node_labels,
        edge_labels=random.integers(2, size=len(graphs.edges)),
        node_attributes=random.normal(size=(graphs.node_ptr[-1], 2)),
        edge_attributes=random.normal(size=(len(graphs.edges), 2)),
    )
    return everything, y


NO_WEIGHTS = ("NAMES", "Weight", "compute", "values")
PUBLIC_WEIGHTS = [name for name in weights.__all__ if name not in NO_WEIGHTS]
OPTIONS = {"Combined": {"weights": ["degree", weights.Walks(2), weights.curvature]}}


@pytest.mark.parametrize("name", [*PUBLIC_WEIGHTS, *map(repr, weights.NAMES)])
def test_a_model_with_any_public_weight_is_saved(complete, name, tmp_path):
    graphs, y = complete
    weight = name.strip("'") if name.startswith("'") else getattr(weights, name)
    weight = weight(**OPTIONS.get(name, {})) if isinstance(weight, type) else weight
    model = FiltrationClassifier(weight=weight, depths=[1], **SMALL).fit(graphs[:30], y[:30])
    model.save(tmp_path / "model")
    twin = load(tmp_path / "model")
    assert np.array_equal(twin.decision_function(graphs), model.decision_function(graphs))
    assert repr(twin.get_params()) == repr(model.get_params())


@pytest.mark.parametrize("name", features.__all__)
def test_a_model_with_any_public_feature_is_saved(complete, name, tmp_path):
    graphs, y = complete
    kind = getattr(features, name)
    extractor = kind(nx.degree_histogram) if name == "FunctionFeatures" else kind()
    model = FiltrationClassifier(extractor, **SMALL).fit(graphs[:30], y[:30])
    if name == "FunctionFeatures":
        with pytest.raises(ValueError, match="a file holds no code"):
            model.save(tmp_path / "model")
        return
    model.save(tmp_path / "model")
    twin = load(tmp_path / "model")
    assert np.array_equal(twin.decision_function(graphs), model.decision_function(graphs))
    assert repr(twin.get_params()) == repr(model.get_params())
    assert repr(twin.kernel_.extractor_) == repr(model.kernel_.extractor_)


@pytest.mark.parametrize("combine", ["sum", "product"])
def test_kernels_and_regressors_are_saved_too(data, combine, tmp_path):
    graphs, _ = data
    kernel = FiltrationKernel(
        WeisfeilerLehman(2), weight=weights.triangles, combine=combine, beta=1e-3, alpha_delta=0.5
    ).fit(graphs[:20])
    kernel.save(tmp_path / "kernel")
    twin = load(tmp_path / "kernel")
    assert np.array_equal(twin.transform(graphs), kernel.transform(graphs))
    assert np.array_equal(twin.diagonal(graphs), kernel.diagonal(graphs))
    assert repr(twin.get_params()) == repr(kernel.get_params())
    model = FiltrationRegressor(combine=combine, beta=1e-3, **SMALL)
    model.fit(graphs[:30], 7.5 * graphs.n_edges[:30])
    model.save(tmp_path / "regressor")
    other = load(tmp_path / "regressor")
    assert type(other) is FiltrationRegressor
    assert np.array_equal(other.predict(graphs), model.predict(graphs))


@pytest.mark.parametrize(
    "classes",
    [["a", "b"], [0, 1], [False, True], [-1.0, 2.0], np.array(["x", "y"], dtype=object)],
    ids=["str", "int", "bool", "float", "object"],
)
def test_classes_of_any_type(data, classes, tmp_path):
    graphs, _ = data
    y = np.asarray(classes)[np.arange(30) % 2]
    model = FiltrationClassifier(depths=[1], **SMALL).fit(graphs[:30], y)
    model.save(tmp_path / "model")
    found, expected = load(tmp_path / "model").predict(graphs), model.predict(graphs)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


def test_another_process_predicts_the_same(data, saved, others, tmp_path):
    graphs, _ = data
    model, path = saved
    graphs.to_parquet(tmp_path / "graphs.parquet")
    code = (
        "import sys, grafik; graphs = grafik.Graphs.from_parquet(sys.argv[2]); "
        "print(grafik.load(sys.argv[1]).decision_function(graphs).tobytes().hex())"
    )
    own = model.decision_function(graphs).tobytes().hex()
    assert others(code, path, tmp_path / "graphs.parquet") == [own + "\n"] * 2


def test_saving_twice_gives_the_same_bytes_and_no_other_files(saved, tmp_path):
    model, path = saved
    model.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    assert os.listdir(tmp_path) == ["again"]


def test_what_cannot_be_saved_is_said_and_nothing_is_written(data, tmp_path):
    graphs, y = data

    def size(batch):
        return np.arange(len(batch.edges))

    for change, name in (
        ({"weight": size}, "weight is <function"),
        ({"weight": ["degree", size]}, "weight is <function"),
        ({"features": lambda graph: [graph.order()]}, "features is <function"),
        ({"cv": StratifiedKFold(3)}, r"cv is StratifiedKFold.*set_params\(cv=3\)"),
        ({"random_state": np.random.RandomState(0)}, "random_state is RandomState"),
    ):
        model = FiltrationClassifier(**{**SMALL, **change}).fit(graphs, y)
        with pytest.raises(ValueError, match=name):
            model.save(tmp_path / "model")
    model.set_params(random_state=0).save(tmp_path / "model")
    assert os.listdir(tmp_path) == ["model"]
    with pytest.raises(NotFittedError):
        FiltrationKernel().save(tmp_path / "kernel")
    with pytest.raises(FileNotFoundError, match="there is no folder .*nowhere for model; make it"):
        model.save(tmp_path / "nowhere" / "model")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        model.save(tmp_path)


def test_every_truncation_is_refused(saved, tmp_path):
    whole = saved[1].read_bytes()
    path = tmp_path / "part"
    lengths = {*range(64), *range(len(whole) - 400, len(whole)), *range(64, len(whole), 97)}
    for length in sorted(lengths):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="part (is damaged|was not saved by grafik)"):
            load(path)


def test_flipped_bits_are_refused_or_do_not_matter(data, saved, tmp_path):
    graphs, _ = data
    model, path = saved
    expected = model.decision_function(graphs[:5])
    whole, broken = path.read_bytes(), tmp_path / "flipped"
    rng = random.Random(0)
    places = [rng.randrange(len(whole)) for _ in range(200)]
    survived = 0
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1 << rng.randrange(8)
        broken.write_bytes(changed)
        try:
            twin = load(broken)
        except ValueError as error:
            assert "flipped" in str(error)  # noqa: PT017
            continue
        assert np.array_equal(twin.decision_function(graphs[:5]), expected)
        survived += 1
    # Dates, versions and permissions of a zip play no part.
    assert survived < len(places) / 4


def rebuilt(path, target, change):
    """Write the archive again with changed members, and checksums that are right."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    arrays = {n.removesuffix(".npy"): np.load(io.BytesIO(d)) for n, d in members.items()}
    change(manifest, arrays)
    write_archive(target, manifest["kind"], manifest["content"], arrays)


def kernel_of(content):
    return content["kernel"]["parameters"]["dict"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("histograms/graph_ptr", lambda a: a + 1, "graph_ptr must rise from 0"),
        ("histograms/graph_ptr", lambda a: a[:-1], "graph_ptr must rise from 0|coefficients for"),
        ("histograms/run_ptr", lambda a: -a, "run_ptr must rise"),
        ("histograms/run_levels", lambda a: a + 9, "run_levels must rise within each row"),
        ("histograms/run_counts", lambda a: a[1:], "run_counts must have an entry"),
        ("histograms/run_counts", lambda a: -a, "run_counts must not be negative"),
        ("histograms/depths", lambda a: a.astype(np.int64), "must be an array of int32, got int64"),
        ("histograms/features", lambda a: a[:, None], "arrays of several dimensions"),
        ("histograms/graph_ptr", lambda a: np.append(a, a[-1]), "coefficients for"),
        ("alphas", lambda a: a[::-1].repeat(2), "thresholds must be finite and decrease"),
        ("alphas", lambda a: a * np.nan, "thresholds must be finite"),
        ("machine/coefficients", lambda a: a[:, 1:], "coefficients and intercepts must have"),
        ("machine/coefficients", lambda a: a * np.nan, "coefficients must be finite"),
        ("machine/n_support", lambda a: -a, "n_support must hold a count"),
        ("machine/n_support", lambda a: a[:2], "coefficients and intercepts must have"),
        ("support", lambda a: a[1:], "coefficients, but support is"),
        ("support", lambda a: a * 1.0, "coefficients, but support is"),
        ("classes", lambda a: a[:2], "there are 2 classes, but a machine for 3"),
        ("machine/intercepts", None, "there is no 'machine/intercepts'"),
        ("labels/vertices", None, "there is no 'labels/vertices'"),
        ("labels/vertices", lambda a: a.astype(np.int64), "which labels the vertices of the train"),
        ("labels/vertices", lambda a: a.repeat(2), "the labels of vertices do not increase"),
        ("labels/edges", lambda a: a[:, None], "which labels the edges of the training graphs had"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_though_checksums_are_right(
    saved, tmp_path, name, value, message
):
    def change(manifest, arrays):
        array = arrays.pop(name)
        if value is not None:
            arrays[name] = value(array)

    rebuilt(saved[1], tmp_path / "changed", change)
    with pytest.raises(ValueError, match=f"changed does not hold a valid .*({message})"):
        load(tmp_path / "changed")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["parameters"]["dict"].update(weight={"class": "Popen"}), "is not a parameter"),
        (
            lambda c: c["parameters"]["dict"].update(
                weight={"class": "FunctionFeatures", "parameters": {"dict": {}}}
            ),
            "there is no 'FunctionFeatures'",
        ),
        (lambda c: c["parameters"]["dict"].update(other=1), "unexpected keyword argument 'other'"),
        (lambda c: kernel_of(c).update(gamma=-1), "gamma must be"),
        (lambda c: c["kernel"]["filtration"]["dict"].update(weight="x"), "weight must be .* 'x'"),
        (lambda c: kernel_of(c).update(n_jobs="x"), "n_jobs must be .* got 'x'"),
        (
            lambda c: c["kernel"]["extractor"]["parameters"]["dict"].update(depth=-5),
            "depth must be an integer of at least 0, got -5",
        ),
        (lambda c: c["kernel"].update(dictionary=[[{"tuple": []}, 1]]), "has the entry 1"),
        (lambda c: c["kernel"].update(dictionary=[[{"tuple": ["a"]}, -1]]), "has the entry -1"),
        (lambda c: c["kernel"].update(attributes=["x", 1]), r"attributes are \['x', 1\]"),
        (lambda c: c["numbers"].update(slope_="steep"), "slope_ is 'steep'"),
        (lambda c: c["numbers"].update(slope_=0.0), "slope_ is 0.0"),
        (lambda c: c["numbers"].update(slope_=-3.0), "slope_ is -3.0"),
        (lambda c: c.pop("best_params"), "there is no 'best_params'"),
        (lambda c: c["kernel"].pop("labelled"), "there is no 'labelled'"),
        (lambda c: c["kernel"]["labelled"].update(edges=1), "which labels the edges of the train"),
    ],
)
def test_content_that_makes_no_sense_is_refused(saved, tmp_path, change, message):
    rebuilt(saved[1], tmp_path / "changed", lambda manifest, _: change(manifest["content"]))
    with pytest.raises(ValueError, match=f"changed does not hold a valid .*{message}"):
        load(tmp_path / "changed")


def test_foreign_files_are_refused(saved, tmp_path):
    path = tmp_path / "foreign"

    def refused(message):
        with pytest.raises(ValueError, match=f"foreign {message}"):
            load(path)

    path.write_bytes(b"")
    refused("was not saved by grafik: it is empty")
    path.write_bytes(pickle.dumps({"model": 1}))
    refused("was not saved by grafik: it starts with")
    path.write_text("PK, but not really\n")
    refused("was not saved by grafik")
    path.write_bytes(b"PK\x03\x04 and nothing else")
    refused("is damaged")
    np.savez(path.with_suffix(".npz"), x=np.arange(3))
    path.with_suffix(".npz").rename(path)
    refused("was not saved by grafik: it is a zip without manifest.json")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("manifest.json", json.dumps({"format": "something else"}))
    refused("was not saved by grafik: manifest.json is about something else")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("manifest.json", "[" * 100_000)
    refused("is damaged: manifest.json is no JSON")
    write_archive(path, "Sandwich", {}, {})
    refused("holds a Sandwich, which is not a model")
    with pytest.raises(FileNotFoundError, match="there is no file .*nowhere"):
        load(tmp_path / "nowhere")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("version", "remedy"), [(3, "install a newer grafik"), (1, "train and save the model again")]
)
def test_another_format_is_refused_with_the_remedy(tmp_path, monkeypatch, version, remedy):
    monkeypatch.setattr(archive, "VERSION", version)
    write_archive(tmp_path / "other", "anything", {}, {})
    monkeypatch.undo()
    with pytest.raises(ValueError, match=f"other has format version {version}, .*; {remedy}$"):
        load(tmp_path / "other")


@pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")
def test_killed_while_saving_the_old_file_stays(saved, tmp_path):
    path = tmp_path / "model.grafik"
    shutil.copy(saved[1], path)
    before = path.read_bytes()
    code = """
import sys, numpy as np
from grafik.system.archive import write_archive
print("ready", flush=True)
while True:
    write_archive(sys.argv[1], "x", {}, {f"x{i}": np.zeros(20_000) for i in range(30)})
"""
    for pause in (0.0, 0.01, 0.03):
        process = Forked(code, path)
        while not process.written():
            time.sleep(0.002)
        time.sleep(pause)
        process.send_signal(signal.SIGKILL)
        process.wait()
        found = path.read_bytes()
        assert found == before or read_archive(path).kind == "x"


def test_a_full_disk_leaves_the_old_file(saved, monkeypatch):
    model, path = saved
    before = path.read_bytes()
    original = zipfile.ZipFile.writestr

    def full(self, info, data, *rest):
        if "coefficients" in info.filename:
            raise OSError(28, "No space left on device")
        return original(self, info, data, *rest)

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(OSError, match="No space left on device"):
        model.save(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("options", [{"atoms": "typed"}, {"hydrogens": True}, {"bonds": False}])
def test_a_loaded_model_refuses_molecules_that_were_read_in_another_way(options, tmp_path):
    acids = ["CC(=O)O", "OC(=O)c1ccccc1", "OC=O", "NCC(=O)O"]
    smiles = [*acids, "CCO", "Oc1ccccc1", "CC=O", "CCOC(C)=O"]
    graphs, y = Graphs.from_smiles(smiles, **options), np.repeat([1, 0], 4)
    model = FiltrationClassifier(levels=[1], depths=[1], cv=2).fit(graphs, y)
    path = tmp_path / "acids.model"
    model.save(path)
    for one in (model, load(path)):
        np.testing.assert_array_equal(one.predict(graphs), model.predict(graphs))
        remedy = rf"read them with Graphs.from_smiles\(smiles, {graphs.reading}\)$"
        with pytest.raises(ValueError, match=remedy):
            one.predict(["CC(=O)O"])
    found = read_archive(path)
    assert found.content["kernel"].pop("reading") == graphs.reading
    write_archive(path, found.kind, found.content, found.arrays)
    assert load(path).kernel_.labelling_.reading is None


def test_networks_are_said_to_need_pytorch(tmp_path, monkeypatch):
    header = b'{"__metadata__":{}}'
    (tmp_path / "net").write_bytes(len(header).to_bytes(8, "little") + header)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"the network in .*net needs torch, .*'grafik\[neural\]"):
        load(tmp_path / "net")
