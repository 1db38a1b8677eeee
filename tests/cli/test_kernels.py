"""Several filtrations and Gaussians on the command line: --weight degree+triangles --sigma 4."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from command_line import grafik
from grafik import (
    FiltrationKernel,
    GaussianKernel,
    GraphIndex,
    KernelEmbedding,
    MeanKernel,
    datasets,
    explain_pair,
    load,
)
from grafik.cli.kernels import set_threads
from grafik.features import WeisfeilerLehman
from grafik.report import write_pair, write_report
from page_data import data_in

WEIGHTS = "core+triangles"


@pytest.fixture
def batch(tmp_path):
    graphs, _ = datasets.random_graphs(30, n_nodes=(4, 12), density=0.4, n_labels=3)
    graphs.to_parquet(tmp_path / "all.parquet")
    return graphs


def mean(depth=3, **options):
    return MeanKernel.of_weights(
        WEIGHTS, features=WeisfeilerLehman(depth), normalize=True, **options
    )


@pytest.mark.parametrize(("sigma", "suffix"), [(None, "npz"), (4.0, "npz"), (4.0, "npy")])
def test_gram_stores_the_thresholds_of_each_filtration(sigma, suffix, batch, tmp_path):
    out = tmp_path / f"K.{suffix}"
    options = "--weight", "core + triangles", "--levels", 2, "--gamma", 0.5, "--mass", "min"
    options = (*options, *(() if sigma is None else ("--sigma", sigma)))
    run = grafik("gram", tmp_path / "all.parquet", "--out", out, *options, "--json")
    assert run.returncode == 0, run.stderr
    kernel = mean(5, n_levels=2, gamma=0.5, mass="min")
    whole = kernel if sigma is None else GaussianKernel(kernel, sigma)
    expected, alphas = whole.fit_transform(batch), [part for _, part in kernel.fit(batch).parts_]
    if suffix == "npz":
        with np.load(out, allow_pickle=False) as file:
            held = dict(file)
        told = json.loads(str(held["parameters"]))
        matrix = held.pop("K")
    else:
        held = json.loads((tmp_path / "K.json").read_text())
        told, matrix = held["parameters"], np.load(out)
    np.testing.assert_array_equal(matrix, expected)
    assert set(held) == {"parameters", "alphas_core", "alphas_triangles"}
    assert list(held["alphas_core"]) == alphas[0].alphas_.tolist()
    assert list(held["alphas_triangles"]) == alphas[1].alphas_.tolist()
    assert told == json.loads(run.stdout)["parameters"]
    assert (told["weight"], told["sigma"], told["edge_labels"]) == (WEIGHTS, sigma, False)


def test_a_gaussian_of_one_filtration_has_one_list_of_thresholds(batch, tmp_path):
    options = "--weight", "core", "--sigma", 2, "--out", tmp_path / "K.npz", "-q"
    assert grafik("gram", tmp_path / "all.parquet", *options).returncode == 0
    kernel = GaussianKernel(FiltrationKernel(weight="core"), sigma=2.0)
    with np.load(tmp_path / "K.npz", allow_pickle=False) as file:
        np.testing.assert_array_equal(file["K"], kernel.fit_transform(batch))
        assert file["alphas"].tolist() == kernel.kernel_.alphas_.tolist()


@pytest.mark.parametrize("sigma", [None, 4.0])
def test_explain_says_what_each_filtration_contributes(sigma, batch, tmp_path):
    kernel = mean() if sigma is None else GaussianKernel(mean(), sigma)
    found = explain_pair(kernel.fit(batch), batch[3], batch[8])
    options = () if sigma is None else ("--sigma", sigma)
    pair = "explain", tmp_path / "all.parquet", 3, 8, "--weight", WEIGHTS, *options
    run = grafik(*pair, "--top", 4)
    assert run.stdout == f"g is graph 3, h is graph 8 of all\n{found.table(4)}\n"
    told = json.loads(grafik(*pair, "--json").stdout)
    expected = json.loads(json.dumps(found.to_dict(10)))
    assert {name: told[name] for name in expected} == expected
    assert [part["name"] for part in told["parts"]] == ["core", "triangles"]
    run = grafik(*pair, "--out", tmp_path / "page.html")
    assert run.stdout == f"the page is in {tmp_path / 'page.html'}\n"
    page = write_pair(tmp_path / "same.html", batch, 3, 8, kernel=clone(kernel), name="all")
    assert data_in(tmp_path / "page.html") == data_in(page)


def test_an_index_of_a_gaussian_is_made_and_searched(batch, tmp_path):
    data, out = tmp_path / "all.parquet", tmp_path / "all.index"
    options = "--weight", WEIGHTS, "--sigma", 4
    assert grafik("index", data, "--out", out, *options).returncode == 0
    assert isinstance(load(out).kernel_, GaussianKernel)
    expected = GraphIndex(GaussianKernel(mean(), 4.0)).add(batch).search(batch, top=3)
    for search in ((out, data, "--jobs", 2), (data, data, *options)):
        told = json.loads(grafik("search", *search, "--top", 3, "--json").stdout)
        for i, answer in enumerate(told["queries"]):
            hits = [(hit["graph"], hit["similarity"]) for hit in answer["found"]]
            assert [hit[0] for hit in hits] == expected.graphs[i].tolist()
            assert [hit[1] for hit in hits] == expected.similarities[i].tolist()


def test_threads_are_set_in_all_parts(batch):
    kernel = GaussianKernel(mean(), 4.0).fit(batch)
    set_threads(kernel, 2)
    inner = kernel.kernel_
    assert [inner.n_jobs, *(part.n_jobs for _, part in inner.parts_)] == [2, 2, 2]
    assert not hasattr(kernel, "n_jobs")


@pytest.mark.parametrize(("sigma", "n_columns"), [(None, None), (4.0, 1024), (4.0, 50)])
def test_vectors_are_those_of_the_library(sigma, n_columns, batch, tmp_path):
    options = () if sigma is None else ("--sigma", sigma)
    if n_columns == 50:
        options = (*options, "--components", 50)
    files = tmp_path / "all.parquet", "--out", tmp_path / "v.npz"
    run = grafik("embed", *files, "--weight", WEIGHTS, *options, "--json")
    assert run.returncode == 0, run.stderr
    kernel = mean() if sigma is None else GaussianKernel(mean(), sigma)
    expected = KernelEmbedding(kernel, n_components=n_columns or 1).fit_transform(batch)
    assert (sparse.load_npz(tmp_path / "v.npz") != expected).nnz == 0
    told = json.loads(run.stdout)["parameters"]
    for name, part in mean().fit(batch).parts_:
        assert told[f"alphas_{name}"] == part.alphas_.tolist()
    assert (told["sigma"], told["method"]) == (
        sigma, "exact" if sigma is None else "random Fourier features",
    )  # fmt: skip


def test_a_report_shows_several_filtrations(batch, tmp_path):
    out, options = tmp_path / "report.html", ("--weight", WEIGHTS, "--sigma", 4, "--gamma", 2)
    run = grafik("report", tmp_path / "all.parquet", "--no-accuracy", *options, "--out", out)
    assert run.returncode == 0, run.stderr
    kernel = GaussianKernel(mean(gamma=2.0), 4.0)
    page = write_report(
        tmp_path / "same.html", batch, kernel=kernel, name="all",
        no_accuracy="It was not measured, as you asked.",
    )  # fmt: skip
    assert data_in(out) == data_in(page)
    assert "by the whole kernel, GaussianKernel(" in out.read_text()


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("gram", ["--weight", "degree+dance"], "weight must be one of 'degree', 'walks', "),
        ("index", ["--weight", "core+core"], "names 'core' twice; name each weight once"),
        ("embed", ["--weight", "core+"], "weight 'core+' lacks a name before or after a plus"),
        ("explain", ["--weight", "core+dance"], "got 'dance'"),
        ("report", ["--weight", "core+dance"], "got 'dance'"),
        *(
            (command, ["--weight", "degree+core", "--no-normalize"], "several weights are a mean o")
            for command in ("gram", "explain", "index", "search", "embed")
        ),
        ("gram", ["--sigma", "4", "--no-normalize"], "--sigma is for normalised kernels; leave "),
        ("explain", ["--weight", "a+b", "--product", "--mass", "min"], "leave out --product"),
        ("embed", ["--sigma", "4", "--method", "hashed"], "hashed is for one weight without --sig"),
        ("embed", ["--weight", "a+b", "--method", "hashed"], "got 'a'"),
        ("embed", ["--weight", "degree+core", "--method", "hashed"], "is for one weight without"),
    ],
)
def test_what_does_not_go_together_is_said_before_data_is_missed(
    command, options, message, tmp_path
):
    given = {
        "gram": ["nowhere", "--out", tmp_path / "K.npz"],
        "index": ["nowhere", "--out", tmp_path / "x.index"],
        "embed": ["nowhere", "--out", tmp_path / "v.npz"],
        "explain": ["nowhere", 0, 1],
        "search": ["nowhere", 0],
        "report": ["csl", "--out", tmp_path / "x.html"],
    }
    run = grafik(command, *given[command], *options)
    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["gram", "--sigma", "0", "--out", "{0}/K.npz"],
            "sigma must be a finite number above 0, got 0",
        ),
        (
            ["gram", "--sigma", "-1", "--out", "{0}/K.npy"],
            "sigma must be a finite number above 0, got -1",
        ),
        (["search", "0", "--weight", WEIGHTS, "--approximate"], "but the index has a MeanKernel; "),
        (["show", "0", "--weight", WEIGHTS, "--out", "{0}/x.svg"], "but here is room for one"),
    ],
)
def test_mistakes_are_one_line(arguments, message, batch, tmp_path):
    command, *others = (one.format(tmp_path) for one in arguments)
    run = grafik(command, tmp_path / "all.parquet", *others)
    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_an_index_has_a_sigma_of_its_own(batch, tmp_path):
    GraphIndex(mean()).add(batch).save(tmp_path / "all.index")
    run = grafik("search", tmp_path / "all.index", tmp_path / "all.parquet", "--sigma", 4)
    assert run.returncode == 2
    assert "--sigma and --no-normalize are for data, but" in run.stderr
