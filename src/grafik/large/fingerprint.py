"""Fingerprints: texts that tell data from other data, and a kernel from other kernels."""

from __future__ import annotations

import dis
import hashlib
from types import BuiltinFunctionType, CodeType, EllipsisType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..features.histograms import Histograms
from ..graphs.batch import Graphs


def data_digest(graphs: Graphs, y: NDArray[Any]) -> str:
    """Return the SHA-256 of graphs and classes: of their content, however it is stored.

    Names of vertices and ids of graphs do not count, because results do not depend on them. Names
    of attributes do, because a weight may choose a column by its name.

    Examples
    --------
    >>> from grafik import datasets
    >>> from grafik.large.fingerprint import data_digest
    >>> graphs, y = datasets.csl(copies=1)
    >>> data_digest(graphs, y) == data_digest(graphs[list(range(10))], y)
    True
    >>> data_digest(graphs, y) == data_digest(graphs, y[::-1])
    False
    """
    digest = hashlib.sha256()

    def add(name: str, values: NDArray[Any]) -> None:
        # Little-endian, so that the digest is the same on every machine.
        plain = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<")))
        digest.update(f"{name} {plain.dtype.str} {plain.shape}\n".encode())
        digest.update(plain.tobytes())

    for name in ("node_ptr", "edge_ptr", "edges", "node_attributes", "edge_attributes"):
        column = getattr(graphs, name)
        if column is not None:
            add(name, column)
    for name in ("node_labels", "edge_labels"):
        labels = getattr(graphs, name)
        if labels is not None:
            add(name, labels.hashes)
    for name in ("node_attribute_names", "edge_attribute_names"):
        if getattr(graphs, name) is not None:
            digest.update(f"{name} {list(getattr(graphs, name))!a}\n".encode())
    if graphs.directed:
        digest.update(b"directed\n")
    names, codes = np.unique(y, return_inverse=True)
    digest.update(f"classes {[str(name) for name in names]}\n".encode())
    add("y", codes.astype(np.int64))
    return digest.hexdigest()


def described(value: Any, *, fitted: bool = False) -> str:
    """Return a text about a kernel, or a part of one, with all that its results depend on.

    The text is the same in every process. Functions are told apart by their code, not by their
    place in memory; long arrays by their SHA-256. The global names that a function reads count too:
    numbers, text, arrays and collections of these by their values, functions of its own package by
    their code, and all else by name or type alone, because calls may change what is inside.

    Parameters
    ----------
    value : object
    fitted : bool
        Whether what estimators have learned counts too, also if they are nested. Graphs that they
        keep do not count, as what was learned from them is there already.

    Examples
    --------
    >>> from grafik import weights
    >>> from grafik.large.fingerprint import described
    >>> described([weights.Walks(3), 0.5])
    '[Walks(length=3), 0.5]'
    >>> described(lambda graphs: 1) == described(lambda graphs: 2)
    False
    """
    return _Describer(fitted).text(value)


class _Describer:
    """Describes values; `above` holds the identities of those around the current one."""

    def __init__(self, fitted: bool) -> None:
        self.fitted = fitted
        self.above: list[int] = []

    def text(self, value: Any) -> str:
        if _is_scalar(value):
            return repr(value.item() if isinstance(value, np.generic) else value)
        if id(value) in self.above:
            return f"<{len(self.above) - self.above.index(id(value))} up>"
        self.above.append(id(value))
        try:
            return self._parts(value)
        finally:
            self.above.pop()

    def _parts(self, value: Any) -> str:
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(self.text, value))}]"
        if isinstance(value, (set, frozenset)):
            return f"{{{', '.join(sorted(map(self.text, value)))}}}"
        if isinstance(value, dict):
            return self._named("", {f"{key}": one for key, one in value.items()})
        if isinstance(value, np.ndarray):
            if value.dtype.hasobject or value.size < 20:
                return self.text(value.tolist())
            return f"{value.dtype.str}{value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        if isinstance(value, Histograms):
            return self.text(list(value.columns))
        if isinstance(value, BaseEstimator):
            return self._named(type(value).__name__, self._of_estimator(value))
        if isinstance(value, CodeType):
            parts = value.co_code.hex(), value.co_names, value.co_consts, value.co_varnames
            return hashlib.sha256(self.text(list(parts)).encode()).hexdigest()[:16]
        if isinstance(value, type):
            return _name(value)
        if hasattr(value, "__code__"):
            return self._named(_name(value), self._of_function(value))
        return self._named(_name(type(value)), getattr(value, "__dict__", {}) or _state(value))

    def _of_estimator(self, value: BaseEstimator) -> dict[str, Any]:
        learned = {
            name: one
            for name, one in vars(value).items()
            if self.fitted and name.endswith("_") and not isinstance(one, Graphs)
        }
        return {**value.get_params(deep=False), **learned}

    def _of_function(self, value: Any) -> dict[str, Any]:
        plain = getattr(value, "py_func", value)  # the function that Numba has compiled
        found = {
            "code": plain.__code__,
            "defaults": plain.__defaults__,
            "inside": [cell.cell_contents for cell in plain.__closure__ or ()],
        }
        if plain.__kwdefaults__:
            found["keywords"] = plain.__kwdefaults__
        if hasattr(plain, "__self__"):
            found["self"] = plain.__self__
        names = sorted(_names_read(plain.__code__) & plain.__globals__.keys())
        if names:
            seen = {name: plain.__globals__[name] for name in names}
            found["globals"] = {name: _kept(one, plain) for name, one in seen.items()}
        return found

    def _named(self, name: str, values: dict[str, Any]) -> str:
        return f"{name}({', '.join(f'{key}={self.text(values[key])}' for key in sorted(values))})"


def _state(value: Any) -> dict[str, Any]:
    """Return the state of an object without `__dict__`, as a copy would get it."""
    try:
        made = value.__reduce_ex__(2)
    except TypeError:
        return {}
    return {"made": made if isinstance(made, str) else list(made[1:3])}


def _names_read(code: CodeType) -> set[str]:
    """Return the global names that a function reads, itself or in functions within it."""
    own = {
        step.argval
        for step in dis.get_instructions(code)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    within = (_names_read(one) for one in code.co_consts if isinstance(one, CodeType))
    return own.union(*within)


def _kept(value: Any, function: Any) -> Any:
    """Return what stands for a global value: itself, or its name."""
    if isinstance(value, ModuleType):
        return value.__name__
    if hasattr(value, "__code__"):
        here, there = (f"{one.__module__}".split(".")[0] for one in (function, value))
        return value if here == there else _name(value)
    if isinstance(value, (type, BuiltinFunctionType, np.ufunc)):
        return _name(value)
    return value if _is_plain(value) else _name(type(value))


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(
        value, (bool, int, float, complex, str, bytes, np.generic, EllipsisType)
    )


def _is_plain(value: Any) -> bool:
    """Whether a value is a number, text or array, or a collection of these."""
    if isinstance(value, dict):
        return _is_plain(list(value)) and _is_plain(list(value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(_is_plain, value))
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject
    return _is_scalar(value) or isinstance(value, BaseEstimator)


def _name(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value.__name__)}"
