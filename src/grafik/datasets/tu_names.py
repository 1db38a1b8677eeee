"""Names of the files of a data set in TU format, and those that look like one by mistake."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable

# What the files of a data set may hold, besides the edges; the first must be there.
PARTS = (
    "graph_indicator",
    "node_labels",
    "edge_labels",
    "node_attributes",
    "edge_attributes",
    "graph_labels",
    "graph_attributes",
)
_ENDINGS = re.compile(r"(\.\w{1,4})+/?$")
# Letters that may differ. Different parts differ by at least three.
_CLOSE = 2


def refuse_misnamed(where: str, start: str, files: Iterable[str], wanted: Collection[str]) -> None:
    """Refuse files whose names differ a little from those that are read, if these are missing.

    Where both are there, a warning names them.

    Parameters
    ----------
    where : str
        The folder or zip, for messages.
    start : str
        What all names start with, such as ``"MUTAG_"``, with the folder within a zip.
    files : iterable of str
        The names of all files.
    wanted : collection of str
        Those of :data:`PARTS` that are read.

    Examples
    --------
    >>> from grafik.datasets.tu_names import PARTS, refuse_misnamed
    >>> refuse_misnamed("here", "X_", ["X_A.txt", "X_README.txt", "X_Node_Labels.txt"], PARTS)
    Traceback (most recent call last):
    ValueError: here has no file X_node_labels.txt, but 'X_Node_Labels.txt', which would ...
    """
    listed = set(files)
    known = {f"{start}{part}.txt": part for part in PARTS}
    others = [name for name in sorted(listed - known.keys()) if _base(name)[:2] != "._"]
    for name in others:
        full = min(known, key=lambda full: _differences(name, full))
        if _differences(name, full) > _CLOSE or known[full] not in wanted:
            continue
        if full not in listed:
            raise ValueError(
                f"{where} has no file {_base(full)}, but {name!r}, which would not be read; rename "
                f"it to {_base(full)}, or leave it out with ignore=[{known[full]!r}]"
            )
        warnings.warn(f"{where}: {full} is read, {name!r} is not", stacklevel=5)


def _base(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2]


def _differences(name: str, known: str) -> int:
    """Return in how many letters two names differ, without endings; more than a few is a few."""
    wanted = _letters(_ENDINGS.sub("", known))
    forms = {_letters(_ENDINGS.sub("", name)), _letters(name).removesuffix("txt")}
    return min(_edits(form, wanted) for form in forms)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _edits(mine: str, other: str) -> int:
    """Return how many letters must be put in, left out or changed to get from one to the other."""
    if abs(len(mine) - len(other)) > _CLOSE:
        return _CLOSE + 1
    before = list(range(len(other) + 1))
    for row, letter in enumerate(mine, 1):
        now = [row]
        for column, wanted in enumerate(other, 1):
            now.append(
                min(before[column] + 1, now[-1] + 1, before[column - 1] + (letter != wanted))
            )
        before = now
    return before[-1]
