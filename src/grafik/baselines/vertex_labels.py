"""How often each Weisfeiler-Lehman label occurs in whole graphs."""

from __future__ import annotations

from ..features import WeisfeilerLehman
from ..features.histograms import Histograms
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs


def label_counts(graphs: Graphs, depth: int, edge_labels: bool, n_jobs: int | None) -> Histograms:
    """Count the labels at depths 0 to `depth` of each graph, with all of its edges there."""
    all_edges = Filtration(thresholds=(0.0,)).fit(graphs)
    return WeisfeilerLehman(depth, edge_labels).histograms(graphs, all_edges, n_jobs=n_jobs)
