"""A short description of a batch of graphs, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .labels import Label, Labels, content

if TYPE_CHECKING:
    from .batch import Graphs


class Spread(NamedTuple):
    """Smallest, mean, median and largest of some counts."""

    low: int
    mean: float
    median: float
    high: int

    def __str__(self) -> str:
        return f"{self.low} to {self.high}, mean {self.mean:.2f}, median {self.median:g}"


@dataclass(frozen=True)
class Description:
    """What is in a batch of graphs; print it for a table.

    Attributes
    ----------
    n_graphs, n_nodes, n_edges : int
        Totals.
    nodes, edges : Spread
        Vertices and edges per graph.
    directed : bool
        Whether edges have directions.
    degrees : Spread
        Edges per vertex, in and out if they are directed.
    isolated : int
        Vertices without neighbours.
    edgeless : int
        Graphs without edges, including those without vertices.
    node_labels, edge_labels : list of (label, count), or None
        How often each label occurs, the most frequent first.
    node_attributes, edge_attributes : int
        Number of columns.
    node_attribute_names, edge_attribute_names : tuple of str, or None
        What the columns are called.
    """

    n_graphs: int
    n_nodes: int
    n_edges: int
    nodes: Spread
    edges: Spread
    degrees: Spread
    isolated: int
    edgeless: int
    node_labels: list[tuple[Label, int]] | None
    edge_labels: list[tuple[Label, int]] | None
    node_attributes: int
    edge_attributes: int
    directed: bool
    node_attribute_names: tuple[str, ...] | None
    edge_attribute_names: tuple[str, ...] | None

    def rows(self) -> list[tuple[str, str]]:
        """Return the description as pairs of a name and a text."""
        rows = [("graphs", f"{self.n_graphs}")]
        for name, total, spread in (
            ("vertices", self.n_nodes, self.nodes),
            ("directed edges" if self.directed else "edges", self.n_edges, self.edges),
        ):
            rows.append((name, f"{total} in all; per graph {spread}"))
        rows.append(("degrees", f"{self.degrees}; {self.isolated} isolated vertices"))
        rows.append(("without edges", f"{self.edgeless} graphs"))
        rows.append(("node labels", _most_frequent(self.node_labels)))
        rows.append(("edge labels", _most_frequent(self.edge_labels)))
        for kind, count, names in (
            ("node", self.node_attributes, self.node_attribute_names),
            ("edge", self.edge_attributes, self.edge_attribute_names),
        ):
            shown = f"{count}: {', '.join(names)}" if names else f"{count or 'none'}"
            rows.append((f"{kind} attributes", shown))
        return rows

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.rows())
        return "\n".join(f"{name:<{width}}  {text}" for name, text in self.rows())


def describe(graphs: Graphs) -> Description:
    """Return counts of what is in a batch; users call :meth:`grafik.Graphs.describe`."""
    degrees = graphs.degrees
    return Description(
        n_graphs=len(graphs),
        n_nodes=int(graphs.node_ptr[-1]),
        n_edges=len(graphs.edges),
        nodes=_spread(graphs.n_nodes),
        edges=_spread(graphs.n_edges),
        degrees=_spread(degrees),
        isolated=int((degrees == 0).sum()),
        edgeless=int((graphs.n_edges == 0).sum()),
        node_labels=_frequencies(graphs.node_labels),
        edge_labels=_frequencies(graphs.edge_labels),
        node_attributes=_n_columns(graphs.node_attributes),
        edge_attributes=_n_columns(graphs.edge_attributes),
        directed=graphs.directed,
        node_attribute_names=graphs.node_attribute_names,
        edge_attribute_names=graphs.edge_attribute_names,
    )


def _spread(counts: NDArray[np.int64]) -> Spread:
    if len(counts) == 0:
        return Spread(0, 0.0, 0.0, 0)
    mean, median = float(counts.mean()), float(np.median(counts))
    return Spread(int(counts.min()), mean, median, int(counts.max()))


def _frequencies(labels: Labels | None) -> list[tuple[Label, int]] | None:
    if labels is None:
        return None
    counts = np.bincount(labels.codes, minlength=len(labels.values)).tolist()
    pairs = zip(labels.values, counts, strict=True)
    return sorted(pairs, key=lambda pair: (-pair[1], content(pair[0])))


def _most_frequent(labels: list[tuple[Label, int]] | None) -> str:
    if labels is None:
        return "none"
    shown = ", ".join(f"{label!r} ({count})" for label, count in labels[:5])
    return f"{len(labels)}: {shown}{', ...' if len(labels) > 5 else ''}"


def _n_columns(values: NDArray[Any] | None) -> int:
    return 0 if values is None else values.shape[1]
