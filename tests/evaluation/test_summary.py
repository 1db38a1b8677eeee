"""Means, deviations and tests, against formulas written out another way."""

import csv
import io
import itertools
import json

import numpy as np
import pytest
from scipy import stats

from grafik.evaluation.header import DataRecord, Header, MethodRecord, ProtocolRecord
from grafik.evaluation.paired_tests import corrected_t_test, signed_rank_test
from grafik.evaluation.results import Results
from grafik.evaluation.summary import params_text


def results(tables, n_test=20):
    """Make results of methods from numbers of correct predictions."""
    repeats, folds = np.shape(next(iter(tables.values())))
    header = Header(
        data=DataRecord("toy", "0", n_test * folds, ["a", "b"]),
        methods={name: MethodRecord(name.upper(), "kernel", {}) for name in tables},
        protocol=ProtocolRecord("paper", repeats, folds, 3, [1.0, 2.0], []),
        random_state=0,
        folds=[[f for f in range(folds) for _ in range(n_test)]] * repeats,
        thresholds_from="train",
        normalize=True,
        versions={},
    )
    units = [
        {
            "method": name,
            "repeat": r,
            "fold": f,
            "n_correct": int(table[r][f]),
            "n_test": n_test,
            "n_fits": 10,
            "n_unconverged": r,
            "params": {"C": 2.0 ** (f % 2), "depth": 1},
        }
        for name, table in tables.items()
        for r in range(repeats)
        for f in range(folds)
    ]
    return Results(header, units)


@pytest.mark.parametrize(("repeats", "folds"), [(1, 10), (10, 10), (3, 4)])
def test_the_t_test_is_the_usual_one_with_a_larger_variance(repeats, folds):
    rng = np.random.default_rng(repeats)
    a, b = rng.uniform(0.5, 0.9, (2, repeats, folds))
    b -= 0.1
    usual = stats.ttest_rel(a.ravel(), b.ravel())
    n = repeats * folds
    # Nadeau and Bengio: 1/n becomes 1/n + n_test/n_train, all else stays.
    shrunk = usual.statistic * np.sqrt((1 / n) / (1 / n + 1 / (folds - 1)))
    expected = 2 * (1 - stats.t(n - 1).cdf(abs(shrunk)))
    assert corrected_t_test(a, b) == pytest.approx(expected, rel=1e-9)
    assert corrected_t_test(a, b) > usual.pvalue
    assert corrected_t_test(a, b) == corrected_t_test(b, a)


def test_methods_that_never_or_always_differ_alike():
    a = np.full((2, 5), 0.7)
    assert corrected_t_test(a, a) == 1.0
    assert signed_rank_test(a, a) == 1.0
    assert corrected_t_test(a, a - 0.1) == 0.0


def test_the_signed_rank_test_counts_all_signs():
    differences = np.array([0.01, 0.02, -0.03, 0.04, 0.05, 0.06, -0.07, 0.08])
    ranks = np.arange(1, 9)
    least = min(ranks[differences > 0].sum(), ranks[differences < 0].sum())
    all_signs = itertools.product([0, 1], repeat=8)
    sums = np.array([np.dot(signs, ranks) for signs in all_signs])
    expected = 2 * np.mean(sums <= least)
    found = signed_rank_test(differences[None], np.zeros((1, 8)))
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(("n", "digits"), [(1, 8), (6, 0), (10, 0), (10, 1), (13, 1), (12, 8)])
@pytest.mark.filterwarnings("ignore")  # SciPy's, of few samples
def test_the_signed_rank_test_is_that_of_scipy_with_ties_and_zeros(n, digits):
    differences = np.round(np.random.default_rng(n).normal(0.5, 1, n), digits)
    # All signs, as newer versions choose by themselves where there are ties or zeros.
    method = stats.PermutationMethod() if n > 1 else "exact"
    expected = stats.wilcoxon(differences, method=method).pvalue
    assert signed_rank_test(differences[None], np.zeros((1, n))) == pytest.approx(expected)


@pytest.mark.parametrize("n", [20, 50, 100])
def test_the_signed_rank_test_of_many_folds_is_exact(n):
    differences = np.random.default_rng(n).normal(0.2, 1, n)
    expected = stats.wilcoxon(differences, method="exact").pvalue
    assert signed_rank_test(differences[None], np.zeros((1, n))) == pytest.approx(expected)


def test_deviations_are_over_repeats_or_folds():
    table = np.random.default_rng(0).integers(5, 20, (4, 5))
    score = results({"wl": table}).summary().scores[0]
    by_hand = [sum(row) / 100 * 100 for row in table.tolist()]
    mean = sum(by_hand) / 4
    assert score.accuracy == pytest.approx(mean, abs=1e-4)
    spread = (sum((x - mean) ** 2 for x in by_hand) / 4) ** 0.5
    assert score.deviation == pytest.approx(spread, abs=1e-4)
    assert (score.n_units, score.n_fits, score.n_unconverged) == (20, 200, 30)
    assert score.params == {"C": 1.0, "depth": 1}
    once = results({"wl": table[:1]}).summary()
    assert once.scores[0].deviation == pytest.approx(np.std(table[0] / 20 * 100), abs=1e-4)
    assert once.deviation_over == "folds, as there is one repeat"


def test_all_formats_tell_the_same():
    rng = np.random.default_rng(1)
    summary = results({n: rng.integers(9, 20, (2, 5)) for n in ("wl", "sp", "gs")}).summary()
    told = json.loads(summary.to_json())
    rows = list(csv.DictReader(io.StringIO(summary.to_csv())))
    page = summary.to_markdown()
    for score, row in zip(told["scores"], rows, strict=True):
        assert (row["thresholds_from"], row["repeats_done"]) == ("train", "2")
        assert float(row["accuracy"]) == score["accuracy"]
        assert f"| {score['title']} | {score['accuracy']:.2f} |" in page
    pairs = [(c["first"], c["second"]) for c in told["comparisons"]]
    assert pairs == [("WL", "SP"), ("WL", "GS"), ("SP", "GS")]
    assert "| WL - SP |" in page
    assert "thresholds learned on each training part" in page


def test_unfinished_results_have_no_mean():
    whole = results({"wl": np.full((1, 5), 15), "sp": np.full((1, 5), 10)})
    part = Results(whole.header, whole.units[:-1]).summary()
    assert part.n_missing == 1
    assert [s.accuracy for s in part.scores] == [None, None]
    assert part.comparisons == []
    assert "NOT FINISHED: 0 of 1 repeats are complete, 1 units" in part.to_markdown()
    assert "Deviation" not in part.to_markdown()


def test_parameters_are_shown_in_one_line():
    chosen = {"C": 4096.0, "depth": 5, "gamma": 2.0**-12, "n_levels": 3, "x": 0.3}
    assert params_text(chosen) == "n_levels 3, depth 5, gamma 2^-12, x 0.3, C 2^12"
    assert params_text({"sigma": None, "depth": 0, "C": 1.0}) == "depth 0, C 2^0"
