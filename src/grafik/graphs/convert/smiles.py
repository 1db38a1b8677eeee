"""Molecules written as SMILES, or read by RDKit."""

from __future__ import annotations

import re
import sys
import warnings
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ...arrays.checks import checked_choice
from ...arrays.offsets import offsets
from ...system.optional import require
from ..validation import Name, namer
from .atoms import Atoms, Chemistry, atom_labels, bond_labels, bonds_of
from .columns import in_short, listed

if TYPE_CHECKING:
    from ..batch import Graphs

Errors: TypeAlias = Literal["raise", "empty"]

_REMEDY = (
    "correct it or leave it out, or make it a graph without vertices: "
    "Graphs.from_smiles(smiles, errors='empty')"
)
_NAMED = 10  # this many molecules that cannot be read are named in a warning
# With rings or branches, RDKit takes some seconds for this many letters, and four to five times as
# long for twice as many.
_LONGEST = 20_000
# Steps after which RDKit gives up to find R and S; that many take some seconds.
_MAX_CIP = 200_000


# What follows a blank is no part of a molecule, except what ChemAxon's form of SMILES says of it.
_WHOLE = re.compile(r"\S+( \|[^|]*\|)?")
# SMILES have no such characters: RDKit passes over them at both ends, and may lose what is behind
# them in ChemAxon's form.
_FOREIGN = re.compile(r"[^!-~ ]")


class Unreadable(NamedTuple):
    """Stands for a molecule that cannot be read."""

    reason: str


def is_molecule(item: Any) -> bool:
    """Return whether an item is a string or an RDKit molecule, without importing RDKit."""
    return isinstance(item, str) or _is_mol(item)


def from_smiles(
    cls: type[Graphs],
    smiles: str | Iterable[Any],
    *,
    atoms: Atoms = "element",
    bonds: bool = True,
    hydrogens: bool = False,
    chirality: bool = False,
    errors: Errors = "raise",
    ids: Sequence[Any] | None = None,
) -> Graphs:
    """Build a batch from molecules (needs RDKit: ``pip install grafik[molecules]``).

    Atoms are vertices, in the order of the SMILES string, and bonds are edges.

    Parameters
    ----------
    smiles : str, or iterable of str or rdkit.Chem.Mol
        Such as a list, or a column of a data frame.
    atoms : {"element", "typed"} or callable
        The labels of vertices. ``"element"`` is the symbol: ``C``, ``Cl``. ``"typed"`` adds
        hydrogen count, charge, aromaticity (a small letter) and whether an atom is in a ring that
        is not aromatic: ``CH3``, ``O-``, ``cH``, ``ring-NH2+``. A function gets each
        ``rdkit.Chem.Atom`` and returns its label.
    bonds : bool
        Whether edges are labelled by bond type, such as ``"single"`` or ``"aromatic"``, with the
        order of the bond (1.5 where it is aromatic) as edge attribute ``"order"``.
    hydrogens : bool
        Whether hydrogen atoms become vertices too. Otherwise those of RDKit molecules are left out
        as well.
    chirality : bool
        Whether labels tell R from S, and E from Z: ``R-C``, ``E-double``.
    errors : {"raise", "empty"}
        Whether a molecule that is missing (None, NaN, an empty string) or cannot be parsed is an
        error, or becomes a graph without vertices, with a warning that names it.
    ids : sequence, optional
        One id for each molecule, see :class:`grafik.Graphs`.

    Returns
    -------
    Graphs

    Examples
    --------
    >>> from grafik import Graphs
    >>> graphs = Graphs.from_smiles(["CC(=O)O", "c1ccccc1"])
    >>> graphs[0].node_labels, graphs[0].edge_labels
    (['C', 'C', 'O', 'O'], ['single', 'double', 'single'])
    >>> Graphs.from_smiles("CC(=O)[O-]", atoms="typed")[0].node_labels
    ['CH3', 'C', 'O', 'O-']
    >>> Graphs.from_smiles("C[C@H](N)C(=O)O", chirality=True)[0].node_labels
    ['C', 'S-C', 'N', 'C', 'O', 'O']
    """
    chemistry = Chemistry(atoms, bonds, hydrogens, chirality).checked()
    checked_choice("errors", errors, ("raise", "empty"))
    if hasattr(smiles, "iloc") and getattr(smiles, "ndim", 1) == 2:
        columns = [str(name) for name in getattr(smiles, "columns", [])]
        raise TypeError(
            "expected one column of SMILES, got a table; choose its column of SMILES, such as "
            f"frame[{(columns or ['smiles'])[0]!r}]"
        )
    items = listed(smiles, lambda item: is_molecule(item) or is_missing(item), "a SMILES string")
    batch = MoleculeColumns(chemistry)
    bad = []
    for i, found in enumerate(read_molecules(items, chemistry)):
        if isinstance(found, Unreadable):
            bad.append((i, found.reason))
        if errors == "empty" or not bad:
            batch.add(found)
    if bad and errors == "raise":
        position, reason = bad[0]
        more = "" if len(bad) == 1 else f" ({len(bad)} of {len(items)} cannot be read)"
        raise ValueError(f"graph {position}: {reason}; {_REMEDY}{more}")
    if bad:
        named = ", ".join(f"graph {position} ({reason})" for position, reason in bad[:_NAMED])
        more = f" and {len(bad) - _NAMED} more" if len(bad) > _NAMED else ""
        warnings.warn(
            f"{len(bad)} of {len(items)} molecules cannot be read and are graphs without vertices: "
            f"{named}{more}",
            stacklevel=2,
        )
    return batch.graphs(cls, ids)


