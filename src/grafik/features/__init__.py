"""Features: what is counted in every filtration graph.

Each extractor has a method ``histograms(graphs, filtration)``. One that does not look at labels
says so by ``reads_vertex_labels = False`` or ``reads_edge_labels = False``, and then those of new
graphs need not match those of the training graphs. Any function from a networkx graph to an
iterable of hashables is an extractor too, for :class:`grafik.FiltrationKernel`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .weisfeiler_lehman import WeisfeilerLehman

if TYPE_CHECKING:
    from .cyclic_patterns import CyclicPatterns
    from .function_features import FunctionFeatures
    from .graphlets import Graphlets
    from .shortest_paths import ShortestPaths
    from .vertex_edge_histogram import VertexEdgeHistogram

__all__ = [
    "CyclicPatterns",
    "FunctionFeatures",
    "Graphlets",
    "ShortestPaths",
    "VertexEdgeHistogram",
    "WeisfeilerLehman",
]

# Imported when they are first used: most people need none of them.
_HOME = {
    "CyclicPatterns": "cyclic_patterns",
    "FunctionFeatures": "function_features",
    "Graphlets": "graphlets",
    "ShortestPaths": "shortest_paths",
    "VertexEdgeHistogram": "vertex_edge_histogram",
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


def as_extractor(features: Any) -> Any:
    """Return an extractor of features as it is, and wrap a function."""
    if hasattr(features, "histograms") and not isinstance(features, type):
        return features
    if callable(features) and not isinstance(features, type):
        from .function_features import FunctionFeatures

        return FunctionFeatures(features)
    raise TypeError(
        f"features must be an extractor such as {', '.join(__all__)}, or a function of a "
        f"networkx graph, got {features!r}"
    )
