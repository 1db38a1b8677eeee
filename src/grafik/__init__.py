"""Graph filtration kernels: compare graphs by what they share, when it appears and for how long."""

import gc
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from . import (
        barcodes,
        baselines,
        datasets,
        distributed,
        evaluation,
        explain,
        features,
        parts,
        trees,
        weights,
    )
    from .accept import as_graphs
    from .barcodes import Barcodes
    from .classifier import FiltrationClassifier
    from .embedding import FiltrationEmbedding
    from .estimators import FiltrationKernel
    from .explain import explain_pair, explain_prediction, vertex_importance
    from .filtration import Filtration
    from .graph import Graph
    from .graphs import Graphs
    from .histograms import Histograms
    from .isomorphism import isomorphism_test
    from .kernels import wasserstein
    from .regressor import FiltrationRegressor
    from .saving import load
    from .search import GraphIndex

# Where each public name lives; it is imported when first used, so that `import grafik` is quick.
_HOME = {
    "Barcodes": "barcodes",
    "Filtration": "filtration",
    "FiltrationClassifier": "classifier",
    "FiltrationEmbedding": "embedding",
    "FiltrationKernel": "estimators",
    "FiltrationRegressor": "regressor",
    "Graph": "graph",
    "GraphIndex": "search",
    "Graphs": "graphs",
    "Histograms": "histograms",
    "as_graphs": "accept",
    "barcodes": "barcodes",
    "baselines": "baselines",
    "datasets": "datasets",
    "distributed": "distributed",
    "evaluation": "evaluation",
    "explain": "explain",
    "explain_pair": "explain",
    "explain_prediction": "explain",
    "features": "features",
    "isomorphism_test": "isomorphism",
    "load": "saving",
    "parts": "parts",
    "plots": "plots",
    "trees": "trees",
    "vertex_importance": "explain",
    "wasserstein": "kernels",
    "weights": "weights",
}

__all__ = [
    "Barcodes",
    "Filtration",
    "FiltrationClassifier",
    "FiltrationEmbedding",
    "FiltrationKernel",
    "FiltrationRegressor",
    "Graph",
    "GraphIndex",
    "Graphs",
    "Histograms",
    "as_graphs",
    "barcodes",
    "baselines",
    "datasets",
    "distributed",
    "evaluation",
    "explain",
    "explain_pair",
    "explain_prediction",
    "features",
    "isomorphism_test",
    "load",
    "parts",
    "plots",
    "trees",
    "vertex_importance",
    "wasserstein",
    "weights",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'grafik' has no attribute {name!r}")
    # Imports make many objects and no garbage; looking for some takes a tenth of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        module = import_module(f".{_HOME[name]}", __name__)
    finally:
        if collecting:
            gc.enable()
    value = module if _HOME[name] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
