"""The README's speed section is made from the result files, and nothing is left out of it."""

import json
import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PIL import Image

from benchmarks import __main__ as bench
from benchmarks import (
    child,
    growth,
    inputs,
    large_table,
    machine,
    measure,
    peers,
    picture,
    table,
    weights,
)
from benchmarks.worker import Worker
from grafik import FiltrationKernel, Graphs, datasets
from grafik.features import ShortestPaths, WeisfeilerLehman

QUICK = {"seconds": 0.5, "median_seconds": 0.6, "runs": 3, "peak_growth_bytes": 12_000_000}
OVER = {"over_seconds": 60.0}
CRASHED = {"crashed": "KeyError: 'a|b'"}


def committed():
    return table.short_block(machine.read_result("kernels"))


@pytest.mark.parametrize(
    "name", ["README.md", "embeddings.md", "large.md", "speed.md", "installing.md"]
)
def test_the_pages_say_what_the_result_files_say(name):
    ((page, text),) = [(page, text) for page, text in bench.pages().items() if page.name == name]
    assert page.read_text() == text  # if not: ./run bench table


def test_the_cost_of_many_graphs_follows_from_what_was_measured():
    both = {"seconds": 3.0, "processor_seconds": 5.0}
    pair = {"threads": both, "cluster": {**both, "processor_seconds": 8.0}}
    pair |= {"ratio": 1.0, "processor_ratio": 1.6, "worker_peak_bytes": 3e8}
    stream = {"n_graphs": 1000, "parquet_bytes": 50_000, "parts_bytes": 400_000}
    result = {
        **machine.machine(),
        "load": 0.5,
        "workers": 2,
        "embedding": {
            **pair,
            "n_graphs": 200_000,
            "graphs_per_part": 10_000,
            "transformer": "X",
        },
        "gram": {**pair, "n_graphs": 10_000},
        "cost": {"seconds": {"task": 0.002}, "bytes": {"histograms": 6000.0}},
        "streaming": [{**stream, "peak_growth_bytes": 1e8}] * 2,
    }
    # 8 s / 200,000 = 40 us for each graph; 8 s / 50 million = 0.16 us for each pair.
    text = " ".join(large_table.block(result).split())
    assert "take 40 seconds of one processor for a million molecules" in text
    assert "| 10^9 | 11.1 | 12 | 50.0 | 400 |" in text
    assert "needs 2.0 ms for a task, so it keeps 200 workers busy" in text
    assert "| 10^5 | 0.222 | 80.0 | 40.0 | 0.600 |" in text
    assert "| 10^9 | 22.2 million | 8 billion | 4 billion | 6,000 |" in text


def test_made_up_molecules_look_like_some():
    graphs = inputs.molecules(300, 1)
    assert graphs == inputs.molecules(300, 1) != inputs.molecules(300, 2)
    assert 25 < graphs.n_nodes.mean() < 35
    assert 1.9 < graphs.degrees.mean() < 2.4
    assert graphs.degrees.min() >= 1
    assert set(graphs.node_labels.values) == {"C", "N", "O", "S", "F"}


def test_no_committed_result_is_a_trial():
    found = [json.loads(path.read_text()) for path in machine.RESULTS.glob("[!t]*.json")]
    assert len(found) >= 5
    assert all(result.get("complete", True) for result in found)


def test_a_number_changed_by_hand_is_noticed():
    text = table.README.read_text()
    number = table.number(machine.read_result("kernels")["weisfeiler_lehman"][0]["ours"]["seconds"])
    changed = text.replace(f"| {number} |", "| 0.00001 |", 1)
    assert changed != text
    assert table.replaced(changed, committed()) == text


@pytest.mark.parametrize(("path", "name"), [(picture.PICTURE, "growth"), (picture.SCALE, "scale")])
def test_the_pictures_were_drawn_from_the_result_files(path, name):
    result = machine.read_if_there(name)
    assert path.is_file() == (result is not None)
    if result:
        with Image.open(path) as image:
            assert image.text["Source"] == picture.source(result)


@pytest.mark.parametrize("text", ["", table.START, table.END + table.START, table.START * 2])
def test_a_readme_without_the_markers_is_refused(text):
    with pytest.raises(ValueError, match="the page needs <!-- benchmark:start -->"):
        table.replaced(text, "")


