"""Names of the files of a data set in TU format, and those that look like one by mistake."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable
from functools import cache
from itertools import accumulate, product
from pathlib import Path

from ..system.callers import levels_to_the_user

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
# Other words for their halves, which may also be swapped.
_HALVES = {
    "node": ("node", "vertex", "vertices", "atom"),
    "edge": ("edge", "bond"),
    "graph": ("graph",),
    "labels": ("label", "class", "classes"),
    "attributes": ("attribute",),
}
# Other words for whole names; a name may stand for the first that is missing.
_WORDS = {
    "graph_indicator": ("graph_indicator",),
    "class_labels": ("graph_labels",),
    "class": ("graph_labels",),
    "classes": ("graph_labels",),
    "labels": ("graph_labels", "node_labels"),
}
# A file that explains another one has its name, and one of these words behind it.
_ABOUT = {
    *("about", "desc", "description", "descriptions", "dict", "dictionary", "doc", "docs"),
    *("documentation", "info", "key", "keys", "legend", "license", "map", "mapping", "meaning"),
    *("meanings", "name", "names", "note", "notes", "readme"),
}
_ENDING = re.compile(r"\w{1,4}|(cr|op)?download|part\w*|backup", re.I)
_WORD = re.compile(r"[^\W_]+")
_TEXT = re.compile(r"\.(txt|csv|tsv)\b", re.I)
_COPY = re.compile(r"^copyof|copy\d*$")
_EDGES = re.compile(r"(.*[ _-])?a$", re.I)
# Letters that may differ. Different parts differ by at least three.
_CLOSE = 2


def refuse_misnamed(where: str, start: str, files: Iterable[str], wanted: Collection[str]) -> None:
    """Refuse files whose names or folders differ from those that are read, if these are missing.

    Where both are there, in the same folder, a warning names them.

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
    known = {part: f"{start}{part}.txt" for part in PARTS}
    for name in sorted(listed.difference(known.values())):
        if _base(name)[:2] == "._" or name.startswith("__MACOSX/"):
            continue
        meant = _meant(name, start)
        for part in meant:
            if part in wanted and known[part] not in listed:
                remedy = _remedy(where, name, known[part], f"{start}A.txt", listed)
                raise ValueError(
                    f"{where} has no file {known[part]}, but {name!r}, which would not be read; "
                    f"{remedy}{way_out(part)}"
                )
        beside = name.rpartition("/")[0] == start.rpartition("/")[0]
        if meant and beside and set(meant) <= set(wanted):
            warnings.warn(
                f"{where}: {known[meant[0]]} is read, {name!r} is not",
                stacklevel=levels_to_the_user(),
            )


def misnamed_edges(files: Iterable[str]) -> str | None:
    """Return the file that looks most like the edges of a data set, where none is named right.

    Examples
    --------
    >>> from grafik.datasets.tu_names import misnamed_edges
    >>> misnamed_edges(["X_a.TXT", "X_graph_labels.txt"]), misnamed_edges(["data.txt"])
    ('X_a.TXT', None)
    """
    close = (name for name in sorted(files) if _TEXT.search(name) and _base(name)[0] != ".")
    return next((name for name in close if _EDGES.match(_stem(_base(name)))), None)


def way_out(part: str) -> str:
    """Return how to read a data set without one of its files, if that is possible.

    Examples
    --------
    >>> from grafik.datasets.tu_names import way_out
    >>> way_out("node_labels"), way_out("graph_indicator"), way_out("A")
    (", or leave it out with ignore=['node_labels']", '', '')
    """
    return f", or leave it out with ignore=[{part!r}]" if part in PARTS[1:] else ""


def is_one_of(name: str) -> bool:
    """Tell whether the name of a file is that of a part, without the name of a data set.

    Examples
    --------
    >>> from grafik.datasets.tu_names import is_one_of
    >>> is_one_of("Node Labels.txt"), is_one_of("X_node_labels.txt")
    (True, False)
    """
    return bool(_forms(name) & set(map(letters, PARTS)))


def _remedy(where: str, name: str, right: str, edges: str, listed: Collection[str]) -> str:
    """Return what to do with a file of a wrong name, or in a wrong folder."""
    if name.endswith("/"):
        return f"put a file {right} in its place"
    folder = name.rpartition("/")[0]
    if folder == right.rpartition("/")[0]:
        return f"rename it to {right}"
    own_edges = f"{folder}/{_base(edges)}"
    if own_edges in listed:
        return f"it belongs to {own_edges!r}, so read {Path(where, folder)} instead"
    return f"move it to {right}, beside {edges}"


def _base(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2]


def _meant(name: str, start: str) -> tuple[str, ...]:
    """Return the parts that a name may stand for."""
    own = letters(_base(start))
    forms = _forms(_base(name))
    # One wrong letter in a zip may be a slash, so that folders and names are compared together too.
    pairs = [(form, own) for form in forms]
    pairs += [(form, letters(start)) for form in _forms(name)]
    differences = {
        part: min(_edits(form, head + letters(part)) for form, head in pairs) for part in PARTS
    }
    closest = min(PARTS, key=differences.__getitem__)
    if differences[closest] <= _CLOSE:
        return (closest,)
    if not _TEXT.search(name):
        return ()
    words = {_without_s(form.removeprefix(own)) for form in forms}
    found = (parts for word, parts in _other_words().items() if word in words)
    return next(found, ()) or _continued(_base(name), own)


@cache
def _other_words() -> dict[str, tuple[str, ...]]:
    """Return the parts that may be meant, by the letters that stand for them in names."""
    found = {_without_s(letters(word)): parts for word, parts in _WORDS.items()}
    for part in PARTS[1:]:
        first, second = part.split("_")
        for one, other in product(_HALVES[first], _HALVES[second]):
            found[_without_s(one + other)] = found[_without_s(other + one)] = (part,)
    return found


def _without_s(form: str) -> str:
    """Return what singular and plural have in common."""
    return form.replace("s", "")


def _continued(name: str, own: str) -> tuple[str, ...]:
    """Return the part whose right name a name begins with, if it goes on with other words."""
    words = _WORD.findall(name.casefold())
    heads = list(accumulate(words))
    for part in PARTS:
        whole = own + letters(part)
        if whole in heads and not _ABOUT.intersection(words[heads.index(whole) + 1 :]):
            return (part,)
    return ()


def _forms(name: str) -> set[str]:
    """Return the letters of a name without its endings, and without what marks a copy."""
    forms = letters(_stem(name)), letters(name).removesuffix("txt")
    return {_COPY.sub("", form) for form in forms}


def _stem(name: str) -> str:
    pieces = name.rstrip("/").split(".")
    while len(pieces) > 1 and _ENDING.fullmatch(pieces[-1]):
        pieces.pop()
    return ".".join(pieces)


def letters(name: str) -> str:
    """Return the letters and digits of a name, all of them small."""
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
