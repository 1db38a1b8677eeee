"""Pictures: graphs, their filtrations, kernels and results. Need ``pip install grafik[plot]``.

Every function returns the axes that it drew on, and draws on those that it is given by ``ax=``;
otherwise it makes a figure of the usual kind of matplotlib. Nothing is ever shown by itself.
"""

from .curves import growth, levels
from .lifespans import barcode, filtration
from .maps import data_map, kernel_pca
from .matrices import gram
from .molecules import molecule
from .movement import transport
from .networks import graph
from .positions import layout
from .style import save

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
