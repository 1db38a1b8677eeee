"""The experiments of the paper: numbers beside the paper's, and what is missing is said."""

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from grafik import FiltrationKernel, datasets
from grafik.evaluation import METHODS, PROTOCOLS, evaluate, read_results, swept
from grafik.evaluation.methods import READING_OF, as_methods
from grafik.evaluation.results import FILE
from grafik.reproduction import EXPERIMENTS, accuracy, csl, levels, paper, plan, reproduce, runtime
from grafik.reproduction import experiment as evaluated

# The accuracies as the paper prints them, in the order of DHFR, NCI1, PTC-MR, IMDB-B, EGO-1 to 4.
PRINTED = """
ve-hist 72.86 69.82 56.88 70.36 29.00 26.30 23.75 26.40
gs 60.77 60.54 55.82 66.62 60.45 52.90 51.85 51.40
sp 78.36 73.69 57.23 49.50 66.80 57.40 59.80 59.30
wl 82.34 85.67 61.07 72.12 51.90 58.00 56.50 54.05
wl-oa 82.92 85.91 61.85 73.06 58.25 63.50 57.80 55.35
w-wl 82.10 85.70 66.30 73.30 59.90 63.10 58.40 55.80
p-wl 83.96 85.68 64.70 72.00 60.895 58.93 52.41 53.205
core-wl 83.45 85.48 58.76 73.54 57.10 57.40 51.10 53.05
fwl-d 82.75 85.45 62.44 72.22 63.60 67.60 66.65 69.40
fwl-rw 81.93 85.67 61.22 72.73 50.95 58.70 57.55 54.10
"""
PRINTED_LEVELS = {
    "EGO-1": "51.50 59.85 63.85 60.70 59.60 59.20 59.85 60.25 59.55 59.55",
    "EGO-2": "57.75 68.50 63.05 64.55 68.50 65.90 69.00 69.05 66.75 67.55",
}
CSL = [10, 20, 30, 50, 60, 90, 100, 100]  # the paper prints 70 for walks up to 5


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A folder with two small data sets under names of the paper, and a short protocol."""
    for name, n_labels, seed in (("PTC_MR", 3, 0), ("EGO-1", 0, 1)):
        graphs, _ = datasets.random_graphs(24, (5, 9), 0.4, n_labels=n_labels, random_state=seed)
        datasets.write_tu(tmp_path / "data" / name, graphs, [i % 2 for i in range(24)])
    short = PROTOCOLS["quick"].with_values(
        n_splits=2, levels=[2], depths=[1], gammas=[1.0], Cs=[1.0], sizes=[3]
    )
    monkeypatch.setitem(PROTOCOLS, "quick", short)
    return tmp_path


def table(folder, name):
    found = json.loads((folder / name / f"{name}.json").read_text())
    with (folder / name / f"{name}.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [
        {key: "" if value is None else str(value) for key, value in row.items()}
        for row in found["rows"]
    ] == lines
    return found


def test_circular_skip_link_graphs(tmp_path):
    page = reproduce(["csl"], tmp_path).read_text()
    rows = table(tmp_path, "csl")["rows"]
    assert [row["accuracy"] for row in rows] == CSL
    assert [row["levels"] for row in rows] == [1, 3, 4, 7, 9, 14, 18, 19]
    assert [row["difference"] for row in rows] == [0, 0, 0, 0, -10, 0, 0, 0]
    assert "| 5 | 9 | 60 | 70 | -10 |" in page
    assert "Not run yet: `grafik reproduce accuracy`" in page


def test_of_rows_that_are_there_only_the_page_is_written(tmp_path, monkeypatch):
    asked = []

    def row(length):
        asked.append(length)
        return csl.Row(length, 2 * length, 50.0, CSL[length - 1])

    monkeypatch.setattr(csl, "csl_row", row)
    page = reproduce(["csl"], tmp_path)
    text = page.read_text()
    assert asked == list(range(1, 9))
    assert "| 4 | 8 | 50 | 50 | +0 |" in text
    page.unlink()
    assert reproduce(["csl"], tmp_path, tables_only=True).read_text() == text
    assert len(asked) == 8


def test_accuracy_and_levels_stand_beside_the_papers(small):
    out = small / "out"
    options = {"data": small / "data", "protocol": "quick"}
    reproduce(["accuracy", "levels"], out, **options)
    rows = table(out, "accuracy")["rows"]
    assert {row["data"] for row in rows} == {*paper.DATA, "MUTAG"}
    results = read_results(out / "accuracy" / "EGO-1")
    assert results.methods == [*METHODS, *READING_OF]
    assert [row["method"] for row in rows if row["data"] == "EGO-1"] == results.methods
    for row in rows:
        if row["data"] == "EGO-1":
            ours = 100 * results.accuracies(row["method"]).mean()
            method = row["method"].removesuffix("-distinct").removesuffix("-gaussian")
            theirs = paper.ACCURACY[method][paper.DATA.index("EGO-1")][0]
            assert row["accuracy"] == pytest.approx(ours, abs=1e-4)
            assert row["difference"] == pytest.approx(ours - theirs, abs=0.006)
        if row["data"] not in ("EGO-1", "PTC_MR"):
            assert row["accuracy"] is None
    missing = "Missing: DHFR, NCI1, IMDB-BINARY, EGO-2, EGO-3, EGO-4, MUTAG."
    assert missing in (out / "accuracy" / "accuracy.md").read_text()
    levels = table(out, "levels")["rows"]
    done = [r for r in levels if r["accuracy"] is not None]
    assert [r["levels"] for r in done] == [*range(1, 11), *range(1, 11)]
    assert {r["data"] for r in done} == {"EGO-1"}
    results = read_results(out / "levels" / "EGO-1")
    graphs, y = datasets.read_tu(small / "data" / "EGO-1")
    for thresholds, several in (("kmeans", done[:10]), ("kmeans-distinct", done[10:])):
        for row, theirs in zip(several, paper.LEVELS["EGO-1"], strict=True):
            assert (row["paper"], row["paper_deviation"]) == theirs
            if row["levels"] not in (1, 4, 10):  # each takes as long as all of them together
                continue
            kernel = swept(FiltrationKernel(thresholds=thresholds), "m")
            one = PROTOCOLS["quick"].with_values(levels=[row["levels"]])
            alone = evaluate(kernel, graphs, y, protocol=one)
            assert row["accuracy"] == pytest.approx(100 * alone.accuracies("m").mean(), abs=1e-4)
    found = {unit["params"]["n_levels"] for unit in results.units}
    assert found == set(range(1, 11))
    page = (out / "README.md").read_text()
    assert "![Accuracy](accuracy/accuracy.png)" in page
    for name in ("accuracy", "levels"):
        picture = out / name / f"{name}.png"
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert picture.stat().st_size > 10_000
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    reproduce(["accuracy", "levels"], out, **options)
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before
    reproduce(["accuracy", "levels"], out, tables_only=True)
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before


def test_the_committed_tables_are_those_of_the_committed_results(tmp_path):
    committed = Path(__file__).parents[2] / "experiments"
    shutil.copytree(committed, tmp_path / "again")
    for table in tmp_path.rglob("*.md"):
        if table.name != "csl.md":
            table.unlink()
    several = ["accuracy", "levels", "runtime", "beyond", "expressiveness"]
    reproduce(several, tmp_path / "again", tables_only=True)
    for name in (
        "README.md",
        *(f"{e}/{e}.{s}" for e in EXPERIMENTS for s in ("md", "csv", "json")),
    ):
        assert (tmp_path / "again" / name).read_bytes() == (committed / name).read_bytes(), name


def test_results_that_ended_within_their_header_are_none_yet(small, monkeypatch):
    for name in ("PTC_MR", "EGO-1"):  # two methods are as good as all
        monkeypatch.setitem(plan.PLANS, name, plan.Plan(methods=("wl", "fwl-d")))
    out, options = small / "out", {"data": small / "data", "protocol": "quick"}
    reproduce(["accuracy"], out, **options)
    torn, whole = (out / "accuracy" / name / FILE for name in ("PTC_MR", "EGO-1"))
    before = torn.read_bytes()
    for size in (0, 20, before.index(b"\n")):
        torn.write_bytes(before[:size])
        reproduce(["accuracy"], out, tables_only=True)
        done = {row["data"] for row in table(out, "accuracy")["rows"] if row["accuracy"]}
        assert done == {"EGO-1"}
        reproduce(["accuracy"], out, **options)
        assert torn.read_bytes() == before
    first, _, rest = whole.read_bytes().partition(b"\n")
    for damaged, line in ((first[1:] + b"\n" + rest, 1), (first + b"\n" + rest[1:], 2)):
        whole.write_bytes(damaged)
        with pytest.raises(ValueError, match=f"line {line}: .*damaged"):
            reproduce(["accuracy"], out, tables_only=True)


def test_runtimes_are_compared_by_their_ratios(small):
    out = small / "out"
    reproduce(["runtime"], out, data=small / "data", only=["PTC_MR", "NCI1"])
    found = table(out, "runtime")
    assert found["missing"] == [name for name in paper.DATA if name != "PTC_MR"]
    rows = {(row["method"], row["levels"]): row for row in found["rows"]}
    wl, oa = rows["wl", None], rows["wl-oa", None]
    assert oa["times_wl"] == pytest.approx(oa["seconds"] / wl["seconds"], rel=0.01)
    assert oa["paper_times_wl"] == pytest.approx(1.65 / 0.08, rel=0.01)
    assert rows["fwl-d", 2]["paper"] == 0.76
    missing = "Missing: DHFR, NCI1, IMDB-BINARY, EGO-1, EGO-2, EGO-3, EGO-4. To add them, run"
    assert missing in (out / "README.md").read_text()
    assert (out / "runtime" / "runtime.png").read_bytes().startswith(b"\x89PNG")


def test_all_data_sets_that_are_there_are_measured(tmp_path, monkeypatch):
    rows = {name: [{"data": name}] for name in paper.DATA}
    kept, seen = ({}, []), []
    monkeypatch.setattr(runtime, "find_tu", lambda name, data: name if name[:3] == "EGO" else None)
    monkeypatch.setattr(runtime.datasets, "read_tu", lambda place: (place, None))
    monkeypatch.setattr(runtime, "_measure", lambda name, graphs, advance: rows[graphs])
    monkeypatch.setattr(runtime, "_read", lambda out: kept)
    monkeypatch.setattr(runtime, "_write", lambda out, measured, rows: seen.append(rows))
    runtime.run(tmp_path, only=["EGO-1", "EGO-2", "NCI1"], progress=False)
    assert seen == [rows["EGO-1"], rows["EGO-2"], []]


def test_runtimes_of_other_data_sets_are_kept(small, monkeypatch):
    out, options = small / "out", {"data": small / "data"}
    monkeypatch.setattr(runtime, "_seconds", lambda kernel, graphs: 0.5)
    reproduce(["runtime"], out, **options)
    before = table(out, "runtime")
    assert list(before["measured"]) == ["PTC_MR", "EGO-1"]
    monkeypatch.setattr(runtime, "_seconds", lambda kernel, graphs: 0.25)
    reproduce(["runtime"], out, only=["PTC_MR"], **options)
    after = table(out, "runtime")
    assert [(r["data"], r["method"], r["levels"]) for r in after["rows"]] == [
        (r["data"], r["method"], r["levels"]) for r in before["rows"]
    ]
    assert {(row["data"], row["seconds"]) for row in after["rows"]} == {
        ("PTC_MR", 0.25),
        ("EGO-1", 0.5),
    }
    files = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    with pytest.raises(ValueError, match="only must hold some of DHFR, .*, got 'MUTAG'"):
        reproduce(["runtime"], out, only=["MUTAG"], **options)
    reproduce(["runtime"], out, only=["NCI1"], **options)
    reproduce(["runtime"], out, tables_only=True)
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == files


def test_interrupted_runtimes_are_kept_up_to_the_data_set_before(small, monkeypatch):
    def interrupted(kernel, graphs):
        if graphs.node_labels is None:
            raise KeyboardInterrupt
        return 0.5

    monkeypatch.setattr(runtime, "_seconds", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reproduce(["runtime"], small / "out", data=small / "data")
    assert {row["data"] for row in table(small / "out", "runtime")["rows"]} == {"PTC_MR"}


def test_the_plan_of_a_data_set_is_followed(small, monkeypatch):
    asked = {}

    def record(methods, graphs, y, *, name, protocol, **options):
        asked[name] = methods, protocol

    monkeypatch.setattr(evaluated, "evaluate", record)
    planned = plan.Plan(methods=("wl",), repeats=3, grid={"levels": (2, 4)})
    monkeypatch.setitem(plan.PLANS, "PTC_MR", planned)
    reproduce(["accuracy"], small / "out", data=small / "data")
    methods, protocol = asked["PTC_MR"]
    assert methods == ("wl",)
    assert protocol == PROTOCOLS["paper"].with_values(repeats=3, levels=(2, 4))
    assert asked["EGO-1"][1].repeats == 10


def test_differences_are_told_in_standard_errors():
    """By hand: ours 0.5 / sqrt(5 - 1) = 0.25, the paper's 1.2 / sqrt(10) = 0.3795."""
    score = SimpleNamespace(method="wl", accuracy=61.0, deviation=0.5, n_units=50, n_unconverged=0)
    setting = SimpleNamespace(
        repeats_done=5, n_splits=10, protocol="paper", thresholds_from="train"
    )
    row = evaluated.compared(SimpleNamespace(scores=[score], setting=setting), "wl", 60.0, 1.2)
    assert (row["standard_error"], row["paper_standard_error"]) == (0.25, 0.3795)
    assert row["standard_errors"] == pytest.approx(1 / 0.45442, abs=0.005)
    setting.repeats_done = 1  # over ten folds
    row = evaluated.compared(SimpleNamespace(scores=[score], setting=setting), "wl", 60.0, 1.2)
    assert row["standard_error"] == pytest.approx(0.5 / 3, abs=1e-4)
    row = evaluated.compared(SimpleNamespace(scores=[score], setting=setting), "wl", None, None)
    assert (row["paper_standard_error"], row["standard_errors"]) == (None, None)


