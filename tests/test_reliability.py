"""Mutants of a planted module: which there are, and which its tests find."""

import ast
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reliability import covered, mutate, patience, warm
from reliability.mutants import Mutant, codes_of, mutants, mutated

ROOT = Path(__file__).parents[1]
MODULE = """
LIMIT = 3


def small(x):
    return x < LIMIT


def both(x, y):
    if x:
        raise ValueError("x")
    return y and small(y)


def wait(n):
    while n > 0:
        n -= 1
    return n


def nobody(x):
    return x + 1
"""
TESTS = """
import pytest
from planted import both, small, wait

def test_small():
    assert small(2) and not small(3)

def test_both():
    assert both(0, 1) is True
    assert not both(0, 0)
    with pytest.raises(ValueError):
        both(1, 1)

def test_wait():
    assert wait(5) == 0

def test_broken():
    assert small(0) is None
"""


def changes(source):
    return {(one.before, one.after) for one in mutants(source, "a.py")}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a <= b", {("a <= b", "a < b")}),
        ("a < b == c", {("a < b == c", "a <= b == c"), ("a < b == c", "a < b != c")}),
        ("a // b", {("a // b", "a * b")}),
        ("a and b", {("a and b", "a or b")}),
        ("not a", {("not a", "a")}),
        ("np.all(a)", {("np.all(a)", "np.any(a)")}),
        ("max(a, b)", {("max(a, b)", "min(a, b)")}),
        ("f(a, b, c)", {("f(a, b, c)", "f(b, a, c)")}),
        ("f(a, a)", set()),
        ("f(*a, b)", set()),
        ("a[b:c]", {("b:c", ":c"), ("b:c", "b:")}),
        ("7", {("7", "8"), ("7", "6")}),
        ("True", {("True", "False")}),
        ("0.5", {("0.5", "1.5")}),
        ("'text'", set()),
        ("x: int = y", set()),
        ("if TYPE_CHECKING:\n    a = 1", set()),
        ("__all__ = f(1)", set()),
        ("@f(1)\ndef g(): pass", set()),
        ("if a:\n    b", {("if a:", "if not a:")}),
        ("def f():\n    a.b = c", {("a.b = c", "pass")}),
        ("def f():\n    a = c", set()),
        ("def f():\n    a += c", {("a += c", "pass"), ("a += c", "a -= c")}),
        ("def f():\n    raise a", {("raise a", "pass")}),
        ("def f():\n    return a", {("return a", "return None")}),
        ("while a:\n    break", {("while a:", "while not a:")}),
    ],
)
def test_each_kind_of_change(source, expected):
    assert changes(source) == expected


def test_equal_changes_are_told_apart_and_are_made_where_they_say():
    source = "def f(x):\n    a = x > 1\n    b = x > 1\n    return (a, b)\n"
    both = [one for one in mutants(source, "a.py") if one.after == "x >= 1"]
    assert [(one.line, one.number) for one in both] == [(2, 0), (3, 1)]
    assert (
        ast.unparse(mutated(source, both[1])) == source.replace("b = x > 1", "b = x >= 1").strip()
    )
    with pytest.raises(ValueError, match="has no place for the mutant"):
        mutated("a = 1", both[0])


def test_every_mutant_can_be_compiled_and_differs():
    path = ROOT / "src" / "grafik" / "arrays" / "gate.py"
    source = path.read_text()
    found = mutants(source, "gate.py")
    assert len({one.name for one in found}) == len(found) > 90
    plain = ast.dump(ast.parse(source))
    for one in found:
        tree = mutated(source, one)
        assert ast.dump(tree) != plain
        assert not one.function or codes_of(compile(tree, "gate.py", "exec"), one.function)


def test_a_larger_number_adds_to_what_a_smaller_one_chooses():
    rooms = {"a": mutants(MODULE, "a.py"), "b": mutants("x < 3", "b.py")}
    few, many = mutate.pick(rooms, 1, 5), mutate.pick(rooms, 1, 9)
    assert [len(ones) for ones in few.values()] == [3, 2]
    assert [len(ones) for ones in many.values()] == [6, 3]
    assert all(many[room][: len(few[room])] == few[room] for room in rooms)
    assert mutate.pick(rooms, 2, 9) != many
    assert sum(map(len, mutate.pick(rooms, 1, 999).values())) == sum(map(len, rooms.values()))


