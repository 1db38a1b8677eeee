"""Pictures: graphs, their filtrations, kernels and results.

They need ``pip install grafik[plot]``. Every function returns the axes that it drew on, and draws
on those that it is given by ``ax=``; otherwise it makes a figure of the usual kind of matplotlib.
Nothing is ever shown by itself.
"""

from .barcode import barcode
from .curves import growth, levels
from .data_map import data_map, kernel_pca
from .filtration import filtration
from .gram import gram
from .graph import graph
from .layout import layout
from .molecule import molecule
from .style import save
from .transport import transport

__all__ = [
    "barcode",
    "data_map",
    "filtration",
    "gram",
    "graph",
    "growth",
    "kernel_pca",
    "layout",
    "levels",
    "molecule",
    "save",
    "transport",
]
