"""Features: what is counted in every filtration graph.

Each extractor has a method ``histograms(graphs, filtration)``. One that does not look at labels
says so by ``reads_vertex_labels = False`` or ``reads_edge_labels = False``, and then those of new
graphs need not match those of the training graphs. Any function from a networkx graph to an
iterable of hashables is an extractor too, for :class:`grafik.FiltrationKernel`.
"""

from typing import Any

from .cyclic_patterns import CyclicPatterns
from .function_features import FunctionFeatures
from .graphlets import Graphlets
from .shortest_paths import ShortestPaths
from .vertex_edge_histogram import VertexEdgeHistogram
from .weisfeiler_lehman import WeisfeilerLehman

__all__ = [
    "CyclicPatterns",
    "FunctionFeatures",
    "Graphlets",
    "ShortestPaths",
    "VertexEdgeHistogram",
    "WeisfeilerLehman",
]


def as_extractor(features: Any) -> Any:
    """Return an extractor of features as it is, and wrap a function."""
    if hasattr(features, "histograms") and not isinstance(features, type):
        return features
    if callable(features) and not isinstance(features, type):
        return FunctionFeatures(features)
    raise TypeError(
        f"features must be an extractor such as {', '.join(__all__)}, or a function of a "
        f"networkx graph, got {features!r}"
    )
