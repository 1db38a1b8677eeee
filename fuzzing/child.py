"""A process with limits that goes through cases; started by ``guarded.py``.

``run TARGET SEED FIRST COUNT SECONDS FOLDER`` does one case after the other, and notes in a shared
file at which it is. ``judge FOLDER`` does each case that comes in as a line of JSON, if asked to in
a process of its own.
"""

import json
import mmap
import os
import resource
import shutil
import signal
import sys
import time
import warnings
from contextlib import suppress
from functools import cache
from importlib import import_module
from multiprocessing import connection
from pathlib import Path

import numpy as np

from . import planted
from .cases import FOUND, OUTCOMES, Target, case_of, outcome_of, unpacked

_MEMORY = 2 << 30  # bytes that cases may take, besides what is loaded


def target_of(name: str) -> Target:
    """Return a target; planted ones need nothing of grafik, whose import takes seconds."""
    for target in planted.TARGETS:
        if target.name == name:
            return target
    found: Target = import_module("fuzzing.targets").TARGETS[name]
    return found


def limit_memory() -> None:
    """Let this process take only so much memory, and leave no core file."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + _MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_time(target: Target) -> None:
    """Let this process use only so much more of a processor, until this is called again."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1 + target.seconds, hard))


def emptied(folder: Path) -> Path:
    """Return a folder with nothing in it."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    return folder


def run(target: Target, seed: int, first: int, count: int, seconds: float, folder: Path) -> None:
    """Do cases until there are no more, or the time is over."""
    end, parent = None, os.getppid()
    with (folder / "state").open("r+b") as file, (folder / "found.jsonl").open("a") as found:
        state = np.frombuffer(mmap.mmap(file.fileno(), 0), np.int64)
        limit_memory()
        for number in range(first, first + count):
            if (end is not None and time.monotonic() > end) or os.getppid() != parent:
                break
            limit_time(target)
            case = case_of(target, seed, number)
            outcome, message = outcome_of(target, case, emptied(folder / "files"))
            if outcome in FOUND:
                line = {"number": number, "outcome": outcome, "message": message}
                print(json.dumps(line), file=found, flush=True)
            state[1 + OUTCOMES.index(outcome)] += 1
            state[0] = number + 1
            if end is None:  # the first case waits for all that is imported and made once
                end = time.monotonic() + seconds


def judge(folder: Path) -> None:
    """Answer each case with its outcome and message."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        target = target_of(asked["target"])
        case, files = unpacked(asked["case"]), folder / "files"
        if asked["fork"]:
            if target.kind != "planted":
                load()
            answer = _judged(target, case, files)
        else:
            limit_time(target)
            answer = outcome_of(target, case, emptied(files))
        print(json.dumps(answer), file=answers)


@cache
def load() -> None:
    """Import what cases need, once and not in each process that is forked."""
    grafik = import_module("grafik")
    for name in ("as_graphs", "load", "FiltrationKernel", "GraphIndex", "explain", "evaluation"):
        getattr(grafik, name)
    for module in ("scipy.sparse", "pyarrow.parquet", "networkx", "igraph", "rustworkx"):
        with suppress(ImportError):
            import_module(module)


def _judged(target: Target, case: object, folder: Path) -> tuple[str, str]:
    """Do one case in a forked process."""
    ours, theirs = connection.Pipe()
    pid = os.fork()
    if pid == 0:
        try:
            limit_memory()
            limit_time(target)
            theirs.send(outcome_of(target, case, emptied(folder)))
        finally:
            os._exit(0)
    theirs.close()
    try:
        if not ours.poll(20 * target.seconds):
            os.kill(pid, signal.SIGKILL)
            return "hang", f"nothing for {20 * target.seconds} seconds"
        found: tuple[str, str] = ours.recv()
        return found
    except EOFError:
        pass
    finally:
        status = os.waitpid(pid, 0)[1]
        ours.close()
    return ended(os.waitstatus_to_exitcode(status), target)


def ended(code: int, target: Target) -> tuple[str, str]:
    """Return what the exit code of a process says of the case that it was at."""
    if code == -signal.SIGXCPU:
        return "hang", f"more than {target.seconds} seconds of a processor"
    if code < 0:
        return "crash", signal.Signals(-code).name
    return "crash", f"exit code {code}"


def main(arguments: list[str]) -> None:
    """Do what the command line says."""
    warnings.simplefilter("ignore")
    what, *rest = arguments
    if what == "run":
        name, seed, first, count, seconds, folder = rest
        numbers = int(seed), int(first), int(count), float(seconds)
        run(target_of(name), *numbers, Path(folder))
    else:
        judge(Path(rest[0]))


if __name__ == "__main__":
    main(sys.argv[1:])
