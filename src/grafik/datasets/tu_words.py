"""Which part of a data set in TU format the name of a file stands for, right or a little wrong."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import accumulate, product

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
# Numbers to be predicted: either of these has them.
TARGETS = ("graph_labels", "graph_attributes")
# Other words for their halves, which may also be swapped.
_HALVES = {
    "node": ("node", "vertex", "vertices", "atom", "n", "v"),
    "edge": ("edge", "bond", "e"),
    "graph": ("graph", "g"),
    "labels": ("label", "lbl", "class", "classes"),
    "attributes": ("attribute", "attrib", "attr", "feature", "feat", "weight"),
}
# Other words for whole names; a name may stand for the first that is missing.
_WORDS = {
    "graph_indicator": ("graph_indicator",),
    "class_label": ("graph_labels",),
    "class": ("graph_labels",),
    "classes": ("graph_labels",),
    "label": ("graph_labels", "node_labels"),
    "lbl": ("graph_labels", "node_labels"),
    "graph_target": TARGETS,
    "graph_y": TARGETS,
}
# Words that may stand for a lot, and so count only behind the name of a data set.
_VAGUE = {
    "target": TARGETS,
    "y": TARGETS,
    "attribute": ("node_attributes",),
    "attr": ("node_attributes",),
    "feature": ("node_attributes",),
    "feat": ("node_attributes",),
    "weight": ("edge_attributes",),
}
# A file that explains another one has its name, and one of these words behind it.
_ABOUT = {
    *("about", "desc", "description", "descriptions", "dict", "dictionary", "doc", "docs"),
    *("documentation", "info", "key", "keys", "legend", "license", "map", "mapping", "meaning"),
    *("meanings", "name", "names", "note", "notes", "readme"),
}
_ENDING = re.compile(r"\w{1,4}|(cr|op)?download|part\w*|backup|feather|parquet|pickle", re.I)
_WORD = re.compile(r"[^\W_]+")
_TEXT = re.compile(r"\.(txt|csv|tsv)\b", re.I)
_COPY = re.compile(r"^copyof|copy\d*$")
# Letters that may differ. Different parts differ by at least three.
_CLOSE = 2


def parts_meant(name: str, start: str) -> tuple[str, ...]:
    """Return the parts that a name may stand for.

    Parameters
    ----------
    name : str
        Of a file, with its folder.
    start : str
        What the names of the data set start with.

    Examples
    --------
    >>> from grafik.datasets.tu_words import parts_meant
    >>> parts_meant("X_nodelabel.csv", "X_"), parts_meant("X_bond_feats.txt", "X_")
    (('node_labels',), ('edge_attributes',))
    >>> parts_meant("X_README.txt", "X_")
    ()
    """
    forms = _forms(base(name))
    # One wrong letter in a zip may be a slash, so that folders and names are compared together too.
    pairs = [(form, base(start)) for form in forms]
    pairs += [(form, start) for form in _forms(name)]
    edits = {
        part: min(differences(form, _right(head)[part], _CLOSE) for form, head in pairs)
        for part in PARTS
    }
    closest = min(PARTS, key=edits.__getitem__)
    if edits[closest] <= _CLOSE:
        return (closest,)
    if not is_text(name):
        return ()
    own = letters(base(start))
    for form in sorted(forms):
        word = form.removeprefix(own)
        found = _other_words().get(word) or (word != form and _vague_words().get(word))
        if found:
            return found
    return _continued(base(name), own)


def is_one_of(name: str) -> bool:
    """Tell whether the name of a file is that of a part, without the name of a data set.

    Examples
    --------
    >>> from grafik.datasets.tu_words import is_one_of
    >>> is_one_of("Node Labels.txt"), is_one_of("X_node_labels.txt")
    (True, False)
    """
    return bool(_forms(name) & set(map(letters, PARTS)))


def is_of_no_part(name: str, start: str) -> bool:
    """Tell whether a file seems to be about vertices, edges or graphs, but is not one of the parts.

    Examples
    --------
    >>> from grafik.datasets.tu_words import is_of_no_part
    >>> is_of_no_part("X_node_positions.txt", "X_"), is_of_no_part("X_graph_names.txt", "X_")
    (True, False)
    """
    if not is_text(name) or not name.casefold().startswith(start.casefold()):
        return False
    words = _WORD.findall(stem(name[len(start) :]).casefold())
    return len(words) > 1 and words[0] in _items() and not _ABOUT.intersection(words)


def is_text(name: str) -> bool:
    """Tell whether a name has the ending of a table in text, perhaps with another one behind it."""
    return bool(_TEXT.search(name))


def base(name: str) -> str:
    """Return a name without the folders before it."""
    return name.rstrip("/").rpartition("/")[2]


def stem(name: str) -> str:
    """Return a name without its endings.

    Examples
    --------
    >>> from grafik.datasets.tu_words import stem
    >>> stem("X_A.txt.part1"), stem("X.version_A.txt")
    ('X_A', 'X.version_A')
    """
    pieces = name.rstrip("/").split(".")
    while len(pieces) > 1 and _ENDING.fullmatch(pieces[-1]):
        pieces.pop()
    return ".".join(pieces)


def letters(name: str) -> str:
    """Return the letters and digits of a name, all of them small."""
    return "".join(filter(str.isalnum, name.casefold()))


def differences(mine: str, other: str, most: int) -> int:
    """Return how many letters must be put in, left out or changed to get from one to the other.

    Where it takes more than `most`, that many and one are returned: a stranger may have chosen long
    names, so that nothing may take long.

    Examples
    --------
    >>> from grafik.datasets.tu_words import differences
    >>> differences("labels", "lapel", 2), differences("labels", "classes", 2)
    (2, 3)
    """
    if abs(len(mine) - len(other)) > most:
        return most + 1
    same = _same_letters(mine, other)
    mine, other = mine[same:], other[same:]
    if not mine or not other:
        return len(mine) + len(other)
    if most == 0:
        return 1
    ways = (mine[1:], other), (mine, other[1:]), (mine[1:], other[1:])
    return 1 + min(differences(*way, most - 1) for way in ways)


def _same_letters(mine: str, other: str) -> int:
    """Return how many letters are the same from the start on."""
    same, end = 0, min(len(mine), len(other))
    while same < end:
        middle = (same + end + 1) // 2
        if mine.startswith(other[same:middle], same):
            same = middle
        else:
            end = middle - 1
    return same


@lru_cache(maxsize=8)
def _right(head: str) -> dict[str, str]:
    """Return the letters of the right name of each part."""
    return {part: letters(head) + letters(part) for part in PARTS}


@cache
def _other_words() -> dict[str, tuple[str, ...]]:
    """Return the parts that may be meant, by the letters that stand for them in names."""
    found = {}
    for part in PARTS[1:]:
        first, second = part.split("_")
        for one, other in product(_numbers(*_HALVES[first]), _numbers(*_HALVES[second])):
            found[one + other] = found[other + one] = (part,)
    return found | _spelled(_WORDS)


@cache
def _vague_words() -> dict[str, tuple[str, ...]]:
    return _spelled(_VAGUE)


def _spelled(words: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the parts that words stand for, by the letters of singular and plural."""
    return {letters(each): parts for word, parts in words.items() for each in _numbers(word)}


@cache
def _items() -> set[str]:
    """Return the words for what may have numbers."""
    words = {word for half in ("node", "edge", "graph") for word in _numbers(*_HALVES[half])}
    return {word for word in words if len(word) > 3}  # one letter may stand for anything


def _numbers(*words: str) -> set[str]:
    """Return words in singular and plural."""
    return {*words, *(f"{word}s" for word in words)}


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
    forms = letters(stem(name)), letters(name).removesuffix("txt")
    return {_COPY.sub("", form) for form in forms}
