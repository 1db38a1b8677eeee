"""Nested cross-validation: what it computes, and that nothing of the test part leaks."""

import os
import resource
from dataclasses import replace
from functools import partial
from importlib import import_module

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from grafik import Filtration, FiltrationKernel, Graphs, baselines, datasets
from grafik.evaluation import METHODS, evaluate, read_results, swept
from grafik.evaluation import unit as work_module
from grafik.evaluation.methods import READINGS, as_methods
from grafik.evaluation.protocols import PROTOCOLS
from grafik.evaluation.results import FILE
from grafik.evaluation.unit import Unit, Work
from grafik.features import ShortestPaths, WeisfeilerLehman
from grafik.models.selection import inner_folds, select
from grafik.models.svm import score_path
from grafik.system.processes import results_of

SMALL = PROTOCOLS["quick"].with_values(
    n_splits=3, levels=(1, 2, 4), depths=(1, 2), gammas=(0.1, 10.0), Cs=(0.01, 1.0, 100.0)
)


def two_classes(n=36, seed=0):
    """Make random graphs of which one class is denser, but not by much."""
    thin, _ = datasets.random_graphs(n // 2, (6, 12), 0.25, n_labels=2, random_state=seed)
    dense, _ = datasets.random_graphs(n - n // 2, (6, 12), 0.4, n_labels=2, random_state=seed + 1)
    return Graphs.concat([thin, dense]), np.repeat(["a", "b"], [n // 2, n - n // 2])


def work_of(methods, graphs, y, **values):
    codes = np.unique(y, return_inverse=True)[1]
    by_name = {method.name: method for method in as_methods(methods)}
    return Work(graphs, codes, by_name, SMALL.with_values(**values))


def exhaustive(candidates, work, unit):
    """Choose among kernels by scikit-learn's grid search, one after the other."""
    train, test = work.folds(unit.repeat)[unit.fold]
    y = work.y
    seed = int(np.random.SeedSequence([0, unit.repeat, unit.fold]).generate_state(1)[0])
    places = {g: i for i, g in enumerate(train)}
    inner = [
        ([places[g] for g in a], [places[g] for g in b]) for a, b in inner_folds(y, train, 3, seed)
    ]
    best = None
    for params, kernel in candidates:
        known = kernel.fit(work.graphs[train]).transform(work.graphs[train])
        search = GridSearchCV(SVC(kernel="precomputed"), {"C": SMALL.Cs}, cv=inner)
        search.fit(known, y[train])
        if best is None or search.best_score_ > best[0]:
            new = kernel.transform(work.graphs[test])
            correct = int((search.predict(new) == y[test]).sum())
            best = search.best_score_, {**params, **search.best_params_}, correct
    return best


def filtration_kernels(weight):
    return [
        (
            {"n_levels": n, "depth": depth, "gamma": gamma},
            FiltrationKernel(
                WeisfeilerLehman(depth), weight=weight, n_levels=n, gamma=gamma, normalize=True
            ),
        )
        for n in SMALL.levels
        for depth in SMALL.depths
        for gamma in SMALL.gammas
    ]


class Gaussian(BaseEstimator):
    """Gaussian kernel of how many vertices of each label and how many edges there are."""

    def __init__(self, gamma=1.0):
        self.gamma = gamma

    def counts(self, graphs):
        labels = [list(graph.node_labels) for graph in graphs]
        rows = [[found.count(0), found.count(1)] for found in labels]
        return np.column_stack([rows, graphs.n_edges])

    def fit(self, graphs):
        self.counts_ = self.counts(graphs)
        return self

    def transform(self, graphs):
        return rbf_kernel(self.counts(graphs), self.counts_, self.gamma)

    def fit_transform(self, graphs):
        return self.fit(graphs).transform(graphs)


CASES = {
    "ve-hist-gaussian": [({"gamma": g}, Gaussian(g)) for g in SMALL.gammas],
    "fwl-d": filtration_kernels("degree"),
    "wl": [({"depth": d}, baselines.WL(d, normalize=True)) for d in SMALL.depths],
    "p-wl": [({"depth": d}, baselines.PersistentWL(d, normalize=True)) for d in SMALL.depths],
    "sp": [({}, baselines.ShortestPath(normalize=True))],
    "w-wl": [
        ({"depth": d, "gamma": g}, baselines.WassersteinWL(d, g))
        for d in SMALL.depths
        for g in SMALL.gammas
    ],
}


@pytest.mark.parametrize("method", CASES)
def test_choices_and_predictions_are_those_of_an_exhaustive_search(method):
    graphs, y = two_classes()
    results = evaluate(method, graphs, y, protocol=SMALL)
    work = work_of(method, graphs, y)
    for found in results.units:
        unit = Unit(found["method"], found["repeat"], found["fold"])
        score, params, correct = exhaustive(CASES[method], work, unit)
        assert found["inner_accuracy"] == score
        assert found["params"] == params
        assert found["n_correct"] == correct
    assert sum(unit["n_test"] for unit in results.units) == len(graphs)


@pytest.mark.parametrize("method", [*METHODS, *READINGS, "user"])
def test_nothing_is_learned_from_the_test_part(method):
    """With other graphs in the test part, all choices are the same."""
    graphs, y = two_classes()
    kernel = ("user", FiltrationKernel(n_levels=3)) if method == "user" else method
    work = work_of([kernel], graphs, y, sizes=(3,), levels=(1, 3))
    unit = Unit(method, 0, 1)
    train, test = list(work.folds(0))[1]
    strange, _ = datasets.random_graphs(len(test), (14, 18), 0.9, n_labels=2, random_state=5)
    order = np.argsort(np.concatenate([train, test]))
    other = Graphs.concat([graphs[train], strange])[order]
    assert other[train] == graphs[train]
    before, _ = work(unit)
    after, _ = work_of([kernel], other, y, sizes=(3,), levels=(1, 3))(unit)
    for key in ("params", "inner_accuracy", "n_fits", "n_unconverged"):
        assert before[key] == after[key]


def test_thresholds_of_all_graphs_are_those_of_the_paper():
    graphs, y = two_classes()
    work = work_of("fwl-d", graphs, y, levels=(3,), depths=(1,), gammas=(1.0,))
    everything = Filtration("degree", n_levels=3).fit(graphs).alphas_
    kernel = FiltrationKernel(WeisfeilerLehman(1), thresholds=everything.tolist(), normalize=True)
    found = [gram for _, gram in work.methods["fwl-d"].grams(graphs, None, work.protocol)]
    assert len(found) == 1
    np.testing.assert_array_equal(found[0], kernel.fit_transform(graphs))
    results = evaluate("fwl-d", graphs, y, protocol=SMALL.with_values(thresholds_from="all"))
    assert "ALL graphs" in results.summary().to_markdown()


def test_folds_are_stratified_disjoint_and_depend_on_seed_repeat_and_classes_alone():
    graphs, y = two_classes()
    work = work_of("wl", graphs, y)
    for repeat in range(3):
        tests = [test for _, test in work.folds(repeat)]
        assert sorted(np.concatenate(tests)) == list(range(len(graphs)))
        assert all(np.bincount(work.y[test]).tolist() == [6, 6] for test in tests)
        seed = int(np.random.SeedSequence([0, repeat]).generate_state(1)[0])
        cut = StratifiedKFold(3, shuffle=True, random_state=seed)
        expected = [test for _, test in cut.split(work.y, work.y)]
        assert all(map(np.array_equal, tests, expected))
    digests = {
        str(evaluate(m, graphs, c, protocol=SMALL.with_values(random_state=s)).header.folds)
        for m, c, s in (
            ("wl", y, 0),
            ("sp", y, 0),
            ("wl", y, 1),
            ("wl", np.resize(["a", "b"], 36), 0),
        )
    }
    assert len(digests) == 3


def perfect(kernel, graphs, train, grid):
    """Yield the same accuracy twice, the simpler parameters last."""
    classes = np.repeat([1.0, -1.0], len(graphs) // 2)
    for depth, gamma in ((3, 0.5), (1, 2.0)):
        yield {"n_levels": 2, "depth": depth, "gamma": gamma}, gamma * np.outer(classes, classes)


def test_of_equal_accuracies_the_simplest_parameters_win():
    graphs, y = two_classes()
    method = swept(FiltrationKernel(), "perfect")
    results = evaluate(replace(method, sweep=perfect), graphs, y, protocol=SMALL)
    expected = {"n_levels": 2, "depth": 1, "gamma": 2.0, "C": SMALL.Cs[0]}
    assert [unit["params"] for unit in results.units] == [expected] * 3
    assert (results.accuracies("perfect") == 1).all()


class Constant(BaseEstimator):
    """A kernel of somebody else, for which all graphs are alike."""

    def fit_transform(self, graphs, y=None):
        return np.ones((len(graphs), len(graphs)))


def test_any_kernel_can_be_evaluated():
    graphs, y = two_classes()
    with pytest.raises(TypeError, match="must have fit and transform") as caught:
        evaluate(Constant(), graphs, y, protocol=SMALL)
    assert caught.value.__notes__ == ["Constant, repeat 0, fold 0"]
    results = evaluate(
        {"same": Constant(), "wl2": baselines.WL(2), "triangles": swept(FiltrationKernel())},
        graphs,
        y,
        protocol=SMALL.with_values(thresholds_from="all"),
    )
    assert results.methods == ["same", "wl2", "triangles"]
    assert (results.accuracies("same") == 0.5).all()
    chosen = [set(u["params"]) for u in results.units]
    assert chosen == [{"C"}, {"C"}, {"C", "depth", "gamma", "n_levels"}] * 3


class Edges(BaseEstimator):
    """Products of numbers of edges, made into something else."""

    def __init__(self, change=None):
        self.change = change

    def fit(self, graphs, y=None):
        self.n_edges_ = graphs.n_edges
        return self

    def transform(self, graphs):
        return self.change(np.outer(graphs.n_edges, self.n_edges_))

    def fit_transform(self, graphs, y=None):
        return self.fit(graphs).transform(graphs)


@pytest.mark.parametrize("learned_from", ["train", "all"])
def test_a_matrix_may_be_of_any_numbers(learned_from):
    graphs, y = two_classes()
    kernels = {
        "plain": Edges(np.float64),
        "whole": Edges(np.int64),
        "short": Edges(np.float32),
        "list": Edges(np.ndarray.tolist),
        "turned": Edges(np.asfortranarray),
    }
    found = evaluate(kernels, graphs, y, protocol=SMALL.with_values(thresholds_from=learned_from))
    for name in kernels:
        assert found.accuracies(name).tolist() == found.accuracies("plain").tolist()


def with_entry(value):
    def change(matrix):
        odd = matrix.astype(float)
        odd[3, 5] = value
        return odd

    return change


@pytest.mark.parametrize("learned_from", ["train", "all"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_entry(np.nan), "must be finite, got nan in row 3, column 5; correct the kernel"),
        (with_entry(-np.inf), "must be finite, got -inf in row 3, column 5"),
        (lambda m: m[:-1], r"of shape \(36, .*got ndarray int64 \(35, "),
        (lambda m: m[0], r"got ndarray int64 \(\d+,\); return kernel values"),
        (
            lambda m: m[:, :4],
            r"got ndarray int64 \(36, 4\); return kernel values, not features, as a N",
        ),
        (lambda m: sparse.csr_matrix(m), r"must be a dense array .*got csr_matrix int64 \(36, "),
        (lambda m: m * 1j, "array of numbers .*got ndarray complex128"),
        (lambda m: m.astype(str), "array of numbers .*got ndarray <U"),
        (lambda m: [[1.0], [1.0, 2.0]], "got list; return kernel values"),
        (lambda m: None, "got NoneType; return kernel values"),
    ],
)
def test_a_matrix_that_is_none_is_refused(change, message, learned_from):
    graphs, y = two_classes()
    with pytest.raises(ValueError, match=f"the matrix of Edges .*{message}") as caught:
        evaluate(
            {"mine": Edges(change)},
            graphs,
            y,
            protocol=SMALL.with_values(thresholds_from=learned_from),
        )
    assert caught.value.__notes__ == ["mine, repeat 0, fold 0"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"methods": []}, "at least one method"),
        ({"methods": "wl,wl"}, "'wl' more than once"),
        ({"methods": [3]}, "a method must be a name, a kernel"),
        ({"methods": {1: "wl"}}, "the name of a method must be text, got 1"),
        ({"y": None}, "classes are needed"),
        ({"y": [1, 2]}, "one class for each of 36 graphs"),
        ({"y": np.linspace(0, 1, 36)}, "must be classes"),
        ({"y": np.zeros(36)}, "at least two classes"),
        ({"y": np.repeat([0, 1], [2, 34])}, "class 0 has 2; use fewer folds"),
        (
            {"protocol": "full"},
            "protocol must be one of 'paper', 'quick', or a Protocol, got 'full'",
        ),
        ({"protocol": 3}, "or a Protocol, got 3"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(changes, message):
    graphs, y = two_classes()
    given = {"methods": "wl", "graphs": graphs, "y": y, "protocol": SMALL, **changes}
    with pytest.raises((ValueError, TypeError), match=message):
        evaluate(given.pop("methods"), given.pop("graphs"), given.pop("y"), **given)


def test_results_are_read_back_and_other_runs_refused(tmp_path):
    graphs, y = two_classes()
    first = evaluate("wl", graphs, y, out=tmp_path, protocol=SMALL)
    assert read_results(tmp_path) == first
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    evaluate("wl", graphs, y, out=tmp_path, protocol=SMALL)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    with pytest.raises(ValueError, match="data.sha256 is .* there and"):
        evaluate("wl", graphs, np.roll(y, 1), out=tmp_path, protocol=SMALL)
    with pytest.raises(ValueError, match='thresholds_from is "train" there and "all" now'):
        evaluate("wl", graphs, y, out=tmp_path, protocol=SMALL.with_values(thresholds_from="all"))
    with pytest.raises(ValueError, match=r"methods.wl.grid.depths is \[1,2\] there and \[3\]"):
        evaluate("wl", graphs, y, out=tmp_path, protocol=SMALL.with_values(depths=[3]))


def test_an_evaluation_grows_by_methods_and_repeats(tmp_path, monkeypatch):
    """It ends with the files of one run, and computes what is new alone."""
    graphs, y = two_classes()
    more = ["ve-hist", "wl", "sp"]
    evaluate(more, graphs, y, out=tmp_path / "whole", protocol=SMALL.with_values(repeats=3))
    evaluate("wl", graphs, y, out=tmp_path / "parts", protocol=SMALL.with_values(repeats=2))
    torn = (tmp_path / "parts" / FILE).read_bytes() + b'{"fold":'
    (tmp_path / "parts" / FILE).write_bytes(torn)
    todo = list[Unit]()

    def noted(work, units, **options):
        todo.extend(units)
        return results_of(work, units, **options)

    monkeypatch.setattr(import_module("grafik.evaluation.evaluate"), "results_of", noted)
    evaluate(more, graphs, y, out=tmp_path / "parts", protocol=SMALL.with_values(repeats=3))
    assert {unit for unit in todo if unit.method == "wl"} == {
        Unit("wl", 2, fold) for fold in range(SMALL.n_splits)
    }
    for name in (FILE, "summary.md", "summary.csv", "summary.json"):
        found, expected = ((tmp_path / folder / name).read_bytes() for folder in ("parts", "whole"))
        assert found == expected, name


def test_methods_in_another_order_are_the_same_evaluation(tmp_path):
    graphs, y = two_classes(18)
    for methods, folder in ((["sp", "wl"], "a"), (["wl", "sp"], "b"), (["sp", "wl"], "b")):
        evaluate(methods, graphs, y, out=tmp_path / folder, protocol=SMALL)
    for name in (FILE, "summary.md"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.parametrize(
    ("methods", "seed", "changes", "message"),
    [
        ("wl", 0, {"repeats": 2}, "methods.sp is .* there and null now"),
        (["wl", "sp"], 0, {"repeats": 1}, "protocol.repeats is 2 there and 1 now"),
        (["wl", "sp", "gs"], 1, {"repeats": 3}, "random_state is 0 there"),
        (["wl", "sp", "gs"], 0, {"repeats": 2, "depths": [1]}, r"wl.grid.depths is \[1,2\] there"),
    ],
)
def test_an_evaluation_neither_shrinks_nor_changes(tmp_path, methods, seed, changes, message):
    graphs, y = two_classes()
    evaluate(["wl", "sp"], graphs, y, out=tmp_path, protocol=SMALL.with_values(repeats=2))
    before = (tmp_path / FILE).read_bytes()
    protocol = SMALL.with_values(**changes, random_state=seed)
    with pytest.raises(ValueError, match=message):
        evaluate(methods, graphs, y, out=tmp_path, protocol=protocol)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_summary_takes_the_repeats_that_are_complete():
    graphs, y = two_classes()
    whole = evaluate(["wl", "ve-hist"], graphs, y, protocol=SMALL.with_values(repeats=3))
    last = [unit for unit in whole.units if unit["repeat"] < 2 or unit["method"] == "wl"]
    part = replace(whole, units=last).summary()
    first = replace(
        whole,
        header=replace(whole.header, protocol=replace(whole.header.protocol, repeats=2)),
        units=[unit for unit in whole.units if unit["repeat"] < 2],
    ).summary()
    assert part.scores == first.scores  # and so are counts of fits, and choices
    assert "Deviation over 2 repeats." in part.note()
    assert part.comparisons == first.comparisons
    assert part.scores[0].accuracy != whole.summary().scores[0].accuracy
    assert "2 of 3 repeats are complete, 3 units of work are missing" in part.note()
    none = replace(whole, units=whole.units[:2]).summary()
    assert (none.scores[0].accuracy, none.comparisons) == (None, [])


def test_fits_are_counted(monkeypatch):
    """Also those that did not converge, of which nothing is printed."""
    graphs, y = two_classes()
    work = work_of(["fwl-d"], graphs, y)
    for most in (1, 10**6):
        monkeypatch.setattr(work_module, "select", partial(select, max_iter=most))
        monkeypatch.setattr(work_module, "score_path", partial(score_path, max_iter=most))
        found, _ = work(Unit("fwl-d", 0, 0))
        train, _ = work.folds(0)[0]
        inner = inner_folds(work.y, train, 3, work_module._seed(0, 0, 0))
        grams = work.methods["fwl-d"].grams(graphs, train, work.protocol)
        alone = select(grams, work.y, inner, work.protocol.Cs, max_iter=most)
        assert found["n_fits"] == alone.n_fits + 1 > 10
        assert found["n_unconverged"] == (alone.n_fits + 1 if most == 1 else 0)


def test_results_that_are_no_part_of_the_evaluation_are_refused():
    graphs, y = two_classes()
    results = evaluate("wl", graphs, y, protocol=SMALL)
    odd = {**results.units[0], "fold": 7}
    for units, message in (
        ([*results.units, odd], "repeat 0, fold 7 is not part of this evaluation"),
        ([*results.units, results.units[1]], "repeat 0, fold 1 is there twice"),
        ([{"method": "wl"}], "is not part"),
    ):
        with pytest.raises(ValueError, match=message):
            replace(results, units=units)


def weight_by(power):
    return lambda graphs: np.arange(len(graphs.edges), dtype=float) ** power


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (weight_by(1), weight_by(2)),
        (lambda graphs: np.ones(len(graphs.edges)), lambda graphs: np.zeros(len(graphs.edges))),
    ],
)
def test_other_functions_are_other_kernels(tmp_path, first, second):
    graphs, y = two_classes(18)
    for weight in (first, first):
        evaluate(
            swept(FiltrationKernel(weight=weight), "m"), graphs, y, out=tmp_path, protocol=SMALL
        )
    with pytest.raises(ValueError, match="holds results of another run: methods.m.kernel"):
        evaluate(
            swept(FiltrationKernel(weight=second), "m"), graphs, y, out=tmp_path, protocol=SMALL
        )


def test_long_thresholds_are_told_apart(tmp_path):
    graphs, y = two_classes(18)
    thresholds = np.arange(60.0)[::-1].tolist()
    others = [*thresholds[:-1], -1.0]
    evaluate(
        {"m": FiltrationKernel(thresholds=thresholds)}, graphs, y, out=tmp_path, protocol=SMALL
    )
    with pytest.raises(ValueError, match="holds results of another run"):
        evaluate(
            {"m": FiltrationKernel(thresholds=others)}, graphs, y, out=tmp_path, protocol=SMALL
        )


def test_features_without_depth_are_swept():
    graphs, y = two_classes(18)
    method = swept(FiltrationKernel(features=ShortestPaths()), "sp")
    found = evaluate(method, graphs, y, protocol=SMALL)
    assert method.parameters == ("levels", "gammas")
    assert set(found.units[0]["params"]) == {"n_levels", "gamma", "C"}


def test_a_full_disk_is_said_and_the_run_goes_on_later(tmp_path):
    graphs, y = two_classes()
    evaluate(["wl", "sp"], graphs, y, out=tmp_path / "whole", protocol=SMALL)
    whole = (tmp_path / "whole" / "results.jsonl").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) - 300, limits[1]))
    try:
        with pytest.raises(OSError, match="the results before are intact, so make room"):
            evaluate(["wl", "sp"], graphs, y, out=tmp_path / "part", protocol=SMALL)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    part = (tmp_path / "part" / "results.jsonl").read_bytes()
    assert whole.startswith(part)
    assert len(part.splitlines()) == len(whole.splitlines()) - 2
    evaluate(["wl", "sp"], graphs, y, out=tmp_path / "part", protocol=SMALL)
    assert (tmp_path / "part" / "results.jsonl").read_bytes() == whole
    assert not list(tmp_path.rglob("*.part"))
    assert os.listdir(tmp_path / "part") == os.listdir(tmp_path / "whole")
