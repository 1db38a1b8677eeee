"""A reading of SMILES in a loop: which atoms there are, and which of them are joined."""

import re

_TOKEN = re.compile(
    r"(?P<organic>Cl|Br|[BCNOPSFI*bcnops])|\[(?P<bracket>[^\[\]]*)\]"
    r"|(?P<ring>\d|%\d\d|%\(\d+\))|(?P<bond>->|<-|[-=#$:/\\~])|(?P<other>[().])"
)
_BRACKET = re.compile(r"\d*(?P<symbol>[A-Z][a-z]?|[a-z][a-z]?|\*)")
_LONG_AROMATIC = ("se", "as", "te", "si")


def smiles_reading(text: str) -> tuple[list[str], list[tuple[int, int]]] | None:
    """Return the elements of all atoms, and the bonds.

    Hydrogen atoms in brackets are not read, nor atoms given by a number: then this is None, as it
    is for what is no SMILES.
    """
    atoms: list[str] = []
    bonds: list[tuple[int, int]] = []
    branches: list[int] = []
    rings: dict[int, int] = {}
    last: int | None = None
    place = 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            return None
        place = token.end()
        if token["ring"] is not None:
            if last is None:
                return None
            number = int(token["ring"].strip("%()"))
            if number in rings:
                bonds.append((rings.pop(number), last))
            else:
                rings[number] = last
        elif token["other"] == "(":
            if last is None:
                return None
            branches.append(last)
        elif token["other"] == ")":
            if not branches:
                return None
            last = branches.pop()
        elif token["other"] == ".":
            last = None
        elif token["bond"] is None:
            element = token["organic"] or _element(token["bracket"])
            if element is None:
                return None
            if last is not None:
                bonds.append((last, len(atoms)))
            last = len(atoms)
            atoms.append(element.capitalize())
    return None if rings or branches else (atoms, sorted(tuple(sorted(one)) for one in bonds))


def _element(bracket: str) -> str | None:
    """Return the element of an atom in brackets; which letters belong to it, its number decides."""
    from rdkit import Chem

    found = _BRACKET.match(bracket)
    if found is None:
        return None
    symbol = found["symbol"]
    if symbol[0].islower():
        return symbol if symbol in _LONG_AROMATIC else symbol[0]
    table = Chem.GetPeriodicTable()
    names = {table.GetElementSymbol(number) for number in range(1, 119)}
    symbol = symbol if symbol in names else symbol[0]
    return None if symbol == "H" else symbol
