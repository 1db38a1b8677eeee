"""Options for the columns of tables of molecules."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, NamedTuple

import typer

_FOR_TABLES = "are for tables of molecules (.csv, .tsv, .sdf)"


class BadRows(StrEnum):
    """What happens to rows that cannot be used."""

    fail = "raise"
    skip = "skip"


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


class Columns(NamedTuple):
    """The columns that are read of a table of molecules."""

    smiles: str | None = None
    target: str | None = None
    id: str | None = None
    errors: BadRows = BadRows.fail

    def refuse_without_table(self, data: str) -> None:
        """Refuse columns of what is no table."""
        given = {"--smiles": self.smiles, "--target": self.target, "--id": self.id}
        named = [option for option, value in given.items() if value is not None]
        if self.errors is not BadRows.fail:
            named.append("--errors")
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


NO_COLUMNS = Columns()