def test_what_the_paper_has_and_we_do_not_is_listed(small, monkeypatch):
    values = {"fwl-d": {"levels": (2,), "depths": (1, 3)}}
    thin = plan.Plan(("fwl-d", "fwl-rw", "sp"), 2, {"Cs": (1.0,), "levels": (1, 2)}, values)
    short = PROTOCOLS["paper"].with_values(n_splits=2)
    monkeypatch.setitem(PROTOCOLS, "paper", short)
    monkeypatch.setitem(plan.PLANS, "PTC_MR", thin)
    reproduce(["accuracy"], small / "out", data=small / "data", only=["PTC_MR"])
    header = read_results(small / "out" / "accuracy" / "PTC_MR").header
    assert header.methods["fwl-d"].grid["levels"] == [2]
    text = (small / "out" / "accuracy" / "accuracy.md").read_text()
    assert (
        "Less than in the paper: no VE-Hist, no GS, no WL, no WL-OA, no W-WL, no P-WL, no Core-WL; "
        "2 of 10 repeats; 1 of 11 Cs; 1 of 10 levels for FWL-D; 2 of 10 levels for FWL-RW; "
        "2 of 5 depths for FWL-D."
    ) in text
    assert "Repeats cut the same graphs anew" in text


def test_fewer_repeats_than_planned_can_be_run_and_added_to(small, monkeypatch):
    short = PROTOCOLS["paper"].with_values(n_splits=2, Cs=[1.0])
    monkeypatch.setitem(PROTOCOLS, "paper", short)
    monkeypatch.setitem(plan.PLANS, "PTC_MR", plan.Plan(("sp",), 3))
    options = {"data": small / "data", "only": ["PTC_MR"]}
    for asked, done in ((1, 1), (2, 2), (1, 2), (None, 3)):
        reproduce(["accuracy"], small / "out", repeats=asked, **options)
        found = read_results(small / "out" / "accuracy" / "PTC_MR")
        assert (found.header.protocol.repeats, found.n_missing) == (done, 0)
    with pytest.raises(ValueError, match="repeats must be an integer of at least 1, got 0"):
        reproduce(["accuracy"], small / "out", repeats=0, **options)