def is_missing(item: Any) -> bool:
    """Return whether an item stands for no value: None, NaN, or NA and NaT of pandas."""
    if item is None or type(item).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(item, (float, np.floating)) and bool(item != item)


def read_molecules(items: Iterable[Any], chemistry: Chemistry) -> Iterator[Any]:
    """Yield a molecule of RDKit for each SMILES string or molecule, or what is wrong with it.

    What is known to be unreadable stays so. Molecules of RDKit are large, so keep few at a time.
    """
    chem = require("rdkit.Chem", "reading molecules", "grafik[molecules]")
    base = require("rdkit.rdBase", "reading molecules", "grafik[molecules]")
    waiting = iter(items)
    while True:
        with base.BlockLogs():  # not while others work with what was read
            try:
                found = _read(chem, next(waiting), chemistry)
            except StopIteration:
                return
        yield found


def _read(chem: Any, item: Any, chemistry: Chemistry) -> Any:
    if isinstance(item, Unreadable):
        return item
    if isinstance(item, str):
        text = item.strip()
        reason = _at_fault(text)
        if reason:
            return Unreadable(reason)
        molecule = chem.MolFromSmiles(text)
        if molecule is None:
            return Unreadable(_complaint(chem, text))
    elif is_missing(item):
        return Unreadable(f"there is no SMILES string, only {item!r}")
    else:
        molecule = chem.Mol(item) if chemistry.hydrogens else chem.RemoveHs(item, sanitize=False)
        molecule.UpdatePropertyCache(strict=False)
        # The fast way takes room on the stack for each atom of a chain; without room, Python ends.
        short = molecule.GetNumAtoms() <= _LONGEST
        (chem.FastFindRings if short else chem.GetSSSR)(molecule)
    molecule = chem.AddHs(molecule) if chemistry.hydrogens else molecule
    if chemistry.chirality:
        labeler = require("rdkit.Chem.rdCIPLabeler", "chirality=True", "grafik[molecules]")
        try:
            labeler.AssignCIPLabels(molecule, maxRecursiveIterations=_MAX_CIP)
        except RuntimeError:
            return Unreadable("RDKit cannot tell its R from S: the molecule is too symmetrical")
    return molecule


