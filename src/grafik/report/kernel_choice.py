"""The kernel that a page shows: the one that an evaluation has found to be best."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from ..evaluation import Results
from ..evaluation.methods import Method, as_methods
from ..evaluation.summary import Score
from ..features import WeisfeilerLehman
from ..kernels.kernel import FiltrationKernel

DEPTH, LEVELS = 3, 3


def default_kernel() -> FiltrationKernel:
    """Return the kernel of ``grafik explain``."""
    return FiltrationKernel(WeisfeilerLehman(depth=DEPTH), n_levels=LEVELS, normalize=True)


def chosen_kernel(results: Results | None) -> tuple[FiltrationKernel, str, str | None]:
    """Return the best filtration kernel of an evaluation, how it was chosen, and its method.

    It is the named filtration kernel with the highest accuracy, with the parameters that were
    chosen most often, so that what a page shows is what was measured. Without one, it is that of
    ``grafik explain``, and no method.
    """
    scores = [] if results is None else results.summary().scores
    known = [
        (score, method)
        for score in scores
        # The Weisfeiler-Lehman kernel always has one level, so it has no such parameter.
        if score.accuracy is not None
        and "n_levels" in score.params
        and (method := _filtration_method(results, score.method)) is not None
    ]
    if not known:
        return default_kernel(), "", None
    score, method = max(known, key=lambda pair: pair[0].accuracy or 0.0)
    params = {name: value for name, value in score.params.items() if name != "C"}
    how = (
        f"This page shows {score.title}, the most accurate filtration kernel of the evaluation, "
        f"with what its cross-validation chose most often: {told(params)}.{_gain(score, scores)}"
    )
    params["features__depth"] = params.pop("depth")
    return clone(method.kernel).set_params(**params), how, score.method


def told(params: dict[str, Any]) -> str:
    """Return parameters as part of a sentence; None is left out.

    Examples
    --------
    >>> from grafik.report.kernel_choice import told
    >>> told({"C": 4096.0, "depth": 5, "gamma": 2.0**-5, "n_levels": 3})
    '3 levels, depth 5, gamma 0.03125, C 4096'
    """
    levels = params.get("n_levels")
    texts = [] if levels is None else ["one level" if levels == 1 else f"{levels} levels"]
    for name in sorted(params, key=lambda name: (name == "C", name)):
        value = params[name]
        if name != "n_levels" and value is not None:
            texts.append(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}")
    return ", ".join(texts)


def _gain(best: Score, scores: list[Score]) -> str:
    """Return what the best filtration kernel gained over plain Weisfeiler-Lehman, if both ran."""
    plain = next((one for one in scores if one.method == "wl"), None)
    if plain is None or plain.accuracy is None or best.accuracy is None:
        return ""
    gain = best.accuracy - plain.accuracy
    numbers = f"{best.accuracy:.1f} % against {plain.accuracy:.1f} %"
    if gain <= 0:
        return f" The filtration did not help beyond plain Weisfeiler-Lehman: {numbers}."
    return f" The filtration gained {gain:.1f} points over plain Weisfeiler-Lehman: {numbers}."


def _filtration_method(results: Any, name: str) -> Method | None:
    """Return the method of this name, or None if its kernel cannot be shown."""
    try:
        method = as_methods([name], results.header.normalize)[0]
    except ValueError:
        return None
    if not isinstance(method, Method) or not isinstance(method.kernel, FiltrationKernel):
        return None
    if "sigmas" in method.parameters:
        return None
    # Another kernel may have been evaluated under this name.
    return method if method.text == results.header.methods[name].kernel else None