COMMITTED = [
    (name, path.parent)
    for name in ("accuracy", "levels")
    for path in sorted((Path(__file__).parents[2] / "experiments" / name).glob("*/results.jsonl"))
]


@pytest.mark.parametrize(("name", "folder"), COMMITTED, ids=[f"{n}-{f.name}" for n, f in COMMITTED])
def test_the_plans_go_on_with_the_committed_results(name, folder):
    found = read_results(folder).header
    experiment = (accuracy if name == "accuracy" else levels).experiment
    planned = experiment.plans[folder.name]
    protocol = PROTOCOLS["paper"].with_values(repeats=planned.repeats, **planned.grid)
    methods = as_methods(experiment.methods(planned))
    records = {method.name: method.record(protocol) for method in methods}
    assert found.methods.items() <= records.items()
    assert list(found.methods) == [one for one in records if one in found.methods]
    assert found.protocol.repeats <= planned.repeats
    assert replace(found.protocol, repeats=planned.repeats) == protocol.record()


def test_unknown_names_are_refused_before_anything_is_written(tmp_path):
    out = tmp_path / "out"
    for experiments, only, message in (
        (["accuracy"], ["COX2"], "only must hold some of MUTAG, PTC_MR, .*, got 'COX2'"),
        (["accuracy"], "MUTAG", "only must hold some of .*, got 'MUTAG'"),
        (["csl"], ["MUTAG"], "only must be empty for these experiments, got 'MUTAG'"),
        (["bogus"], [], "experiments must hold some of csl, .*, got 'bogus'"),
        ("csl", [], "experiments must hold some of csl, .*, got 'csl'"),
        ([], [], "experiments must hold some of csl, .*, got none"),
    ):
        with pytest.raises(ValueError, match=message):
            reproduce(experiments, out, only=only)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        reproduce(["accuracy"], out, data=tmp_path / "nowhere")
    assert not out.exists()


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_a_folder_that_is_closed_is_refused_before_the_work(experiment, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, how: False)  # root may write anywhere
    with pytest.raises(PermissionError, match=rf"results cannot be written to .*{experiment} \(Pe"):
        reproduce([experiment], tmp_path / "out", data=tmp_path)


