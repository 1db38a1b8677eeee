"""What chemists ask of molecules before they are compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..system.optional import require
from .convert.atoms import Chemistry
from .convert.columns import listed
from .convert.smiles import Unreadable, is_missing, is_molecule, read_molecules

__all__ = ["scaffolds"]


def scaffolds(smiles: str | Iterable[Any]) -> NDArray[np.str_]:
    """Return the scaffold of each molecule: its rings and what joins them (needs RDKit).

    Molecules with the same Bemis-Murcko scaffold [1]_ are relatives, and a model that has seen one
    of them has an easy time with the others. As groups of ``GroupKFold``, or of
    :func:`grafik.evaluation.evaluate`, they are kept together.

    Parameters
    ----------
    smiles : str, or iterable of str or rdkit.Chem.Mol

    Returns
    -------
    ndarray of str
        SMILES strings, without chirality. Molecules without rings have the scaffold ``""``, so
        they are one group.

    References
    ----------
    .. [1] G. W. Bemis and M. A. Murcko, "The Properties of Known Drugs. 1. Molecular Frameworks",
       Journal of Medicinal Chemistry 39 (1996)

    Examples
    --------
    >>> from grafik import molecules
    >>> molecules.scaffolds(["CC(=O)Oc1ccccc1C(=O)O", "Cc1ccccc1", "CCO"])
    array(['c1ccccc1', 'c1ccccc1', ''], dtype='<U8')
    """
    items = listed(smiles, lambda item: is_molecule(item) or is_missing(item), "a SMILES string")
    chem = require("rdkit.Chem", "scaffolds", "grafik[molecules]")
    murcko = require("rdkit.Chem.Scaffolds.MurckoScaffold", "scaffolds", "grafik[molecules]")
    found = []
    for position, molecule in enumerate(read_molecules(items, Chemistry())):
        if isinstance(molecule, Unreadable):
            raise ValueError(f"graph {position}: {molecule.reason}; correct it or leave it out")
        scaffold = murcko.GetScaffoldForMol(molecule)
        found.append(chem.MolToSmiles(scaffold, isomericSmiles=False))
    return np.array(found, dtype=np.str_)
