"""The page on speed shows what was measured, also failures, and leaves out what was not."""

import pytest

from benchmarks import evaluation, fit, large, machine, models, speed_page, stages
from benchmarks.table import markdown
from grafik import FiltrationKernel, datasets
from grafik.features import WeisfeilerLehman

COMMON = {**machine.machine(), "complete": True, "load": 0.25, "revision": "0123456789abcdef"}
OVER = {"over_seconds": 150.0}


def run(seconds, used, **found):
    result = {"seconds": seconds, "processor_seconds": used, "runs": 3}
    return {**result, "peak_growth_bytes": 2_000_000, **({"found": found} if found else {})}


def clocks(seconds, used, functions=0):
    return {"seconds": seconds, "processor_seconds": used, "functions": functions, "runs": 3}


START = {
    **COMMON,
    "data": "MUTAG",
    "cold": {
        "before": {
            "gram": clocks(12.0, 24.0, 75),
            "fit": clocks(5, 6, 18),
            "fit_again": clocks(1, 1),
        },
        "now": {"gram": clocks(4.0, 6.0, 30), "fit": clocks(2, 2, 9), "fit_again": clocks(1, 1)},
    },
    "warm": {
        "imports": clocks(1.0, 2.0),
        "imports_with_function": {"processor_seconds": 2.1},
        "imports_with_machines": {"processor_seconds": 2.2},
        "before": clocks(2.0, 3.0),
        "now": clocks(1.1, 2.3),
    },
}


def fitted(seconds, used, fits, score=0.875, depth=3):
    params = {"depth": depth, "C": 2.0}
    found = {"best_params": params, "best_score": score, "n_fits": fits, "n_skipped": 7}
    return run(seconds, used, **found)


FIT = {
    **COMMON,
    "rows": [
        {
            "data": "NCI1",
            "model": "grid",
            "before": fitted(60.0, 90.0, 450),
            "now": fitted(20.0, 30.0, 150),
            "peer": run(40.0, 31.0, best_params={}, best_score=0.86),
            "times_faster": 3.0,
            "same_choice": True,
        },
        {
            "data": "NCI1",
            "model": "default",
            "before": OVER,
            "now": fitted(30.0, 40.0, 99),
            "times_faster": None,
            "same_choice": None,
        },
    ],
}
EVALUATION = {
    **COMMON,
    "rows": [
        {
            "data": "MUTAG",
            "method": method,
            "n_folds": n_folds,
            "before": run(9.0, before),
            "now": run(3.0, now),
            "times_faster": before / now,
            "same_result": same,
        }
        for method, n_folds, before, now, same in (
            ("wl", 1, 8.0, 2.0, True),
            ("sp", 10, 20.0, 20.0, False),
        )
    ],
}
STAGED = {
    "stages": {
        name: {"processor_seconds": 0.5, "peak_growth_bytes": 3_000_000}
        for name in speed_page.STAGES
    }
}
LARGE = {
    **COMMON,
    "before_limit_seconds": 150.0,
    "proteins": {
        "levels": 3,
        "graphs": 1178,
        "vertices": 280.7,
        "most": 5748,
        "before": run(2.0, 4.0),
        "now": run(1.0, 2.0),
        "peer": run(26.0, 26.0),
        "by_stage": {"before": run(2, 2, **STAGED), "now": {"crashed": "ImportError: no stages"}},
    },
    "network": {
        "levels": 10,
        "rows": [
            {
                "vertices": 1000,
                "edges": 3000,
                "before": run(2.0, 3.0, histogram_bytes=500_000),
                "now": run(1.0, 1.5, histogram_bytes=1_000_000),
            }
        ],
        "exponents": {"before": 1.25, "now": 1.0},
        "by_stage": {"before": run(2, 2, **STAGED)},
    },
    "slow": [
        {
            "data": "EGO-2",
            "title": "Graphlets(4)",
            "before": OVER,
            "now": run(10.0, 15.0),
            "times_faster": None,
            "same_result": None,
        },
        {"data": "X", "title": "other", "missing": "no folder X in GRAFIK_DATA"},
    ],
}


def page(others=(), **results):
    return speed_page.block(results, list(others))


def test_what_was_not_measured_is_left_out():
    assert page() == page(start=None, fit=None) == ""
    text = page(start=START)
    assert text.startswith("## The first call\n\nA Gram matrix of MUTAG")
    assert text.count("## ") == 1


def test_the_first_call_is_shown_before_and_now():
    text = page(start=START)
    assert "| first `fit_transform` on MUTAG | 24.0 | 6.00 | 4.0 | 12.0 | 4.00 | 75 / 30 |" in text
    assert "| new process, now | 2.30 | 1.15 |" in text
    assert "a compiled function that does nothing | 2.10 | 1.05 |" in text
    assert text.replace("\n", " ").endswith(". Load of the machine before: 0.2.")


def test_a_busy_machine_is_named():
    busy = page(start={**START, "load": 11.6, "cores": 2}).replace("\n", " ")
    assert "**The machine was busy** with other programs (load 11.6 on 2 cores)" in busy
    assert "The machine was busy" not in page(start={**START, "load": 2.0, "cores": 2})
    assert "oad" not in page(start={**START, "load": None}).partition("| new process, now")[2]