def test_results_are_drawn(tmp_path):
    line = {"label": "levels", "values": [1, 2, 4], "seconds": [0.1, 0.2, 0.3], "exponent": 0.9}
    line |= {"factor": 0.1, "fitted_from": 2, "fitted_to": 4}
    for n_lines in (1, 4):
        result = {"complete": True, "lines": [line] * n_lines}
        path = picture.draw(result, tmp_path / "growth.png")
        with Image.open(path) as image:
            assert image.text["Source"] == picture.source(result)


def test_result_files_say_where_they_come_from():
    for name in ("kernels", "growth"):
        result = machine.read_result(name)
        assert set(machine.machine()) - {"kind"} <= set(result)
        assert {"numba", "scipy", "scikit-learn", "grakel", "POT"} <= set(result["packages"])
    with pytest.raises(FileNotFoundError, match="measure first"):
        machine.read_result("nothing")


def rows(ours, peer):
    return table.rows_of([{"data": "X", "levels": 3, "ours": ours, "peer": peer}], "data", "levels")


def test_what_was_measured_is_shown_with_its_ratio():
    peer = {**QUICK, "seconds": 13.25, "peak_growth_bytes": 1_001_000_000}
    assert rows(QUICK, peer) == [["X", "3", "0.500", "13.2", "26", "12 / 1001"]]
    unknown = {**QUICK, "peak_growth_bytes": None}
    assert rows(QUICK, unknown) == [["X", "3", "0.500", "0.500", "1.0", "12 / -"]]


def test_peers_that_crash_or_take_too_long_are_shown_as_such():
    assert rows(QUICK, CRASHED) == [
        ["X", "3", "0.500", "crashed: KeyError: 'a\\|b'", "-", "12 / -"]
    ]
    assert rows(QUICK, OVER) == [["X", "3", "0.500", "over 60", "over 120", "12 / -"]]
    assert rows(OVER, QUICK) == [["X", "3", "over 60", "0.500", "-", "- / 12"]]
    assert rows(CRASHED, OVER)[0][2:5] == ["crashed: KeyError: 'a\\|b'", "over 60", "-"]


def test_data_that_are_missing_are_listed():
    missing = {"data": "X", "levels": 3, "missing": "no folder X"}
    assert table.rows_of([missing], "data", "levels") == [["X", "3", "data missing", *"---"]]
    kernels = {"grid": [missing], "distinct": [missing], "weisfeiler_lehman": [missing]}
    assert table.points(kernels) == ["X: data missing."] * 2


def test_the_sentences_show_failures_too():
    grid = {"data": "X", "matrices": 55, "ours": QUICK, "peer": OVER}
    levels = {"data": "X", "levels": 565, "few": 10, "all_levels": CRASHED, "few_levels": QUICK}
    start = {"data": "X", "warm": {**QUICK, "process_seconds": 2.0}, "cold": OVER}
    a, b, c = table.points({"grid": [grid], "distinct": [levels], "jit": [start]})
    assert a.endswith("0.500 s; one matrix of GraKeL: over 60 s.")
    assert "(565 of them): crashed: KeyError: 'a\\|b', - MB; with 10 levels: 0.500 s, 12 MB." in b
    assert c.endswith("the matrix of X: 2.00 s; the very first, which compiles: over 60 s.")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0000123, "0.000012"),
        (0.00123, "0.00123"),
        (0.1, "0.100"),
        (99.96, "100"),
        (1234.5, "1234"),
    ],
)
def test_numbers_have_no_exponent(value, text):
    assert table.number(value) == text


def test_a_power_law_is_found_again():
    x = np.array([3, 5, 8, 12, 30])
    assert_allclose(growth.power_law(x, 0.25 * x**1.5), (1.5, 0.25))
    noise = np.array([1.02, 0.98, 1.01, 0.99, 1.0])
    assert_allclose(growth.power_law(x, 2.0 * x * noise), (1, 2), rtol=0.05)
    with pytest.raises(ValueError, match="at least two points, got 1"):
        growth.power_law([1], [1])


def test_lines_span_a_decade_and_are_fitted_over_several_points():
    for line in growth.LINES.values():
        assert len(line.values) >= 5
        assert line.values[-1] >= 10 * line.values[0]
        assert sum(10 * value >= line.values[-1] for value in line.values) >= 5
    assert 3 in growth.LINES["levels"].values
    assert growth.LINES["levels"].values[-1] == 30


