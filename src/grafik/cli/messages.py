"""What is said on standard error: mistakes, warnings, and with --quiet nothing else."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from rich.console import Console


def print_mistake(error: BaseException) -> None:
    """Print a mistake in the input in one line."""
    notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
    text = error.strerror if isinstance(error, OSError) and error.filename is None else None
    _print(f"grafik: {text or error}{notes}", "red")


def print_warning(message: Warning | str, *where: Any) -> None:
    """Print a warning in one line, without the place in the code that it comes from."""
    _print(f"grafik: warning: {message}", "yellow")


def remark(text: str) -> None:
    """Say what a user should know, unless it is to be quiet."""
    if not isinstance(sys.stderr, _Quiet):
        print(text, file=sys.stderr)


def silence(wanted: bool) -> bool:
    """Show no progress, notices or warnings from now on, if that is wanted; return whether."""
    if wanted:
        warnings.simplefilter("ignore")
        sys.stderr = _Quiet(sys.stderr)
    return wanted


def _print(text: str, style: str) -> None:
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print(text, markup=False, style=style)


class _Quiet:
    """A stream that says it is no terminal: whoever shows progress on terminals keeps quiet."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def isatty(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
