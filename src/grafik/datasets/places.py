"""Where data sets are kept on this machine."""

from __future__ import annotations

import os
from pathlib import Path


def find_tu(name: str, folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the folder or zip of a TU data set; None if it is not there.

    Parameters
    ----------
    name : str
        Such as ``"MUTAG"``.
    folder : path, optional
        Where to look; by default what the environment variable ``GRAFIK_DATA`` says.

    Examples
    --------
    >>> import tempfile
    >>> from grafik import datasets
    >>> from grafik.datasets.places import find_tu
    >>> folder = tempfile.mkdtemp()
    >>> datasets.write_tu(f"{folder}/PAIR", *datasets.triangle_pair())
    >>> find_tu("PAIR", folder).name, find_tu("MUTAG", folder)
    ('PAIR', None)
    """
    kept = folder if folder is not None else os.environ.get("GRAFIK_DATA")
    if not kept:
        return None
    places = (Path(kept) / name, Path(kept) / f"{name}.zip")
    return next((place for place in places if place.exists()), None)
