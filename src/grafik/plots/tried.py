"""What a model tried before it chose its kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..arrays.checks import checked_integer
from ..models.choice import Choice, weights_of
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_KINDS = ("no filtration", "one filtration", "several together")


def tried(model: Any, *, top: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the best kernels that a classifier or regressor tried, each with its best C.

    A dot is the mean score in cross-validation, and its line the standard deviation over folds.
    The best kernel without a filtration is always among them, so that one sees what filtrations
    gain.

    Parameters
    ----------
    model : FiltrationClassifier or FiltrationRegressor, fitted
    top : int
        How many kernels to draw.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from grafik import FiltrationClassifier, datasets, plots
    >>> graphs, y = datasets.csl(skips=(2, 3), copies=6)
    >>> model = FiltrationClassifier(weight=["degree", "walks"], effort="quick").fit(graphs, y)
    >>> ax = plots.tried(model, top=3, ax=Figure().subplots())
    >>> ax.get_yticklabels()[0].get_text()
    'walks, 4 levels, gamma 8, depth 1, C 1'
    """
    check_is_fitted(model, "machine_")
    rows = _best_of_each(model, checked_integer("top", top, 1))
    ax = style.new_axes(ax, 8.5, 1.0 + 0.26 * len(rows))
    for kind, name in enumerate(_KINDS):
        mine = [at for at, row in enumerate(rows) if row[0] == kind]
        if mine:
            ax.errorbar(
                [rows[at][2] for at in mine],
                mine,
                xerr=[rows[at][3] for at in mine],
                fmt=style.MARKERS[kind],
                color=style.CYCLE[kind],
                markersize=5,
                elinewidth=1,
                label=name,
            )
    ax.set_yticks(range(len(rows)), [row[1] for row in rows], fontsize="small")
    ax.set_ylim(len(rows) - 0.5, -0.5)
    default = "accuracy" if hasattr(model, "classes_") else "R^2"
    ax.set_xlabel(f"{default if model.scoring is None else 'score'} in cross-validation")
    ax.grid(axis="x", alpha=0.3)
    ax.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, fontsize="small", frameon=False
    )
    return ax


def _best_of_each(model: Any, top: int) -> list[tuple[int, str, float, float]]:
    """Return kind, text, mean and deviation of the best kernels, in order."""
    results = model.cv_results_
    best = dict[str, int]()
    for row in np.argsort(-results["mean_test_score"], kind="stable").tolist():
        kernel = {name: one for name, one in results["params"][row].items() if name != "C"}
        best.setdefault(repr(kernel), row)
    kinds = {row: _kind(results["params"][row]) for row in best.values()}
    shown = list(best.values())[:top]
    plain = [row for row in best.values() if kinds[row] == 0]
    if plain and not any(kinds[row] == 0 for row in shown):
        shown[1 if top == 1 else -1 :] = plain[:1]
    means, spread = results["mean_test_score"], results["std_test_score"]
    return [
        (kinds[row], _text(results["params"][row]), float(means[row]), float(spread[row]))
        for row in shown
    ]


def _kind(parameters: dict[str, Any]) -> int:
    if parameters["n_levels"] == 1:
        return 0
    return 2 if len(weights_of(parameters.get("weight", "degree"))) > 1 else 1


def _text(parameters: dict[str, Any]) -> str:
    given = parameters if parameters["n_levels"] > 1 else {**parameters, "weight": None}
    choice = Choice.of(given, Choice(("given weight",)))
    return f"{choice}, C {parameters['C']:g}"
