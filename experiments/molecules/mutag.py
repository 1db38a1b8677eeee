"""MUTAG as molecules of RDKit: its published codes of atoms and bonds, and the charges it lacks."""

from __future__ import annotations

from typing import Any

from rdkit import Chem, rdBase

from grafik import Graph

# The README of the data set: 0 C, 1 N, ..., and 0 aromatic, 1 single, ...
ATOMS = ("C", "N", "O", "F", "I", "Cl", "Br")
BONDS = (
    Chem.BondType.AROMATIC,
    Chem.BondType.SINGLE,
    Chem.BondType.DOUBLE,
    Chem.BondType.TRIPLE,
)


def molecule_of(graph: Graph) -> Any | None:
    """Return the molecule of a graph of MUTAG; None if it breaks the rules of valence.

    The data has no charges. A nitrogen with four bonds gets one, and so does an oxygen beside it
    that has one bond, as in nitro groups.
    """
    made = Chem.RWMol()
    for code in graph.node_labels:
        made.AddAtom(Chem.Atom(ATOMS[code]))
    for (u, v), code in zip(graph.edges.tolist(), graph.edge_labels, strict=True):
        made.AddBond(u, v, BONDS[code])
        if BONDS[code] == Chem.BondType.AROMATIC:
            for atom in (u, v):
                made.GetAtomWithIdx(atom).SetIsAromatic(True)
    for atom in made.GetAtoms():
        valence = sum(bond.GetBondTypeAsDouble() for bond in atom.GetBonds())
        if atom.GetSymbol() == "N" and valence == 4:
            atom.SetFormalCharge(1)
            _charge_oxygen(atom)
    try:
        with rdBase.BlockLogs():
            Chem.SanitizeMol(made)
    except Chem.MolSanitizeException:
        return None
    return made.GetMol()


def _charge_oxygen(nitrogen: Any) -> None:
    """Give the charge that balances a nitrogen's to an oxygen that has one single bond, if any."""
    for bond in nitrogen.GetBonds():
        other = bond.GetOtherAtom(nitrogen)
        single = bond.GetBondType() == Chem.BondType.SINGLE
        if other.GetSymbol() == "O" and other.GetDegree() == 1 and single:
            other.SetFormalCharge(-1)
            return