CODE = """
import json, sys
from pathlib import Path
import pytest
from reliability.mutants import mutants
from reliability.warm import OPTIONS, Server
folder = Path(sys.argv[1])
module = folder / "planted.py"
ones = [one for one in mutants(module.read_text(), str(module)) if one.function]
server = Server(ones, [str(module)], folder / "kept.json")
pytest.main([*OPTIONS, "--rootdir", str(folder), "-c", str(folder / "pytest.ini"),
             str(folder / "test_planted.py")], plugins=[server])
(folder / "results.json").write_text(json.dumps([server.results, server.left_out]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="mutants are forked, and watched in /proc")
def test_mutants_of_a_planted_module(tmp_path):
    files = {"planted.py": MODULE, "test_planted.py": TESTS, "pytest.ini": "[pytest]\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    paths = [str(ROOT), str(ROOT / "src"), str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", CODE, str(tmp_path)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (tmp_path / "results.json").exists(), done.stdout + done.stderr
    results, left_out = json.loads((tmp_path / "results.json").read_text())
    assert list(left_out) == ["test_planted.py::test_broken"]
    found = {(one["function"], one["before"], one["after"]): one for one in results}
    status = {name: one["status"] for name, one in found.items()}
    assert status == {
        ("small", "return x < LIMIT", "return None"): "killed",
        ("small", "x < LIMIT", "x <= LIMIT"): "killed",
        ("both", "if x:", "if not x:"): "killed",
        ("both", "raise ValueError('x')", "pass"): "killed",
        ("both", "return y and small(y)", "return None"): "killed",
        ("both", "y and small(y)", "y or small(y)"): "killed",
        ("wait", "n > 0", "n >= 0"): "killed",
        ("wait", "0", "1"): "killed",
        ("wait", "0", "-1"): "killed",
        ("wait", "n -= 1", "pass"): "stopped",  # it never ends
        ("wait", "n -= 1", "n += 1"): "stopped",
        ("wait", "1", "2"): "killed",
        ("wait", "1", "0"): "stopped",
        ("wait", "return n", "return None"): "killed",
        ("nobody", "return x + 1", "return None"): "survived",
        ("nobody", "x + 1", "x - 1"): "survived",
        ("nobody", "1", "2"): "survived",
        ("nobody", "1", "0"): "survived",
    }
    assert found["small", "x < LIMIT", "x <= LIMIT"]["by"] == "test_planted.py::test_small"
    assert found["nobody", "1", "2"]["n_tests"] == 0
    # Nothing was written to the files.
    assert {name: (tmp_path / name).read_text() for name in files} == files


def test_the_fastest_tests_are_tried_until_they_take_long(monkeypatch):
    monkeypatch.setattr(warm, "_ENOUGH", 20.0)
    seconds = {"a": 12.0, "b": 1.0, "c": 7.0, "d": 0.5, "e": 30.0}
    known = {name: warm.Known(True, each, {}) for name, each in seconds.items()}
    assert warm.fastest(list(known), known) == ["d", "b", "c"]
    assert warm.fastest(["c", "a", "b"], known) == ["b", "c", "a"]
    assert warm.fastest(["e"], known) == ["e"]


@pytest.mark.parametrize(
    ("least", "planted", "code"), [("0.5", True, 1), ("1", True, 0), ("0.5", False, 0)]
)
def test_what_runs_at_import_is_mutated_when_it_is_imported(tmp_path, least, planted, code):
    file = "src/grafik/arrays/checks.py"
    (one,) = [m for m in mutants((ROOT / file).read_text(), file) if m.before == "0.0"]
    assert (one.function, one.after) == ("", "1.0")
    test = tmp_path / "test_it.py"
    test.write_text(
        "import pytest\n"
        "from grafik.arrays.checks import checked_number\n"
        "@pytest.mark.parametrize('name', ['a//b'])\n"
        f"def test_it(name):\n    assert checked_number('x', {least}) == {least}\n"
    )
    names = [f"{file}::grafik.arrays.checks.checked_list", f"{test}::test_it[a//b]"]
    asked = json.dumps([one.__dict__ if planted else None, names, str(tmp_path / "failed")])
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    command = [sys.executable, "-m", "reliability.cold"]
    done = subprocess.run(command, input=asked, env=env, cwd=ROOT, text=True, check=False)
    assert done.returncode == code


def test_survivors_are_counted_and_explained():
    ones = mutants("def f(x):\n    return x > 3\n", "f.py")
    results = {
        one.name: {**one.__dict__, "status": status, "n_tests": 2, "source": "abc"}
        for one, status in zip(ones, ["killed", "stopped", "survived", "survived"], strict=True)
    }
    reasons = {ones[2].name: "why"}
    found = mutate.summary({"f": ones}, {"f": results}, reasons, 7)
    assert [one["reason"] for one in found["survivors"]] == ["why", ""]
    assert found["rooms"]["f"] | {"survived": 2, "killed": 1, "stopped": 1} == found["rooms"]["f"]
    page = mutate.section(found)
    assert "4 small mistakes in 1 of 9 rooms" in page
    assert "now they find 50.0 %. Of 2 that they do not find, 1 are explained one by one" in page
    assert "without these, tests find 66.7 %." in page
    assert "| f | 4 | 1 | 1 | 2 | 50.0 % |" in page
    killed, stopped = ([one.short] for one in ones[:2])
    assert found["found"] == {"f.py": {"source": "abc", "killed": killed, "stopped": stopped}}


def test_what_was_found_elsewhere_is_not_tried_again(tmp_path, monkeypatch):
    ones, (sources, _) = mutate.room_mutants("gate"), mutate.state("gate")
    file = "src/grafik/arrays/gate.py"
    one = next(one for one in ones if one.file == file)
    found = {"source": sources[file], "killed": [one.short], "stopped": []}
    result = tmp_path / "mutants.json"
    monkeypatch.setattr(mutate, "RESULT", result)
    monkeypatch.setattr(mutate, "KEPT", tmp_path)
    assert mutate.known("gate") == {}
    result.write_text(json.dumps({"found": {file: found}}))
    assert {name: row["status"] for name, row in mutate.known("gate").items()} == {
        one.name: "killed"
    }
    result.write_text(json.dumps({"found": {file: {**found, "source": "other"}}}))
    assert mutate.known("gate") == {}


def test_each_explanation_is_of_a_mutant_that_exists():
    there = {one.name for room in mutate.ROOMS for one in mutate.room_mutants(room)}
    reasons = mutate.explained()
    assert set(reasons) <= there
    assert all(reasons.values())


def test_a_name_does_not_change_with_lines():
    first, second = mutants("a = 1", "a.py")[0], mutants("\n\na = 1", "a.py")[0]
    assert first.name == second.name
    assert first != second
    assert Mutant("a.py", 9, 9, "", "1", "2").name == first.name


REPORT = {
    "files": {
        str(ROOT / "src/grafik/arrays/checks.py"): {
            "summary": {
                "num_statements": 40,
                "covered_lines": 39,
                "num_branches": 20,
                "covered_branches": 18,
            },
            "missing_branches": [[16, 17], [18, -14]],
        }
    }
}


def test_branches_that_no_test_takes_are_named_and_have_a_reason():
    place = {"file": "src/grafik/arrays/checks.py", "function": "checked_integer"}
    why = [{**place, "to": "the end", "reason": "why"}]
    found = covered.summary(REPORT, why, 60.0)
    assert [one["reason"] for one in found["missing_branches"]] == ["", "why"]
    first = found["missing_branches"][0]
    assert first["function"] == "checked_integer"
    assert first["from"] == "if not is_integer(value) or value < least:"
    assert found["branches"] == {"covered": 18, "total": 20, "percent": 90.0}
    assert found["rooms"]["arrays"]["covered_lines"] == 39
    page = covered.section(found)
    assert "tests run 97.5 % of 40 lines and 90.0 % of 20 branches" in page
    assert "Of 2 branches that no test takes, 1 have a reason." in page
    assert "| arrays | 40 | 97.5 % | 20 | 90.0 % |" in page


def spend(seconds):
    """Wait for ever, or be busy for ever."""
    while True:
        time.sleep(seconds)


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no such signal")
@pytest.mark.parametrize("limit", ["_OWN", "_WHOLE"])
def test_a_test_that_takes_long_is_ended(monkeypatch, limit):
    monkeypatch.setattr(patience, limit, 0.05)
    numbers = signal.SIGPROF, signal.SIGALRM
    handlers, call = (
        [signal.getsignal(number) for number in numbers],
        patience.pytest_runtest_call(),
    )
    next(call)
    with pytest.raises(pytest.skip.Exception, match="takes long with loops that are not compiled"):
        spend(30 if limit == "_WHOLE" else 0)
    call.close()
    for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
        assert signal.getitimer(timer) == (0.0, 0.0)
    assert [signal.getsignal(number) for number in numbers] == handlers


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no such signal")
def test_what_a_test_has_started_is_ended_with_it(monkeypatch):
    monkeypatch.setattr(patience, "_WHOLE", 0.2)
    start = multiprocessing.get_context("fork").Process
    before, child = (start(target=spend, args=(30,), daemon=True) for _ in range(2))
    before.start()
    call = patience.pytest_runtest_call()
    next(call)
    child.start()
    monkeypatch.delattr(type(child._popen), "kill")  # processes of joblib have none
    with pytest.raises(pytest.skip.Exception):
        spend(30)
    call.close()
    child.join(10)
    assert child.exitcode == -signal.SIGKILL
    assert before.is_alive()
    os.kill(before.pid, signal.SIGKILL)


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no such signal")
def test_a_test_is_not_ended_while_coverage_holds_its_lock(monkeypatch):
    # Otherwise the next test would wait for the lock for ever.
    monkeypatch.setattr(patience, "_WHOLE", 0.05)
    names = {"time": time, "done": []}
    source = "def measure():\n    time.sleep(0.3)\n    done.append(True)\n    return 30\n"
    exec(compile(source, "site-packages/coverage/collector.py", "exec"), names)
    call = patience.pytest_runtest_call()
    next(call)
    with pytest.raises(pytest.skip.Exception):
        spend(names["measure"]())
    call.close()
    assert names["done"] == [True]


def test_what_was_measured_of_a_changed_file_is_forgotten(tmp_path, monkeypatch):
    coverage = pytest.importorskip("coverage")
    now = {"src/a.py": "1", "src/b.py": "2"}
    files = [str(ROOT / file) for file in now]
    data = coverage.CoverageData(str(tmp_path / "data"))
    data.add_arcs({file: {(1, 2)} for file in files})
    data.write()
    (tmp_path / "done").write_text(json.dumps(["key", 3.0, {**now, "src/b.py": "other"}]))
    monkeypatch.setattr(covered, "_sources", lambda: now)
    covered._forget_changed(tmp_path)
    data = coverage.CoverageData(str(tmp_path / "data"))
    data.read()
    assert [data.arcs(file) for file in files] == [[(1, 2)], []]
    assert json.loads((tmp_path / "done").read_text()) == ["key", 3.0, {"src/a.py": "1"}]


def test_every_test_is_in_one_part_of_the_measured_suite():
    every = [path for paths in covered.parts().values() for path in paths]
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py")}
    tops = {str(Path(*folder.parts[:2])) for folder in folders} - {"tests", "tests/neural"}
    files = {f"tests/{path.name}" for path in (ROOT / "tests").glob("test_*.py")}
    assert sorted(set(every) - {"tests/neural"}) == sorted(
        [*tops, *files, "src", "README.md", "docs"]
    )
    assert len(every) == len(set(every))


def test_reasons_are_of_functions_that_exist():
    for one in covered.reasons():
        source = (ROOT / one["file"]).read_text()
        assert one["reason"]
        for key in ("from", "to"):
            assert one.get(key, "the end") == "the end" or one[key] in source
        if "function" in one:
            lines = range(1, len(source.splitlines()) + 1)
            assert one["function"] in {covered.function_at(source, line) for line in lines}
