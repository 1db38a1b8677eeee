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
from .sdf_records import TITLE, parts, records
from .sdf_rings import too_long
from .text_lines import text_lines
from .within_memory import within_memory

_LETTER = 4  # bytes that the graph of a molecule takes for each letter of its record
_LEAST = 4  # lines of a molecule: three of titles, one of counts
_SHORT = 1 << 16  # records in a row that have fewer; a file with more was not written to be read


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

    Coordinates are not kept; with ``chirality=True`` they tell R from S. Properties are those that
    RDKit finds: a value ends at an empty line. A record cannot be used where that is in doubt: if
    text stands between its properties, if a property that is read has two values, or if no empty
    line separates a line like ``> <name>`` from the value above it.

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
    there = [one for one in properties if one != TITLE]
    unread = any(isinstance(row.molecule, Unreadable) for row in rows)
    for name in wanted.names:
        # If there is nothing but records at fault, what is wrong with them says more.
        if name not in properties and (there or not unread):
            raise ValueError(missing_name(file, "property", name, there))
    return graphs_and_targets(
        file, rows, wanted, chemistry, lambda block: _molecule(chem, block, chemistry)
    )


def _rows(
    file: str, lines: Iterable[str], wanted: Wanted, properties: dict[str, None]
) -> Iterator[Row]:
    """Yield the molecules, and add the names of their properties to those that are known."""
    short, names = 0, set(wanted.names)
    for record in records(file, lines):
        few = len(record.lines) < _LEAST or not any(map(str.strip, record.lines))
        short = short + 1 if few else 0
        if short > _SHORT:
            raise ValueError(
                f"{file}, {record.where}: the last {short} records are too short for a molecule; "
                "is the file damaged?"
            )
        molecule, found = parts(record.lines, record.start, names)
        properties |= dict.fromkeys(found)
        if isinstance(molecule, Unreadable):
            found = {}  # perhaps those of two molecules
        targets = [found.get(name) for name in wanted.targets]
        known = None if wanted.id is None else found.get(wanted.id)
        yield Row(record.where, molecule, targets, known)


def _size_of(row: Row) -> int:
    """Return how many bytes a molecule takes in a batch, and on the way there."""
    return EACH + (_LETTER * len(row.molecule) if isinstance(row.molecule, str) else 0)


def _molecule(chem: Any, block: str | Unreadable, chemistry: Chemistry) -> Any:
    if isinstance(block, Unreadable):
        return block
    fault = too_long(block)
    if fault:
        return Unreadable(fault)
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
