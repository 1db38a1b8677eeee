"""The default model beside the best of the paper's methods: the same folds, and what is said."""

import csv
import json
import math
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone

from grafik import FiltrationClassifier, datasets
from grafik.evaluation import METHODS, PROTOCOLS, evaluate, model_methods, read_results
from grafik.evaluation.methods import as_methods
from grafik.evaluation.results import FILE
from grafik.reproduction import beyond, beyond_table, plan, reproduce
from grafik.reproduction.plan import Plan

ROOT = Path(__file__).parents[2]
LITTLE = FiltrationClassifier(levels=[1], depths=[1], gammas=[1.0], Cs=[1.0])


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Two small data sets, plans of few repeats, and a default model that tries little."""
    for name, seed in (("PTC_MR", 0), ("EGO-1", 1)):
        graphs, _ = datasets.random_graphs(30, (5, 9), 0.4, n_labels=3, random_state=seed)
        datasets.write_tu(tmp_path / "data" / name, graphs, [i % 2 for i in range(30)])
    short = PROTOCOLS["paper"].with_values(n_splits=3, depths=[1], gammas=[1.0], Cs=[1.0])
    monkeypatch.setitem(PROTOCOLS, "paper", short)
    monkeypatch.setattr(model_methods, "FiltrationClassifier", lambda **_: clone(LITTLE))
    fixed = Plan(("wl-oa-gaussian",), 2, {"sigmas": (1.0,)})
    plans = {
        "PTC_MR": {
            "default": Plan(("default",), 3),
            "compared": Plan(("wl", "sp"), 2),
            "fixed": fixed,
        },
        "EGO-1": {"default": Plan(("default",), 1)},
        "NCI1": {"default": Plan(("default",), 1)},
    }
    monkeypatch.setattr(plan, "BEYOND", plans)
    monkeypatch.setattr(beyond, "BEYOND", plans)
    monkeypatch.setattr(beyond_table, "BEYOND", plans)
    monkeypatch.setattr(beyond_table, "FIXED", ("wl-oa-gaussian",))
    return tmp_path


def rows_in(out):
    rows = json.loads((out / "beyond" / "beyond.json").read_text())["rows"]
    with (out / "beyond" / "beyond.csv").open() as file:
        assert [row["data"] for row in csv.DictReader(file)] == [row["data"] for row in rows]
    return {(row["data"], row["method"]): row for row in rows}


def test_a_row_is_what_the_units_say(small):
    out, options = small / "out", {"data": small / "data"}
    reproduce(["beyond"], out, **options)
    rows = rows_in(out)
    folder = out / "beyond" / "PTC_MR"
    default = read_results(folder / "default").accuracies("default")
    both = read_results(folder / "compared")
    assert (default.shape, both.accuracies("wl").shape) == ((3, 3), (2, 3))
    best = max(("sp", "wl"), key=lambda name: both.accuracies(name).mean())
    theirs, mine = both.accuracies(best), default[:2]
    row = rows["PTC_MR", "default"]
    assert (row["best"], row["repeats"]) == (METHODS[best].title, 2)
    assert row["accuracy"] == pytest.approx(100 * mine.mean(), abs=1e-3)
    assert row["best_accuracy"] == pytest.approx(100 * theirs.mean(), abs=1e-3)
    gaps = (mine - theirs).ravel()
    assert row["difference"] == pytest.approx(100 * gaps.mean(), abs=1e-3)
    assert row["standard_error"] == pytest.approx(100 * stats.sem(gaps), abs=1e-3)
    t = gaps.mean() / math.sqrt((1 / 6 + 1 / 2) * gaps.var(ddof=1))
    assert row["t_test"] == pytest.approx(2 * stats.t.sf(abs(t), 5), rel=0.01)
    assert ("PTC_MR", "wl-oa-gaussian") in rows
    alone = rows["EGO-1", "default"]
    assert (alone["best"], alone["verdict"], alone["repeats"]) == (None, None, 1)
    text = (out / "beyond" / "beyond.md").read_text()
    assert "Missing: NCI1." in text
    assert "Folds share training graphs" in text
    assert "- EGO-1: no VE-Hist, no GS, no SP, no WL," in text
    assert "- PTC_MR: no VE-Hist, no GS, no WL-OA, no W-WL, no P-WL, no Core-WL, no FWL-D" in text
    assert (out / "beyond" / "beyond.png").read_bytes().startswith(b"\x89PNG")
    assert "## Beyond the paper" in (out / "README.md").read_text()
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    reproduce(["beyond"], out, **options)
    reproduce(["beyond"], out, tables_only=True)
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before


def test_repeats_are_finished_one_after_the_other_and_added_to(small, monkeypatch):
    asked = []

    def noted(methods, graphs, y, *, protocol, out, **options):
        asked.append((out.parent.name, out.name, protocol.repeats))
        return evaluate(methods, graphs, y, protocol=protocol, out=out, **options)

    monkeypatch.setattr(beyond, "evaluate", noted)
    out, options = small / "out", {"data": small / "data"}
    reproduce(["beyond"], out, repeats=1, only=["PTC_MR"], **options)
    parts = ("default", "compared", "fixed")
    assert asked == [("PTC_MR", part, 1) for part in parts]
    text = (out / "beyond" / "beyond.md").read_text()
    assert "1 of 3 repeats of default; 1 of 2 repeats of compared" in text
    asked.clear()
    reproduce(["beyond"], out, **options)
    assert asked == [
        *(("PTC_MR", part, 1) for part in parts),  # complete, which is soon found
        ("EGO-1", "default", 1),
        *(("PTC_MR", part, 2) for part in parts),
        ("PTC_MR", "default", 3),
    ]
    asked.clear()
    reproduce(["beyond"], out, repeats=1, only=["PTC_MR"], **options)
    assert asked == []  # there is more already
    units = read_results(out / "beyond" / "PTC_MR" / "default").units
    assert [unit["repeat"] for unit in units] == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_the_quick_protocol_is_followed_once_and_as_it_is(small, monkeypatch):
    asked = []
    monkeypatch.setattr(beyond, "evaluate", lambda *_, protocol, **given: asked.append(protocol))
    reproduce(["beyond"], small / "out", data=small / "data", protocol="quick")
    assert asked == [PROTOCOLS["quick"]] * 4


def test_methods_without_a_whole_repeat_do_not_count(monkeypatch, tmp_path):
    tables = {"wl": [[np.nan, 1.0], [0.5, 1.0]], "sp": [[np.nan, 1.0]]}
    data = SimpleNamespace(sha256="")
    methods = {name: SimpleNamespace(title=name) for name in tables}
    header = SimpleNamespace(methods=methods, data=data, folds="")
    results = SimpleNamespace(header=header, accuracies=lambda name: np.array(tables[name]))
    monkeypatch.setattr(beyond_table, "is_begun", lambda folder: True)
    monkeypatch.setattr(beyond_table, "read_results", lambda folder: results)
    found = beyond_table._measured(tmp_path)
    assert list(found) == ["wl"]
    assert list(found["wl"].repeats) == [1]


def test_results_of_the_accuracy_experiment_count_where_folds_agree(small):
    out, data = small / "out", small / "data" / "PTC_MR"
    reproduce(["beyond"], out, data=small / "data", only=["PTC_MR"])
    graphs, y = datasets.read_tu(data)
    protocol = PROTOCOLS["paper"].with_values(repeats=3)
    more = ["wl", "ve-hist"]
    evaluate(more, graphs, y, protocol=protocol, out=out / "accuracy" / "PTC_MR")
    beyond_table.write(out)
    row = rows_in(out)["PTC_MR", "default"]
    known = {
        name: read_results(folder).accuracies(name).mean()
        for folder, name in (
            (out / "accuracy" / "PTC_MR", "wl"),
            (out / "accuracy" / "PTC_MR", "ve-hist"),
            (out / "beyond" / "PTC_MR" / "compared", "sp"),
        )
    }
    best = max(known, key=known.get)
    assert row["best"] == METHODS[best].title
    assert row["repeats"] == (2 if best == "sp" else 3)
    # Other folds, and other data, cannot be compared.
    for given, values in ((y, {"random_state": 1}), (y[::-1], {})):
        shutil.rmtree(out / "accuracy")
        other = protocol.with_values(**values)
        evaluate(more, graphs, given, protocol=other, out=out / "accuracy" / "PTC_MR")
        names = {row["best"] for row in beyond_table.rows_of(out, "PTC_MR")}
        assert names <= {"WL", "SP"}
        shutil.copytree(out / "beyond" / "PTC_MR", out / "beyond" / "EGO-1", dirs_exist_ok=True)
        shutil.rmtree(out / "beyond" / "EGO-1" / "compared")
        (out / "accuracy" / "PTC_MR").rename(out / "accuracy" / "EGO-1")
        assert {row["best"] for row in beyond_table.rows_of(out, "EGO-1")} == {None}


def test_a_unit_that_is_missing_leaves_its_repeat_out(small):
    out = small / "out"
    reproduce(["beyond"], out, data=small / "data", only=["PTC_MR"])
    file = out / "beyond" / "PTC_MR" / "default" / FILE
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-4]))  # the last repeat, and a fold of the one before
    row = beyond_table.rows_of(out, "PTC_MR")[0]
    assert row["repeats"] == 1


@pytest.mark.parametrize(
    ("gap", "verdict"),
    [
        (1.01, "above"),
        (1.0, "within one standard error"),
        (-1.0, "within one standard error"),
        (-1.01, "below"),
    ],
)
def test_a_verdict_is_by_one_standard_error(gap, verdict):
    assert beyond_table.verdict(gap, 1.0) == verdict


def row(data, difference, error, t_test=0.5):
    found = beyond_table.verdict(difference, error)
    return {
        "method": "default",
        "data": data,
        "best": "WL",
        "difference": difference,
        "t_test": t_test,
        "verdict": found,
    }


def test_the_sentence_counts_what_is_above_and_below():
    rows = [row("A", 2.0, 1.0, 0.04), row("B", 0.5, 1.0), row("C", -0.5, 1.0), row("D", -2.0, 1.0)]
    assert beyond_table.sentence(rows) == (
        "Of 4 data sets, the default model is above the best of the ten on 2, by more than one "
        "standard error on 1; it is below by as much on 1. Significant by the corrected t-test "
        "(p < 0.05): A."
    )
    assert beyond_table.sentence(rows[1:]).endswith("(p < 0.05): none.")


def test_the_readme_says_what_the_results_say():
    text = (ROOT / "README.md").read_text()
    made = beyond_table.block(ROOT / "experiments")
    assert beyond_table.replaced(text, made) == text  # if not: python experiments/beyond/readme.py


def test_a_block_is_replaced_and_nothing_else(small):
    out = small / "out"
    assert "Not measured yet." in beyond_table.block(out)
    reproduce(["beyond"], out, data=small / "data", only=["EGO-1"])
    made = beyond_table.block(out)
    assert re.search(r"^\| EGO-1 \| - \| [\d.]+ \| - \|$", made, re.MULTILINE)
    before = f"# a\n\n{beyond_table.START}\nold\n{beyond_table.END}\n\nb\n"
    assert beyond_table.replaced(before, made) == f"# a\n\n{made}\n\nb\n"
    with pytest.raises(ValueError, match="needs one line <!-- beyond:start -->"):
        beyond_table.replaced("# a\n", made)


def test_what_is_planned_can_be_run():
    for name, parts in plan.BEYOND.items():
        for part, planned in parts.items():
            methods = as_methods(planned.evaluated)
            protocol = PROTOCOLS["paper"].with_values(repeats=planned.repeats, **planned.grid)
            assert [m.name for m in methods] == list(planned.methods), (name, part)
            assert all(m.record(protocol).kernel for m in methods)
        assert parts["default"].repeats == (3 if name == "NCI1" else 1 if "RED" in name else 10)
        assert set(parts.get("compared", Plan(())).methods) <= set(METHODS)
