"""Measure which lines and branches the suite runs, compiled loops included: ``./run coverage``.

Loops are not compiled, so that they count too; tests that need them compiled are in
``tests/need_jit.txt``, and those that take long without are ended (``reliability/patience.py``).
Other processes are measured as well. A branch that no test
takes has a reason in ``reliability/not_covered.toml``, or counts against the floor.

This takes an hour or two. The suite is run in parts, and what was measured of a part is kept in the
folder ``.reliability`` until its tests or the sources of its room change, so that a run that is
stopped, or whose tests fail, goes on where it was. What others measured of a file that has changed
is forgotten.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .mutate import KEPT, versions, write
from .rooms import ROOT, digest

FLOOR = 98.0
RESULT = ROOT / "experiments" / "reliability" / "coverage.json"
REASONS = ROOT / "reliability" / "not_covered.toml"
_DATA = KEPT / "coverage"
_CONFIG = ROOT / "reliability" / "coverage.ini"


def main(arguments: list[str] | None = None) -> int:
    """Run the suite, or the tests that arguments name; return 1 below the floor.

    Only a run of the whole suite writes the result.
    """
    asked = sys.argv[1:] if arguments is None else arguments
    chosen = {"trial": asked} if asked else parts()
    failed = [name for name, paths in chosen.items() if not measured(name, paths, keep=not asked)]
    if failed:
        print(f"./run coverage: tests fail, so nothing is written: {', '.join(failed)}")
        return 1
    found = [_DATA / name / "data" for name in chosen]
    report = _DATA / "report.json"
    code = _coverage(_DATA, "combine", "--quiet", "--keep", *map(str, found))
    # Tests of benchmarks import an earlier state of grafik, from elsewhere.
    here = f"--include={ROOT / 'src'}/*"
    code = code or _coverage(_DATA, "json", "--quiet", here, "-o", str(report))
    if code != 0:
        return code
    seconds = sum(json.loads((_DATA / name / "done").read_text())[1] for name in chosen)
    result = summary(json.loads(report.read_text()), reasons(), seconds)
    if not asked:
        write(RESULT, result)
    print(section(result))
    return int(not asked and result["branches"]["percent"] < FLOOR)


def parts() -> dict[str, list[str]]:
    """Return the parts of the suite: what pytest is to run, by name."""
    folders = sorted({path.parent for path in (ROOT / "tests").glob("*/**/test_*.py")})
    tops = sorted({folder.relative_to(ROOT).parts[:2] for folder in folders})
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").glob("test_*.py"))
    found = {name: [f"tests/{name}"] for _, name in tops if name not in left_out_rooms()}
    return {**found, "rest": [*files, "src", "README.md", "docs"]}


def measured(name: str, paths: list[str], keep: bool) -> bool:
    """Run one part, unless it was run before with the same files; return whether tests pass."""
    folder = _DATA / name
    key, done = _state(name, paths), folder / "done"
    if keep and done.exists() and json.loads(done.read_text())[0] == key:
        _forget_changed(folder)
        return True
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    began = time.monotonic()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    spread = ["-n", str(cores), "--dist", "worksteal"] if keep else []
    print(f"{name}:", flush=True)
    options = ["--hypothesis-profile=quick", "-p", "reliability.patience"]
    tests = ["-m", "pytest", *options, *spread, *paths]
    code = _coverage(folder, "run", *tests) or _coverage(folder, "combine", "--quiet")
    if code == 0:
        done.write_text(json.dumps([key, time.monotonic() - began, _sources()]))
    return code == 0


def _forget_changed(folder: Path) -> None:
    """Forget what a part measured of files that have changed since, whose lines have moved."""
    from coverage import CoverageData

    key, seconds, measured_then = json.loads((folder / "done").read_text())
    now = _sources()
    changed = [file for file, one in measured_then.items() if now.get(file) != one]
    if changed:
        data = CoverageData(str(folder / "data"))
        data.read()
        data.purge_files([str(ROOT / file) for file in changed])
        kept = {file: one for file, one in measured_then.items() if file not in changed}
        (folder / "done").write_text(json.dumps([key, seconds, kept]))


def _sources() -> dict[str, str]:
    """Return digests of all sources."""
    files = (ROOT / "src").rglob("*.py")
    return {str(path.relative_to(ROOT)): digest([path]) for path in files}


def _state(name: str, paths: list[str]) -> str:
    """Return a digest of tests, of the modules that all tests share, and of the room's sources."""
    wanted = [f"src/grafik/{name}", *paths]
    places = [ROOT / path for path in wanted if (ROOT / path).exists()]
    files = [path for place in places if place.is_dir() for path in place.rglob("*")]
    texts = {path for path in files if path.suffix in (".py", ".md", ".toml", ".txt")}
    shared = [path for path in (ROOT / "tests").glob("*.*") if not path.name.startswith("test_")]
    alone = [place for place in places if place.is_file()]
    return digest([*texts, *shared, *alone, ROOT / "conftest.py", ROOT / "pyproject.toml"])


