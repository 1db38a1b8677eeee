"""Graph filtration kernels: compare graphs by what they share, when it appears and for how long."""

import gc
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import (
        baselines,
        datasets,
        distributed,
        evaluation,
        explain,
        features,
        neural,
        plots,
        weights,
    )
    from .embeddings.embedding import FiltrationEmbedding
    from .embeddings.kernel_embedding import KernelEmbedding
    from .explain import explain_pair, explain_prediction, vertex_importance
    from .features import barcodes
    from .features.barcodes import Barcodes
    from .features.histograms import Histograms
    from .features.isomorphism import isomorphism_test
    from .filtration.filtration import Filtration
    from .graphs import molecules
    from .graphs.as_graphs import as_graphs
    from .graphs.attribute_labels import AttributeLabels
    from .graphs.batch import Graphs
    from .graphs.graph import Graph
    from .kernels.gaussian import GaussianKernel
    from .kernels.kernel import FiltrationKernel
    from .kernels.mean import MeanKernel
    from .kernels.sums import wasserstein
    from .models.classifier import FiltrationClassifier
    from .models.regressor import FiltrationRegressor
    from .models.saving import load
    from .search.index import GraphIndex

__all__ = [
    "AttributeLabels",
    "Barcodes",
    "Filtration",
    "FiltrationClassifier",
    "FiltrationEmbedding",
    "FiltrationKernel",
    "FiltrationRegressor",
    "GaussianKernel",
    "Graph",
    "GraphIndex",
    "Graphs",
    "Histograms",
    "KernelEmbedding",
    "MeanKernel",
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
    "molecules",
    "neural",
    "plots",
    "vertex_importance",
    "wasserstein",
    "weights",
]

# The module of each name above that is not a room; it is imported when the name is first used, so
# that `import grafik` is quick.
_HOME = {
    "AttributeLabels": "graphs.attribute_labels",
    "Barcodes": "features.barcodes",
    "Filtration": "filtration.filtration",
    "FiltrationClassifier": "models.classifier",
    "FiltrationEmbedding": "embeddings.embedding",
    "FiltrationKernel": "kernels.kernel",
    "FiltrationRegressor": "models.regressor",
    "GaussianKernel": "kernels.gaussian",
    "Graph": "graphs.graph",
    "GraphIndex": "search.index",
    "Graphs": "graphs.batch",
    "Histograms": "features.histograms",
    "KernelEmbedding": "embeddings.kernel_embedding",
    "MeanKernel": "kernels.mean",
    "as_graphs": "graphs.as_graphs",
    "explain_pair": "explain",
    "explain_prediction": "explain",
    "isomorphism_test": "features.isomorphism",
    "load": "models.saving",
    "vertex_importance": "explain",
    "wasserstein": "kernels.sums",
}
_MODULES = {"barcodes": "features.barcodes", "molecules": "graphs.molecules"}


if not TYPE_CHECKING:  # else type checkers would believe in any name

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module 'grafik' has no attribute {name!r}")
        # Imports make many objects and no garbage; looking for some takes a tenth of the time.
        collecting = gc.isenabled()
        gc.disable()
        try:
            module = import_module(f".{_HOME.get(name) or _MODULES.get(name, name)}", __name__)
        finally:
            if collecting:
                gc.enable()
        value = getattr(module, name) if name in _HOME else module
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__
