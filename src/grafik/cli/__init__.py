"""The command line; it calls only the public API."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console

from .. import __version__
from . import demo, describe, evaluate, explain, gram, models, report, reproduce, show

__all__ = ["main"]

app = typer.Typer(
    help="Graph filtration kernels: compare graphs by what they share, when and for how long.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (
    describe.describe,
    models.train,
    models.predict,
    gram.gram,
    explain.explain,
    show.show,
    evaluate.evaluate,
    report.report,
    reproduce.reproduce,
    demo.demo,
):
    app.command()(command)


def main() -> None:
    """Run the command line; print a mistake in the input in one line, and exit with code 2."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        app()
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        text = error.strerror if isinstance(error, OSError) and error.filename is None else None
        Console(stderr=True, soft_wrap=True, highlight=False).print(
            f"grafik: {text or error}{notes}", markup=False, style="red"
        )
        sys.exit(2)


def _stop(number: int, frame: FrameType | None) -> None:
    """Exit as usual, so that files are closed and no process is left."""
    sys.exit(128 + number)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"grafik {__version__}")
        raise typer.Exit


@app.callback()
def grafik(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Graph filtration kernels: compare graphs by what they share, when and for how long."""
