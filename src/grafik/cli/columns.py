"""Options for tables of molecules: their columns, and how molecules are read."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, NamedTuple

import typer

from ..graphs.convert.atoms import Chemistry

_FOR_TABLES = "are for tables of molecules (.csv, .tsv, .sdf)"


class BadRows(StrEnum):
    """What happens to rows that cannot be used."""

    fail = "raise"
    skip = "skip"


class AtomLabels(StrEnum):
    """What atoms are called."""

    element = "element"
    typed = "typed"


Smiles = Annotated[
    str | None,
    typer.Option(
        "--smiles",
        metavar="COLUMN",
        help="For a table: its column of SMILES strings.",
        show_default="smiles",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="COLUMN",
        help="For a table: the column to predict, classes or numbers.",
        show_default=False,
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="For a table: the column of ids, which results give back.",
        show_default=False,
    ),
]
Errors = Annotated[
    BadRows,
    typer.Option(
        "--errors",
        help="For a table: whether a row without a readable molecule or target is an error, or is "
        "left out and named.",
    ),
]


Atoms = Annotated[
    AtomLabels | None,
    typer.Option(
        "--atoms",
        help="For molecules: whether atoms are labelled by element, or typed by hydrogens, charge "
        "and rings as well; by default element, or as the model or index has it.",
        show_default=False,
    ),
]
Hydrogens = Annotated[
    bool,
    typer.Option("--hydrogens", help="For molecules: make vertices of hydrogen atoms too."),
]
Chirality = Annotated[
    bool,
    typer.Option("--chirality", help="For molecules: tell R from S, and E from Z."),
]


class Molecules(NamedTuple):
    """How molecules are read.

    Attributes
    ----------
    atoms, hydrogens, chirality
        What the command line says.
    known : str or None
        How the molecules were read that these are compared with; what the command line leaves
        open is read alike.
    """

    atoms: AtomLabels | None = None
    hydrogens: bool = False
    chirality: bool = False
    known: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The options for functions that read molecules."""
        alike = None if self.known is None else Chemistry.of(self.known)
        options = (alike or Chemistry())._asdict()
        if self.atoms is not None:
            options["atoms"] = self.atoms.value
        options["hydrogens"] |= self.hydrogens
        options["chirality"] |= self.chirality
        return options

    @property
    def given(self) -> list[str]:
        """What the command line says, for messages."""
        return [f"--{name}" for name in self._fields[:3] if getattr(self, name)]


class Columns(NamedTuple):
    """The columns that are read of a table of molecules, and how."""

    smiles: str | None = None
    target: str | None = None
    id: str | None = None
    errors: BadRows = BadRows.fail
    molecules: Molecules = Molecules()

    def refuse_without_table(self, data: str) -> None:
        """Refuse columns of what is no table."""
        given = {"--smiles": self.smiles, "--target": self.target, "--id": self.id}
        named = [option for option, value in given.items() if value is not None]
        if self.errors is not BadRows.fail:
            named.append("--errors")
        named += self.molecules.given
        if named:
            raise ValueError(
                f"{' and '.join(named)} {_FOR_TABLES}, and {data} is none; leave them out"
            )

    def check_ids(self) -> None:
        """Refuse to leave rows out where only ids tell which row a result is for."""
        if self.errors is BadRows.skip and self.id is None:
            raise ValueError(
                "--errors skip leaves rows out, so that only ids tell which row a result is for; "
                "add --id COLUMN"
            )

    def for_table(self, is_table: bool) -> Columns:
        """Return the columns for one of several sources: none for what is no table."""
        return self if is_table else NO_COLUMNS

    def like(self, reading: str | None) -> Columns:
        """Return the columns for molecules that are compared with others, read in this way."""
        return self._replace(molecules=self.molecules._replace(known=reading))


NO_COLUMNS = Columns()
