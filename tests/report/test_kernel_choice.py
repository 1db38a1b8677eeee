"""The kernel that a page shows: the best filtration kernel of the results."""

import numpy as np

from grafik import FiltrationKernel, datasets
from grafik.evaluation import PROTOCOLS, evaluate
from grafik.report.facts import accuracy_facts
from grafik.report.kernel_choice import chosen_kernel


def test_the_kernel_shown_is_the_best_filtration_kernel_that_has_a_name():
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    few = PROTOCOLS["quick"].with_values(n_splits=3, depths=[1], levels=[2])
    other = FiltrationKernel(weight="walks", thresholds="distinct", normalize=True)
    methods = {"fwl-d": "fwl-d", "mine": other, "fwl-triangles": "fwl-triangles"}
    results = evaluate(methods, graphs, y, protocol=few)
    kernel, how, method = chosen_kernel(results)
    assert (kernel.weight, kernel.n_levels, kernel.features.depth) == ("triangles", 2, 1)
    assert kernel.normalize
    assert method == "fwl-triangles"
    assert "most often: 2 levels, depth 1, gamma" in how
    # A kernel of another kind that only has the name of ours is not ours.
    disguised = evaluate({"fwl-d": other}, graphs, y, protocol=few)
    assert chosen_kernel(disguised)[0].weight == "degree"
    assert chosen_kernel(disguised)[1:] == ("", None)


def test_the_page_says_what_the_filtration_gained_over_plain_wl():
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    few = PROTOCOLS["quick"].with_values(n_splits=3, depths=[1], levels=[2])
    for weight, gained in (("fwl-triangles", True), ("fwl-d", False)):
        results = evaluate(["wl", weight], graphs, y, protocol=few)
        best, plain = (
            next(s.accuracy for s in results.summary().scores if s.method == name)
            for name in (weight, "wl")
        )
        numbers = f"{best:.1f} % against {plain:.1f} %."
        assert (best > plain) == gained
        how = chosen_kernel(results)[1]
        if gained:
            assert (
                f" gained {best - plain:.1f} points over plain Weisfeiler-Lehman: {numbers}" in how
            )
        else:
            assert f" did not help beyond plain Weisfeiler-Lehman: {numbers}" in how


def test_one_level_is_shown_if_it_was_chosen():
    """The map and the pairs are of the kernel whose accuracy stands beside them."""
    graphs, y = datasets.csl(skips=(2, 3), copies=6)
    few = PROTOCOLS["quick"].with_values(n_splits=2, levels=[1])
    results = evaluate("fwl-triangles", graphs, y, protocol=few)
    kernel, how, _ = chosen_kernel(results)
    chosen = results.summary().scores[0].params
    assert (kernel.weight, kernel.n_levels) == ("triangles", 1)
    assert (kernel.features.depth, kernel.gamma) == (chosen["depth"], chosen["gamma"])
    assert "most often: one level, depth" in how


def test_parameters_are_told_in_one_way(tmp_path):
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    few = PROTOCOLS["quick"].with_values(n_splits=3, depths=[1], levels=[2], gammas=[2.0**-5])
    results = evaluate(["fwl-triangles", "wl"], graphs, y, protocol=few)
    ours, plain = accuracy_facts(results, np.array([6, 6, 6]))["scores"]
    assert ours["params"].startswith("2 levels, depth 1, gamma 0.03125, C ")
    assert plain["params"].startswith("depth 1, C ")
    assert "2 levels, depth 1, gamma 0.03125." in chosen_kernel(results)[1]


def test_without_a_filtration_kernel_the_usual_one_is_shown():
    graphs, y = datasets.csl(skips=(2, 3), copies=6)
    few = PROTOCOLS["quick"].with_values(n_splits=2)
    kernel, how, _ = chosen_kernel(evaluate("wl", graphs, y, protocol=few))
    assert (kernel.weight, kernel.n_levels, how) == ("degree", 3, "")
