"""Edge weights: functions that turn a batch of graphs into one number per edge, or one key.

Weights say when an edge enters a filtration: the bigger, the earlier. Isomorphic graphs get the
same weights to the last bit, in whatever order their vertices are listed. Any function that takes
:class:`grafik.Graphs` and returns one finite number per edge, in the order of ``graphs.edges``, is
a weight too. What no float can hold, such as a hash of 64 bits, is returned as keys: a row of
integers per edge, an array of shape (n_edges, k). Rows are compared exactly, the first column
before the next, and filtrations use their ranks.
"""

from .attributes import Attribute
from .canonical_form import canonical
from .centrality import betweenness, core, degree
from .cliques import Cliques
from .combined import Combined
from .computing import compute, values
from .cycles import Cycles
from .marked import Marked
from .names import NAMES, Weight
from .neighbourhoods import curvature, jaccard, triangles
from .node_distance import NodeDistance
from .resistance import Resistance
from .walks import Walks

__all__ = [
    "NAMES",
    "Attribute",
    "Cliques",
    "Combined",
    "Cycles",
    "Marked",
    "NodeDistance",
    "Resistance",
    "Walks",
    "Weight",
    "betweenness",
    "canonical",
    "compute",
    "core",
    "curvature",
    "degree",
    "jaccard",
    "triangles",
    "values",
]
