"""Molecules in SDF files, with their properties."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ..graphs.batch import Graphs
from ..graphs.convert.atoms import Atoms, Chemistry
from ..graphs.convert.smiles import Unreadable
from ..system.optional import require
from .molecule_rows import EACH, Errors, Row, Wanted, graphs_and_targets, missing_name
from .text_lines import text_lines
from .within_memory import within_memory

_END_OF_RECORD, _END_OF_MOLECULE = "$$$$", "M  END"
_LETTER = 4  # bytes that the graph of a molecule takes for each letter of its record
_BLANK = 5  # lines that are kept at the start of a record: with so many, it is none any more
_LEAST = 4  # lines of a molecule: three of titles, one of counts
_SHORT = 1 << 16  # records in a row that have fewer; a file with more was not written to be read
_TITLE = "_Name"  # what RDKit calls the first line of a record


def read_sdf(
    path: str | os.PathLike[str],
    *,
    target: str | Sequence[str] | None = None,
    id: str | None = None,
    errors: Errors = "raise",
    atoms: Atoms = "element",
    bonds: bool = True,
    hydrogens: bool = False,
    chirality: bool = False,
    max_bytes: int = 4 * 2**30,
) -> tuple[Graphs, NDArray[Any] | None]:
    r"""Read molecules and what is to be predicted from an SDF file (needs RDKit).

    Coordinates are not kept; with ``chirality=True`` they tell R from S.

    Parameters
    ----------
    path : path
        Such as ``"mols.sdf"`` or ``"mols.sdf.gz"``.
    target : str, list of str, or None
        The property that becomes `y`, or several properties that are numbers.
    id : str, optional
        The property that becomes ``graphs.ids``, as text; ``"_Name"`` is the first line of a
        record.
    errors : {"raise", "skip"}
        Whether a record without a molecule that can be read, or without a target, is an error, or
        is left out of graphs, targets and ids, with a warning that names it.
    atoms, bonds, hydrogens, chirality
        See :meth:`grafik.Graphs.from_smiles`.
    max_bytes : int
        A file that is longer, or would unpack to more, is refused.

    Returns
    -------
    graphs : Graphs
    y : ndarray of shape (n_graphs,) or (n_graphs, n_targets), or None
        As :func:`grafik.datasets.read_csv` returns it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rdkit import Chem
    >>> from grafik import datasets
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mols.sdf"
    >>> record = Chem.MolToMolBlock(Chem.MolFromSmiles("CCO")) + "> <logP>\n-0.31\n\n$$$$\n"
    >>> _ = path.write_text(record)
    >>> graphs, y = datasets.read_sdf(path, target="logP")
    >>> graphs[0].node_labels, y
    (['C', 'C', 'O'], array([-0.31]))
    """
    chemistry = Chemistry(atoms, bonds, hydrogens, chirality).checked()
    wanted = Wanted(target, id, errors).checked()
    file = Path(path).name
    chem = require("rdkit.Chem", "reading SDF files", "grafik[molecules]")
    properties: dict[str, None] = {}
    read = _rows(file, text_lines(path, max_bytes), wanted, properties)
    rows = within_memory(read, _size_of, "molecules", path)
    if not rows:
        raise ValueError(f"{file} has no molecules")
    for name in [*wanted.targets, *([wanted.id] if wanted.id else [])]:
        if name not in properties:
            there = [one for one in properties if one != _TITLE]
            raise ValueError(missing_name(file, "property", name, there))
    return graphs_and_targets(
        file, rows, wanted, chemistry, lambda block: _molecule(chem, block, chemistry)
    )


def _rows(
    file: str, lines: Iterable[str], wanted: Wanted, properties: dict[str, None]
) -> Iterator[Row]:
    """Yield the molecules, and add the names of their properties to those that are known."""
    short = 0
    for where, record in _records(lines):
        short = short + 1 if len(record) < _LEAST or not any(map(str.strip, record)) else 0
        if short > _SHORT:
            raise ValueError(
                f"{file}, {where}: the last {short} records are too short for a molecule; is the "
                "file damaged?"
            )
        molecule, found = _parts(record)
        properties |= dict.fromkeys(found)
        targets = [found.get(name) for name in wanted.targets]
        yield Row(where, molecule, targets, None if wanted.id is None else found.get(wanted.id))


def _size_of(row: Row) -> int:
    """Return how many bytes a molecule takes in a batch, and on the way there."""
    return EACH + _LETTER * len(row.molecule)


def _records(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the lines of each molecule."""
    number, start, found = 1, 1, list[str]()
    for position, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        if text.rstrip() != _END_OF_RECORD:
            if text or len(found) != _BLANK or any(found):
                found.append(text)
            continue
        yield f"molecule {number}, line {start}", found
        number, start, found = number + 1, position + 1, []
    if any(line.strip() for line in found):
        yield f"molecule {number}, line {start}", found


def _parts(lines: list[str]) -> tuple[str, dict[str, str]]:
    """Return the part of a record that describes the molecule, and its properties."""
    ends = (i for i, line in enumerate(lines) if line.rstrip() == _END_OF_MOLECULE)
    end = next(ends, len(lines) - 1) + 1
    found = {_TITLE: lines[0].strip() if lines else ""}
    name = None
    for line in lines[end:]:
        if line.startswith(">") and "<" in line:
            name = line[line.index("<") + 1 : line.rindex(">")]
            found[name] = ""
        elif not line.strip():
            name = None
        elif name is not None:
            found[name] = f"{found[name]}\n{line}".strip()
    return "\n".join([*lines[:end], ""]), found


def _molecule(chem: Any, block: str, chemistry: Chemistry) -> Any:
    if not block.strip():  # which RDKit takes long to find
        return Unreadable("the record is empty")
    try:
        return _parsed(chem, block, chemistry)
    except RuntimeError:  # a condition of RDKit's own that odd molecules break
        return Unreadable("RDKit cannot parse the molecule")


def _parsed(chem: Any, block: str, chemistry: Chemistry) -> Any:
    molecule = chem.MolFromMolBlock(block, removeHs=not chemistry.hydrogens)
    if molecule is not None and molecule.GetNumAtoms():
        return molecule
    raw = chem.MolFromMolBlock(block, sanitize=False, removeHs=False)
    if raw is None:
        return Unreadable("RDKit cannot parse the molecule")
    problems = chem.DetectChemistryProblems(raw)
    reason = problems[0].Message().rstrip(".") if problems else "it has no atoms"
    return Unreadable(f"RDKit cannot use the molecule: {reason}")
