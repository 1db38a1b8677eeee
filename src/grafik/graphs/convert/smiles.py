"""Molecules written as SMILES."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.offsets import offsets
from ...system.optional import require
from .columns import listed

if TYPE_CHECKING:
    from ..batch import Graphs


def is_molecule(item: Any) -> bool:
    """Return whether an item is a string or an RDKit molecule, without importing RDKit."""
    chem = sys.modules.get("rdkit.Chem")
    return isinstance(item, str) or (chem is not None and isinstance(item, chem.Mol))


def from_smiles(
    cls: type[Graphs], smiles: str | Iterable[Any], *, hydrogens: bool = False
) -> Graphs:
    """Build a batch from molecules (needs RDKit: ``pip install grafik[molecules]``).

    Vertices are labelled by atomic number and edges by bond type; the order of the bond (1.5 where
    it is aromatic) is the edge attribute.

    Parameters
    ----------
    smiles : str, or iterable of str or rdkit.Chem.Mol
    hydrogens : bool
        Whether hydrogen atoms become vertices too.

    Returns
    -------
    Graphs

    Examples
    --------
    >>> from grafik import Graphs
    >>> graphs = Graphs.from_smiles(["CCO", "c1ccccc1"])
    >>> graphs[0].node_labels, graphs[0].edge_labels
    ([6, 6, 8], ['SINGLE', 'SINGLE'])
    """
    chem = require("rdkit.Chem", "from_smiles", "grafik[molecules]")
    base = require("rdkit.rdBase", "from_smiles", "grafik[molecules]")
    items = listed(smiles, is_molecule, "a SMILES string")
    molecules: list[Any] = []
    with base.BlockLogs():
        for position, item in enumerate(items):
            molecule = chem.MolFromSmiles(item) if isinstance(item, str) else item
            if molecule is None:
                raise ValueError(f"graph {position}: RDKit cannot parse the SMILES {item!r}")
            molecules.append(chem.AddHs(molecule) if hydrogens else molecule)
    bonds = [bond for molecule in molecules for bond in molecule.GetBonds()]
    ends = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds]
    return cls(
        offsets([molecule.GetNumAtoms() for molecule in molecules]),
        offsets([molecule.GetNumBonds() for molecule in molecules]),
        np.array(ends, np.int64).reshape(-1, 2),
        node_labels=[atom.GetAtomicNum() for mol in molecules for atom in mol.GetAtoms()],
        edge_labels=[str(bond.GetBondType()) for bond in bonds],
        edge_attributes=[bond.GetBondTypeAsDouble() for bond in bonds],
    )