def test_quick_things_run_more_often_and_all_take_turns():
    log = []

    def run(name, seconds):
        log.append(name)
        return {"seconds": seconds, "peak_growth_bytes": len(log)}

    found = measure.in_turns({"a": lambda: run("a", 1.0), "b": lambda: run("b", 100.0)})
    assert {name: result["runs"] for name, result in found.items()} == {"a": 5, "b": 3}
    assert "".join(log) == "abaabaab"
    assert found["b"]["peak_growth_bytes"] == 2  # that of the first run
    log.clear()
    measure.in_turns({"a": lambda: run("a", 1.0), "b": lambda: run("b", 100.0)}, repeats=2)
    assert log == list("abab")


def test_what_is_quick_is_called_three_times_in_a_turn(monkeypatch):
    calls = []
    measure.measured(lambda: calls.append(0))
    assert len(calls) == 3
    monkeypatch.setattr(measure, "_QUICK", 0.0)
    measure.measured(lambda: calls.append(0))
    assert len(calls) == 4


def test_seconds_of_processors_and_what_was_found_are_kept():
    run = measure.measured(lambda: sum(range(100_000)))
    assert "found" not in run
    assert run["processor_seconds"] > 0
    runs = [
        {**measure.measured(lambda: {"score": 1}), "processor_seconds": used}
        for used in (3.0, 1.0, 2.0)
    ]
    assert measure.summary(runs)["processor_seconds"] == 1.0
    assert measure.summary(runs)["found"] == {"score": 1}
    assert "processor_seconds" not in measure.summary([QUICK])


def test_a_task_gets_its_graphs_and_their_classes(folder, monkeypatch):
    monkeypatch.setenv("GRAFIK_DATA", folder["GRAFIK_DATA"])
    made = []

    def make(graphs, y=None, **options):
        made.append((len(graphs), None if y is None else len(y), options))
        return lambda: None

    monkeypatch.setattr(child, "import_module", lambda *name: SimpleNamespace(make=make))
    task = {"call": "any.make", "data": "CSL", "options": {"a": 1}}
    child.prepare({**task, "classes": True, "sample": 5})
    child.prepare({**task, "warm": False})
    assert made == [(5, 5, {"a": 1}), (10, 10, {"a": 1}), (10, None, {"a": 1})]


def test_what_fails_is_not_run_again():
    answers = [QUICK, CRASHED]
    found = measure.in_turns({"a": lambda: QUICK, "b": lambda: answers.pop(0)}, repeats=5)
    assert found["a"]["runs"] == 5
    assert found["b"] == CRASHED
    assert measure.in_turns({"a": lambda: OVER}) == {"a": OVER}


def test_the_least_time_counts():
    runs = [{**QUICK, "seconds": seconds} for seconds in (3.0, 1.0, 2.5)]
    assert measure.summary(runs)["seconds"] == 1.0
    assert measure.summary(runs)["median_seconds"] == 2.5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("data")
    graphs, y = datasets.csl(copies=1)
    datasets.write_tu(path / "CSL", graphs, y)
    return {"GRAFIK_DATA": str(path)}


def test_a_worker_measures_time_and_memory_until_it_is_killed(folder):
    with Worker({"call": "ours.gram", "data": "CSL"}, 60.0, folder) as worker:
        for _ in range(2):
            run = worker.run()
            assert 0 < run["seconds"] < worker.age()
            assert (run["peak_growth_bytes"] is None) == (sys.platform != "linux")
        worker.process.kill()
        assert worker.run()["crashed"] == ("signal 9" if os.name == "posix" else "exit code 1")
    assert worker.process.returncode is not None


def test_whatever_befalls_a_worker_is_an_answer(folder):
    with Worker({"call": "peers.pot_wwl", "data": "CSL"}, 0.0, folder) as worker:
        assert worker.run() == worker.run() == {"over_seconds": 0.0}
    with Worker({"call": "ours.gram", "data": "NONE"}, 60.0, folder) as worker:
        assert worker.run()["crashed"].startswith("FileNotFoundError: ")


