"""Pictures: graphs, their filtrations, kernels and results. Need ``pip install grafik[plot]``.

Every function returns the axes that it drew on, and draws on those that it is given by ``ax=``;
otherwise it makes a figure of the usual kind of matplotlib. Nothing is ever shown by itself.
"""

from .molecules import molecule
from .networks import graph
from .positions import layout
from .style import save

__all__ = ["graph", "layout", "molecule", "save"]
