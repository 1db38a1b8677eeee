"""Data sets: files of graphs and of molecules, downloads, graphs made on the spot.

Functions return ``(graphs, y)``; only :func:`read_graph6`, whose files have no classes, returns
graphs alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .csv_files import read_csv
    from .download import fetch_tu
    from .generators import csl, figure_one, random_graphs, triangle_pair, wl_hard
    from .graph6_files import brec, read_graph6
    from .hard_families import atlas, cfi, paley, strongly_regular
    from .sdf_files import read_sdf
    from .tu import read_tu, write_tu

__all__ = [
    "atlas",
    "brec",
    "cfi",
    "csl",
    "fetch_tu",
    "figure_one",
    "paley",
    "random_graphs",
    "read_csv",
    "read_graph6",
    "read_sdf",
    "read_tu",
    "strongly_regular",
    "triangle_pair",
    "wl_hard",
    "write_tu",
]

# Imported when they are first used: one data set needs few of them.
_HOME = {
    "atlas": "hard_families",
    "brec": "graph6_files",
    "cfi": "hard_families",
    "csl": "generators",
    "fetch_tu": "download",
    "figure_one": "generators",
    "paley": "hard_families",
    "random_graphs": "generators",
    "read_csv": "csv_files",
    "read_graph6": "graph6_files",
    "read_sdf": "sdf_files",
    "read_tu": "tu",
    "strongly_regular": "hard_families",
    "triangle_pair": "generators",
    "wl_hard": "generators",
    "write_tu": "tu",
}


if not TYPE_CHECKING:  # else type checkers would believe in any name

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(import_module(f".{_HOME[name]}", __name__), name)
        if name in _HOME.values():
            return import_module(f".{name}", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
