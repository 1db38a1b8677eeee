"""The command line: it reads options and files, calls the other rooms, and writes the answer."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated

import typer

from .. import __version__
from . import (
    demo,
    describe,
    embed,
    evaluate,
    explain,
    gram,
    predict,
    report,
    reproduce,
    search,
    show,
    train,
    warm_up,
)
from .messages import print_mistake, print_warning
from .signals import end_on_signals

__all__ = ["main"]

app = typer.Typer(
    help="Graph filtration kernels: compare graphs by what they share, when and for how long.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for command in (
    describe.describe,
    train.train,
    predict.predict,
    search.index,
    search.search,
    embed.embed,
    gram.gram,
    explain.explain,
    show.show,
    evaluate.evaluate,
    report.report,
    reproduce.reproduce,
    demo.demo,
    warm_up.warm_up,
):
    app.command()(command)


def main() -> None:
    """Run the command line; print a mistake in the input in one line, and exit with code 2."""
    end_on_signals()
    terminal = sys.stderr
    with warnings.catch_warnings():
        warnings.showwarning = print_warning  # type: ignore[assignment]
        try:
            app(prog_name="grafik")
        except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
            print_mistake(error)
            sys.exit(2)
        finally:
            sys.stderr = terminal


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
