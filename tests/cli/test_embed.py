"""The command that writes vectors."""

import json
import os
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from command_line import grafik
from grafik import FiltrationEmbedding, datasets
from grafik.features import WeisfeilerLehman


def test_vectors_are_those_of_the_library_with_ids_and_classes_beside_them(tmp_path):
    graphs, y = datasets.csl(skips=(2, 3), copies=3)
    graphs.with_ids(np.arange(6) * 10).to_parquet(tmp_path / "g.parquet")
    (tmp_path / "y.txt").write_text("".join(f"skip {skip}\n" for skip in y))
    data = tmp_path / "g.parquet", "--labels", tmp_path / "y.txt", "--weight", "triangles"
    embedding = FiltrationEmbedding(
        WeisfeilerLehman(2), weight="triangles", n_levels=2, gamma=0.5, normalize=True,
        min_graphs=2, mass="min",
    )  # fmt: skip
    expected = embedding.fit_transform(graphs)
    options = "--levels", 2, "--depth", 2, "--gamma", 0.5, "--min-graphs", 2, "--mass", "min"
    run = grafik("embed", *data, *options, "--out", tmp_path / "v.npz", "--json")
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert (told["n_graphs"], told["n_columns"]) == expected.shape
    assert told["parameters"]["alphas"] == embedding.alphas_.tolist()
    matrix = sparse.load_npz(tmp_path / "v.npz")
    assert (matrix != expected).nnz == 0
    with np.load(tmp_path / "v.npz", allow_pickle=False) as file:
        assert file["ids"].tolist() == [0, 10, 20, 30, 40, 50]
        assert file["y"].tolist() == [f"skip {skip}" for skip in y]
        assert json.loads(str(file["parameters"])) == told["parameters"]
    run = grafik("embed", *data, *options, "--out", tmp_path / "v.parquet")
    said = f"the vectors of 6 graphs, with {expected.shape[1]} columns, are in"
    assert run.stdout == f"{said} {tmp_path / 'v.parquet'}\n"
    table = pq.read_table(tmp_path / "v.parquet")
    assert table.column_names == ["ids", "y", "columns", "values"]
    assert table["ids"].to_pylist() == [0, 10, 20, 30, 40, 50]
    dense = np.zeros(expected.shape)
    rows = zip(table["columns"].to_pylist(), table["values"].to_pylist(), strict=True)
    for row, (columns, values) in enumerate(rows):
        dense[row, columns] = values
    np.testing.assert_array_equal(dense, expected.toarray())
    assert table.schema.metadata[b"grafik.n_columns"] == str(expected.shape[1]).encode()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("suffix", ["npz", "parquet"])
def test_a_name_need_not_be_utf_8(tmp_path, suffix):
    out = tmp_path / os.fsdecode(b"v\xff." + suffix.encode())
    run = grafik("embed", "csl", "--levels", 1, "--depth", 1, "--out", out, "-q")
    assert (run.returncode, run.stderr) == (0, "")
    assert out.is_file()


def test_hashed_vectors_have_as_many_columns_as_asked_for(tmp_path):
    out = tmp_path / "v.npz"
    run = grafik("embed", "csl", "--method", "hashed", "--components", 128, "--out", out, "-q")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    graphs, _ = datasets.csl()
    expected = FiltrationEmbedding(
        WeisfeilerLehman(3), normalize=True, method="hashed", n_components=128
    )
    assert (sparse.load_npz(out) != expected.fit_transform(graphs)).nnz == 0
