"""Run the tests of a room against many mutants, each in a process forked from one that is ready.

This process has imported grafik and collected the tests. With loops that are not compiled, a
function is replaced by putting other code into it, so a mutant costs a fork and the tests that run
its line. What runs at import needs a process of its own (`reliability.cold`).
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, NoReturn

import pytest

from .mutants import Mutant, codes_of, mutated
from .rooms import ROOT, digest

# Exit codes of children.
_PASSED, _FAILED, _NO_SWAP = 0, 1, 3
# A test whose run without a mutant takes longer, in seconds of a processor, is left out.
_SLOWEST = 3.0
_MEMORY = 3 << 30
# A process that only waits for so long, in seconds, waits for ever.
_IDLE = 60.0
# Seconds for one test, and for all tests of a mutant, with the processes that they start.
_ONE, _ALL = 45.0, 900.0
# Seconds of tests for a mutant, as measured without one: the fastest that run its line.
_ENOUGH = 60.0
# What a mutant may take: so much, and so many times what the test takes without one.
_PATIENCE, _TIMES = 3.0, 5.0
OPTIONS = (
    *("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "reliability.profile"),
    "--hypothesis-profile=mutants",
    # Otherwise pytest loads the sources whose examples it runs itself, without the mutant.
    "--assert=plain",
)


class Known(NamedTuple):
    """What is known of a test without mutants: whether it can be used, and which lines it runs."""

    fit: bool
    seconds: float
    lines: dict[str, list[int]]


class Server:
    """A plugin of pytest: in place of running the collected tests, it runs them for each mutant."""

    def __init__(self, mutants: list[Mutant], files: list[str], keep: Path, jobs: int = 1):
        self.mutants, self.files, self.keep, self.jobs = mutants, files, keep, jobs
        self.results: list[dict[str, Any]] = []
        self.told: Callable[[dict[str, Any]], None] = self.results.append
        self.left_out: dict[str, str] = {}
        self.trusted: set[str] = set()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Stop where tests cannot be collected."""
        if report.failed:
            raise SystemExit(f"{report.nodeid} cannot be collected:\n{report.longreprtext}")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try all mutants."""
        items = {item.nodeid: item for item in session.items}
        known = self._learn(items)
        self.left_out = {
            name: "fails or takes too long without a mutant"
            for name in items
            if not known[name].fit
        }
        functions = _functions(self.files)
        gc.collect()
        gc.freeze()
        _together((self._tried(one, items, known, functions) for one in self.mutants), self.jobs)
        return True

    def _learn(self, items: dict[str, pytest.Item]) -> dict[str, Known]:
        """Return what is known of the tests; what was learned from the same files is kept."""
        sources = digest(list((ROOT / "src").rglob("*.py")))
        files = {path: digest([path]) for path in {item.path for item in items.values()}}
        found: dict[str, Known] = {}
        for line in self.keep.read_text().splitlines() if self.keep.exists() else []:
            name, key, *one = json.loads(line)
            if name in items and key == [sources, files[items[name].path]]:
                found[name] = Known(*one)

        def learn(name: str) -> Iterator[Any]:
            with tempfile.TemporaryDirectory(prefix="grafik-mutants-") as folder:
                child = Child(lambda: _traced([items[name]], self.files, Path(folder)), folder)
                yield from child.wait(_ONE)
                told = Path(folder) / "lines"
                lines = json.loads(told.read_text()) if told.exists() else {}
                fit = child.code == _PASSED and told.exists()
                found[name] = Known(fit, round(child.seconds, 3), lines)
                key = [sources, files[items[name].path]]
                with self.keep.open("a") as file:
                    file.write(json.dumps([name, key, *found[name]]) + "\n")

        _together((learn(name) for name in items if name not in found), self.jobs)
        return found

    def _tried(
        self,
        mutant: Mutant,
        items: dict[str, pytest.Item],
        known: dict[str, Known],
        functions: dict[tuple[str, str], list[FunctionType]],
    ) -> Iterator[Any]:
        names = fastest(_chosen(mutant, known), known)
        tests = [items[name] for name in names]
        result = {**mutant.__dict__, "n_tests": len(tests), "status": "survived", "by": ""}
        seconds = 0.0
        if tests:
            with tempfile.TemporaryDirectory(prefix="grafik-mutants-") as folder:
                place = Path(folder)
                limits = [_PATIENCE + _TIMES * known[name].seconds for name in names]
                code: int | None = _NO_SWAP
                if mutant.function:
                    child = Child(lambda: _swapped(mutant, functions, tests, limits, place), folder)
                    code = yield from child.wait()
                    seconds += child.seconds
                if code == _NO_SWAP:
                    yield from self._control(mutant.file, known)
                    child = Child(lambda: _cold(mutant, names, place), folder)
                    code = yield from child.wait()
                    seconds += child.seconds
                if code != _PASSED:
                    by = place / "failed"
                    result["status"] = "killed" if code == _FAILED else "stopped"
                    result["by"] = by.read_text() if by.exists() else ""
        self.told({**result, "seconds": round(seconds, 2)})

    def _control(self, file: str, known: dict[str, Known]) -> Iterator[Any]:
        """See that the tests of a file pass in a new process: otherwise all mutants would fail."""
        if file in self.trusted:
            return
        names = fastest(
            [name for name, one in known.items() if one.fit and file in one.lines], known
        )
        with tempfile.TemporaryDirectory(prefix="grafik-mutants-") as folder:
            child = Child(lambda: _cold(None, names, Path(folder)), folder)
            yield from child.wait()
        if child.code != _PASSED:
            raise SystemExit(f"the tests of {file} fail in a new process without a mutant")
        self.trusted.add(file)


class Child:
    """A forked process in a group of its own, which ends with all that it has started."""

    def __init__(self, work: Callable[[], int], folder: str | Path):
        self.code: int | None = None
        self.seconds = 0.0
        self.pid = os.fork()
        if self.pid == 0:
            _become(work, folder)

    def wait(self, longest: float = _ALL) -> Generator[None, None, int | None]:
        """Yield until it has ended, or stop it when it waits for ever; return its exit code.

        How long it takes is a question of how busy the machine is, so its own clock is that of the
        processor, and here it is only seen whether it runs at all, and how long processes take that
        it has started.
        """
        begun = busy = looked = time.monotonic()
        while self.code is None and looked < min(busy + _IDLE, begun + longest):
            pid, status, used = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
                self.seconds = used.ru_utime + used.ru_stime
                continue
            if time.monotonic() > looked + 1:
                looked = time.monotonic()
                busy = looked if _runs(self.pid) else busy
            yield
        self.stop()
        return self.code

    def stop(self) -> None:
        """Kill it and its children."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if self.code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.code = -signal.SIGKILL


