"""Signals end a command, also where Python drops exceptions."""

import signal
import subprocess
import sys

import pytest

from grafik.cli import signals

COMMAND = """
import time

from grafik import __main__, cli


class Freed:
    def __del__(self):
        {work}


def app(prog_name):
    Freed()
    {then}


cli.app = app
__main__.main()
"""


def ended(work, then):
    """Return the code and the messages of a command that does some work while it frees memory."""
    return subprocess.run(
        [sys.executable, "-c", COMMAND.format(work=work, then=then)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such clock")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_that_comes_while_memory_is_freed_ends_a_command(name, code):
    end = ended(f"import signal; signal.raise_signal(signal.{name})", "time.sleep(59)")
    assert (end.returncode, end.stderr) == (code, "")


def test_other_errors_while_memory_is_freed_are_told_and_end_nothing():
    end = ended("raise ValueError('odd')", "print('done')")
    assert (end.returncode, end.stdout) == (0, "done\n")
    assert "ValueError: odd" in end.stderr


def test_where_there_is_no_clock_python_drops_what_it_will():
    handlers = signal.getsignal(signal.SIGTERM), sys.unraisablehook
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.delattr(signal, "setitimer", raising=False)
            signals.end_on_signals()
        assert sys.unraisablehook is handlers[1]
        with pytest.raises(SystemExit, match=str(128 + signal.SIGTERM)):
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, handlers[0])
