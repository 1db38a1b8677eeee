"""A map of a data set: similar graphs lie near each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import style
from .gram import checked_symmetric, is_one_value, one_per_graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SMALL = 200  # for at most this many graphs, all eigenvectors are computed at once
_MANY_CLASSES = 24  # a map with more classes is refused


def kernel_pca(
    matrix: ArrayLike, n_components: int = 2
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return positions of graphs whose distances are as close to the kernel's as possible.

    This is kernel principal component analysis, and the same as classical multidimensional scaling
    with the squared distances ``K[i, i] + K[j, j] - 2 K[i, j]``.

    Parameters
    ----------
    matrix : array of shape (n_graphs, n_graphs)
        Gram matrix.
    n_components : int

    Returns
    -------
    positions : ndarray of shape (n_graphs, n_components)
        Always the same for the same matrix: each axis points to the side of its farthest graph.
    shares : ndarray of shape (n_components,)
        Share of the variance that each component explains.

    Examples
    --------
    >>> from grafik.plots import kernel_pca
    >>> positions, shares = kernel_pca([[1, 1, 0], [1, 1, 0], [0, 0, 1]], n_components=1)
    >>> positions.round(3).ravel().tolist(), shares.round(3).tolist()
    ([-0.471, -0.471, 0.943], [1.0])
    """
    values = checked_symmetric(matrix)
    n = len(values)
    means = values.mean(axis=0)
    centred = values - means[:, None] - means[None, :] + means.mean()
    total = float(np.trace(centred))
    wanted = min(n_components, n)
    if n <= _SMALL:
        found, vectors = np.linalg.eigh(centred)
    else:
        from scipy.sparse.linalg import eigsh

        # A fixed start, because the default is random.
        start = np.cos(np.arange(n, dtype=np.float64))
        found, vectors = eigsh(centred, k=wanted, which="LA", v0=start)
    best = np.argsort(-found)[:wanted]
    lengths = np.sqrt(np.maximum(found[best], 0.0))
    positions = np.zeros((n, n_components))
    positions[:, :wanted] = vectors[:, best] * lengths
    farthest = positions[np.argmax(np.abs(positions).round(9), axis=0), np.arange(n_components)]
    shares = np.zeros(n_components)
    if total > 1e-12 * max(float(np.trace(values)), 0.0) and total > 0:
        shares[:wanted] = lengths**2 / total
    return positions * np.where(farthest < 0, -1.0, 1.0), shares


def data_map(
    matrix: ArrayLike,
    y: ArrayLike | None = None,
    *,
    names: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw every graph as a point, in the plane that shows most of the kernel's distances.

    Parameters
    ----------
    matrix : array of shape (n_graphs, n_graphs)
        Gram matrix, best normalised: otherwise the first component is size. Where all entries are
        equal, the picture says so.
    y : array of shape (n_graphs,), optional
        Class of each graph, shown by colour and marker, or a number, shown by colour.
    names : sequence of str, optional
        A text for each graph; empty ones are left out.
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
    >>> ax = plots.data_map(K, y, ax=Figure().subplots())
    >>> len(ax.collections)
    10
    """
    positions, shares = kernel_pca(matrix)
    n = len(positions)
    target = None if y is None else one_per_graph(y, n)
    if target is not None and target.dtype.kind != "f":
        n_classes = len(np.unique(target))
        if n_classes > _MANY_CLASSES:
            raise ValueError(
                f"a map shows at most {_MANY_CLASSES} classes, got {n_classes}; "
                "give numbers as floats, to be shown by colour"
            )
    if names is not None and len(names) != n:
        raise ValueError(f"names must have a text for each of {n} graphs, got {len(names)}")
    ax = style.new_axes(ax, 4.8, 3.8)
    look: dict[str, Any] = {
        "s": float(np.clip(6000 / n, 9, 42)),
        "linewidths": 0.5,
        "edgecolors": style.WHITE,
    }
    if target is None:
        ax.scatter(*positions.T, color=style.BLUE, **look)
    elif target.dtype.kind == "f":
        look |= {"c": target, "cmap": "cividis"}
        points = ax.scatter(*positions.T, **look)
        ax.figure.colorbar(points, ax=ax, shrink=0.85, pad=0.03)
    else:
        _draw_classes(ax, positions, target, look)
    if names is not None:
        for point, name in zip(positions, names, strict=True):
            if name is not None and name != "":
                away: dict[str, Any] = {
                    "xytext": (4, 3),
                    "textcoords": "offset points",
                    "fontsize": 7,
                }
                ax.annotate(style.plain(name), point, **away)
    for axis, share, number in zip((ax.xaxis, ax.yaxis), shares, (1, 2), strict=True):
        axis.set_label_text(f"component {number} ({100 * share:.0f} % of variance)")
    ax.set_aspect("equal", adjustable="datalim")
    ax.tick_params(labelsize=8)
    if is_one_value(np.asarray(matrix, np.float64)):
        ax.set(xticks=[], yticks=[])
        style.say_all_equal(ax, f"{n} graphs at one point", 0.6)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _draw_classes(
    ax: Axes, positions: NDArray[np.float64], target: NDArray[Any], look: dict[str, Any]
) -> None:
    classes = np.unique(target)
    handles = []
    for place, name in enumerate(classes.tolist()):
        # All pairs of a colour and a marker are used before one is used again.
        marker = style.MARKERS[(place + place // len(style.CYCLE)) % len(style.MARKERS)]
        colour = style.CYCLE[place % len(style.CYCLE)]
        points = positions[target == name].T
        handles.append(ax.scatter(*points, color=colour, marker=marker, alpha=0.85, **look))
    style.legend(
        ax,
        handles,
        [style.plain(name, 20) for name in classes.tolist()],
        title="class",
        title_fontsize=8,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        ncols=1 + (len(classes) - 1) // 12,
    )
