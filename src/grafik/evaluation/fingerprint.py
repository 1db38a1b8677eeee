"""What tells data from other data."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graphs import Graphs


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
