"""Refusing graphs whose weights would take very long."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graphs.batch import Graphs

LIMIT = 60.0  # seconds for one graph, roughly


def refuse_long_work(
    graphs: Graphs, seconds: NDArray[np.floating[Any]], what: str, way_out: str
) -> None:
    """Raise a ValueError if a graph would take more than about a minute.

    Parameters
    ----------
    graphs : Graphs
    seconds : ndarray of shape (n_graphs,)
        How long each graph takes, roughly, at most.
    what : str
        What takes it.
    way_out : str
        What can be done about it.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik import Graphs
    >>> from grafik.weights.long_work import refuse_long_work
    >>> graphs = Graphs.from_edge_lists([[(0, 1)], [(0, 1), (1, 2)]])
    >>> refuse_long_work(graphs, np.array([0.1, 7200]), "the weight 'slow'", "take another")
    Traceback (most recent call last):
    ValueError: the weight 'slow' would take up to 2 hours on graph 1, which has ...
    """
    if not len(seconds) or seconds.max() <= LIMIT:
        return
    graph = int(np.argmax(seconds > LIMIT))
    raise ValueError(
        f"{what} would take up to {in_words(float(seconds[graph]))} on graph {graph}, which has "
        f"{graphs.n_nodes[graph]} vertices and {graphs.n_edges[graph]} edges; {way_out}"
    )


def in_words(seconds: float) -> str:
    """Write a time in a unit that suits it."""
    for unit, size in (("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} seconds"
