"""The kernel that a page shows: the one that an evaluation has found to be best."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from ..evaluation import Results
from ..evaluation.methods import Method, as_methods
from ..evaluation.summary import Score, params_text
from ..features import WeisfeilerLehman
from ..kernels.kernel import FiltrationKernel

DEPTH, LEVELS = 3, 3


def default_kernel() -> FiltrationKernel:
    """Return the kernel of ``grafik explain``."""
    return FiltrationKernel(WeisfeilerLehman(depth=DEPTH), n_levels=LEVELS, normalize=True)


def chosen_kernel(results: Results | None) -> tuple[FiltrationKernel, str]:
    """Return the best filtration kernel of an evaluation, and how it was chosen.

    It is the named filtration kernel with the highest accuracy, with the parameters that were
    chosen most often. If these have one level, there is no filtration to look at, and the kernel
    has the default parameters.
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
        return default_kernel(), ""
    score, method = max(known, key=lambda pair: pair[0].accuracy or 0.0)
    params = {name: value for name, value in score.params.items() if name != "C"}
    how = (
        f"Kernel of this page: {score.title}, the best filtration kernel of the evaluation. Its "
        f"cross-validation has chosen {params_text(params)} most often.{_gain(score, scores)}"
    )
    if params["n_levels"] == 1:
        how += (
            f" One level is no filtration, so what you see here are at most {LEVELS} levels, "
            f"depth {DEPTH} and gamma 1."
        )
        own = {"weight": method.kernel.weight, "features__edge_labels": False}
        return default_kernel().set_params(**own), how
    params["features__depth"] = params.pop("depth")
    return clone(method.kernel).set_params(**params), how


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
