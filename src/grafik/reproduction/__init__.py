"""The experiments of the paper, and what goes beyond it, with one command."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

EXPERIMENTS = ("csl", "accuracy", "levels", "runtime", "beyond", "expressiveness")


def reproduce(
    experiments: Sequence[str] = EXPERIMENTS,
    out: str | os.PathLike[str] = "experiments",
    *,
    data: str | os.PathLike[str] | None = None,
    protocol: str = "paper",
    only: Collection[str] = (),
    repeats: int | None = None,
    tables_only: bool = False,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Path:
    """Compute tables and figures of the paper, and write them next to the paper's numbers.

    Each experiment gets a folder with its results, a table in Markdown, CSV and JSON, and its
    picture; ``README.md`` shows them all. Data sets that are not found are listed as missing.

    Parameters
    ----------
    experiments : sequence of {"csl", "accuracy", "levels", "runtime", "beyond", "expressiveness"}
        All are the paper's but the last two: the default model beside the paper's methods, and
        which graphs each weight tells apart.
    out : path
        Folder for everything. When started again, accuracy, levels, beyond and expressiveness
        go on where they stopped; csl and runtime start again.
    data : path, optional
        Folder of TU data sets, and of BREC; by default the environment variable ``GRAFIK_DATA``.
    protocol : {"paper", "quick"}
        See :func:`grafik.evaluation.evaluate`. :mod:`grafik.reproduction.plan` says how many of the
        paper's repeats each data set gets.
    only : collection of str
        Data sets to run, instead of all. Results of the others are not changed.
    repeats : int, optional
        Run at most this many repeats of each data set. More can be added later.
    tables_only : bool
        Whether to make only tables and pictures, from existing results.
    n_jobs, progress
        See :func:`grafik.evaluation.evaluate`.

    Returns
    -------
    Path
        The page with all results.

    Examples
    --------
    >>> import tempfile
    >>> from grafik.reproduction import reproduce
    >>> page = reproduce(["csl"], tempfile.mkdtemp())
    >>> for line in page.read_text().splitlines()[16:19]:
    ...     print(line)
    | walks up to | levels | accuracy, % | the paper's | difference |
    | --- | ---: | ---: | ---: | ---: |
    | 1 | 1 | 10 | 10 | +0 |
    """
    from ..arrays.checks import checked_integer
    from ..system.files import make_folder
    from . import (
        accuracy,
        beyond,
        beyond_table,
        csl,
        expressiveness,
        expressiveness_plan,
        expressiveness_table,
        levels,
        paper,
        plan,
        runtime,
    )
    from .readme import write_readme

    data_of = {
        "accuracy": plan.PLANS,
        "levels": plan.LEVELS,
        "runtime": paper.DATA,
        "beyond": plan.BEYOND,
        "expressiveness": expressiveness_plan.FAMILIES,
    }
    if repeats is not None:
        repeats = checked_integer("repeats", repeats, 1)
    _check_names("experiments", experiments, EXPERIMENTS)
    if not experiments:
        raise ValueError(f"experiments must hold some of {', '.join(EXPERIMENTS)}, got none")
    known = {name: None for asked in experiments for name in data_of.get(asked, ())}
    _check_names("only", only, tuple(known))
    place = None if data is None else Path(data)
    if place is not None and not place.is_dir():
        raise FileNotFoundError(f"there is no folder {place}")
    folder = Path(out)
    if tables_only and "csl" in experiments and not csl.is_done(folder):
        raise FileNotFoundError(
            f"there are no results of csl in {folder}; compute them first, which takes seconds: "
            f"grafik reproduce csl --out {folder}"
        )
    for name in experiments:
        make_folder(folder / name)
    for name in experiments:
        if name == "csl" and not tables_only:
            csl.run(folder, progress)
        elif name in ("runtime", "expressiveness"):
            if tables_only:
                (runtime if name == "runtime" else expressiveness_table).write(folder)
            else:
                (runtime if name == "runtime" else expressiveness).run(
                    folder, place, only, progress
                )
        elif name != "csl":
            experiment = (accuracy if name == "accuracy" else levels).experiment
            run, write = experiment.run, experiment.write
            if name == "beyond":
                run, write = beyond.run, beyond_table.write
            if tables_only:
                write(folder)
            else:
                run(folder, place, protocol, only, n_jobs, progress, repeats)
        write_readme(folder)
    return folder / "README.md"


def _check_names(parameter: str, names: Collection[str], known: Sequence[str]) -> None:
    """Refuse unknown names, and a string, which would be read letter by letter."""
    unknown = [names] if isinstance(names, str) else [name for name in names if name not in known]
    if unknown:
        wanted = f"hold some of {', '.join(known)}" if known else "be empty for these experiments"
        raise ValueError(f"{parameter} must {wanted}, got {unknown[0]!r}")
