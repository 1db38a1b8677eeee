"""Baselines: the kernels that the paper compares with, as transformers of the same form.

Each has `fit`, `transform`, `fit_transform`, `diagonal` and `gram_grid`, takes whatever
:func:`grafik.as_graphs` takes, and returns rows of a Gram matrix for ``SVC(kernel="precomputed")``.
"""

from .core_wl import CoreWL
from .histogram_kernels import WL, CyclicPattern, GraphletSampling, ShortestPath, VEHist
from .persistent_wl import PersistentWL
from .wasserstein_wl import WassersteinWL
from .wl_optimal_assignment import WLOptimalAssignment

__all__ = [
    "WL",
    "CoreWL",
    "CyclicPattern",
    "GraphletSampling",
    "PersistentWL",
    "ShortestPath",
    "VEHist",
    "WLOptimalAssignment",
    "WassersteinWL",
]
