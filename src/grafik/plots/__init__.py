"""Pictures: graphs, their filtrations, kernels and results.

They need ``pip install grafik[plot]``. Every function draws on the axes given as ``ax=``, or else
on a new pyplot figure, and returns the axes that it drew on. No function calls ``show``.
"""

from .barcode import barcode
from .bars import accuracies, contributions
from .curves import growth, levels
from .data_map import data_map, kernel_pca
from .filtration import filtration
from .gram import gram
from .graph import graph
from .layout import layout
from .molecule import molecule
from .style import save
from .transport import transport
from .tried import tried

__all__ = [
    "accuracies",
    "barcode",
    "contributions",
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
    "tried",
]
