"""From other libraries' graphs to :class:`grafik.Graphs`, and back to some.

There is one file per library. No library is imported to recognise its graphs.
"""

from .edge_lists import from_edge_lists
from .grakel import from_grakel
from .igraph import from_igraph
from .matrices import from_scipy
from .networkx import from_networkx, to_networkx
from .pyg import from_pyg
from .pyg_objects import to_pyg
from .rustworkx import from_rustworkx
from .smiles import from_smiles


class Conversions:
    """The ``from_...`` and ``to_...`` methods of :class:`grafik.Graphs`."""

    __slots__ = ()

    from_edge_lists = classmethod(from_edge_lists)
    from_grakel = classmethod(from_grakel)
    from_igraph = classmethod(from_igraph)
    from_networkx = classmethod(from_networkx)
    from_pyg = classmethod(from_pyg)
    from_rustworkx = classmethod(from_rustworkx)
    from_scipy = classmethod(from_scipy)
    from_smiles = classmethod(from_smiles)
    to_networkx = to_networkx
    to_pyg = to_pyg