def test_peers_are_given_the_same_graphs_and_do_what_they_should():
    pytest.importorskip("grakel", reason="GraKeL has no wheels for this Python")
    graphs, _ = datasets.random_graphs(8, (2, 9), 0.4, n_labels=2)
    assert Graphs.from_grakel(peers.grakel_form(graphs)) == graphs
    plain = FiltrationKernel(WeisfeilerLehman(depth=5), n_levels=1).fit_transform(graphs)
    assert_allclose(peers.grakel_wl(graphs)(), plain)
    joined = graphs[np.minimum.reduceat(graphs.degrees, graphs.node_ptr[:-1]) > 0]
    assert len(joined) > 5
    paths = FiltrationKernel(ShortestPaths(), n_levels=1).fit_transform(joined)
    assert_allclose(peers.grakel_paths(joined)(), paths)


def test_transport_of_label_sequences():
    # Two paths of three vertices: the labels differ at one end, which all others see at last.
    pair = Graphs.from_edge_lists([[(0, 1), (1, 2)]] * 2, node_labels=[list("aab"), list("aaa")])
    given = [(g.node_labels, peers._neighbours(3, g.edges)) for g in pair]
    x, y = peers.label_sequences(given, 2)
    assert x.shape == y.shape == (3, 3)
    differ = (x[:, None] != y[None]).mean(axis=-1)
    assert_allclose(differ, [[1 / 3, 2 / 3, 1 / 3], [2 / 3, 2 / 3, 2 / 3], [1, 1, 1]])
    assert_allclose(-np.log(peers.pot_wwl(pair, depth=2)()), [[0, 2 / 3], [2 / 3, 0]], atol=1e-9)


def test_weights_are_measured_beside_networkx(monkeypatch):
    monkeypatch.setattr(weights, "BUDGET", 1e-9)
    graphs, _ = datasets.random_graphs(5, n_nodes=(4, 7), density=0.6)
    rows = [weights.measure("small", graphs, name, 1) for name in weights.WEIGHTS]
    assert weights.WEIGHTS.keys() == weights.PLAIN.keys()
    assert [row["plain_graphs"] for row in rows] == [1] * len(rows)
    assert all(row["times_faster"] > 0 for row in rows)
    assert "| `Cycles(6)` | small | 5 |" in weights.block({"rows": rows})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["dance"],
            "there is no part 'dance'; there are: graphs, kernels, growth, embedding, pairs",
        ),
        (["--only", "MUTAG"], "--only is an option of: kernels, growth, embedding, weights"),
        (["fit", "--only", "MUTAGE"], "--only: there is no 'MUTAGE'; there are: MUTAG, PTC_MR"),
        (["large", "--only", "MUTAG"], "there is no 'MUTAG'; there are: proteins, network, slow"),
        (["scale", "--repeats", "2"], "--repeats is an option of: kernels, growth"),
        (["kernels", "--only", "MUTAGE"], "--only: there is no 'MUTAGE'; there are: MUTAG, PTC_MR"),
        (["growth", "--only", "MUTAG"], "there is no 'MUTAG'; there are: graphs, vertices, edges"),
        (["kernels", "--sections", "x"], "--sections: there is no 'x'; there are: weisfeiler"),
        (["growth", "--limit", "3"], "--limit is an option of: kernels"),
        (["kernels", "--repeats", "0"], "must be a whole number of at least 1, got '0'"),
        (["kernels", "--limit", "nan"], "must be seconds, more than 0, got 'nan'"),
    ],
)
def test_mistakes_on_the_command_line_are_explained(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        bench.main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_the_table_needs_results(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(machine, "RESULTS", tmp_path)
    assert bench.main(["table"]) == 2
    assert "measure first: ./run bench kernels" in capsys.readouterr().err


def test_a_restricted_run_without_data_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "RESULTS", tmp_path)
    monkeypatch.setenv("GRAFIK_DATA", str(tmp_path))
    assert bench.main(["kernels", "--only", "MUTAG", "--sections", "weisfeiler_lehman"]) == 0
    (path,) = tmp_path.iterdir()
    assert path.name == "trial-kernels.json"
    result = json.loads(path.read_text())
    assert not result["complete"]
    assert [(row["data"], "missing" in row) for row in result["weisfeiler_lehman"]] == [
        ("MUTAG", True)
    ]
