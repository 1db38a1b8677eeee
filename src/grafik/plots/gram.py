"""Gram matrices, with graphs that belong together side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays.checks import checked_choice
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_ROWS = 1000  # a picture shows at most this many; larger matrices are averaged in blocks
_TURNED = 400  # for at most this many graphs, the leaves of the clustering tree get the best order
_MANY_CLASSES = 30  # the names of at most this many classes are written


def checked_symmetric(matrix: Any) -> NDArray[np.float64]:
    """Return a matrix as floats; refuse it unless it is symmetric and finite."""
    array = np.asarray(matrix, np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not len(array):
        raise ValueError(f"a Gram matrix must be square and not empty, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("a Gram matrix must be finite, got NaN or infinite entries")
    if not np.allclose(array, array.T, rtol=1e-8, atol=1e-8 * np.abs(array).max()):
        raise ValueError("a Gram matrix must be symmetric; pass that of fit_transform")
    return array


def is_one_value(matrix: NDArray[np.float64]) -> bool:
    """Tell whether all entries are equal, but for rounding: a scale of them would mean nothing."""
    return len(matrix) > 1 and bool(np.ptp(matrix) <= 1e-9 * np.abs(matrix).max())


def one_per_graph(y: Any, n: int) -> NDArray[Any]:
    """Return a value for each graph; refuse anything else."""
    values = np.asarray(y)
    if values.shape != (n,):
        raise ValueError(f"y must have a value for each of {n} graphs, got shape {values.shape}")
    return values


def gram(
    matrix: ArrayLike,
    y: ArrayLike | None = None,
    *,
    order: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a Gram matrix, its rows ordered by class or by clustering.

    Parameters
    ----------
    matrix : array of shape (n_graphs, n_graphs)
        Symmetric; best normalised. Matrices of more than 1000 graphs are averaged in blocks, and
        where all entries are equal, the picture says so.
    y : array of shape (n_graphs,), optional
        Class of each graph.
    order : {None, "class", "cluster", "given"}
        By class, in the given order within each; by average-linkage clustering, which puts similar
        graphs side by side; or as given. By default by class if there are classes, else clustered.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from grafik import FiltrationKernel, datasets, plots
    >>> graphs, y = datasets.csl(copies=3)
    >>> K = FiltrationKernel(weight="walks", normalize=True).fit_transform(graphs)
    >>> ax = plots.gram(K, y, ax=Figure().subplots())
    >>> ax.images[0].get_array().shape
    (30, 30)
    """
    values = checked_symmetric(matrix)
    checked_choice("order", order, (None, "class", "cluster", "given"))
    classes = None if y is None else one_per_graph(y, len(values))
    if order == "class" and classes is None:
        raise ValueError("order='class' needs the class of each graph, as y")
    order = order or ("cluster" if classes is None else "class")
    n = len(values)
    rows = np.arange(n)
    if order == "class" and classes is not None:
        rows = np.argsort(classes, kind="stable")
    elif order == "cluster":
        rows = clustered(values)
    ax = style.new_axes(ax, 4.6, 3.8)
    shown, size = _averaged(values[np.ix_(rows, rows)])
    image = ax.imshow(shown, cmap="cividis", extent=(0, n, n, 0), interpolation="nearest")
    if is_one_value(values):
        image.set_clim(values[0, 0] - 1, values[0, 0])  # the colour of the most alike
        style.say_all_equal(ax, f"kernel {style.number(values[0, 0])}")
    else:
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.85, pad=0.03)
        bar.set_label("kernel")
    words = {"class": "by class", "cluster": "by similarity", "given": "as given"}[order]
    ax.set_xlabel(f"graphs, {words}" + (f", {size} x {size} averaged" if size > 1 else ""))
    if order == "class" and classes is not None:
        _mark_classes(ax, classes[rows])
    return ax


def clustered(matrix: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return an order of the graphs that puts similar ones side by side."""
    n = len(matrix)
    if n < 3:
        return np.arange(n)
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    own = np.diag(matrix)
    squares = np.maximum(own[:, None] + own[None, :] - matrix - matrix.T, 0.0)
    np.fill_diagonal(squares, 0.0)
    apart = squareform(np.sqrt(squares), checks=False)
    tree = linkage(apart, "average", optimal_ordering=n <= _TURNED)
    return np.asarray(leaves_list(tree), np.int64)


def _averaged(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Return means of blocks, and how many rows each has."""
    n = len(matrix)
    size = -(-n // _MOST_ROWS)
    if size == 1:
        return matrix, 1
    starts = np.arange(0, n, size)
    sums = np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
    lengths = np.diff(np.append(starts, n))
    return sums / np.outer(lengths, lengths), size


def _mark_classes(ax: Axes, classes: NDArray[Any]) -> None:
    names, starts = np.unique(classes, return_index=True)
    ends = np.append(starts, len(classes))
    for border in ends[1:-1]:
        for line in (ax.axhline, ax.axvline):
            line(border, color=style.WHITE, linewidth=1.6)
            line(border, color=style.BLACK, linewidth=0.6)
    if len(names) <= _MANY_CLASSES:
        ax.set_yticks(
            (ends[:-1] + ends[1:]) / 2, [style.plain(name, 14) for name in names.tolist()]
        )
        ax.tick_params(axis="y", length=0)
        ax.set_ylabel("class")
