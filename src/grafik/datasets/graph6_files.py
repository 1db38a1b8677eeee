"""Graphs in graph6 files, one per line, and pairs of them that are hard to tell apart."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graphs.batch import Graphs
from ..system.memory import refuse_what_does_not_fit
from .pair_numbers import numbered_pairs
from .text_lines import text_lines
from .within_memory import within_memory

_HEADER = ">>graph6<<"
_LOWEST, _HIGHEST = 63, 126  # the letters "?" to "~" stand for 0 to 63
_OTHERS = {":": "sparse6", ";": "sparse6", "&": "digraph6", ">>sparse6<<": "sparse6"}
_LONGEST = 1 << 26  # letters in a line: a graph of 28,000 vertices
_NOT_ASCII = "graph6 is ASCII, so the file is damaged; fetch it anew"
_NOT_ASCII_PAIR = f"save the file as UTF-8, unless the byte is in a graph: {_NOT_ASCII}"
_BLOCK = 1 << 20  # letters that are unpacked at a time
_EACH = 300  # bytes that a graph takes besides its edges, until all are in one batch
_EDGE = 64  # bytes that an edge takes while its graph is read


class _Decoded(NamedTuple):
    """A graph: its number of vertices, and its edges."""

    n_nodes: int
    edges: NDArray[np.int64]


def read_graph6(path: str | os.PathLike[str], *, max_bytes: int = 4 * 2**30) -> Graphs:
    r"""Read graphs from a graph6 file, which has one graph in each line.

    nauty, networkx, SageMath and the House of Graphs write such files. The header
    ``>>graph6<<`` may be there or not.

    Parameters
    ----------
    path : path
        Such as ``"graphs.g6"`` or ``"graphs.g6.gz"``.
    max_bytes : int
        A file that is longer, or would unpack to more, is refused.

    Returns
    -------
    Graphs
        Undirected, without labels. The format has no classes.

    Examples
    --------
    A triangle, and a path of four vertices:

    >>> import pathlib, tempfile
    >>> from grafik import datasets
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.g6"
    >>> _ = path.write_text("Bw\nCh\n")
    >>> graphs = datasets.read_graph6(path)
    >>> graphs[1].edges.tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    file = Path(path).name
    found = within_memory(_read(path, max_bytes), _size_of, "graphs", path)
    if not found:
        raise ValueError(f"{file} has no graphs")
    return _batch(found)


def _read(path: str | os.PathLike[str], max_bytes: int) -> Iterator[_Decoded]:
    """Yield the graphs of a graph6 file."""
    file = Path(path).name
    blank = 0
    for number, line in enumerate(text_lines(path, max_bytes, _LONGEST, _NOT_ASCII), 1):
        text = line.rstrip("\r\n").removeprefix(_HEADER)
        if not text:
            blank = blank or (0 if line.startswith(_HEADER) else number)
            continue
        if blank:
            raise ValueError(f"{file}, line {blank}: must hold a graph in graph6 format, is empty")
        yield _decoded(text, f"{file}, line {number}")


def brec(
    path: str | os.PathLike[str], *, max_bytes: int = 4 * 2**30
) -> tuple[Graphs, NDArray[np.str_]]:
    r"""Read pairs of graphs from a table: a category and two graphs in graph6 format per line.

    This is how the benchmark BREC [1]_ of pairs that plain Weisfeiler-Lehman cannot tell apart is
    kept. Columns are separated by tabs, and there is no line of titles.

    Parameters
    ----------
    path : path
        Such as ``"pairs.tsv"``.
    max_bytes : int
        A file that is longer, or would unpack to more, is refused.

    Returns
    -------
    graphs : Graphs
        The two graphs of each pair side by side: those of pair `i` are ``graphs[2 * i]`` and
        ``graphs[2 * i + 1]``.
    categories : ndarray of str, shape (n_pairs,)
        The category of each pair.

    References
    ----------
    .. [1] Wang, Zhang: An empirical study of realized GNN expressiveness, ICML 2024.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from grafik import datasets
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs.tsv"
    >>> _ = path.write_text("regular\tE{Sw\tEFz_\nbasic\tCh\tC~\n")
    >>> graphs, categories = datasets.brec(path)
    >>> graphs.n_edges.tolist(), categories.tolist()
    ([9, 9, 3, 6], ['regular', 'basic'])
    """
    file = Path(path).name
    categories: list[str] = []
    read = _read_pairs(path, max_bytes, categories)
    found = within_memory(read, _size_of, "graphs", path)
    if not found:
        raise ValueError(f"{file} has no pairs of graphs")
    return _batch(found), np.array(categories)


