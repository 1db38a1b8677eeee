"""Cases in child processes, so that whatever one does is seen from outside."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import ROOT
from .cases import OUTCOMES, Target, packed
from .child import ended

_MOST_ENDED = 25  # children that may die before a target is left
_PATIENCE = 20  # seconds without progress, for each second that a case may take


class Found(NamedTuple):
    """A case that ended as none should."""

    number: int
    outcome: str
    message: str


class Tally(NamedTuple):
    """What became of some cases: how many were done, and how each ended."""

    cases: int
    outcomes: dict[str, int]
    found: list[Found]
    seconds: float


@contextmanager
def work_folder() -> Iterator[Path]:
    """Make a folder for files that need not last, in memory where that is possible."""
    shared = Path("/dev/shm")
    place = shared if os.access(shared, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="grafik-fuzz-", dir=place) as folder:
        yield Path(folder)


def child(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start a child; numerical libraries in it use one thread."""
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    return subprocess.Popen(
        [sys.executable, "-m", "fuzzing.child", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **threads},
        text=True,
        **options,
    )


def run(target: Target, seed: int, first: int, count: int, seconds: float) -> Tally:
    """Do cases from a number on, until there are no more, or the time is over."""
    start, stop = time.monotonic(), first + count
    found: list[Found] = []
    with work_folder() as folder:
        state = np.zeros(1 + len(OUTCOMES), np.int64)
        state[0] = first
        n_ended = 0
        while state[0] < stop and n_ended < _MOST_ENDED:
            left = seconds - (time.monotonic() - start)
            if left <= 0:
                break
            (folder / "state").write_bytes(state.tobytes())
            at = int(state[0])
            with (folder / "errors").open("wb") as errors:
                asked = target.name, seed, at, stop - at, left, folder
                process = child("run", *asked, stdout=errors, stderr=errors)
                end = _watched(process, target, folder)
            state = np.fromfile(folder / "state", np.int64)
            if end is None:
                break
            n_ended += 1
            said = (folder / "errors").read_text(errors="replace").strip().splitlines()
            message = ": ".join([end[1], *said[-1:]])
            found.append(Found(int(state[0]), end[0], message))
            state[1 + OUTCOMES.index(end[0])] += 1
            state[0] += 1
        notes = folder / "found.jsonl"
        if notes.exists():
            found += [Found(**json.loads(line)) for line in notes.read_text().splitlines()]
    outcomes = dict(zip(OUTCOMES, state[1:].tolist(), strict=True))
    return Tally(int(state[0]) - first, outcomes, sorted(found), time.monotonic() - start)


def _watched(
    process: subprocess.Popen[str], target: Target, folder: Path
) -> tuple[str, str] | None:
    """Wait for a child; return how it died, None if it came to its end."""
    before, since = -1, time.monotonic()
    try:
        while process.poll() is None:
            at = int(np.fromfile(folder / "state", np.int64, 1)[0])
            if at != before:
                before, since = at, time.monotonic()
            elif time.monotonic() - since > _PATIENCE * target.seconds:
                process.kill()
                process.wait()
                return "hang", f"no progress for {_PATIENCE * target.seconds} seconds"
            try:
                process.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
    return None if process.returncode == 0 else ended(process.returncode, target)


class Judge:
    """Says how single cases end; starting one takes seconds, asking does not.

    Parameters
    ----------
    fork : bool
        Whether each case has a process of its own, which takes longer. Without, a case that ends
        the process is answered with a crash too, and the next one waits for another process.
    """

    def __init__(self, fork: bool = True) -> None:
        self._fork = fork
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Judge":
        self._folder = work_folder()
        self._place = self._folder.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._process is not None:
            self._process.communicate()
        self._folder.__exit__(None, None, None)

    def __call__(self, target: Target, case: Any) -> tuple[str, str]:
        """Return the outcome of a case, and what is said."""
        if self._process is None:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self._process = child("judge", self._place, **pipes)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {"target": target.name, "case": packed(case), "fork": self._fork}
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            self._process.communicate()
            code = self._process.returncode
            self._process = None
            return ended(code, target)
        outcome, message = json.loads(answer)
        return outcome, message
