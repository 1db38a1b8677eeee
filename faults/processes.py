"""Operations in processes of their own: forked from this one, or started anew."""

import contextlib
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from . import ROOT

LONGEST = 120.0  # seconds after which a process is taken to hang
_LOOK = 0.001
_SENT = (signal.SIGINT, signal.SIGTERM)
under_way: set[int] = set()  # processes that were started, each with a group of its own
asked: list[int] = []  # the signal that asked this process to end


class End(NamedTuple):
    """How a process ended: its code, negative for a signal, and what it wrote to its outputs.

    If it did not end in time, `code` is None.
    """

    code: int | None
    text: str
    seconds: float


class Process:
    """An operation under way in a folder.

    Parameters
    ----------
    folder : Path
        Where it writes, and its working directory.
    work : callable
        What a forked process does.
    command : list of str, optional
        What a new process is started with, in place of `work`.
    environment : mapping, optional
        More variables for a new process.
    """

    def __init__(
        self,
        folder: Path,
        work: Callable[[], object] | None = None,
        command: list[str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        # Pipes, because limits on files would hold for files of messages as well.
        self._reader, writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._text, self._begun, self._ended = b"", time.monotonic(), False
        with starting():  # a forked process has handlers of its own before a signal comes
            if work is not None:
                self.pid = os.fork()
                if self.pid == 0:
                    _be(folder, work, writer)
            else:
                self._popen = subprocess.Popen(  # kept, as its end would be waited for elsewhere
                    command or [],
                    cwd=folder,
                    env={**os.environ, **(environment or {})},
                    stdin=subprocess.DEVNULL,
                    stdout=writer,
                    stderr=writer,
                    start_new_session=True,
                )
                self.pid = self._popen.pid
            under_way.add(self.pid)
        os.close(writer)

    def wait(self, seconds: float) -> int | None:
        """Wait at most so long; return the code if it has ended by then."""
        end = time.monotonic() + seconds
        while True:
            self._read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._ended = True
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() >= end:
                return None
            time.sleep(_LOOK)

    def send(self, number: int) -> None:
        """Send it a signal, if it has not ended; until then its id is its own."""
        if not self._ended:
            os.kill(self.pid, number)

    def finish(self, code: int | None = None, longest: float | None = None) -> End:
        """Wait until it ends, unless it has, and end what it has started."""
        found = self.wait(longest or LONGEST) if code is None else code
        seconds = time.monotonic() - self._begun
        hangs = found is None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        if hangs:
            os.waitpid(self.pid, 0)
        under_way.discard(self.pid)
        self._read()
        os.close(self._reader)
        return End(None if hangs else found, self._text.decode(errors="replace"), seconds)

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self._reader, 65536):
                self._text += piece


@contextmanager
def starting() -> Iterator[None]:
    """Let signals wait until it is known which process was started.

    They wait in the new process too, until it calls :func:`listen`.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _SENT)
    try:
        yield
    finally:
        listen()


def listen() -> None:
    """Let signals come that waited."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SENT)


def stop(number: int, frame: object = None) -> None:
    """Exit as usual, so that all is cleared away; a second signal does not disturb that."""
    if not asked:
        asked.append(number)
        end_if_asked()


def end_if_asked() -> None:
    """Exit if a signal has asked for it: an exit is lost if memory was just being freed."""
    if asked:
        sys.exit(128 + asked[0])


def end_all() -> None:
    """End every process that is still under way, and what it has started."""
    for pid in sorted(under_way):
        for end in (os.killpg, os.kill):  # a process that was just forked has no group yet
            with contextlib.suppress(ProcessLookupError):
                end(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
    under_way.clear()


def _be(folder: Path, work: Callable[[], object], writer: int) -> None:
    """Do the work in a forked process, and end it."""
    code = 130  # of an interrupt that comes before the work begins
    try:
        os.setsid()
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        listen()
        os.chdir(folder)
        sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
        code = ended(work)
    finally:
        os._exit(code)


def ended(work: Callable[[], object]) -> int:
    """Do the work, say what went wrong, and return the code for it."""
    try:
        work()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except KeyboardInterrupt:
        return 130
    except BaseException as error:
        sys.stderr.write("".join(traceback.format_exception_only(error)))
        sys.stderr.write("at " + " ".join(_places(error)) + "\n")
        return 3
    return 0


def _places(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    return [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames]


def started(operation: str, edition: int) -> list[str]:
    """Return the command of a new process that does an operation."""
    return [sys.executable, "-m", "faults.alone", operation, str(edition)]


def environment(**more: str) -> dict[str, str]:
    """Return the variables of new processes, which find this package and grafik."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {"PYTHONPATH": path, **more}
