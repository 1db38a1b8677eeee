"""How many vertices have each Weisfeiler-Lehman label, in whole graphs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.offsets import part_of
from ..features import WeisfeilerLehman
from ..features.histograms import Histograms
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from .shared_features import Vectors, vectors


@dataclass(frozen=True)
class LabelCounts:
    """How many vertices have each Weisfeiler-Lehman label, of all depths."""

    depth: int
    edge_labels: bool | str = False

    def __call__(self, graphs: Graphs, n_jobs: int | None) -> Vectors:
        """Count the labels of a batch."""
        found = label_counts(graphs, self.depth, self.edge_labels, n_jobs)
        graph, counts = part_of(found.graph_ptr), found.masses.astype(np.float64)
        return vectors(len(graphs), graph, found.depths, found.features, counts)


def label_counts(
    graphs: Graphs, depth: int, edge_labels: bool | str, n_jobs: int | None
) -> Histograms:
    """Count the Weisfeiler-Lehman labels at depths 0 to `depth` in whole graphs."""
    all_edges = Filtration(thresholds=(0.0,)).fit(graphs)
    return WeisfeilerLehman(depth, edge_labels).histograms(graphs, all_edges, n_jobs=n_jobs)
