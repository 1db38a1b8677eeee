"""FiltrationGIN: one graph isomorphism network, shared over the filtration graphs."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import BatchNorm1d, Dropout, Linear, Module, ModuleList, Parameter
from torch.nn.functional import batch_norm, silu

from ..arrays.checks import checked_bool, checked_integer, checked_number
from .sums import Terms, group_starts, summed


class FiltrationGIN(Module):
    r"""A graph isomorphism network [1]_ that sees every graph of a filtration (Corollary 2).

    One network is shared over the filtration graphs :math:`G_1 \subseteq \dots \subseteq G_k`. With
    an embedding :math:`e_i` of each level `i`, layers are

    .. math:: h_v^{(0)} = W x_v + e_i, \qquad
              h_v^{(t+1)} = \mathrm{MLP}\Big((1 + \epsilon) h_v^{(t)} +
              \sum_{u : \{u, v\} \in E(G_i)} h_u^{(t)}\Big)

    and a graph is read out by sums over its vertices, of all layers. What comes out of the levels
    is not added up: each level has its own weights in what follows, so that their order counts.
    With one level this is a plain GIN.

    All levels of all graphs of a batch are computed in one pass: messages are masked by the level
    at which their edges enter, and graphs are not copied. Time and memory grow with the number of
    levels. It works with data of PyTorch Geometric, see :class:`grafik.neural.AddFiltration`, but
    needs PyTorch alone.

    Activations (SiLU) are analytic and no polynomials, so that random weights tell apart what
    Weisfeiler-Lehman labels of the filtration graphs do, up to the depth of the network.

    Parameters
    ----------
    in_channels, out_channels : int
        Number of features of a vertex, and of outputs for a graph, such as one for each class.
    n_levels : int
        Number of filtration graphs, the paper's `k`.
    hidden_channels : int
        Width of all layers.
    n_layers : int
        Rounds of messages.
    dropout : float
        Share of what is read out that is left out in training.
    directed : bool
        Whether messages along edges and against them are told apart. Otherwise they flow from
        the first to the second row of `edge_index`, which has both directions of undirected edges.

    References
    ----------
    .. [1] Xu, Hu, Leskovec, Jegelka: How powerful are graph neural networks? ICLR 2019.

    Examples
    --------
    Two 3-regular graphs, which no GIN can tell apart:

    >>> import torch
    >>> from grafik import Filtration, datasets
    >>> from grafik.neural import FiltrationGIN
    >>> graphs, y = datasets.triangle_pair()
    >>> levels = torch.as_tensor(Filtration("triangles").fit_levels(graphs)).long()
    >>> edges = torch.as_tensor(graphs.edges.copy()).long().T
    >>> edges[:, 9:] += 6  # the vertices of the second graph come after those of the first
    >>> x, graph_of = torch.ones(12, 1), torch.arange(2).repeat_interleave(6)
    >>> both_ways = torch.cat([edges, edges.flip(0)], 1), torch.cat([levels, levels])
    >>> _ = torch.manual_seed(0)
    >>> network = FiltrationGIN(1, 1, n_levels=2).eval()
    >>> one, other = network(x, *both_ways, graph_of).flatten()
    >>> torch.isclose(one, other).item()
    False
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        n_levels: int,
        hidden_channels: int = 32,
        n_layers: int = 3,
        dropout: float = 0.0,
        directed: bool = False,
    ) -> None:
        super().__init__()
        self.in_channels = checked_integer("in_channels", in_channels, 1)
        self.out_channels = checked_integer("out_channels", out_channels, 1)
        self.n_levels = checked_integer("n_levels", n_levels, 1)
        self.hidden_channels = width = checked_integer("hidden_channels", hidden_channels, 1)
        self.n_layers = checked_integer("n_layers", n_layers, 1)
        self.dropout = checked_number("dropout", dropout)
        if self.dropout >= 1:
            raise ValueError(f"dropout must be less than 1, got {dropout!r}")
        self.directed = checked_bool("directed", directed)
        self.start = Linear(in_channels, width)
        self.level = Parameter(torch.randn(n_levels, width))
        self.layers = ModuleList(_Layer(width, directed) for _ in range(n_layers))
        self.pooled = _Norm((n_layers + 1) * width)
        self.of_level = Linear((n_layers + 1) * width, width)
        self.of_graph = Linear(n_levels * width, width)
        self.drop = Dropout(dropout)
        self.out = Linear(width, out_channels)

    def forward(
        self,
        x: Any,
        edge_index: Any,
        edge_level: Any = None,
        batch: Any = None,
        batch_size: int | None = None,
    ) -> Any:
        """Return the outputs for each graph of a batch.

        Parameters
        ----------
        x : Tensor of floats, shape (n_vertices, in_channels)
        edge_index : Tensor of int64, shape (2, n_edges)
        edge_level : Tensor of int64, shape (n_edges,), optional
            The level at which each edge enters, counted from 0. It may be missing if there is one
            level.
        batch : Tensor of int64, shape (n_vertices,), optional
            The graph of each vertex; by default there is one graph.
        batch_size : int, optional
            Number of graphs; by default the last one is the last that has a vertex.

        Returns
        -------
        Tensor of shape (n_graphs, out_channels)
        """
        if edge_level is None and self.n_levels == 1:
            edge_level = edge_index.new_zeros(edge_index.shape[1])
        if batch is None:
            batch = torch.zeros(len(x), dtype=torch.int64, device=x.device)
            batch_size = 1 if batch_size is None else batch_size
        elif batch_size is None:
            batch_size = int(batch.max()) + 1 if len(batch) else 0
        self._check(x, edge_index, edge_level, batch, batch_size)
        n, k, width = len(x), self.n_levels, self.hidden_channels
        neighbours = _neighbours(edge_index, edge_level, n, k)
        # One row for each level and vertex: all vertices at the first level, then at the next.
        h = (self.start(x) + self.level[:, None]).reshape(k * n, width)
        kept = [h]
        for layer in self.layers:
            h = layer(h, neighbours)
            kept.append(h)
        vertices = torch.arange(k * n, device=x.device)
        graph_of = (torch.arange(k, device=x.device)[:, None] * batch_size + batch).flatten()
        graphs = summed(torch.cat(kept, 1), Terms.of(vertices, graph_of, k * n, k * batch_size))
        levels = silu(self.of_level(self.pooled(graphs))).reshape(k, batch_size, width)
        whole = silu(self.of_graph(levels.transpose(0, 1).reshape(batch_size, k * width)))
        return self.out(self.drop(whole))

    def _check(self, x: Any, edge_index: Any, edge_level: Any, batch: Any, batch_size: int) -> None:
        """Refuse what does not fit together; indices that point nowhere could read anything."""
        if not x.is_floating_point() or x.ndim != 2 or x.shape[1] != self.in_channels:
            raise ValueError(
                f"x must be floats of shape (n, {self.in_channels}), got {x.dtype} of shape "
                f"{tuple(x.shape)}; labels become floats by torch.nn.functional.one_hot"
            )
        if edge_level is None:
            raise ValueError(
                f"edge_level is needed for {self.n_levels} levels; grafik.neural.AddFiltration "
                "writes it"
            )
        n, m = len(x), edge_index.shape[-1]
        for name, given, shape, most in (
            ("edge_index", edge_index, (2, m), n),
            ("edge_level", edge_level, (m,), self.n_levels),
            ("batch", batch, (n,), batch_size),
        ):
            if given.dtype != torch.int64 or tuple(given.shape) != shape:
                raise ValueError(
                    f"{name} must be int64 of shape {shape}, got {given.dtype} of shape "
                    f"{tuple(given.shape)}"
                )
            if given.numel() and not 0 <= int(given.min()) <= int(given.max()) < most:
                raise ValueError(
                    f"{name} must be from 0 to {most - 1}, got {int(given.min())} to "
                    f"{int(given.max())}"
                )


