"""Decisions on means and Gaussians of kernels, split by parts and by their features."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graphs.batch import Graphs
from ..kernels.combined import CombinedKernel
from ..kernels.combined_gram import GaussianOnHistograms, Sides
from ..kernels.kernel import FiltrationKernel
from .contributed import GraphContribution
from .contributions import Key, by_feature
from .linear_models import LinearModel


class PartOfDecision(NamedTuple):
    """What one kernel that is no combination contributes to a decision.

    Attributes
    ----------
    name : str
    weight : float
        Its share in means.
    kernel : kernel
    counted, known : Histograms
        Of the one graph and of the training graphs; None for kernels of whole graphs.
    features : dict
    base : float
        What is not due to any feature.
    """

    name: str
    weight: float
    kernel: Any
    counted: Any
    known: Any
    features: dict[Key, float]
    base: float


class CombinedSplit(NamedTuple):
    """What parts and training graphs contribute, and what linearisation leaves out."""

    parts: list[PartOfDecision]
    graphs: list[GraphContribution]
    linearised: bool
    remainder: float


def split_combined(
    model: LinearModel, graph: Graphs, coefficients: NDArray[np.float64]
) -> tuple[float, CombinedSplit]:
    r"""Split a sum of combined kernels of a graph with training graphs.

    A mean is a sum over its parts. A Gaussian of a similarity `K` is replaced by its tangent, whose
    slope is :math:`\sigma e^{-\sigma (1 - K)}`, at the similarity with each training graph.
    """
    kernel: Any = model.source
    node, x, y = kernel.on_parts(), kernel.count(graph), kernel.histograms_
    used = np.arange(len(y)) if model.used is None else model.used
    if kernel.counts_features():
        y, used = y.of_graphs(used), np.arange(len(used))
    # Kernels of whole graphs compare with all training graphs, used or not.
    weights = np.zeros(len(y))
    weights[used] = coefficients
    similarities = node.gram(x, y)[0][used] if len(y) else np.empty(0)
    by_graph = coefficients * similarities
    columns = (column.tolist() for column in (similarities, coefficients, by_graph))
    graphs = list(map(GraphContribution, model.graphs.tolist(), model.targets, *columns))
    found = CombinedSplit([], graphs, False, 0.0)
    if len(y):
        walk = _Walk()
        walk.into("", 1.0, kernel, node, (x, y), weights)
        found = CombinedSplit(walk.parts, graphs, walk.linearised, walk.remainder)
    return float(by_graph.sum()), found


class _Walk:
    """Goes through all parts of a kernel; coefficients on the way are those of the parts."""

    def __init__(self) -> None:
        self.parts: list[PartOfDecision] = []
        self.linearised, self.remainder = False, 0.0

    def into(
        self,
        name: str,
        weight: float,
        kernel: Any,
        node: Any,
        sides: tuple[Any, Any],
        coefficients: NDArray[np.float64],
    ) -> None:
        """Go into a kernel that is added up with coefficients, one for each training graph."""
        x, y = sides
        if isinstance(kernel, FiltrationKernel):
            features, base = by_feature(node, x, y, coefficients)
            self.parts.append(PartOfDecision(name, weight, kernel, x, y, features, base))
        elif not isinstance(kernel, CombinedKernel):
            whole = float(coefficients @ node.gram(x, y)[0])
            self.parts.append(PartOfDecision(name, weight, kernel, None, None, {}, whole))
        elif isinstance(node, GaussianOnHistograms):
            self._tangent(name, weight, kernel, node, sides, coefficients)
        else:
            total = sum(node.weights)
            for i, (part, share) in enumerate(zip(kernel._kept(), node.weights, strict=True)):
                inside = x.parts[i], y.parts[i]
                scale = _scale(node.parts[i], *inside)
                own = coefficients * (share / total) * scale
                below = f"{name}/{part[0]}" if name else part[0]
                self.into(below, weight * share / total, part[1], node.parts[i], inside, own)

    def _tangent(
        self,
        name: str,
        weight: float,
        kernel: Any,
        node: GaussianOnHistograms,
        sides: tuple[Sides, Sides],
        coefficients: NDArray[np.float64],
    ) -> None:
        """Go into a Gaussian, as if it were linear around each similarity."""
        x, y = sides
        inside = x.parts[0], y.parts[0]
        scale = _scale(node.part, *inside)
        values, inner = node.gram(x, y)[0], node.part.gram(*inside)[0] * scale
        slopes = coefficients * node.sigma * values
        self.linearised = True
        self.remainder += float((coefficients * values).sum() - (slopes * inner).sum())
        inner = kernel.kernel_
        below = name if isinstance(inner, CombinedKernel) else name or "kernel"
        self.into(below, weight, inner, node.part, inside, slopes * scale)


def _scale(node: Any, x: Any, y: Any) -> NDArray[np.float64]:
    """Return what normalises the kernels of one graph with others."""
    if node.normalize:
        return np.ones(len(y))
    product = node.self_similarities(x)[0] * node.self_similarities(y)
    return np.where(product > 0, 1 / np.sqrt(np.where(product > 0, product, 1.0)), 0.0)
