"""What files of kernels, indexes and parameters hold: it comes back, or is refused if it is odd."""

import json
import os

import numpy as np
import pytest

from grafik import (
    FiltrationKernel,
    GaussianKernel,
    GraphIndex,
    Graphs,
    MeanKernel,
    load,
    weights,
)
from grafik.baselines import CoreWL, ShortestPath
from grafik.features import WeisfeilerLehman
from grafik.models.saved_parameters import decoded, encoded
from grafik.system.archive import read_archive, write_archive


@pytest.fixture(scope="module")
def paths():
    """Three graphs: a path of two vertices, one of three, and a triangle."""
    return Graphs.from_edge_lists([[(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]])


def test_combined_kernels_whose_parts_do_not_fit_are_refused(paths, tmp_path):
    kernel = MeanKernel("degree+core").fit(paths)
    kernel.save(tmp_path / "kernel")
    archive = read_archive(tmp_path / "kernel")
    short = FiltrationKernel(weight="core").fit(paths[:2])
    short.save(tmp_path / "short")
    other = read_archive(tmp_path / "short")
    arrays = {**archive.arrays, **{f"parts/1/{n}": a for n, a in other.arrays.items()}}
    parts = archive.content["parts"]
    for content, given, message in (
        ({"parts": [parts[0], other.content]}, arrays, "different numbers of graphs"),
        ({"parts": parts[:1]}, archive.arrays, "its 1 parts are called"),
        ({"parts": parts[::-1] + parts}, archive.arrays, "there is no 'alphas'"),
        ({"class": "SVC"}, archive.arrays, "there is no 'SVC'"),
        ({"part_names": ["one", 2]}, archive.arrays, "its 2 parts are called ['one', 2]"),
        ({"part_names": ["one", "one"]}, archive.arrays, "its 2 parts are called ['one', 'one']"),
    ):
        whole = {**archive.content, **content}
        write_archive(tmp_path / "kernel", archive.kind, whole, given)
        with pytest.raises(ValueError, match="does not hold a valid MeanKernel") as caught:
            load(tmp_path / "kernel")
        assert message in str(caught.value)


def test_files_of_version_0_1_name_their_parts_by_the_parameters(paths, tmp_path):
    kernel = MeanKernel([("labels", FiltrationKernel()), ("paths", ShortestPath())]).fit(paths)
    kernel.save(tmp_path / "kernel")
    found = read_archive(tmp_path / "kernel")
    del found.content["part_names"]
    write_archive(tmp_path / "old", found.kind, found.content, found.arrays)
    twin = load(tmp_path / "old")
    assert [name for name, _ in twin.parts_] == ["labels", "paths"]
    assert np.array_equal(twin.transform(paths), kernel.transform(paths))
    found.content["parts"].reverse()
    other = {"0": "1", "1": "0"}
    arrays = {f"parts/{other[name[6]]}{name[7:]}": one for name, one in found.arrays.items()}
    write_archive(tmp_path / "old", found.kind, found.content, arrays)
    with pytest.raises(ValueError, match="its parameters name the parts .*, but it holds"):
        load(tmp_path / "old")


def test_a_combined_kernel_with_a_parameter_that_it_cannot_have_is_refused(paths, tmp_path):
    GaussianKernel(FiltrationKernel(), 2.0).fit(paths).save(tmp_path / "kernel")
    found = read_archive(tmp_path / "kernel")
    found.content["parameters"]["dict"]["sigma"] = -1.0
    write_archive(tmp_path / "kernel", found.kind, found.content, found.arrays)
    with pytest.raises(ValueError, match="not hold a valid GaussianKernel: sigma must .* -1.0"):
        load(tmp_path / "kernel")


def test_a_part_that_compares_whole_graphs_is_named_where_it_cannot_be_saved(paths, tmp_path):
    kernel = MeanKernel([FiltrationKernel(), ("cores", CoreWL())]).fit(paths)
    with pytest.raises(TypeError, match="part 'cores' has no file: CoreWL compares whole graphs"):
        kernel.save(tmp_path / "kernel")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("ids", [None, ["edge", ("path", 3), 7]])
def test_a_loaded_index_finds_the_same_graphs_by_the_same_ids(paths, ids, tmp_path):
    index = GraphIndex().add(paths.with_ids(ids))
    index.save(tmp_path / "index")
    before, after = (one.search(paths, top=2) for one in (index, load(tmp_path / "index")))
    assert after.graphs.tolist() == before.graphs.tolist()
    assert after.similarities.tolist() == before.similarities.tolist()
    if ids is None:
        assert after.ids is None
    else:
        assert after.ids.tolist() == [[ids[g] for g in row] for row in after.graphs]


def test_thresholds_that_are_no_ranks_of_the_keys_are_refused(paths, tmp_path):
    weight = weights.Combined(["degree", "triangles"])
    FiltrationKernel(weight=weight, thresholds="distinct").fit(paths).save(tmp_path / "kernel")
    found = read_archive(tmp_path / "kernel")
    n_keys, right = len(found.arrays["keys"]), found.arrays["alphas"]
    assert right.tolist() == list(range(n_keys))[::-1]
    for place, wrong in ((0, n_keys), (-1, -1)):
        alphas = right.copy()
        alphas[place] = wrong
        write_archive(
            tmp_path / "kernel", found.kind, found.content, {**found.arrays, "alphas": alphas}
        )
        with pytest.raises(ValueError, match="thresholds are no ranks of the keys"):
            load(tmp_path / "kernel")


def test_parameters_come_back_from_json_as_they_were():
    for value in (
        *(None, True, 3, -2.5, np.inf, -np.inf, "text", b"\x00\xff"),
        *((), (1, (2.5,)), [1, [None]], {"name": (1,)}, {1: "one", (2, "b"): [3]}),
        *(weights.Walks(3), weights.core),
    ):
        written = json.dumps(encoded("parameter", value), allow_nan=False)
        assert repr(decoded(json.loads(written))) == repr(value)
    for value in (np.nan, [np.nan], {"gamma": np.nan}, {1: np.nan}, {np.nan: 1}):
        with pytest.raises(ValueError, match="gamma is nan, which cannot be saved"):
            encoded("gamma", value)


def test_kernels_within_kernels_come_back_with_what_is_within_them():
    kernel = GaussianKernel(MeanKernel([FiltrationKernel(WeisfeilerLehman(2), "core")]), 3.0)
    again = decoded(json.loads(json.dumps(encoded("kernel", kernel))))
    assert repr(again) == repr(kernel)
    assert again.get_params()["kernel__core__features"].depth == 2
