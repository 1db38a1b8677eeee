"""Lines: accuracy by number of levels, and how time grows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..evaluation.results import Results, read_results
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def levels(results: Any, *, ax: Axes | None = None) -> Axes:
    """Draw accuracy by number of levels, with a band of one standard deviation on each side.

    Parameters
    ----------
    results : Results, folder of results, or rows; or several of them in a list
        Results must have methods that try a single number of levels each; methods that choose it
        themselves are left out, because they have no place on the axis. A row has the keys
        ``"data"``, ``"levels"``, ``"accuracy"`` and ``"deviation"`` (in percent), and optionally
        ``"paper"``, for a line to compare with.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from grafik import plots
    >>> rows = [{"data": "EGO-1", "levels": k, "accuracy": a, "deviation": 2.5}
    ...         for k, a in ((1, 51.5), (2, 59.9), (3, 63.9))]
    >>> ax = plots.levels(rows, ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().tolist()
    [51.5, 59.9, 63.9]
    """
    rows = _rows(results)
    if not rows:
        raise ValueError(
            "there is no accuracy by number of levels: evaluate methods that try a single number "
            "each, as in evaluate({'k=2': ...}), or give rows"
        )
    ax = style.new_axes(ax, 5.2, 3.6)
    for i, name in enumerate(dict.fromkeys(row["data"] for row in rows)):
        mine = sorted((row for row in rows if row["data"] == name), key=lambda row: row["levels"])
        colour = style.CYCLE[i % len(style.CYCLE)]
        x, y, spread = (
            np.array([row[key] or 0.0 for row in mine], np.float64)
            for key in ("levels", "accuracy", "deviation")
        )
        ax.fill_between(x, y - spread, y + spread, color=colour, alpha=0.2, linewidth=0)
        marker = style.MARKERS[i % len(style.MARKERS)]
        line: dict[str, Any] = {"color": colour, "label": style.plain(name)}
        ax.plot(x, y, f"{marker}-", markersize=5, **line)
        theirs = [row.get("paper") for row in mine]
        if any(value is not None for value in theirs):
            line["label"] += ", the paper's"
            ax.plot(x, [np.nan if v is None else v for v in theirs], "--", linewidth=1.2, **line)
    ax.set(xlabel="number of levels", ylabel="accuracy in %")
    whole_ticks(ax, [row["levels"] for row in rows])
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8)
    return ax


def whole_ticks(ax: Axes, numbers: Iterable[int]) -> None:
    """Put a tick at each whole number, or at some of them if there are many."""
    from matplotlib.ticker import MaxNLocator

    different = sorted(set(numbers))
    if len(different) <= 12:
        ax.set_xticks(different)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(10, integer=True))


def _rows(results: Any) -> list[dict[str, Any]]:
    if isinstance(results, (str, os.PathLike)):
        return _rows(read_results(results))
    if isinstance(results, Results):
        return _rows_of(results)
    if isinstance(results, Mapping):
        lacking = {"data", "levels", "accuracy", "deviation"} - results.keys()
        if lacking:
            raise ValueError(f"a row needs {sorted(lacking)[0]!r}, got {sorted(results)}")
        return [] if results["accuracy"] is None else [dict(results)]
    if not isinstance(results, Iterable):
        raise TypeError(f"expected Results, a folder of them or rows, got {results!r}")
    return [row for part in results for row in _rows(part)]


def _rows_of(results: Results) -> list[dict[str, Any]]:
    """Return the accuracies of methods with a single number of levels, one line per kernel."""
    summary = results.summary()
    methods = results.header.methods
    single = [s for s in summary.scores if len(methods[s.method].grid.get("levels", ())) == 1]
    kernels = list(dict.fromkeys(methods[score.method].kernel for score in single))
    data = results.header.data.name or "accuracy"
    return [
        {
            "data": f"{data}, kernel {kernels.index(kernel) + 1}" if len(kernels) > 1 else data,
            "levels": methods[score.method].grid["levels"][0],
            "accuracy": score.accuracy,
            "deviation": score.deviation,
        }
        for score in single
        if score.accuracy is not None
        for kernel in [methods[score.method].kernel]
    ]


def growth(
    values: ArrayLike,
    seconds: ArrayLike,
    *,
    label: str = "size",
    fit: tuple[float, float, float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how time grows with a quantity, on logarithmic axes, and the power law that fits.

    Parameters
    ----------
    values, seconds : array of shape (n,)
        Positive.
    label : str
        What the values are.
    fit : (factor, exponent, from, to), optional
        The power law ``factor * value ** exponent`` to draw, and its range. By default the
        least-squares fit to the upper half of the values, where constant costs matter least.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from grafik import plots
    >>> ax = plots.growth([100, 200, 400, 800], [1, 4, 16, 64], ax=Figure().subplots())
    >>> ax.lines[1].get_label()
    'exponent 2.00, from 200 to 800'
    """
    x, y = np.asarray(values, np.float64), np.asarray(seconds, np.float64)
    if x.ndim != 1 or x.shape != y.shape or not len(x):
        raise ValueError(f"values and seconds must be equally many, got {x.shape} and {y.shape}")
    for name, numbers in (("values", x), ("seconds", y)):
        if not (np.isfinite(numbers) & (numbers > 0)).all():
            raise ValueError(f"{name} must be positive and finite, got {numbers}")
    ax = style.new_axes(ax, 4.2, 3.2)
    ax.plot(x, y, "o", color=style.BLUE, markersize=5, label="measured")
    fit = _fitted(x, y) if fit is None else fit
    if fit is not None:
        factor, exponent, *ends = fit
        name = f"exponent {exponent:.2f}, from {style.number(ends[0])} to {style.number(ends[1])}"
        heights = [factor * end**exponent for end in ends]
        ax.plot(ends, heights, "-", color=style.VERMILION, linewidth=1.8, label=name)
    _label_growth(ax, x, y, label)
    return ax


def _fitted(x: Any, y: Any) -> tuple[float, float, float, float] | None:
    order = np.argsort(x)[(len(x) - 1) // 2 :] if len(x) > 3 else np.argsort(x)
    if len(np.unique(x[order])) < 2:
        return None
    exponent, constant = np.polyfit(np.log(x[order]), np.log(y[order]), 1)
    return float(np.exp(constant)), float(exponent), float(x[order[0]]), float(x[order[-1]])


def _label_growth(ax: Axes, x: Any, y: Any, label: str) -> None:
    ax.set(xlabel=style.plain(label, 60), ylabel="seconds")
    for axis, numbers, above in ((ax.xaxis, x, 0.06), (ax.yaxis, y, 0.4)):  # the legend is above
        low, high = float(numbers.min()), float(numbers.max())
        range_ = max(high / low, 1.2)
        style.plain_log(axis, low / range_**0.06, high * range_**above)
    ax.tick_params(which="both", labelsize=8)
    ax.grid(which="major", alpha=0.3)
    ax.legend(fontsize=8, loc="upper left", frameon=False)
