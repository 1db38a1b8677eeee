"""AddFiltration: a transform of PyTorch Geometric that writes when each edge enters."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.transforms import BaseTransform

from ..arrays.offsets import part_of
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from ..graphs.convert.columns import Names
from ..graphs.convert.pyg import is_pyg
from ..weights.unused import is_structural


class AddFiltration(BaseTransform):
    """Write the level at which each edge enters into ``edge_level``.

    The levels are those of :class:`grafik.Filtration`: integers from 0 on, of shape
    ``(num_edges,)``. Both directions of an undirected edge get the same level. Self loops, which
    filtrations do not have, enter at level 0. Everything else is left as it is, so that any model
    can use the levels: as edge features, or as masks of the filtration graphs
    (``data.edge_index[:, data.edge_level <= level]``). :class:`FiltrationGIN` does the latter.

    Parameters
    ----------
    weight, thresholds, n_levels
        As for :class:`grafik.Filtration`.
    node_label, edge_label : str or None
        Tensors with labels, for weights that read them, such as ``"canonical"``: see
        :meth:`grafik.Graphs.from_pyg`. By default none are read, so that ``x`` may hold anything.
    node_attribute, edge_attribute : str, list of str or None
        Tensors with numbers, for weights that read them, such as ``"attribute"``. Those of edges
        are not even looked at by weights that are known to do without.
    directed : bool or None
        Whether directions count, as for :meth:`grafik.Graphs.from_pyg`.

    Attributes
    ----------
    filtration_ : Filtration
        Fitted: its ``alphas_`` are the thresholds, and ``n_levels_`` says how many there are.

    Examples
    --------
    >>> from grafik import datasets
    >>> from grafik.neural import AddFiltration
    >>> graphs, y = datasets.wl_hard("decalin")
    >>> train = graphs.to_pyg(y)
    >>> transform = AddFiltration("degree", n_levels=2).fit(train)
    >>> transform(train[0])
    Data(edge_index=[2, 22], y=[1], num_nodes=10, edge_level=[22])
    >>> transform.n_levels_
    2
    """

    def __init__(
        self,
        weight: Any = "degree",
        thresholds: str | Sequence[float] = "auto",
        n_levels: int = 3,
        *,
        node_label: str | None = None,
        edge_label: str | None = None,
        node_attribute: Names = "node_attributes",
        edge_attribute: Names = ("edge_weight", "edge_attributes"),
        directed: bool | None = None,
    ) -> None:
        self.weight = weight
        self.thresholds = thresholds
        self.n_levels = n_levels
        self.filtration_ = Filtration(weight, thresholds, n_levels)
        self._read: dict[str, Any] = {
            "node_label": node_label,
            "edge_label": edge_label,
            "node_attribute": node_attribute,
            # What is not used need not make sense: opposite directions may have any weights.
            "edge_attribute": None if is_structural(weight) else edge_attribute,
            "directed": directed,
        }

    def fit(self, data: Any) -> AddFiltration:
        """Learn the thresholds from training graphs.

        Parameters
        ----------
        data : torch_geometric.data.Data, data set, or iterable of Data

        Returns
        -------
        AddFiltration
            Itself.
        """
        self.filtration_.fit(Graphs.from_pyg(data, **self._read))
        return self

    @property
    def n_levels_(self) -> int:
        """The actual number of levels, once it is fitted."""
        return self.filtration_.n_levels_

    def __call__(self, data: Any) -> Any:
        """Return the graph, or a list of the graphs, with ``edge_level``; see :meth:`forward`."""
        return self.forward(data)

    def forward(self, data: Any) -> Any:
        """Return the graph, or a list of the graphs, with ``edge_level``.

        What is given is not changed. Many graphs at once are faster than one by one.
        """
        items = [data] if is_pyg(data) else list(data)
        graphs = Graphs.from_pyg(items, **self._read)
        levels = self.filtration_.levels(graphs)
        pairs = [np.asarray(item.edge_index.cpu()).T for item in items]
        found = _levels_of_pairs(graphs, levels, pairs)
        results = []
        for item, own in zip(items, found, strict=True):
            result = copy.copy(item)
            result.edge_level = torch.as_tensor(own, device=item.edge_index.device)
            results.append(result)
        return results[0] if is_pyg(data) else results

    def __repr__(self) -> str:
        return f"AddFiltration({self.weight!r}, {self.thresholds!r}, n_levels={self.n_levels})"


def _levels_of_pairs(
    graphs: Graphs, levels: NDArray[np.int32], pairs: list[NDArray[np.int64]]
) -> list[NDArray[np.int64]]:
    """Return the level of each pair of vertices of each graph; pairs may occur more than once."""
    n = int(graphs.node_ptr[-1])
    starts = graphs.node_ptr[:-1]
    edges = graphs.edges + starts[part_of(graphs.edge_ptr), np.newaxis]
    known = edges[:, 0] * n + edges[:, 1]  # increasing, as edges are sorted
    found = []
    for pair, start in zip(pairs, starts, strict=True):
        ends = pair + start if graphs.directed else np.sort(pair + start, axis=1)
        own = np.zeros(len(pair), np.int64)
        simple = ends[:, 0] != ends[:, 1]
        at = np.searchsorted(known, ends[simple, 0] * n + ends[simple, 1])
        own[simple] = levels[at]
        found.append(own)
    return found
