"""The command line, run in this process: what it prints, and its exit code."""

import contextlib
import io
import signal
import sys
from typing import NamedTuple

import pytest

from grafik import cli


class Run(NamedTuple):
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def grafik(*arguments, **environment):
    """Run `grafik` with some variables of the environment; a process would take a second more."""
    stdout, stderr, code = io.StringIO(), io.StringIO(), 0
    before = signal.getsignal(signal.SIGTERM)
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        for name, value in {"COLUMNS": "120", "NO_COLOR": "1", **environment}.items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["grafik", *map(str, arguments)])
        try:
            cli.main()
        except SystemExit as end:
            code = end.code or 0
        finally:
            signal.signal(signal.SIGTERM, before)
    return Run(code, stdout.getvalue(), stderr.getvalue())
