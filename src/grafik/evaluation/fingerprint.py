"""What tells data from other data, and a kernel from other kernels."""

from __future__ import annotations

import hashlib
from types import CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..graphs import Graphs
from ..histograms import Histograms


def data_digest(graphs: Graphs, y: NDArray[Any]) -> str:
    """Return the SHA-256 of graphs and classes: of their content, however it is stored.

    Examples
    --------
    >>> from grafik import datasets
    >>> from grafik.evaluation.fingerprint import data_digest
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
    names, codes = np.unique(y, return_inverse=True)
    digest.update(f"classes {[str(name) for name in names]}\n".encode())
    add("y", codes.astype(np.int64))
    return digest.hexdigest()


def described(value: Any) -> str:
    """Return a kernel, or a part of one, with all that its results depend on.

    It is the same in every process. Functions are told apart by what they do, not by their place in
    memory; long arrays by their SHA-256.

    Examples
    --------
    >>> from grafik import weights
    >>> from grafik.evaluation.fingerprint import described
    >>> described([weights.Walks(3), 0.5])
    '[Walks(length=3), 0.5]'
    >>> described(lambda graphs: 1) == described(lambda graphs: 2)
    False
    """
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        return repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(described, value))}]"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(described, value)))}}}"
    if isinstance(value, dict):
        return _named("", {f"{key}": one for key, one in value.items()})
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject or value.size < 20:
            return described(value.tolist())
        return f"{value.dtype.str}{value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, Histograms):
        return described(list(value.columns))
    if isinstance(value, BaseEstimator):
        return _named(type(value).__name__, value.get_params(deep=False))
    if isinstance(value, CodeType):
        parts = value.co_code.hex(), value.co_names, value.co_consts, value.co_varnames
        return hashlib.sha256(described(list(parts)).encode()).hexdigest()[:16]
    name = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
    if hasattr(value, "__code__"):
        inside = [cell.cell_contents for cell in value.__closure__ or ()]
        kept = {"code": value.__code__, "defaults": value.__defaults__, "inside": inside}
        return _named(name, kept)
    if isinstance(value, type):
        return name
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    return _named(kind, getattr(value, "__dict__", {}))


def _named(name: str, values: dict[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={described(values[key])}' for key in sorted(values))})"