class _Layer(Module):
    """One round of messages, at all levels."""

    def __init__(self, width: int, directed: bool) -> None:
        super().__init__()
        self.epsilon = Parameter(torch.zeros(()))
        self.first = Linear(width, width)
        self.against = Linear(width, width, bias=False) if directed else None
        self.inner = _Norm(width)
        self.second = Linear(width, width)
        self.outer = _Norm(width)

    def forward(self, h: Any, neighbours: Terms) -> Any:
        z = self.first((1 + self.epsilon) * h + summed(h, neighbours))
        if self.against is not None:
            z = z + self.against(summed(h, neighbours.reverse))
        return silu(self.outer(self.second(silu(self.inner(z)))))


def is_constant(mean: Any, variance: Any) -> Any:
    """Tell for each column whether it varies by rounding errors alone."""
    return variance < 1e-9 + 1e-12 * mean**2


class _Norm(BatchNorm1d):
    """Batch normalisation that takes batches of any size, and of vertices that are all alike.

    One row has no deviation to learn. Columns that are the same everywhere are centred, but not
    divided by next to nothing: each layer would multiply gradients by some hundreds.
    """

    def forward(self, rows: Any) -> Any:
        if not self.training:
            return super().forward(rows)
        if len(rows) <= 1:
            return batch_norm(
                rows, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps
            )
        found = super().forward(rows)
        with torch.no_grad():
            variance, mean = torch.var_mean(rows, 0, correction=0)
            constant = is_constant(mean, variance)
        if not constant.any():
            return found
        return torch.where(constant, (rows - rows.mean(0)) * self.weight + self.bias, found)


def _neighbours(edge_index: Any, edge_level: Any, n: int, n_levels: int) -> Terms:
    """Return the neighbours of each vertex at each level: edges are there from their level on."""
    first, second = edge_index
    sent = _by_level(first, second, edge_level, n, n_levels)
    return Terms(*sent, *_by_level(second, first, edge_level, n, n_levels))


def _by_level(values: Any, groups: Any, edge_level: Any, n: int, n_levels: int) -> tuple[Any, Any]:
    """Return one end of edges by the other end and the level, and where each group starts."""
    levels = torch.arange(n_levels, device=edge_level.device)
    order = torch.argsort(groups, stable=True)  # then they are in order at every level, too
    level, place = (edge_level[order] <= levels[:, None]).nonzero(as_tuple=True)
    edge = order[place]
    return level * n + values[edge], group_starts(level * n + groups[edge], n_levels * n)