def _at_fault(text: str) -> str:
    """Return why a SMILES string is not given to RDKit, which would read another or take long."""
    if not text:
        return "the SMILES string is empty"
    shown = in_short(text).removesuffix(" of type str")
    if not _WHOLE.fullmatch(text):
        return (
            f"the SMILES {shown} holds a blank, behind which RDKit would not look; leave out what "
            "does not belong to it"
        )
    foreign = _FOREIGN.search(text)
    if foreign:
        return f"the SMILES {shown} holds {foreign[0]!a}, which SMILES do not have"
    if len(text) > _LONGEST:
        return (
            f"the SMILES string has {len(text):,} characters, and those beyond {_LONGEST:,} "
            "take RDKit too long; if it is meant, give the molecule that RDKit makes of it"
        )
    return ""


def _complaint(chem: Any, text: str) -> str:
    """Return what is wrong with a SMILES string that RDKit refuses."""
    shown = in_short(text).removesuffix(" of type str")
    raw = chem.MolFromSmiles(text, sanitize=False)
    problems: Sequence[Any] = []
    with suppress(RuntimeError):  # a condition of RDKit's own that odd molecules break
        problems = [] if raw is None else chem.DetectChemistryProblems(raw)
    if problems:
        return f"RDKit cannot parse the SMILES {shown}: {problems[0].Message().rstrip('.')}"
    if text.lower().removesuffix(".gz").endswith((".csv", ".tsv", ".sdf", ".smi")):
        return f"{shown} is a file, not a SMILES string: read it with grafik.datasets"
    return f"RDKit cannot parse the SMILES {shown}"


class MoleculeColumns:
    """Takes what :func:`read_molecules` yields, one after the other, and makes a batch of it.

    Unreadable molecules become graphs without vertices.

    Parameters
    ----------
    chemistry : Chemistry
    name : callable
        Names the molecule at a position, for error messages.
    """

    def __init__(self, chemistry: Chemistry, name: Name = "graph {}".format) -> None:
        self._chemistry, self._name = chemistry, name
        self._atoms: list[Any] = []
        self._bonds: list[Any] = []
        self._orders, self._ends = array("d"), array("q")
        self._n_atoms, self._n_bonds = array("q"), array("q")

    def __len__(self) -> int:
        """Return how many were taken."""
        return len(self._n_atoms)

    def add(self, molecule: Any) -> None:
        """Take one."""
        read = not isinstance(molecule, Unreadable)
        self._n_atoms.append(molecule.GetNumAtoms() if read else 0)
        self._n_bonds.append(molecule.GetNumBonds() if read else 0)
        if not read:
            return
        name = self._name(len(self) - 1)
        self._atoms += map(_shared, atom_labels(molecule, self._chemistry, name))
        for bond in bonds_of(molecule):
            self._ends.extend((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()))
            self._orders.append(bond.GetBondTypeAsDouble())
        if self._chemistry.bonds:
            self._bonds += map(_shared, bond_labels(molecule, self._chemistry.chirality))

    def graphs(self, cls: type[Graphs], ids: Any = None) -> Graphs:
        """Return the graphs of all that were taken."""
        bonds, node_ptr = self._chemistry.bonds, offsets(self._n_atoms)
        return cls(
            node_ptr,
            offsets(self._n_bonds),
            np.array(self._ends, np.int64).reshape(-1, 2),
            node_labels=self._atoms,
            edge_labels=self._bonds if bonds else None,
            edge_attributes=np.array(self._orders, np.float64) if bonds else None,
            edge_attribute_names=["order"] if bonds else None,
            ids=ids,
            reading=self._chemistry.reading,
            _node_name=namer(node_ptr, "vertex", self._name),
        )


def _shared(label: Any) -> Any:
    """Return a text that takes memory only once, however many atoms it names."""
    return sys.intern(label) if type(label) is str else label


def _is_mol(item: Any) -> bool:
    chem = sys.modules.get("rdkit.Chem")
    return chem is not None and isinstance(item, chem.Mol)
