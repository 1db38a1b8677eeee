"""A page on two graphs: why they are similar."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_integer
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..kernels.combined import CombinedKernel
from ..kernels.kernel import FiltrationKernel
from ..plots.layout import MAX_VERTICES
from .combined_kernels import WholeKernel
from .facts import filtration_facts
from .kernel_choice import default_kernel
from .page import MADE, write_page
from .page_graphs import graph_name, page_graphs, page_kernel, page_labels, with_thresholds
from .sample import Shown, as_groups


def write_pair(
    path: str | os.PathLike[str],
    graphs: Any,
    i: int,
    j: int,
    y: Any = None,
    *,
    kernel: FiltrationKernel | CombinedKernel | None = None,
    name: str = "graphs",
) -> Path:
    """Write a page that says why two graphs are similar.

    It shows what :func:`grafik.explain_pair` finds, computed again in the browser: contributions of
    features, both graphs, and where and when each feature lives.

    Parameters
    ----------
    path : path of an HTML file; an existing file is replaced once the new one is complete
    graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
    i, j : int
        Numbers of the two graphs, counted from 0.
    y : array of shape (n_graphs,), optional
        Classes, or numbers.
    kernel : FiltrationKernel, MeanKernel or GaussianKernel, optional
        With Weisfeiler-Lehman labels. If it is not fitted, thresholds are learned from all graphs.
        Of a mean or a Gaussian, its first filtration kernel with several levels is explained; the
        page says so, and what the parts contribute.
    name : str
        Name of the data.

    Returns
    -------
    Path

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from grafik import datasets
    >>> from grafik.report import write_pair
    >>> graphs, y = datasets.triangle_pair()
    >>> path = write_pair(pathlib.Path(tempfile.mkdtemp()) / "pair.html", graphs, 0, 1, y)
    >>> path.read_text()[:15]
    '<!doctype html>'
    """
    batch = as_graphs(graphs)
    most = len(batch) - 1
    numbers = np.array([checked_integer("the number of a graph", n, 0, most) for n in (i, j)])
    both, notes = batch[numbers.tolist()], list[str]()
    if isinstance(kernel, CombinedKernel):
        whole = WholeKernel.of(kernel, batch)
        kernel, notes = whole.part, whole.told_of_pair(both)
    used, source = with_thresholds(default_kernel() if kernel is None else kernel, batch)
    groups = as_groups(y, len(batch))
    used.fit(both)
    shown = Shown(both, numbers, np.ones(2, bool), both.n_nodes <= MAX_VERTICES)
    labels = page_labels(used, shown)
    title = f"{name}: {_together(both, numbers)}"
    data = {
        "kind": "pair",
        "title": title,
        "lead": f"Two of the {len(batch)} graphs of {name}.",
        "notes": notes,
        "classes": groups and groups.on_page(numbers),
        "kernel": page_kernel(used, labels),
        "filtration": filtration_facts(used.filtration_, batch, source),
        "graphs": page_graphs(used, shown, labels, progress=False),
        "made": MADE,
    }
    return write_page(path, title, data)


def _together(both: Graphs, numbers: NDArray[np.int64]) -> str:
    """Name two graphs: by their ids, or by their numbers."""
    names = [graph_name(both, place) for place in (0, 1)]
    if names == [None, None]:
        return f"graphs {numbers[0]} and {numbers[1]}"
    called = (name or f"graph {number}" for name, number in zip(names, numbers, strict=True))
    return " and ".join(called)
