"""A page on a data set: what it is, how good kernels are, and why graphs are similar."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_integer
from ..evaluation import Results
from ..graphs.as_graphs import as_training_graphs
from ..graphs.batch import Graphs
from ..kernels.combined import CombinedKernel
from ..kernels.kernel import FiltrationKernel
from ..plots.data_map import kernel_pca
from ..system.words import counted
from .class_features import telling_features
from .combined_kernels import WholeKernel
from .facts import accuracy_facts, data_facts, filtration_facts
from .kernel_choice import chosen_kernel
from .page import MADE, write_page
from .page_graphs import page_graphs, page_kernel, page_labels, with_thresholds
from .sample import MOST_VERTICES, Groups, Shown, as_groups, stratified, what_fits
from .witnesses import Witnesses

MOST_GRAPHS = 1000
_MOST_CLASSES = 12
_TELLING, _NEAREST = 6, 6
# Kernel values that differ by less than this, relatively, count as equal.
_SAME = 1e-9


def write_report(
    path: str | os.PathLike[str],
    graphs: Any,
    y: Any = None,
    *,
    kernel: FiltrationKernel | CombinedKernel | None = None,
    results: Results | None = None,
    name: str = "graphs",
    max_graphs: int = MOST_GRAPHS,
    random_state: int = 0,
    no_accuracy: str = "It was not measured.",
    progress: bool | None = None,
) -> Path:
    """Write a page on a data set: one file that works without a network.

    The page says what the data is, how graphs are built up and how good kernels are, and has a map
    of the graphs. Choosing two of them there shows why they are similar.

    Parameters
    ----------
    path : path of an HTML file; an existing file is replaced once the new one is complete
    graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
    y : array of shape (n_graphs,), optional
        Classes, or numbers.
    kernel : FiltrationKernel, MeanKernel or GaussianKernel, optional
        With Weisfeiler-Lehman labels. If it is not fitted, thresholds are learned from all graphs.
        Of a mean or a Gaussian, the map is that of the whole, and pairs of graphs are explained by
        its first filtration kernel with several levels; the page says so. By default the best
        kernel of the results, or without results that of ``grafik explain``.
    results : Results, optional
        What :func:`grafik.evaluation.evaluate` returned for the same data.
    name : str
        Name of the data.
    max_graphs : int
        If there are more graphs, a sample of this size is shown; each class keeps its share in it.
    random_state : int
        Seed of the sample.
    no_accuracy : str
        What the page says if there are no results.
    progress : bool or None
        Whether to show a progress bar on standard error; None shows it on a terminal only.

    Returns
    -------
    Path

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from grafik import datasets
    >>> from grafik.report import write_report
    >>> graphs, y = datasets.csl(copies=2)
    >>> path = write_report(pathlib.Path(tempfile.mkdtemp()) / "report.html", graphs, y, name="csl")
    >>> path.read_text()[:15]
    '<!doctype html>'
    """
    batch = as_training_graphs(graphs)
    groups = as_groups(y, len(batch))
    most = checked_integer("max_graphs", max_graphs, 2)
    how, method = "", None
    if kernel is None:
        kernel, how, method = chosen_kernel(results)
    whole = WholeKernel.of(kernel, batch) if isinstance(kernel, CombinedKernel) else None
    if whole is not None:
        kernel, how = whole.part, whole.told()
    used, source = with_thresholds(kernel, batch)
    codes = np.zeros(len(batch), np.int64) if groups is None else groups.codes
    numbers = stratified(codes, most, checked_integer("random_state", random_state, 0))
    sample = batch[numbers.tolist()]
    matrix = used.fit_transform(sample)
    matrix = matrix if whole is None else whole.matrix(sample)
    shown = what_fits(sample, numbers, len(used.alphas_), used.extractor_.edge_labels)
    labels = page_labels(used, shown)
    positions, shares = kernel_pca(matrix)
    positions /= np.abs(positions).max() or 1.0
    data = {
        "kind": "report",
        "title": name,
        "lead": _lead(batch, groups),
        "notes": _left_out(batch, shown, groups, random_state),
        "facts": data_facts(batch),
        "classes": groups and groups.on_page(numbers),
        "kernel": page_kernel(used, labels),
        "filtration": filtration_facts(used.filtration_, batch, source, how),
        "accuracy": {"missing": no_accuracy},
        "graphs": page_graphs(used, shown, labels, progress),
        "map": {
            "x": positions[:, 0].round(4).tolist(),
            "y": positions[:, 1].round(4).tolist(),
            "shares": shares.round(4).tolist(),
        },
        "nearest": [
            [[j, float(f"{matrix[i, j]:.4g}")] for j in _nearest(matrix, i)[:_NEAREST]]
            for i in range(len(sample))
        ],
        "start": _start(matrix, shown.drawn if shown.drawn.sum() > 1 else shown.compared),
        "telling": _telling(used, shown, groups),
        "made": MADE,
    }
    if results is not None and groups is not None:
        data["accuracy"] = accuracy_facts(results, np.bincount(groups.codes), method)
    return write_page(path, name, data)


def _lead(batch: Graphs, groups: Groups | None) -> str:
    text = counted(len(batch), "graph")
    if groups is None:
        return f"{text} without classes."
    if groups.word == "target":
        return f"{text} with a number each, in {len(groups.names)} ranges."
    return f"{text} in {len(groups.names)} {'class' if len(groups.names) == 1 else 'classes'}."


def _left_out(batch: Graphs, shown: Shown, groups: Groups | None, random_state: int) -> list[str]:
    """Return notes on what the page does not show."""
    notes = []
    if len(shown.graphs) < len(batch):
        kind = "" if groups is None else " in which each class keeps its share"
        notes.append(
            "Map, comparisons and telling features are of a random sample of "
            f"{len(shown.graphs)} of the {len(batch)} graphs{kind} (random_state {random_state}); "
            "the data, the filtration and the accuracy are of all of them."
        )
    only_compared = int((shown.compared & ~shown.drawn).sum())
    if only_compared:
        notes.append(
            f"{counted(only_compared, 'graph')} of more than {MOST_VERTICES} vertices can be "
            "compared, but not seen: so many vertices cannot be told apart in a small picture."
        )
    if not shown.compared.all():
        large = shown.graphs.n_nodes[~shown.compared]
        notes.append(
            f"{counted(len(large), 'graph')} of {large.min()} to {large.max()} vertices "
            "would make this page too large. They are on the map, but are neither drawn nor "
            "compared."
        )
    return notes


def _nearest(matrix: NDArray[np.float64], i: int) -> list[int]:
    """Return all other graphs, the most similar to graph `i` first."""
    order = np.argsort(-matrix[i].round(9), kind="stable").tolist()
    return [j for j in order if j != i]


def _start(matrix: NDArray[np.float64], fits: NDArray[np.bool_]) -> list[int] | None:
    """Return two graphs to begin with: the first, and the most similar one that differs from it."""
    places = np.flatnonzero(fits).tolist()
    if len(places) < 2:
        return None
    first = places[0]
    near = [j for j in _nearest(matrix, first) if fits[j]]
    own = matrix[first, first]
    return [first, next((j for j in near if matrix[first, j] < (1 - _SAME) * own), near[0])]


def _telling(kernel: FiltrationKernel, shown: Shown, groups: Groups | None) -> dict[str, Any]:
    """Return the telling features of each class, or why there are none."""
    if groups is None or groups.word == "target":
        return {"missing": "Features are telling for classes, and this data has none."}
    if kernel.combine == "product":
        return {"missing": "A product kernel is no sum over features, so none adds to a mean."}
    n, codes = len(groups.names), groups.codes[shown.numbers]
    # Enough to fill all lines, even if each feature is the same at every depth.
    found = telling_features(kernel, codes, n, _TELLING * (kernel.extractor_.depth + 1))
    if not any(found):
        return {"missing": "There is one class only, and nothing to tell it from."}
    witnesses = Witnesses(kernel, shown, codes)
    left_out = f"Shown are the first {_MOST_CLASSES} of {n} classes." if n > _MOST_CLASSES else ""
    return {
        "classes": [
            one and {**one._asdict(), "features": witnesses.lines(one.features, c, _TELLING)}
            for c, one in enumerate(found[:_MOST_CLASSES])
        ],
        "left_out": left_out,
    }
