"""Means and Gaussians that an evaluation sweeps over: the same as the kernels of these names."""

import re

import numpy as np
import pytest

from grafik import (
    FiltrationKernel,
    GaussianKernel,
    Graphs,
    MeanKernel,
    baselines,
    datasets,
    weights,
)
from grafik.evaluation import PROTOCOLS, evaluate, sweeps
from grafik.evaluation.methods import as_methods
from grafik.features import WeisfeilerLehman

TRIED = PROTOCOLS["quick"].with_values(
    n_splits=3, levels=[1, 3], depths=[1, 2], gammas=[0.5, 8.0], sigmas=[1.0, 4.0], Cs=[1.0, 100.0]
)
SEVEN = ("degree", weights.Walks(3), "triangles", "core", "jaccard", "curvature", "betweenness")


def small_graphs():
    graphs, _ = datasets.random_graphs(24, (4, 9), 0.4, n_labels=2, random_state=3)
    return graphs


def part(weight, mass, params):
    """Return one filtration kernel with the parameters of a sweep."""
    features = WeisfeilerLehman(params["depth"], edge_labels=False)
    given = {name: params[name] for name in ("n_levels", "gamma")}
    return FiltrationKernel(features, weight=weight, mass=mass, normalize=True, **given)


def filtration(several, mass, gaussian):
    def kernel(params):
        parts = [(str(i), part(weight, mass, params)) for i, weight in enumerate(several)]
        inner = MeanKernel(parts) if len(parts) > 1 else parts[0][1]
        return GaussianKernel(inner, sigma=params["sigma"]) if gaussian else inner

    return kernel


NAMED = {
    "fwl-degree+core": filtration(["degree", "core"], "linear", False),
    "fwl-degree+core-min-gaussian": filtration(["degree", "core"], "min", True),
    "fwl-triangles-min": filtration(["triangles"], "min", False),
    "fwl-d-gaussian": filtration(["degree"], "linear", True),
    "fwl-rw-min-gaussian": filtration([weights.Walks(7)], "min", True),
    "fwl-seven-min-gaussian": filtration(SEVEN, "min", True),
    "wl-gaussian": lambda p: GaussianKernel(baselines.WL(p["depth"]), sigma=p["sigma"]),
    "wl-oa-gaussian": lambda p: GaussianKernel(
        baselines.WLOptimalAssignment(p["depth"]), sigma=p["sigma"]
    ),
}


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("normalize", [True, False])
def test_a_sweep_has_the_matrices_of_its_kernel(name, normalize):
    graphs, train = small_graphs(), np.arange(0, 24, 2)
    (method,) = as_methods(name, normalize)
    if name != "fwl-triangles-min":  # which is neither a mean nor a Gaussian
        assert "normalize=False" not in method.text
    count = 0
    for params, gram in method.grams(graphs, train, TRIED):
        kernel = NAMED[name](params)
        if not normalize and name == "fwl-triangles-min":
            kernel.set_params(normalize=False)
        expected = kernel.fit(graphs[train]).transform(graphs)
        np.testing.assert_allclose(gram[:, train], expected, rtol=1e-12, atol=1e-15)
        assert (gram == gram.T).all()
        count += 1
    n_sigmas = 2 if name.endswith("-gaussian") else 1
    # With one level gamma does not matter, and is tried once.
    assert count == (2 if name.startswith("wl") else 2 * (1 + 2)) * n_sigmas


def test_little_memory_does_not_change_a_mean(monkeypatch):
    graphs = small_graphs()
    (method,) = as_methods("fwl-degree+jaccard+core")
    whole = [(p, gram.copy()) for p, gram in method.grams(graphs, None, TRIED)]
    monkeypatch.setattr(sweeps, "_MEMORY", 1)  # one gamma at a time
    parts = [(p, gram.copy()) for p, gram in method.grams(graphs, None, TRIED)]
    assert [p for p, _ in parts] != [p for p, _ in whole]  # the order differs
    for params, gram in parts:
        same = next(other for p, other in whole if p == params)
        np.testing.assert_array_equal(gram, same)


def one(graphs):
    """Return the same weight for all edges."""
    return np.ones(len(graphs.edges))


def test_a_weight_with_one_value_counts_for_every_gamma():
    graphs, labels = small_graphs(), WeisfeilerLehman(edge_labels=False)
    kernels = [FiltrationKernel(labels, weight=w, normalize=True) for w in ("degree", one)]
    for params, gram in sweeps.over_means(kernels, graphs, None, TRIED):
        parts = [part(weight, "linear", params) for weight in ("degree", one)]
        expected = sum(kernel.fit_transform(graphs) for kernel in parts) / 2
        np.testing.assert_allclose(gram, expected, rtol=1e-12)


def test_a_graph_without_features_is_like_no_other():
    empty = Graphs.concat([small_graphs()[:4], Graphs.from_edge_lists([[]], [0])])
    for name in ("fwl-degree+core-gaussian", "wl-gaussian"):
        (method,) = as_methods(name)
        for _, gram in method.grams(empty, None, TRIED):
            assert (gram[4] == 0).all()
            assert (gram[:4, :4].diagonal() == 1).all()


def test_records_name_what_a_method_tries():
    methods = {m.name: m.record(TRIED) for m in as_methods("wl,wl-gaussian,fwl-seven-min,fwl-d")}
    assert list(methods["wl"].grid) == ["depths"]
    assert methods["wl-gaussian"].grid == {"depths": [1, 2], "sigmas": [1.0, 4.0]}
    assert methods["wl-gaussian"].title == "WL (Gaussian)"
    assert methods["fwl-seven-min"].kernel.count("mass='min'") == 7
    assert "mass" not in methods["fwl-d"].kernel
    assert list(methods["fwl-d"].grid) == ["levels", "depths", "gammas"]


def test_names_that_mean_nothing_are_refused():
    for name in ("fwl-", "fwl-degree+", "fwl-min", "sp-gaussian", "fwl-degree-max", "gaussian"):
        with pytest.raises(
            ValueError, match=f"there is no method '{re.escape(name)}'; there are .*fwl-<wei"
        ):
            as_methods(name)
    with pytest.raises(ValueError, match="method 'fwl-core\\+core' has core twice; name each"):
        as_methods("fwl-core+core")
    with pytest.raises(ValueError, match="each of sigmas must be positive, got 0"):
        TRIED.with_values(sigmas=[0.0, 1.0])


def test_sigmas_are_chosen_by_cross_validation_and_told(tmp_path):
    graphs, y = small_graphs(), np.arange(24) % 2
    found = evaluate("fwl-degree+core-min-gaussian", graphs, y, protocol=TRIED, out=tmp_path)
    assert all(unit["params"]["sigma"] in (1.0, 4.0) for unit in found.units)
    assert "sigma 2^" in (tmp_path / "summary.md").read_text()
    other = TRIED.with_values(sigmas=[2.0])
    with pytest.raises(ValueError, match=r"grid.sigmas is \[1.0,4.0\] there and \[2.0\] now"):
        evaluate("fwl-degree+core-min-gaussian", graphs, y, protocol=other, out=tmp_path)