def test_git_leaves_the_line_endings_of_results_alone():
    attributes = (Path(__file__).parents[2] / ".gitattributes").read_text()
    assert "experiments/**/*.jsonl -text\n" in attributes


def test_the_papers_numbers_are_complete_and_agree_with_each_other():
    assert set(paper.ACCURACY) == set(METHODS)
    assert all(len(numbers) == len(paper.DATA) for numbers in paper.ACCURACY.values())
    assert set(plan.PLANS) == {*paper.DATA, "MUTAG"}
    for line in PRINTED.split("\n")[1:-1]:
        method, *means = line.split()
        assert [mean for mean, _ in paper.ACCURACY[method]] == [float(mean) for mean in means]
    deviations = [0.77, 0.27, 1.32, 0.87, 2.83, 1.26, 1.13, 1.51]
    assert [deviation for _, deviation in paper.ACCURACY["fwl-d"]] == deviations
    for name, means in PRINTED_LEVELS.items():
        assert [mean for mean, _ in paper.LEVELS[name]] == [float(mean) for mean in means.split()]
    assert paper.SECONDS["wl"][:4] == (0.41, 2.16, 0.08, 0.51)
    # One level is the plain WL kernel, which the paper evaluated twice.
    for name, numbers in paper.LEVELS.items():
        mean, deviation = paper.ACCURACY["wl"][paper.DATA.index(name)]
        assert abs(numbers[0][0] - mean) <= deviation
    # The text: FWL-D is best on EGO-2 to EGO-4, and second to shortest paths on EGO-1.
    for name in ("EGO-2", "EGO-3", "EGO-4"):
        place = paper.DATA.index(name)
        assert max(paper.ACCURACY, key=lambda m: paper.ACCURACY[m][place]) == "fwl-d"
    ranked = sorted(METHODS, key=lambda m: -paper.ACCURACY[m][paper.DATA.index("EGO-1")][0])
    assert ranked[:2] == ["sp", "fwl-d"]