def _coverage(folder: Path, command: str, *arguments: str) -> int:
    paths = [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    env = {
        **os.environ,
        "GRAFIK_COVERAGE": str(folder),
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        # What wraps around in compiled loops warns in others, in other processes too.
        "PYTHONWARNINGS": "ignore:overflow encountered in scalar:RuntimeWarning",
    }
    call = [sys.executable, "-m", "coverage", command, f"--rcfile={_CONFIG}", *arguments]
    return subprocess.call(call, cwd=ROOT, env=env)


def reasons() -> list[dict[str, str]]:
    """Return why some branches are not taken: entries with a file, perhaps a function, a reason."""
    found: list[dict[str, str]] = tomllib.loads(REASONS.read_text()).get("place", [])
    return found


def summary(report: dict[str, Any], why: list[dict[str, str]], seconds: float) -> dict[str, Any]:
    """Return what is to be kept of a report of coverage.py: counts by room, and what is missing."""
    rooms: dict[str, dict[str, int]] = {}
    missing = []
    left_out = left_out_rooms()
    for name, one in sorted(report["files"].items()):
        file = str(Path(name).resolve().relative_to(ROOT))
        room = (Path(file).parts[2:-1] or ("grafik",))[0]
        if room in left_out:
            continue
        counts = rooms.setdefault(room, dict.fromkeys(_COUNTS, 0))
        for key, theirs in _COUNTS.items():
            counts[key] += one["summary"][theirs]
        source = (ROOT / file).read_text()
        for start, end in one["missing_branches"]:
            place = {"file": file, "function": function_at(source, start)}
            lines = [text_at(source, start), text_at(source, end)]
            missing.append({**place, "line": start, "from": lines[0], "to": lines[1]})
    for one in missing:
        one["reason"] = reason_for(one, why)
    total = {key: sum(one[key] for one in rooms.values()) for key in _COUNTS}
    return {
        "versions": versions(),
        "seconds": round(seconds),
        "left_out": left_out,
        "lines": _part(total["covered_lines"], total["lines"]),
        "branches": _part(total["covered_branches"], total["branches"]),
        "rooms": rooms,
        "missing_branches": missing,
    }


_COUNTS = {
    "lines": "num_statements",
    "covered_lines": "covered_lines",
    "branches": "num_branches",
    "covered_branches": "covered_branches",
}


def left_out_rooms() -> dict[str, str]:
    """Return the rooms that cannot be tested here, and why."""
    return {} if find_spec("torch") else {"neural": "PyTorch is not installed"}


def _part(covered: int, total: int) -> dict[str, float]:
    percent = 100 * covered / total if total else 100.0
    return {"covered": covered, "total": total, "percent": round(percent, 2)}


def reason_for(branch: dict[str, Any], why: list[dict[str, str]]) -> str:
    """Return the reason of the first entry that fits a branch, or none."""
    for one in why:
        if all(branch[key] == value for key, value in one.items() if key != "reason"):
            return one["reason"]
    return ""


def function_at(source: str, line: int) -> str:
    r"""Return the name of the innermost function around a line, with that of its class.

    Examples
    --------
    >>> from reliability.covered import function_at
    >>> function_at("class A:\n    def f(self):\n        return 1\n", 3)
    'A.f'
    """
    found = ""
    nodes: list[tuple[ast.AST, str]] = [(ast.parse(source), "")]
    while nodes:
        node, name = nodes.pop()
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{name}.{child.name}" if name else child.name
                if child.lineno <= line <= (child.end_lineno or 0):
                    found = inner
            nodes.append((child, inner))
    return found


def text_at(source: str, line: int) -> str:
    """Return a line of a source; coverage.py gives the way out of a function a negative number."""
    return source.splitlines()[line - 1].strip() if line > 0 else "the end"


def section(result: dict[str, Any]) -> str:
    """Return a result as a section of a page in Markdown."""
    lines, branches = result["lines"], result["branches"]
    unexplained = [one for one in result["missing_branches"] if not one["reason"]]
    text = [
        "## Lines and branches",
        "",
        f"With loops that are not compiled, tests run {lines['percent']:.1f} % of "
        f"{lines['total']:,} lines and {branches['percent']:.1f} % of {branches['total']:,} "
        f"branches (the floor is {FLOOR:g} %). Of {len(result['missing_branches'])} branches that "
        f"no test takes, {len(result['missing_branches']) - len(unexplained)} have a reason.",
        *(f"Without {room}: {why}." for room, why in result["left_out"].items()),
        "",
        "| room | lines | run | branches | taken |",
        "|---|---:|---:|---:|---:|",
    ]
    for room, one in result["rooms"].items():
        run = _part(one["covered_lines"], one["lines"])["percent"]
        taken = _part(one["covered_branches"], one["branches"])["percent"]
        text.append(
            f"| {room} | {one['lines']} | {run:.1f} % | {one['branches']} | {taken:.1f} % |"
        )
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    sys.exit(main())
