"""Molecules in SDF files whose rings and branches RDKit would look at for too long."""

from __future__ import annotations

import re

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

# With so many, RDKit takes some seconds, and four to seven times as long with twice as many.
_MOST_RINGS, _MOST_BONDS = 1000, 20_000
_SHORTEST = len("M  V30 1 1 1 2\n")  # letters of a line that describes a bond

# Only records of the third version hold that much: others count atoms and bonds with three digits.
_BEGIN = re.compile(r"^M  V30 +BEGIN +BOND.*\n", re.I | re.M)
_END = re.compile(r"^M  V30 +END +BOND", re.I | re.M)
_ENDS = re.compile(r"^M  V30 +\d+ +\d+ +(\d+) +(\d+)", re.M)
_GOES_ON = re.compile(r"- *\n")


def too_long(block: str) -> str:
    """Return why a molecule is not given to RDKit, an empty text if it is."""
    if len(block) < _SHORTEST * min(_MOST_RINGS, _MOST_BONDS):
        return ""
    rings, bonds, branched = rings_and_bonds(block)
    if rings > _MOST_RINGS:
        much = f"{rings:,} rings, and more than {_MOST_RINGS:,}"
    elif bonds > _MOST_BONDS and (rings or branched):
        much = f"{bonds:,} bonds, and with rings or branches more than {_MOST_BONDS:,}"
    else:
        return ""
    return (
        f"the molecule has {much} take RDKit too long; if it is meant, give the molecule that "
        "RDKit makes of it to Graphs.from_smiles"
    )


def rings_and_bonds(block: str) -> tuple[int, int, bool]:
    r"""Return the numbers of rings and of bonds, and whether an atom has more than two bonds.

    Examples
    --------
    >>> from grafik.datasets.sdf_rings import rings_and_bonds
    >>> bonds = [f"M  V30 {i} 1 {i} {i % 3 + 1}" for i in (1, 2, 3)]
    >>> rings_and_bonds("\n".join(["M  V30 BEGIN BOND", *bonds, "M  V30 END BOND"]))
    (1, 3, False)
    """
    begin = _BEGIN.search(block)
    end = _END.search(block, begin.end()) if begin else None
    if begin is None or end is None:
        return 0, 0, False
    lines = block[begin.end() : end.start()]
    ends = np.array([(int(u[:9]), int(v[:9])) for u, v in _ENDS.findall(lines)], np.int64)
    names, atoms = np.unique(ends, return_inverse=True)
    atoms = atoms.reshape(-1, 2)
    n = len(names)
    graph = coo_array((np.ones(len(atoms)), (atoms[:, 0], atoms[:, 1])), (n, n))
    joined = n - connected_components(graph, directed=False)[0] if n else 0
    # A bond that this does not understand may close a ring.
    bonds = lines.count("\n") - len(_GOES_ON.findall(lines))
    return bonds - joined, bonds, bool(n and np.bincount(atoms.ravel()).max() > 2)
