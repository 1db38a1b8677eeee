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
from rich.progress import track
from rich.table import Table
from rich.text import Text

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
    """Tell graphs apart that plain Weisfeiler-Lehman cannot, and train a classifier that does."""
    from .demo import PAPER, csl_row, train_save_load_apply

    graphs, y = datasets.csl()
    _show("Circular skip link graphs (CSL)", graphs, y)
    table = Table("walks up to", "levels", "accuracy", "the paper's", title_justify="left")
    table.title = "Which of the ten classes a filtration by numbers of walks can tell apart"
    console = Console(stderr=True)
    for length in track(
        range(1, len(PAPER) + 1),
        "filtration kernels and support vector machines",
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ):
        row = csl_row(length)
        cells = f"{row.length}", f"{row.n_levels}", f"{row.accuracy:g} %", f"{row.paper} %"
        table.add_row(*cells)
    Console().print(table)
    Console().print(
        "With walks up to 5, five of the ten classes have the same weights by definition, "
        "so 60 % is the most that is possible there.",
        soft_wrap=True,
    )
    found = train_save_load_apply()
    chosen = ", ".join(f"{name} {value}" for name, value in found.chosen.items())
    Console().print(
        f"\nA FiltrationClassifier, trained on {found.n_train} of these graphs, chose {chosen}. "
        f"Saved to a file of {found.n_bytes / 1000:.0f} kB and loaded again, it classified "
        f"{found.accuracy:g} % of the other {found.n_test} right.",
        soft_wrap=True,
        highlight=False,
    )


def _load(data: str) -> tuple[Graphs, Any]:
    """Read what an argument of the command line names."""
    if data == "csl":
        return datasets.csl()
    if Path(data).suffix == ".parquet":
        return Graphs.from_parquet(data), None
    return datasets.read_tu(data)


def _show(title: str, graphs: Graphs, y: Any) -> None:
    table = Table(title=Text(title), title_justify="left", show_header=False)
    for name, text in graphs.describe().rows():
        table.add_row(name, Text(text))  # labels may hold what rich takes for markup
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
