"""Child processes that are told what to measure, and ended when they take too long."""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from types import TracebackType

from . import ROOT
from .measure import Run, in_turns, shown, tell

# To start, read the data and convert them is not measured, but must end.
_PREPARATION = 900.0


class Worker:
    """A process that does one task again and again; see ``child.py`` for what a task is.

    Used in a ``with`` statement. Whatever befalls the process is an answer, not an exception.
    """

    def __init__(
        self, task: Mapping[str, object], limit: float, env: Mapping[str, str] | None = None
    ) -> None:
        self.limit = limit
        self.started = time.perf_counter()
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.child"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env={**os.environ, **(env or {})},
        )
        self.lines: queue.Queue[str] = queue.Queue()
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()
        self.state = self._ask(json.dumps(task), _PREPARATION)

    def run(self) -> Run:
        """Do it once; return what :func:`.measure.measured` does, or why there is nothing."""
        if "ready" in self.state:
            answer = self._ask("run", self.limit)
            if "seconds" in answer:
                return answer
            self.state = answer
        return self.state

    def age(self) -> float:
        """Return the seconds since the process was started."""
        return time.perf_counter() - self.started

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        self.listener.join()
        with suppress(OSError):  # what was not read yet
            self.process.stdin.close()
        self.process.stdout.close()
        self.errors.close()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, line: str, limit: float) -> Run:
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.lines.get(timeout=limit)
        except queue.Empty:
            self.process.kill()
            return {"over_seconds": limit}
        except OSError:
            answer = ""
        return json.loads(answer) if answer else {"crashed": self._last_words()}

    def _listen(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def _last_words(self) -> str:
        """Say how the process ended: killed for want of memory, say."""
        code = self.process.wait()
        self.errors.seek(0)
        words = self.errors.read().decode(errors="replace").strip().splitlines()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{how}, {words[-1]}" if words else how


def compare(
    tasks: Mapping[str, Mapping[str, object]],
    repeats: int | None,
    limit: float,
    title: str,
    envs: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[str, dict[str, object]]:
    """Do tasks in turns, each in a process of its own; return the summary of each.

    `envs` are the environments of tasks that have another one.
    """
    envs = envs or {}
    with ExitStack() as stack:
        workers = {
            name: stack.enter_context(Worker(task, limit, envs.get(name)))
            for name, task in tasks.items()
        }
        results = in_turns({name: worker.run for name, worker in workers.items()}, repeats)
    for name, result in results.items():
        tell(f"{title}, {name}: {shown(result)}")
    return results
