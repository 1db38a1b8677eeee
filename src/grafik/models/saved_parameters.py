"""Parameters of estimators as JSON: numbers, strings, lists, and grafik's own parts by name."""

from __future__ import annotations

from inspect import isclass, isfunction
from typing import Any

import numpy as np

from .. import baselines, features, weights
from ..kernels.combined import CombinedKernel
from ..kernels.gaussian import GaussianKernel
from ..kernels.kernel import FiltrationKernel
from ..kernels.mean import MeanKernel

# Kernels, which may be parts of others.
KERNELS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        FiltrationKernel,
        MeanKernel,
        GaussianKernel,
        *(getattr(baselines, name) for name in baselines.__all__),
    )
    if issubclass(kind, (FiltrationKernel, CombinedKernel))
}
EXTRACTORS = tuple(
    getattr(features, name) for name in features.__all__ if name != "FunctionFeatures"
)
# Classes and functions that parameters may hold, besides numbers, strings and lists.
_CLASSES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *KERNELS.values(),
        *filter(isclass, (getattr(weights, name) for name in weights.__all__)),
        *EXTRACTORS,
    )
}
_FUNCTIONS: dict[str, Any] = {name: f for name, f in weights.NAMES.items() if isfunction(f)}
# Errors that may come up when the content of a file does not make a model.
NONSENSE = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    MemoryError,
    AttributeError,
    RecursionError,
)


def encoded(name: str, value: Any) -> Any:
    """Return a parameter in a form that JSON can hold."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and np.isfinite(value):
        return value
    if isinstance(value, float) and np.isinf(value):
        return {"infinity": int(np.sign(value))}
    if isinstance(value, (tuple, range)):
        return {"tuple": [encoded(name, item) for item in value]}
    if isinstance(value, (list, np.ndarray)):
        return [encoded(name, item) for item in value]
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {"dict": {key: encoded(key, item) for key, item in value.items()}}
        pairs = [[encoded(name, key), encoded(name, item)] for key, item in value.items()]
        return {"pairs": pairs}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if _CLASSES.get(type(value).__name__) is type(value):
        parameters = encoded(name, value.get_params(deep=False))
        return {"class": type(value).__name__, "parameters": parameters}
    for function in _FUNCTIONS:
        if _FUNCTIONS[function] is value:
            return {"function": function}
    raise ValueError(
        f"{name} is {value!r}, which cannot be saved: a file holds no code, so weights and "
        "features must be grafik's own, and everything else numbers, strings or lists. What only "
        "mattered for fitting can be changed before saving, as in model.set_params(cv=3)"
    )


def decoded(value: Any) -> Any:
    """Return the value that `encoded` was given."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"tuple": list(items)}:
            return tuple(decoded(item) for item in items)
        case {"dict": dict(items)}:
            return {key: decoded(item) for key, item in items.items()}
        case {"pairs": list(pairs)}:
            return {decoded(key): decoded(item) for key, item in pairs}
        case {"bytes": str(digits)}:
            return bytes.fromhex(digits)
        case {"infinity": 1 | -1 as sign}:
            return sign * np.inf
        case {"class": str(name), "parameters": parameters}:
            return _CLASSES[name](**decoded(parameters))
        case {"function": str(name)}:
            return _FUNCTIONS[name]
    raise ValueError(f"{value!r} is not a parameter")