def test_columns_of_words_are_on_the_left_and_those_of_numbers_on_the_right():
    rows = [["A", "a few words", "1.5", "-"], ["B", "-", "over 3", "rdkit, 165 MB"]]
    rule = markdown(["", "words", "s", "most"], rows).splitlines()[1]
    assert rule == "| --- | --- | ---: | --- |"
    assert markdown(["", "s"], []).splitlines()[1] == "| --- | --- |"


def test_models_are_shown_with_their_choice():
    text = page(fit=FIT)
    assert "| NCI1 | grid | 90.0 | 30.0 | 3.0 | 60.0 | 20.0 | 31.0 | 450 (7) / 150 (7) |" in text
    assert "| 0.875 / 0.875 / 0.860 | yes |" in text
    assert "| NCI1 | default | over 150 | 40.0 | over 3.8 | over 150 | 30.0 | - |" in text


def test_units_of_evaluations_are_shown_and_summed_up():
    text = page(evaluation=EVALUATION)
    assert "| MUTAG | wl | 1 | 8.00 | 2.00 | 4.0 | yes |" in text
    assert "| MUTAG | sp | 10 | 20.0 | 20.0 | 1.0 | **no** |" in text
    assert "All methods together, one fold of each, times less: MUTAG 2.5." in text


def test_large_graphs_are_shown_by_stage_and_with_their_memory():
    text = page(large=LARGE)
    assert "neighbours in space, 281 vertices on average and up to 5,748" in text
    assert "| now | 1.00 | 2.00 | 2.0 | 26 |" in text
    assert "| before | 0.500 s, 3.0 MB |" in text
    assert "| now | crashed: ImportError: no stages | - | - | - |" in text
    assert "| 1,000, before | 3,000 | 2.00 | 3.00 | 2.0 | 0 | 4.0 |" in text
    assert "Fitted exponents of seconds of processors: before 1.25, now 1.00." in text
    assert "| Graphlets(4) | EGO-2 | over 150 | 15.0 | over 10 | over 150 | 10.0 | - |" in text
    assert "| other | X | data missing | - | - | - | - | - |" in text


def test_other_processors_have_a_table_each():
    row = {"data": "MUTAG", "levels": 3, "ours": run(0.5, 1.0), "peer": run(5.0, 5.0)}
    text = page(others=[{**COMMON, "processor": "AMD EPYC", "weisfeiler_lehman": [row]}])
    assert text.startswith("## Other processors")
    assert "AMD EPYC" in text
    assert "| MUTAG | 3 | 0.500 | 5.00 | 10 | 2.0 / 2.0 |" in text


def test_a_trial_says_so():
    assert "trial run" in page(start={**START, "complete": False})
    assert "trial run" not in page(start=START)


def test_choices_are_compared_and_failures_are_unknown():
    names = ("best_params", "best_score")
    one, other = fitted(1, 1, 9), fitted(2, 2, 5)
    assert fit.same(one, other, names) is True  # the work may differ
    assert fit.same(one, fitted(1, 1, 9, depth=5), names) is False
    assert fit.same(one, fitted(1, 1, 9, score=0.5), names) is False
    assert fit.same(one, OVER, names) is None
    assert fit.faster(run(1, 9), run(1, 3)) == 3
    assert fit.faster(OVER, run(1, 3)) is None


def test_models_are_fitted_on_the_graphs_of_their_task():
    pytest.importorskip("grakel", reason="GraKeL has no wheels for this Python")
    graphs, y = datasets.csl(skips=(2, 3), copies=6)
    found = models.grakel_search(graphs, y)()
    assert set(found["best_params"]) == {"depth", "C"}
    assert found["n_fits"] == 45
    assert found["best_score"] == 0.5  # of regular graphs they know nothing


def test_methods_and_data_are_those_of_the_paper():
    assert set(evaluation.DATA) | {"NCI1"} == set(fit.DATA)
    assert list(models.METHODS) == [
        *("ve-hist", "gs", "sp", "wl", "wl-oa", "w-wl", "p-wl", "core-wl", "fwl-d", "fwl-rw")
    ]


def test_stages_add_up_to_the_gram_matrix_and_name_its_histograms():
    graphs, _ = datasets.random_graphs(6, (4, 9), 0.4, n_labels=2)
    found = stages.by_stage(graphs, 2, rounds=2)()
    assert tuple(found["stages"]) == speed_page.STAGES
    kernel = FiltrationKernel(WeisfeilerLehman(5, edge_labels=False), n_levels=2).fit(graphs)
    histograms = kernel.histograms_
    columns = [histograms.graph_ptr, histograms.depths, histograms.features]
    columns += [part for part in histograms.runs if hasattr(part, "nbytes")]
    least = sum(column.nbytes for column in columns)
    assert least <= found["histogram_bytes"] <= 1.5 * least
    assert stages.gram(graphs, 2, 1)() == {"histogram_bytes": found["histogram_bytes"]}


@pytest.mark.parametrize(("data", "call", "options", "title"), large.SLOW)
def test_what_is_slow_has_a_digest_that_depends_on_the_graphs(data, call, options, title):
    make = getattr(stages, call.removeprefix("stages."))
    graphs, _ = datasets.random_graphs(4, (5, 7), 0.6)
    other, _ = datasets.random_graphs(4, (5, 7), 0.6, random_state=1)
    digests = [make(batch, **options)()["digest"] for batch in (graphs, graphs, other)]
    assert digests[0] == digests[1] != digests[2]
