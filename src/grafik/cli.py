"""The command line; it calls only the public API."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from . import __version__, datasets
from .graphs import Graphs

app = typer.Typer(
    help="Graph filtration kernels: compare graphs by what they share, when and for how long.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command line; what is wrong with the input is said in one line, exit code 2."""
    try:
        app()
    except (ValueError, OSError, ImportError) as error:
        Console(stderr=True, soft_wrap=True, highlight=False).print(
            f"grafik: {error}", markup=False, style="red"
        )
        sys.exit(2)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"grafik {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """Graph filtration kernels: compare graphs by what they share, when and for how long."""


@app.command()
def describe(
    data: Annotated[
        str,
        typer.Argument(help="TU folder or zip, Parquet file, or 'csl'.", show_default=False),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Say what is in a data set: sizes, degrees, labels, classes."""
    graphs, y = _load(data)
    if as_json:
        summary = dataclasses.asdict(graphs.describe())
        print(json.dumps({**summary, "classes": _classes(y)}))
    else:
        _show(data, graphs, y)


@app.command()
def demo() -> None:
    """Build the circular skip link graphs, which plain Weisfeiler-Lehman cannot tell apart."""
    graphs, y = datasets.csl()
    _show("Circular skip link graphs (CSL)", graphs, y)


def _load(data: str) -> tuple[Graphs, Any]:
    """Read what an argument of the command line names."""
    if data == "csl":
        return datasets.csl()
    if Path(data).suffix == ".parquet":
        return Graphs.from_parquet(data), None
    return datasets.read_tu(data)


def _show(title: str, graphs: Graphs, y: Any) -> None:
    table = Table(title=title, title_justify="left", show_header=False)
    for name, text in graphs.describe().rows():
        table.add_row(name, text)
    classes = _classes(y)
    if classes is not None:
        shown = ", ".join(f"{name} ({count} graphs)" for name, count in classes[:12])
        table.add_row("classes", f"{len(classes)}: {shown}{', ...' if len(classes) > 12 else ''}")
    Console().print(table)


def _classes(y: Any) -> list[tuple[Any, int]] | None:
    """Count the graphs of each class; None for a regression target or no target."""
    if y is None or y.ndim > 1 or y.dtype.kind == "f":
        return None
    return sorted(Counter(y.tolist()).items())
