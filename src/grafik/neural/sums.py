"""Sums of rows of a tensor, chosen by index: what a network needs of neighbours and of graphs."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.nn.functional import embedding_bag


class Terms(NamedTuple):
    """Which rows are the terms of each sum.

    Attributes
    ----------
    rows : Tensor of int64, shape (n_terms,)
        The terms of all sums, one sum after the other.
    starts : Tensor of int64, shape (n_sums + 1,)
        Where each sum starts.
    sums : Tensor of int64, shape (n_terms,)
        The sums that each row is a term of, one row after the other; gradients flow along it.
    row_starts : Tensor of int64, shape (n_rows + 1,)
    """

    rows: Any
    starts: Any
    sums: Any
    row_starts: Any

    @classmethod
    def of(cls, rows: Any, sums: Any, n_rows: int, n_sums: int) -> Terms:
        """Build it from pairs of a row and a sum, in any order; a pair may occur more than once."""
        there, starts = _grouped(rows, sums, n_sums)
        back, row_starts = _grouped(sums, rows, n_rows)
        return cls(there, starts, back, row_starts)

    @property
    def reverse(self) -> Terms:
        """The same pairs with sums and rows exchanged."""
        return Terms(self.sums, self.row_starts, self.rows, self.starts)


def _grouped(values: Any, groups: Any, n_groups: int) -> tuple[Any, Any]:
    """Return values ordered by group, and where each group starts."""
    order = torch.argsort(groups, stable=True)
    return values[order], group_starts(groups, n_groups)


def group_starts(groups: Any, n_groups: int) -> Any:
    """Return where each group starts once items are ordered by group, and where the last ends."""
    starts = groups.new_zeros(n_groups + 1)
    torch.cumsum(torch.bincount(groups, minlength=n_groups), 0, out=starts[1:])
    return starts


def summed(values: Any, terms: Terms) -> Any:
    """Return sums of rows of a matrix, in a fixed order, with gradients of any order.

    Examples
    --------
    >>> import torch
    >>> from grafik.neural.sums import Terms, summed
    >>> pairs = torch.tensor([0, 1, 2]), torch.tensor([1, 1, 0])
    >>> summed(torch.tensor([[1.0], [2.0], [4.0]]), Terms.of(*pairs, n_rows=3, n_sums=2))
    tensor([[4.],
            [3.]])
    """
    return _Sums.apply(values, terms)


class _Sums(torch.autograd.Function):
    """Adds up rows in blocks of contiguous memory.

    Gathering all terms and adding them with ``index_add`` gives the same, but takes five times as
    long on a processor, forth and back.
    """

    @staticmethod
    def forward(ctx: Any, values: Any, terms: Terms) -> Any:
        ctx.terms = terms
        # Kernels of PyTorch want a table that is not empty, even if no row of it is used.
        table = values if len(values) else values.new_zeros((1, values.shape[1]))
        return embedding_bag(terms.rows, table, terms.starts, mode="sum", include_last_offset=True)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return _Sums.apply(gradient.contiguous(), ctx.terms.reverse), None
