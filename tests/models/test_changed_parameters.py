"""What is saved is what was fitted, though parameters were changed since."""

import numpy as np
import pytest

from grafik import (
    AttributeLabels,
    FiltrationClassifier,
    FiltrationKernel,
    GaussianKernel,
    GraphIndex,
    Graphs,
    MeanKernel,
    baselines,
    datasets,
    load,
)
from grafik.features import ShortestPaths, WeisfeilerLehman
from grafik.system.archive import read_archive, write_archive


@pytest.fixture(scope="module")
def graphs():
    made, _ = datasets.random_graphs(12, n_nodes=(5, 9), density=0.4, n_labels=2)
    values = np.arange(2.0 * made.node_ptr[-1]).reshape(-1, 2) % [5, 7]
    parts = made.node_ptr, made.edge_ptr, made.edges
    return Graphs(*parts, node_labels=made.node_labels, node_attributes=values)


def loaded(model, path):
    model.save(path)
    return load(path)


CHANGES = {
    "weight": {"weight": "triangles"},
    "number of levels": {"n_levels": 2},
    "thresholds": {"thresholds": [5.0, 1.0]},
    "depth": {"depth": 1},
    "features": {"features": ShortestPaths()},
    "features with a depth": {"features": WeisfeilerLehman(1), "depth": 2},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_kernel_counts_as_it_was_fitted(graphs, tmp_path, change):
    kernel = FiltrationKernel().fit(graphs).set_params(**change)
    again = loaded(kernel, tmp_path / "kernel")
    assert again.transform(graphs).tobytes() == kernel.transform(graphs).tobytes()
    for name, value in change.items():
        assert repr(getattr(again, name)) == repr(value)
    # Fitted anew, it follows the new parameters.
    if len(change) == 1:
        assert (again.fit_transform(graphs) == kernel.fit_transform(graphs)).all()


def test_what_acts_at_once_acts_in_the_loaded_kernel_too(graphs, tmp_path):
    kernel = FiltrationKernel().fit(graphs).set_params(gamma=7.0, normalize=True, mass="min")
    again = loaded(kernel, tmp_path / "kernel")
    assert again.transform(graphs).tobytes() == kernel.transform(graphs).tobytes()


def test_a_baseline_counts_as_it_was_fitted(graphs, tmp_path):
    kernel = baselines.WL(3).fit(graphs).set_params(depth=1)
    again = loaded(kernel, tmp_path / "kernel")
    assert again.transform(graphs).tobytes() == kernel.transform(graphs).tobytes()


@pytest.mark.parametrize(
    "parts",
    [
        [FiltrationKernel(weight="core"), baselines.WL(1)],
        [("other", FiltrationKernel(weight="core")), ("names", FiltrationKernel())],
        [FiltrationKernel()],
    ],
)
def test_a_mean_has_the_parts_that_were_fitted(graphs, tmp_path, parts):
    kernel = MeanKernel("degree+triangles").fit(graphs).set_params(parts=parts)
    again = loaded(kernel, tmp_path / "kernel")
    assert again.transform(graphs).tobytes() == kernel.transform(graphs).tobytes()
    assert [name for name, _ in again.parts_] == ["degree", "triangles"]
    assert repr(again.parts) == repr(parts)


def test_a_gaussian_has_the_kernel_that_was_fitted(graphs, tmp_path):
    kernel = GaussianKernel(FiltrationKernel(), 2.0).fit(graphs)
    kernel.set_params(kernel=MeanKernel("core+triangles"), sigma=3.0)
    again = loaded(kernel, tmp_path / "kernel")
    assert again.transform(graphs).tobytes() == kernel.transform(graphs).tobytes()


def test_an_index_and_a_classifier_keep_the_kernel_that_was_fitted(graphs, tmp_path):
    index = GraphIndex(FiltrationKernel(normalize=True)).add(graphs)
    index.kernel_.set_params(weight="triangles", depth=1)
    found = (one.search(graphs, top=3) for one in (index, loaded(index, tmp_path / "index")))
    first, second = found
    assert first.similarities.tobytes() == second.similarities.tobytes()
    y = np.arange(len(graphs)) % 2
    model = FiltrationClassifier(depths=[1], levels=[2]).fit(graphs, y)
    model.set_params(weight="triangles").kernel_.set_params(weight="triangles", n_levels=1)
    again = loaded(model, tmp_path / "model")
    assert (again.decision_function(graphs) == model.decision_function(graphs)).all()


@pytest.mark.parametrize(
    "change",
    [{"columns": [0]}, {"columns": [1, 0]}, {"columns": "none"}, {"keep_labels": False}],
)
def test_labels_are_made_as_they_were_learned(graphs, tmp_path, change):
    labels = AttributeLabels(n_bins=3).fit(graphs).set_params(**change)
    again = loaded(labels, tmp_path / "labels")
    for one, other in zip(labels.transform(graphs), again.transform(graphs), strict=True):
        assert list(one.node_labels) == list(other.node_labels)


NEW = ("extractor", "filtration", "part_names", "columns", "keeps_labels")


def older(content):
    """Return what earlier files say."""
    kept = {name: value for name, value in content.items() if name not in NEW}
    if "parts" in kept:
        kept["parts"] = [older(part) for part in kept["parts"]]
    return kept


@pytest.mark.parametrize(
    "model",
    [FiltrationKernel(weight="core"), MeanKernel("degree+core"), AttributeLabels(columns=1)],
)
def test_earlier_files_are_read(graphs, tmp_path, model):
    model.fit(graphs).save(tmp_path / "new")
    archive = read_archive(tmp_path / "new")
    write_archive(tmp_path / "old", archive.kind, older(archive.content), archive.arrays)
    new, old = (load(tmp_path / name).transform(graphs) for name in ("new", "old"))
    if isinstance(new, Graphs):
        new, old = ([list(graph.node_labels) for graph in found] for found in (new, old))
    assert np.array_equal(new, old) if isinstance(new, np.ndarray) else new == old


KERNEL = {"class": "FiltrationKernel", "parameters": {"dict": {}}}


@pytest.mark.parametrize(
    ("model", "change", "message"),
    [
        (FiltrationKernel(), {"extractor": 3}, "its features are 3"),
        (FiltrationKernel(), {"extractor": KERNEL}, "its features are FiltrationKernel"),
        (MeanKernel("degree+core"), {"part_names": ["a", "a"]}, "its 2 parts are called"),
        (MeanKernel("degree+core"), {"part_names": ["a"]}, "its 2 parts are called"),
        (GaussianKernel(FiltrationKernel()), {"part_names": [], "parts": []}, "have 0 parts"),
        (AttributeLabels(), {"columns": [0, 2]}, "bins are for the columns"),
        (AttributeLabels(), {"columns": [0]}, "there are bins for 2 of 1 columns"),
        (AttributeLabels(), {"keeps_labels": 1}, "bins are for the columns"),
    ],
)
def test_forged_files_are_refused(graphs, tmp_path, model, change, message):
    model.fit(graphs).save(tmp_path / "model")
    archive = read_archive(tmp_path / "model")
    content = {**archive.content, **change}
    write_archive(tmp_path / "forged", archive.kind, content, archive.arrays)
    with pytest.raises(ValueError, match=f"does not hold a valid .*{message}"):
        load(tmp_path / "forged")
