"""Data sets: TU files, tables and SDF files of molecules, downloads, graphs made on the spot.

Every function returns ``(graphs, y)``.
"""

from .csv_files import read_csv
from .download import fetch_tu
from .generators import csl, figure_one, random_graphs, triangle_pair, wl_hard
from .sdf_files import read_sdf
from .tu import read_tu, write_tu

__all__ = [
    "csl",
    "fetch_tu",
    "figure_one",
    "random_graphs",
    "read_csv",
    "read_sdf",
    "read_tu",
    "triangle_pair",
    "wl_hard",
    "write_tu",
]