def _runs(group: int) -> bool:
    """Tell whether any process of a group does something, or would if it were its turn."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its, *_ = path.read_text().rpartition(")")[2].split()
            if int(its) == group and state not in "SZ":
                return True
    return False


def _become(work: Callable[[], int], folder: str | Path) -> NoReturn:
    """Do the work of a child: without output, in a folder of its own, with little memory."""
    code = _FAILED
    try:
        os.setpgid(0, 0)  # in the same session, so that it keeps its priority
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        os.chdir(folder)
        os.environ["PYTEST_DEBUG_TEMPROOT"] = os.environ["TMPDIR"] = str(folder)
        tempfile.tempdir = str(folder)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + _MEMORY, used + _MEMORY))
        code = work()
    finally:
        os._exit(code)


def _traced(tests: list[pytest.Item], files: list[str], folder: Path) -> int:
    """Run tests and write down which lines of which files they run."""
    import coverage

    full = [str(ROOT / file) for file in files]
    watch = coverage.Coverage(data_file=None, config_file=False, include=full)
    watch.set_option("run:disable_warnings", ["no-data-collected"])  # of tests of other files
    watch.start()
    code = _run(tests, [_SLOWEST] * len(tests), folder)
    watch.stop()
    data = watch.get_data()
    lines = {file: sorted(data.lines(str(ROOT / file)) or []) for file in files}
    (folder / "lines").write_text(
        json.dumps({file: found for file, found in lines.items() if found})
    )
    return code


def _swapped(
    mutant: Mutant,
    functions: dict[tuple[str, str], list[FunctionType]],
    tests: list[pytest.Item],
    limits: list[float],
    folder: Path,
) -> int:
    """Put a mutant into the functions that are there, and run tests."""
    path = ROOT / mutant.file
    try:
        codes = codes_of(
            compile(mutated(path.read_text(), mutant), str(path), "exec"), mutant.function
        )
        for function in functions[str(path), mutant.function]:
            function.__code__ = codes[function.__code__.co_firstlineno]
    except (KeyError, ValueError):  # not there, or it uses other variables from outside
        return _NO_SWAP
    return _run(tests, limits, folder)


def _cold(mutant: Mutant | None, names: list[str], folder: Path) -> int:
    """Run tests in a new process, in which a module is imported with a mutant in it."""
    asked = json.dumps([mutant.__dict__ if mutant else None, names, str(folder / "failed")])
    command = [sys.executable, "-m", "reliability.cold"]
    return subprocess.run(command, input=asked, text=True, cwd=ROOT, check=False).returncode


def _run(tests: list[pytest.Item], limits: list[float], folder: Path) -> int:
    """Run tests up to the first that fails; the process ends when one takes too long."""
    failed: list[str] = []

    class Told:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed:
                failed.append(report.nodeid)
                (folder / "failed").write_text(report.nodeid)

    for test, following, limit in zip(tests, [*tests[1:], None], limits, strict=True):
        if not failed:
            plugins = test.config.pluginmanager
            if not plugins.has_plugin("told"):
                plugins.register(Told(), "told")
            signal.setitimer(signal.ITIMER_PROF, limit)  # whose signal ends the process
            test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
    signal.setitimer(signal.ITIMER_PROF, 0)
    return _FAILED if failed else _PASSED


def _chosen(mutant: Mutant, known: dict[str, Known]) -> list[str]:
    """Return the tests that run the lines of a mutant, or for what runs at import, its file."""
    lines = set(range(mutant.line, mutant.last + 1))
    return [
        name
        for name, one in known.items()
        if one.fit
        and (ran := one.lines.get(mutant.file))
        and (not mutant.function or not lines.isdisjoint(ran))
    ]


def fastest(names: list[str], known: dict[str, Known]) -> list[str]:
    """Return the fastest tests, as many as are tried."""
    chosen, seconds = [], 0.0
    for name in sorted(names, key=lambda name: known[name].seconds):
        seconds += known[name].seconds
        if chosen and seconds > _ENOUGH:
            break
        chosen.append(name)
    return chosen


def _functions(files: list[str]) -> dict[tuple[str, str], list[FunctionType]]:
    """Return the functions of files that exist in this process, by file and name."""
    full = {str(ROOT / file) for file in files}
    found: dict[tuple[str, str], list[FunctionType]] = {}
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and one.__code__.co_filename in full:
            key = one.__code__.co_filename, one.__code__.co_qualname
            found.setdefault(key, []).append(one)
    return found


def _together(works: Iterator[Iterator[Any]], jobs: int) -> None:
    """Go on with some works at a time, each of which yields while it waits."""
    running: list[Iterator[Any]] = []
    for work in works:
        running.append(work)
        while len(running) >= jobs:
            running = _gone_on(running)
    while running:
        running = _gone_on(running)


def _gone_on(running: list[Iterator[Any]]) -> list[Iterator[Any]]:
    left = [work for work in running if next(work, _together) is not _together]
    if len(left) == len(running):
        time.sleep(0.01)
    return left
