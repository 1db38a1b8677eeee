"""Decisions that are sums of kernels or of columns, split by features and training graphs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.offsets import part_of
from ..embeddings.embedding import FiltrationEmbedding
from ..features.histograms import Histograms
from ..graphs.batch import Graphs
from .contributed import GraphContribution
from .contributions import Key, by_feature, keys
from .linear_models import LinearModel


class Split(NamedTuple):
    """What features and training graphs contribute, and the histograms that say so."""

    parts: dict[Key, float]
    base: float
    counted: Histograms
    known: Histograms
    graphs: list[GraphContribution]


def split_kernels(
    model: LinearModel, graph: Graphs, coefficients: NDArray[np.float64]
) -> tuple[float, Split]:
    """Split a sum of kernels of a graph with training graphs."""
    kernel: Any = model.source
    counted, known, compared = kernel.count(graph), kernel.histograms_, kernel.on_histograms()
    known = known if model.used is None else known.of_graphs(model.used)
    similarities = compared.gram(counted, known)[0] if len(known) else np.empty(0)
    by_graph = coefficients * similarities
    columns = (column.tolist() for column in (similarities, coefficients, by_graph))
    graphs = list(map(GraphContribution, model.graphs.tolist(), model.targets, *columns))
    parts, base = by_feature(compared, counted, known, coefficients)
    return float(by_graph.sum()), Split(parts, base, counted, known, graphs)


def split_columns(
    embedding: FiltrationEmbedding, graph: Graphs, coefficients: NDArray[np.float64]
) -> tuple[float, Split]:
    """Split a sum of columns of an embedding: a feature has one or several of them."""
    row, landmarks = embedding.transform(graph), embedding.landmarks_
    shares = row.data * coefficients[row.indices]
    features = part_of(embedding.column_ptr_)[row.indices]
    sums = np.bincount(features, shares, minlength=len(landmarks.features))
    which = np.unique(features)
    names = keys(landmarks.depths[which], landmarks.features[which])
    parts = dict(zip(names, sums[which].tolist(), strict=True))
    counted = embedding.count(graph)
    return float(shares.sum()), Split(parts, 0.0, counted, embedding.known_, [])
