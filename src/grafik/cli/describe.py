"""`grafik describe`."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..graphs.batch import Graphs
from . import columns as col
from . import options as opt
from .data import load


def describe(
    data: opt.Data,
    labels: opt.LabelFile = None,
    smiles: col.Smiles = None,
    target: col.Target = None,
    errors: col.Errors = col.BadRows.fail,
    atoms: col.Atoms = None,
    hydrogens: col.Hydrogens = False,
    chirality: col.Chirality = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Say what is in a data set: sizes, degrees, labels, classes.

    For example: grafik describe MUTAG, or: grafik describe mols.csv --smiles smiles --target y
    """
    molecules = col.Molecules(atoms, hydrogens, chirality)
    graphs, y = load(data, labels, col.Columns(smiles, target, None, errors, molecules))
    if as_json:
        summary = dataclasses.asdict(graphs.describe())
        print(json.dumps({**summary, "classes": _classes(y), "target": _range(y)}))
    else:
        print_description(data, graphs, y)


def print_description(title: str, graphs: Graphs, y: Any) -> None:
    """Print a table of what is in a batch."""
    table = Table(title=Text(title), title_justify="left", show_header=False)
    for name, text in graphs.describe().rows():
        table.add_row(name, Text(text))  # rich would take parts of labels for markup
    classes = _classes(y)
    if classes is not None:
        shown = ", ".join(f"{name} ({count} graphs)" for name, count in classes[:12])
        table.add_row("classes", f"{len(classes)}: {shown}{', ...' if len(classes) > 12 else ''}")
    target = _range(y)
    if target is not None:
        table.add_row("target", f"from {target[0]:g} to {target[1]:g}")
    Console().print(table)


def _classes(y: Any) -> list[tuple[Any, int]] | None:
    """Count the graphs of each class; None for a regression target or no target."""
    if y is None or y.ndim > 1 or y.dtype.kind == "f":
        return None
    return sorted(Counter(y.tolist()).items())


def _range(y: Any) -> tuple[float, float] | None:
    """Return the least and the largest number to predict; None if there are none."""
    if y is None or y.ndim > 1 or y.dtype.kind != "f" or not len(y):
        return None
    return float(y.min()), float(y.max())