def _read_pairs(
    path: str | os.PathLike[str], max_bytes: int, categories: list[str]
) -> Iterator[_Decoded]:
    """Yield the graphs of a table of pairs, and add the category of each pair to a list."""
    file = Path(path).name
    for number, line in enumerate(text_lines(path, max_bytes, _LONGEST, _NOT_ASCII_PAIR), 1):
        where, parts = f"{file}, line {number}", line.rstrip("\r\n").split("\t")
        if len(parts) != 3 or not all(parts):
            raise ValueError(
                f"{where}: must hold a category and two graphs in graph6 format, separated by "
                f"tabs, got {_short(line)}"
            )
        categories.append(parts[0])
        yield from (_decoded(text, where) for text in parts[1:])


def _size_of(graph: _Decoded) -> int:
    """Return how many bytes a graph takes in a batch, and on the way there."""
    return _EACH + 2 * graph.edges.nbytes


def _batch(found: list[_Decoded]) -> Graphs:
    return Graphs.from_edge_lists([one.edges for one in found], [one.n_nodes for one in found])


def _decoded(text: str, where: str) -> _Decoded:
    """Return the graph of a text, or say what is wrong with it."""
    for mark, name in _OTHERS.items():
        if text.startswith(mark):
            raise ValueError(
                f"{where}: {_short(text)} is in {name} format, not in graph6; convert it, for "
                "example by networkx"
            )
    letters = np.frombuffer(text.encode(), np.uint8)  # up to the first bad one, a byte each
    bad = (letters < _LOWEST) | (letters > _HIGHEST)
    if bad.any():
        place = int(np.argmax(bad))
        raise ValueError(
            f"{where}: graph6 has the letters '?' to '~' only, but letter {place + 1} is "
            f"{text[place]!r}"
        )
    n, start = _size(letters - np.uint8(_LOWEST), text, where)
    n_pairs = n * (n - 1) // 2
    wanted, rest = -(-n_pairs // 6), letters[start:]
    if len(rest) != wanted:
        raise ValueError(
            f"{where}: a graph of {n} vertices takes {start + wanted} letters, got {len(letters)} "
            f"in {_short(text)}"
        )
    numbers, n_edges = [], 0
    for first in range(0, wanted, _BLOCK):
        part = rest[first : first + _BLOCK] - np.uint8(_LOWEST)
        bits = np.unpackbits(part[:, None], axis=1)[:, 2:].ravel()
        numbers.append(6 * first + np.flatnonzero(bits))
        n_edges += len(numbers[-1])
        what = f"reading the graph of {where}, which has {n} vertices,"
        refuse_what_does_not_fit(_EDGE * n_edges, what, "leave it out")
    chosen = np.concatenate(numbers) if numbers else np.zeros(0, np.int64)
    if len(chosen) and chosen[-1] >= n_pairs:
        raise ValueError(
            f"{where}: the bits behind the last pair of vertices must be 0, but the last letter of "
            f"{_short(text)} is {text[-1]!r}; the line may be damaged"
        )
    return _Decoded(n, numbered_pairs(chosen))


def _size(values: NDArray[np.uint8], text: str, where: str) -> tuple[int, int]:
    """Return the number of vertices, and where the edges begin."""
    marks = 0 if values[0] < 63 else 1 if len(values) < 2 or values[1] < 63 else 2
    start = (1, 4, 8)[marks]
    if len(values) < start:
        raise ValueError(
            f"{where}: the number of vertices takes {start} letters, but {_short(text)} ends within"
        )
    n = 0
    for value in values[marks:start].tolist():
        n = 64 * n + value
    return n, start


def _short(text: str) -> str:
    text = text.rstrip("\r\n")
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
