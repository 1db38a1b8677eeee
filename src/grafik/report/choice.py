"""The kernel that a page shows: the one that an evaluation has found to be best."""

from __future__ import annotations

from sklearn.base import clone

from ..estimators import FiltrationKernel
from ..evaluation import Results
from ..evaluation.fingerprint import described
from ..evaluation.methods import Method, as_methods
from ..evaluation.summary import settings
from ..features import WeisfeilerLehman

DEPTH, LEVELS = 3, 3


def default_kernel() -> FiltrationKernel:
    """Return the kernel of ``grafik explain``."""
    return FiltrationKernel(WeisfeilerLehman(depth=DEPTH), n_levels=LEVELS, normalize=True)


def chosen_kernel(results: Results | None) -> tuple[FiltrationKernel, str]:
    """Return the best filtration kernel of an evaluation, and how it was chosen.

    Of the filtration kernels that have a name, it is the one with the highest accuracy, with the
    parameters that were chosen most often. Where that is one level, there is no filtration to be
    looked at, and parameters are the usual ones.
    """
    usual = default_kernel()
    best: tuple[float, FiltrationKernel, str] | None = None
    for score in results.summary().scores if results is not None else ():
        method = _filtration_method(results, score.method) if results is not None else None
        if method is None or score.accuracy is None or best and best[0] >= score.accuracy:
            continue
        kernel: FiltrationKernel = clone(method.kernel)
        params = {name: value for name, value in score.params.items() if name != "C"}
        how = f"{score.title}, the best filtration kernel of the evaluation: its cross-validation "
        how += f"has chosen {settings(params)} most often"
        if params["n_levels"] > 1:
            depth = params.pop("depth")
            kernel.set_params(features=WeisfeilerLehman(depth=depth), **params)
            best = score.accuracy, kernel, f"Kernel of this page: {how}."
        else:
            usual.set_params(weight=kernel.weight)
            text = f"Kernel of this page: {how}. One level is no filtration, so what you see here "
            text += f"are {LEVELS} levels, depth {DEPTH} and gamma 1."
            best = score.accuracy, usual, text
    if best is None:
        return usual, ""
    return best[1], best[2]


def _filtration_method(results: Results, name: str) -> Method | None:
    """Return a method that is known by its name, if its kernel can be shown."""
    try:
        method = as_methods([name], results.header["normalize"])[0]
    except ValueError:
        return None
    kernel = method.kernel
    if not isinstance(kernel, FiltrationKernel):
        return None
    # Whoever calls another kernel by this name does not mean ours.
    same = described(kernel) == results.header["methods"][name]["kernel"]
    return method if same else None
