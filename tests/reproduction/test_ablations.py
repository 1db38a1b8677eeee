"""The script that says what carries the gain: its parts, and that its tables are up to date."""

import sys
from pathlib import Path

import numpy as np
import pytest

from grafik import FiltrationKernel, GaussianKernel, Graphs, MeanKernel, datasets, weights
from grafik.evaluation.unit import Work
from grafik.features import WeisfeilerLehman
from grafik.filtration.filtration import Filtration

FOLDER = Path(__file__).parents[2] / "experiments" / "beyond"


@pytest.fixture
def ablations(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import ablations

    yield ablations
    sys.modules.pop("ablations")


def labelled():
    graphs, _ = datasets.random_graphs(20, (4, 9), 0.3, n_labels=2, random_state=0)
    return graphs


@pytest.mark.parametrize("n_labels", [0, 2])
def test_isolated_vertices_keep_depth_0_alone(ablations, n_labels):
    graphs, _ = datasets.random_graphs(12, (4, 9), 0.3, n_labels=n_labels, random_state=0)
    labels = WeisfeilerLehman(3, edge_labels=False)
    filtration = Filtration("degree", n_levels=3).fit(graphs)
    whole = labels.histograms(graphs, filtration)
    kept = ablations.without(whole, ablations.isolated_features(graphs, labels))
    steps = filtration.levels(graphs)
    for number, graph in enumerate(graphs):
        edges = slice(graphs.edge_ptr[number], graphs.edge_ptr[number + 1])
        joined = sum(
            len(np.unique(graphs.edges[edges][steps[edges] <= level]))
            for level in range(len(filtration.alphas_))
        )
        rows = slice(kept.graph_ptr[number], kept.graph_ptr[number + 1])
        for depth in range(4):
            mass = kept.masses[rows][kept.depths[rows] == depth].sum()
            everything = graph.n_nodes * len(filtration.alphas_)
            assert mass == (joined if depth else everything)


def test_alignment_is_that_of_centred_matrices(ablations):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(8, 3)), np.array([0, 1, 1, 0, 2, 2, 1, 0])
    centre = np.eye(8) - 1 / 8
    a, b = centre @ x @ x.T @ centre, centre @ (y[:, None] == y) @ centre
    expected = np.trace(a @ b) / (np.linalg.norm(a) * np.linalg.norm(b))
    assert ablations.alignment(x @ x.T, y) == pytest.approx(max(expected, 0))
    assert ablations.alignment((y[:, None] == y) * 2.0, y) == pytest.approx(1)
    assert ablations.alignment(np.where(y[:, None] == y, 0.0, 1.0), y) == 0
    assert ablations.alignment(np.ones((8, 8)), y) == 0  # as graphs are all alike


def test_variants_have_the_matrices_of_their_kernels(ablations):
    graphs, y, train = labelled(), np.arange(20) // 10, np.arange(0, 20, 2)
    fold = ablations.Fold(graphs, y, train)
    for parts, mass, gaussian in ((("core",), "min", False), (tuple(ablations.SEVEN), "min", True)):
        variant = ablations.Variant(parts, mass, gaussian)
        for params, gram in fold.grams(variant):
            kernels = [
                FiltrationKernel(
                    WeisfeilerLehman(params["depth"], edge_labels=False),
                    weight=weights.Walks(3) if name == "walks" else name,
                    n_levels=ablations.LEVELS,
                    gamma=params["gamma"],
                    mass=mass,
                )
                for name in parts
            ]
            kernel = MeanKernel(list(zip(parts, kernels, strict=True)))
            if gaussian:
                kernel = GaussianKernel(kernel, sigma=ablations.SIGMA)
            expected = kernel.fit(graphs[train]).transform(graphs)
            np.testing.assert_allclose(gram[:, train], expected, rtol=1e-12)


def test_aligned_parts_count_by_their_alignment(ablations):
    graphs, y, train = labelled(), np.arange(20) // 10, np.arange(0, 20, 2)
    fold = ablations.Fold(graphs, y, train)
    equal = ablations.Variant(tuple(ablations.SEVEN))
    here = np.ix_(train, train)
    for params, gram in fold.grams(equal._replace(aligned=True)):
        key = params["depth"], params["gamma"]
        parts = [fold.grids[name, "linear", False][key] for name in ablations.SEVEN]
        shares = [ablations.alignment(part[here], y[train]) for part in parts]
        assert sum(shares) > 0
        expected = sum(w * part for w, part in zip(shares, parts, strict=True)) / sum(shares)
        np.testing.assert_allclose(gram, expected, rtol=1e-12)


def test_every_variant_is_compared_and_asked_about(ablations):
    variants = ablations.variants()
    assert len({variant.name for variant in variants}) == len(variants)
    asked = {one for pairs in ablations.questions().values() for _, a, b in pairs for one in (a, b)}
    assert asked <= set(variants)


def test_a_unit_counts_what_is_right(ablations, monkeypatch, tmp_path):
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=10)  # three walks tell them apart
    monkeypatch.setattr(ablations, "FOLDER", tmp_path / "out")
    monkeypatch.setattr(ablations, "DATA", ("CSL",))
    monkeypatch.setattr(ablations, "PROTOCOL", ablations.PROTOCOL.with_values(n_splits=5))
    few = [ablations.Variant(()), ablations.Variant(("walks",)), *ablations.variants()]
    monkeypatch.setattr(ablations, "variants", lambda: list(dict.fromkeys(few)))
    datasets.write_tu(tmp_path / "CSL", graphs, y)
    codes = np.unique(y, return_inverse=True)[1]
    unit = ablations.unit(Work(graphs, codes, {}, ablations.PROTOCOL), "CSL", 0)
    assert (unit["n_test"], unit["correct"]["WL, linear"]) == (6, 2)
    assert unit["correct"]["walks, linear"] == 6
    ablations.measure(tmp_path, ["CSL"], 1)
    first = (tmp_path / "out" / "CSL" / ablations.UNITS).read_bytes()
    lines = first.splitlines(keepends=True)
    (tmp_path / "out" / "CSL" / ablations.UNITS).write_bytes(b"".join(lines[:-1]))
    assert ablations.read_units() == {}  # not complete
    ablations.measure(tmp_path, ["CSL"], 1)
    assert (tmp_path / "out" / "CSL" / ablations.UNITS).read_bytes() == first
    ablations.write_results()
    text = (tmp_path / "out" / "results.md").read_text()
    assert "| WL, linear | 33.3 |" in text
    assert "| walks, linear | 100.0 |" in text
    assert "| degree instead of none | +0.00 ± 0.00 | +0.00 |" in text


def test_the_committed_tables_are_those_of_the_committed_folds(ablations):
    units = ablations.read_units()
    found = ablations.results(units)
    path = ablations.FOLDER / "results.md"
    if units:
        assert path.read_text() == ablations.markdown(found, list(units))
    else:
        assert not path.exists()


def test_a_batch_of_one_graph_has_its_label_alone():
    single = Graphs.from_edge_lists([[]], [1], node_labels=[["a"]])
    found = WeisfeilerLehman(2).histograms(single, Filtration(n_levels=1).fit(single))
    assert sorted(found.depths.tolist()) == [0, 1, 2]
