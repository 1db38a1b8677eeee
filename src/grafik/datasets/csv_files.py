"""Molecules in tables: CSV and TSV files with a column of SMILES."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ..graphs.batch import Graphs
from ..graphs.convert.atoms import Atoms, Chemistry
from ..graphs.convert.smiles import Unreadable
from ..system.words import counted
from .molecule_rows import EACH, Errors, Row, Wanted, graphs_and_targets, missing_name
from .text_lines import text_lines
from .within_memory import within_memory

_DELIMITERS = (",", ";", "\t", "|")
# Bytes that a graph takes for each letter of its SMILES, without and with hydrogens.
_LETTER, _LETTER_H = 200, 350


def read_csv(
    path: str | os.PathLike[str],
    *,
    smiles: str = "smiles",
    target: str | Sequence[str] | None = None,
    id: str | None = None,
    errors: Errors = "raise",
    atoms: Atoms = "element",
    bonds: bool = True,
    hydrogens: bool = False,
    chirality: bool = False,
    max_bytes: int = 4 * 2**30,
) -> tuple[Graphs, NDArray[Any] | None]:
    r"""Read molecules and what is to be predicted from a table (needs RDKit).

    The first line names the columns, which are separated by commas, semicolons, tabs or bars. The
    file may be compressed by gzip.

    Parameters
    ----------
    path : path
        Such as ``"mols.csv"``, ``"mols.tsv"`` or ``"mols.csv.gz"``.
    smiles : str
        The column of SMILES strings.
    target : str, list of str, or None
        The column that becomes `y`, or several columns of numbers.
    id : str, optional
        The column of ids, which are kept as text in ``graphs.ids``.
    errors : {"raise", "skip"}
        Whether a row without a molecule that can be read, or without a target, is an error, or is
        left out of graphs, targets and ids, with a warning that names its line. With `id`, the
        graphs say which rows they come from.
    atoms, bonds, hydrogens, chirality
        See :meth:`grafik.Graphs.from_smiles`.
    max_bytes : int
        A file that is longer, or would unpack to more, is refused.

    Returns
    -------
    graphs : Graphs
    y : ndarray of shape (n_graphs,) or (n_graphs, n_targets), or None
        A target is numeric if more than half of its values are numbers; then those that are not
        are errors. If fewer are, it is text, with a warning, which numbers with commas get as
        well. Numbers are integers if all are whole and fit in 64 bits. Several targets must be
        numbers, and are floats. Values such as ``NA``, ``#N/A`` or ``null`` count as missing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from grafik import datasets
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mols.csv"
    >>> _ = path.write_text("name,smiles,y\nethanol,CCO,-0.31\nbenzene,c1ccccc1,2.13\n")
    >>> graphs, y = datasets.read_csv(path, target="y", id="name")
    >>> graphs, y
    (Graphs(2 graphs, 9 vertices, 8 edges, 2 node labels, 2 edge labels, 1 edge attribute),
     array([-0.31,  2.13]))
    >>> graphs[1].id
    'benzene'
    """
    chemistry = Chemistry(atoms, bonds, hydrogens, chirality).checked()
    wanted = Wanted(target, id, errors).checked()
    file = Path(path).name
    read = _rows(file, text_lines(path, max_bytes), smiles, wanted)
    letter = _LETTER_H if chemistry.hydrogens else _LETTER
    rows = within_memory(read, lambda row: _size_of(row, letter), "molecules", path)
    if not rows:
        raise ValueError(f"{file} has no molecules: there is nothing below the names of columns")
    return graphs_and_targets(file, rows, wanted, chemistry)


def _rows(file: str, lines: Iterator[str], smiles: str, wanted: Wanted) -> Iterator[Row]:
    """Yield the molecules of a table."""
    above = 0
    first = ""
    while not first.strip():
        first = next(lines, "")
        above += 1
        if not first:
            raise ValueError(f"{file} is empty; its first line must name its columns")
    names, delimiter = _header(file, first, smiles)
    remedy = "; name the column that holds SMILES: smiles='COLUMN', or --smiles COLUMN"
    places = [_place(file, names, smiles, remedy)]
    places += [_place(file, names, name) for name in wanted.targets]
    place_of_id = None if wanted.id is None else _place(file, names, wanted.id)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    while True:
        where = f"line {above + reader.line_num + 1}"
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(f"{file}, {where}: not a row of a table: {error}") from error
        if not "".join(fields).strip():
            continue
        if len(fields) != len(names):
            has = f"the row has {counted(len(fields), 'field')}, the first line names {len(names)}"
            yield Row(where, Unreadable(has), [None for _ in wanted.targets], None)
            continue
        found = [fields[place].strip() for place in places]
        known = None if place_of_id is None else fields[place_of_id].strip()
        yield Row(where, found[0], list(found[1:]), known)


def _size_of(row: Row, letter: int) -> int:
    """Return how many bytes a row takes in a batch, and on the way there."""
    return EACH + (letter * len(row.molecule) if isinstance(row.molecule, str) else 0)


def _header(file: str, line: str, smiles: str) -> tuple[list[str], str]:
    """Return the names of the columns, and what separates them."""
    best: list[str] = []
    chosen = _DELIMITERS[0]
    for delimiter in _DELIMITERS:
        try:
            reader = csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True)
            names = [name.strip() for name in next(reader)]
        except csv.Error:
            continue
        if (smiles in names, len(names)) > (smiles in best, len(best)):
            best, chosen = names, delimiter
    if not best:
        raise ValueError(f"{file}, line 1: expected names of columns, got {line[:60]!r}")
    return best, chosen


def _place(file: str, names: list[str], name: str, remedy: str = "") -> int:
    """Return the number of a column."""
    if name not in names:
        raise ValueError(f"{missing_name(file, 'column', name, names)}{remedy}")
    if names.count(name) > 1:
        raise ValueError(f"{file} has {names.count(name)} columns {name!r}; give them other names")
    return names.index(name)
