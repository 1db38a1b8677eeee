"""Tables of our numbers and the paper's, in three formats, each written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..evaluation.summary import as_csv
from ..system.files import replacing


def write_tables(
    folder: Path, name: str, markdown: str, rows: list[dict[str, Any]], about: dict[str, Any]
) -> None:
    """Write ``name.md``, ``name.csv`` and ``name.json``.

    Parameters
    ----------
    folder : Path
    name : str
    markdown : str
        For people.
    rows : list of dict
        For programs, one for each number.
    about : dict
        What holds for all rows; only in the JSON file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    whole = json.dumps({**about, "rows": rows}, indent=1) + "\n"
    for suffix, text in (("md", markdown), ("csv", as_csv(rows)), ("json", whole)):
        write_text(folder / f"{name}.{suffix}", text)


def write_text(path: Path, text: str) -> None:
    """Write a text so that nobody ever reads half of it."""
    with replacing(path) as part:
        part.write_text(text)


def read_json(path: Path) -> dict[str, Any] | None:
    """Return a table written earlier; None if the file does not exist."""
    return json.loads(path.read_text()) if path.is_file() else None


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], n_left: int = 1) -> str:
    """Return a table with the first columns aligned to the left, the others to the right.

    Examples
    --------
    >>> from grafik.reproduction.tables import markdown_table
    >>> print(markdown_table(["data", "WL"], [["MUTAG", "86.1"]]))
    | data | WL |
    | --- | ---: |
    | MUTAG | 86.1 |
    """
    marks = ["---"] * n_left + ["---:"] * (len(header) - n_left)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, marks, *rows))


def difference(ours: float | None, theirs: float | None) -> float | None:
    """Return our number minus the paper's; None if one is missing."""
    return None if ours is None or theirs is None else round(ours - theirs, 2)


def signed(value: float | None) -> str:
    """Return a difference for a table; a dash for None."""
    return "-" if value is None else f"{value:+.2f}"


def missing_line(names: Sequence[str]) -> list[str]:
    """Return a line that lists data sets without results; no line if all have some."""
    remedy = "run the experiment on them, with their data in the folder that --data names"
    return [f"Missing: {', '.join(names)}. To add them, {remedy}."] if names else []
