"""Names of the files of a data set in TU format, and those that look like one by mistake."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable
from pathlib import Path

from ..system.callers import levels_to_the_user
from .tu_words import PARTS, TARGETS, base, is_of_no_part, is_text, parts_meant, stem

_EDGES = re.compile(r"(.*[ _-])?a$", re.I)
# What must be unpacked, and what is no text, by the ends of names.
_PACKED = re.compile(r"\.(7z|bz2|lz4|rar|t?gz|xz|zip|zst)$", re.I)
_BINARY = re.compile(
    r"\.(arrow|feather|h5|hdf5|json|mat|npy|npz|ods|parquet|pickle|pkl|pth?|xlsx?)$", re.I
)


def refuse_misnamed(where: str, start: str, files: Iterable[str], wanted: Collection[str]) -> None:
    """Refuse files whose names or folders differ from those that are read, if these are missing.

    Where both are there, in the same folder, a warning names them. So does one for files of numbers
    that the format does not have.

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
    >>> from grafik.datasets.tu_names import refuse_misnamed
    >>> from grafik.datasets.tu_words import PARTS
    >>> refuse_misnamed("here", "X_", ["X_A.txt", "X_README.txt", "X_Node_Labels.txt"], PARTS)
    Traceback (most recent call last):
    ValueError: here has no file X_node_labels.txt, but 'X_Node_Labels.txt', which would ...
    """
    listed = set(files)
    known = {part: f"{start}{part}.txt" for part in PARTS}
    there = {part for part in PARTS if known[part] in listed}
    unknown = []
    for name in sorted(listed.difference(known.values())):
        if base(name)[:2] == "._" or name.startswith("__MACOSX/"):
            continue
        meant = parts_meant(name, start)
        lost = _lost(meant, there, wanted)
        if lost is not None:
            remedy = _remedy(where, name, known[lost], f"{start}A.txt", listed)
            if meant == TARGETS:
                remedy += f" (or {known['graph_attributes']}, if it holds more than integers)"
            raise ValueError(
                f"{where} has no file {known[lost]}, but {name!r}, which would not be read; "
                f"{remedy}{way_out(lost)}"
            )
        if name.rpartition("/")[0] != start.rpartition("/")[0]:
            continue
        if meant and set(meant) <= set(wanted):
            read = next(part for part in meant if part in there)
            _warn(f"{where}: {known[read]} is read, {name!r} is not")
        elif not meant and name != f"{start}A.txt" and is_of_no_part(name, start):
            unknown.append(name)
    if unknown:
        more = "" if len(unknown) == 1 else f", nor {len(unknown) - 1} more of the kind"
        _warn(
            f"{where}: {unknown[0]!r} is not read{more}, as the format has no such file; if it "
            f"belongs to the data, rename it to {start}NAME.txt, where NAME is one of "
            f"{', '.join(PARTS[1:])}; or else move it away"
        )


def _lost(meant: tuple[str, ...], there: Collection[str], wanted: Collection[str]) -> str | None:
    """Return the part that would be missing if a file that may stand for some were not read."""
    if meant == TARGETS and (any(part in there for part in meant) or not set(meant) <= set(wanted)):
        return None
    return next((part for part in meant if part in wanted and part not in there), None)


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=levels_to_the_user())


def misnamed_edges(files: Iterable[str]) -> str | None:
    """Return the file that looks most like the edges of a data set, where none is named right.

    Examples
    --------
    >>> from grafik.datasets.tu_names import misnamed_edges
    >>> misnamed_edges(["X_a.TXT", "X_graph_labels.txt"]), misnamed_edges(["data.txt"])
    ('X_a.TXT', None)
    """
    close = (name for name in sorted(files) if is_text(name) and base(name)[0] != ".")
    return next((name for name in close if _EDGES.match(stem(base(name)))), None)


def way_out(part: str) -> str:
    """Return how to read a data set without one of its files, if that is possible.

    Examples
    --------
    >>> from grafik.datasets.tu_names import way_out
    >>> way_out("node_labels"), way_out("graph_indicator"), way_out("A")
    (", or leave it out with ignore=['node_labels']", '', '')
    """
    return f", or leave it out with ignore=[{part!r}]" if part in PARTS[1:] else ""


def changed_into(name: str, right: str) -> str:
    """Return what to do with a file of a wrong name, so that it can be read.

    Examples
    --------
    >>> from grafik.datasets.tu_names import changed_into
    >>> changed_into("X_a.txt", "X_A.txt"), changed_into("X_A.txt.gz", "X_A.txt")
    ('rename it to X_A.txt', 'unpack it to X_A.txt')
    """
    if _PACKED.search(name):
        return f"unpack it to {right}"
    if _BINARY.search(name):
        return f"write its numbers as text to {right}"
    return f"rename it to {right}"


def _remedy(where: str, name: str, right: str, edges: str, listed: Collection[str]) -> str:
    """Return what to do with a file of a wrong name, or in a wrong folder."""
    if name.endswith("/"):
        return f"put a file {right} in its place"
    folder = name.rpartition("/")[0]
    if folder == right.rpartition("/")[0]:
        return changed_into(name, right)
    own_edges = f"{folder}/{base(edges)}"
    if own_edges in listed:
        return f"it belongs to {own_edges!r}, so read {Path(where, folder)} instead"
    if _PACKED.search(name) or _BINARY.search(name):
        return f"{changed_into(name, right)}, beside {edges}"
    return f"move it to {right}, beside {edges}"
