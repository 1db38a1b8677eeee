"""Data sets: files of graphs and of molecules, downloads, graphs made on the spot.

Functions return ``(graphs, y)``; only :func:`read_graph6`, whose files have no classes, returns
graphs alone.
"""

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
