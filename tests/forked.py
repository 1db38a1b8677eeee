"""Processes forked from one that has imported and compiled all; others take seconds to start."""

import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
from multiprocessing import forkserver
from pathlib import Path

import pytest

_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["forked_imports"])


def _start_server():
    """Start the process that others are forked from, unless it runs."""
    with pytest.MonkeyPatch.context() as patch:
        # Python 3.11 does not tell it where modules are, and it goes on without them.
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        forkserver.ensure_running()


def _run(code, arguments, folder):
    """Run code in a forked process, with files in place of its output."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder / name, os.O_WRONLY), number)
    # A shell that starts the suite in the background has interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv[1:] = arguments
    exec(code, {"__name__": "__main__"})


class Forked:
    """A process that runs code, used like one of `subprocess`; wait for it in the end."""

    def __init__(self, code, *arguments):
        _start_server()
        self.folder = Path(tempfile.mkdtemp())
        for name in ("stdout", "stderr"):
            (self.folder / name).touch()
        given = code, list(map(str, arguments)), self.folder
        self.process = _SERVER.Process(target=_run, args=given)
        self.process.start()
        self.pid = self.process.pid

    @property
    def returncode(self):
        return self.process.exitcode

    def poll(self):
        return self.process.exitcode

    def send_signal(self, number):
        os.kill(self.pid, number)

    def written(self):
        """Return what it has written to its output so far."""
        return (self.folder / "stdout").read_text()

    def communicate(self, timeout=None):
        """Wait until it ends, and return what it wrote to both outputs."""
        self.process.join(timeout)
        assert self.returncode is not None, f"still running after {timeout} seconds"
        found = tuple((self.folder / name).read_text() for name in ("stdout", "stderr"))
        shutil.rmtree(self.folder)
        return found

    wait = communicate


def grafik(*arguments):
    """Start the command line."""
    return Forked("from grafik.cli import main\nmain()", *arguments)
