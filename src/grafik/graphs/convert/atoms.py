"""How the atoms and bonds of a molecule are called: the labels of its graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias

from ...arrays.checks import checked_bool
from ..labels import Label

Atoms: TypeAlias = Literal["element", "typed"] | Callable[[Any], Label]

_FEW = 1000  # bonds of which RDKit finds each quickly: it goes through all that come before
_CIP = "_CIPCode"  # where RDKit keeps R and S of atoms, E and Z of bonds


class Chemistry(NamedTuple):
    """What the graph of a molecule tells: the options of ``Graphs.from_smiles``."""

    atoms: Atoms = "element"
    bonds: bool = True
    hydrogens: bool = False
    chirality: bool = False

    def checked(self) -> Chemistry:
        """Return the same options, or refuse them."""
        if not callable(self.atoms) and self.atoms not in _NAMED:
            raise ValueError(
                "atoms must be 'element', 'typed', or a function that takes an atom of RDKit and "
                f"returns a label, got {self.atoms!r}"
            )
        flags = (checked_bool(name, getattr(self, name)) for name in self._fields[1:])
        return Chemistry(self.atoms, *flags)

    @property
    def reading(self) -> str:
        """How molecules are read: the atoms, and all else that is not the default.

        Examples
        --------
        >>> from grafik.graphs.convert.atoms import Chemistry
        >>> Chemistry().reading
        "atoms='element'"
        >>> Chemistry("typed", hydrogens=True).reading
        "atoms='typed', hydrogens=True"
        """
        words = [f"atoms={_name(self.atoms)}"]
        for option, default in self._field_defaults.items():
            value = getattr(self, option)
            words += [f"{option}={value}"] if option != "atoms" and value != default else []
        return ", ".join(words)

    @classmethod
    def of(cls, reading: str) -> Chemistry | None:
        """Return the options that a reading stands for; None if atoms were named by a function."""
        for atoms, *flags in product(_NAMED, *[(False, True)] * 3):
            options = cls(atoms, *flags)
            if options.reading == reading:
                return options
        return None


def _name(atoms: Atoms) -> str:
    """Return how the labels of atoms are chosen; a function is named by where it is defined."""
    if not callable(atoms):
        return repr(atoms)
    named = atoms if hasattr(atoms, "__qualname__") else type(atoms)
    return f"{named.__module__}.{named.__qualname__}"


def atom_labels(molecule: Any, chemistry: Chemistry, name: str) -> list[Label]:
    """Return the label of each atom of a molecule, which is called `name` in errors."""
    label = chemistry.atoms if callable(chemistry.atoms) else _NAMED[chemistry.atoms]
    labels: list[Label] = []
    for atom in molecule.GetAtoms():
        try:
            found = label(atom)
        except Exception as error:
            error.add_note(f"atoms= was called with atom {atom.GetIdx()} of {name}")
            raise
        labels.append(_with_code(atom, found) if chemistry.chirality else found)
    return labels


def bond_labels(molecule: Any, chirality: bool) -> list[Label]:
    """Return the type of each bond: ``"single"``, ``"double"``, ``"aromatic"``, ..."""
    labels: list[Label] = []
    for bond in bonds_of(molecule):
        label = str(bond.GetBondType()).lower()
        labels.append(_with_code(bond, label) if chirality else label)
    return labels


def bonds_of(molecule: Any) -> Iterable[Any]:
    """Return the bonds of a molecule in their order."""
    if molecule.GetNumBonds() <= _FEW:
        return molecule.GetBonds()  # type: ignore[no-any-return]
    ends = ((atom.GetIdx(), bond) for atom in molecule.GetAtoms() for bond in atom.GetBonds())
    once = (bond for atom, bond in ends if bond.GetBeginAtomIdx() == atom)
    return sorted(once, key=lambda bond: int(bond.GetIdx()))


def _with_code(part: Any, label: Label) -> Label:
    """Write R, S, E or Z before the label of an atom or bond that has one."""
    if not part.HasProp(_CIP):
        return label
    code = str(part.GetProp(_CIP))
    return f"{code}-{label}" if isinstance(label, str) else (code, label)


def _element(atom: Any) -> str:
    """Return the symbol of an element, and ``*`` for none, which files call ``R`` and much else."""
    return str(atom.GetSymbol()) if atom.GetAtomicNum() else "*"


def _typed(atom: Any) -> str:
    """Return an atom as chemists write it: ``CH3``, ``O-``, ``ring-NH2+``, aromatic ``cH``."""
    aromatic = atom.GetIsAromatic()
    symbol = _element(atom).lower() if aromatic else _element(atom)
    hydrogens = atom.GetTotalNumHs(includeNeighbors=True)
    charge = atom.GetFormalCharge()
    return "".join(
        [
            "ring-" if atom.IsInRing() and not aromatic else "",
            symbol,
            "H" if hydrogens else "",
            str(hydrogens) if hydrogens > 1 else "",
            "+" if charge > 0 else "-" if charge < 0 else "",
            str(abs(charge)) if abs(charge) > 1 else "",
        ]
    )


_NAMED: dict[str, Callable[[Any], Label]] = {"element": _element, "typed": _typed}
