"""Graphs as a page keeps them: all that its script needs to draw, compare and explain them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..features import WeisfeilerLehman
from ..features.steps import entry_levels
from ..features.wl_trees import SHOWN_DEPTH, SHOWN_WIDTH, written
from ..filtration.filtration import Filtration
from ..filtration.thresholds import RULES, rule_for
from ..graphs.batch import Graphs
from ..graphs.labels import Labels
from ..graphs.vertex_names import as_text, vertex_names
from ..kernels.kernel import FiltrationKernel
from ..plots.drawing import diameter
from ..plots.layout import layout
from ..system.progress import with_progress
from ..system.words import counted
from ..weights.names import is_ordered
from .sample import Shown

# Positions are written as whole numbers; a usual edge is this long.
_STEPS = 25
_LINES = {"double": "2", "triple": "3", "aromatic": "4"}


class PageLabels(NamedTuple):
    """The labels that a page writes, the most frequent first; None where there are none."""

    vertices: Labels | None
    edges: Labels | None


def page_labels(kernel: FiltrationKernel, shown: Shown) -> PageLabels:
    """Return the labels that occur in the graphs that are compared."""
    graphs, compared = shown.graphs, shown.compared
    edges = graphs.edge_labels if kernel.extractor_.edge_labels else None
    return PageLabels(
        _of_these(graphs.node_labels, np.repeat(compared, graphs.n_nodes)),
        _of_these(edges, np.repeat(compared, graphs.n_edges)),
    )


def page_graphs(
    kernel: FiltrationKernel, shown: Shown, labels: PageLabels, progress: bool | None
) -> list[dict[str, Any]]:
    """Return each graph with its edges, their levels, labels, names and places of its vertices.

    Graphs that are not compared have only their numbers, their names and their sizes.

    Parameters
    ----------
    kernel : FiltrationKernel
        Fitted.
    shown : Shown
    labels : PageLabels
    progress : bool or None
        Whether to show a progress bar on standard error; None shows it on a terminal only.
    """
    graphs = shown.graphs
    levels = entry_levels(graphs, kernel.filtration_)
    bonds = _bonds(graphs)
    found = []
    for place in with_progress(range(len(graphs)), "laying out graphs", progress):
        nodes, edges = (
            slice(int(pointer[place]), int(pointer[place + 1]))
            for pointer in (graphs.node_ptr, graphs.edge_ptr)
        )
        n, m = nodes.stop - nodes.start, edges.stop - edges.start
        graph: dict[str, Any] = {"id": int(shown.numbers[place]), "n": n, "m": m}
        name = graph_name(graphs, place)
        if name is not None:
            graph["name"] = name
        if shown.compared[place]:
            graph["edges"] = graphs.edges[edges].ravel().tolist()
            graph["levels"] = levels[edges].tolist()
            if labels.vertices is not None:
                graph["labels"] = labels.vertices.codes[nodes].tolist()
            if labels.edges is not None:
                graph["between"] = labels.edges.codes[edges].tolist()
            if bonds is not None:
                graph["bonds"] = bonds[edges]
            if graphs.node_names is not None:
                graph["names"] = vertex_names(graphs.node_names[nodes], n)
            if shown.drawn[place]:
                positions = layout(graphs[place])
                graph["at"] = np.rint(_STEPS * positions).astype(int).ravel().tolist()
                graph["size"] = round(_STEPS * diameter(positions), 2)
        found.append(graph)
    return found


def graph_name(graphs: Graphs, place: int) -> str | None:
    """Return the id of a graph as text on one line; None if it has none, or an empty one."""
    found = None if graphs.ids is None else graphs.ids[place]
    return None if found is None else as_text(found).strip() or None


def page_kernel(kernel: FiltrationKernel, labels: PageLabels) -> dict[str, Any]:
    """Return what the script needs to compute kernels, and the labels as they are written."""
    axis = kernel.on_histograms().axis
    extractor: WeisfeilerLehman = kernel.extractor_
    return {
        "depth": extractor.depth,
        "directed": bool(kernel.filtration_.directed_),
        "alphas": kernel.alphas_.tolist(),
        "axis": axis.points.tolist(),
        "length": axis.length,
        "delta": axis.delta,
        "gamma": float(kernel.gamma),
        "beta": float(kernel.beta),
        "combine": kernel.combine,
        "mass": kernel.mass,
        "normalize": bool(kernel.normalize),
        "vertexLabels": _texts(labels.vertices),
        "edgeLabels": _texts(labels.edges),
        "shown": [SHOWN_DEPTH, SHOWN_WIDTH],
    }


def with_thresholds(kernel: Any, graphs: Graphs) -> tuple[FiltrationKernel, str]:
    """Return an unfitted copy of a kernel with fixed thresholds, and where these come from.

    A fitted kernel keeps its thresholds, and whether edge labels count; otherwise thresholds are
    learned from all graphs, or were given.
    """
    if not isinstance(kernel, FiltrationKernel):
        raise TypeError(f"kernel must be a FiltrationKernel, got a {type(kernel).__name__}")
    if kernel.features is not None and not isinstance(kernel.features, WeisfeilerLehman):
        raise TypeError(
            f"a page explains Weisfeiler-Lehman labels, got features={kernel.features!r}"
        )
    twin: FiltrationKernel = clone(kernel)
    if hasattr(kernel, "histograms_"):
        kernel.filtration_.check(graphs)
        kernel.labelling_.check(graphs)
        twin.set_params(features=clone(kernel.extractor_), depth=None)
        fitted, source = kernel.filtration_, "Thresholds are those of the kernel that was given."
    else:
        fitted = Filtration(kernel.weight, kernel.thresholds, kernel.n_levels).fit(graphs)
        source = "Thresholds were given."
        if isinstance(kernel.thresholds, str):
            rule = RULES[rule_for(kernel.thresholds, is_ordered(kernel.weight), kernel.n_levels)]
            said = rule.sentence.format(counted(kernel.n_levels, "level"))
            source = f"Thresholds were learned from all {len(graphs)} graphs: {said}."
    weight, alphas = fitted.settled()
    return twin.set_params(weight=weight, thresholds=alphas), source


def _bonds(graphs: Graphs) -> str | None:
    """Return a digit for each bond of molecules: its number of lines, or 4 if it is aromatic.

    Bonds are drawn whether or not the kernel looks at them.
    """
    if graphs.reading is None or graphs.edge_labels is None:
        return None
    kinds = (str(label).rsplit("-", 1)[-1] for label in graphs.edge_labels.values)
    digits = [_LINES.get(kind, "1") for kind in kinds]
    return "".join(digits[code] for code in graphs.edge_labels.codes.tolist())


def _texts(labels: Labels | None) -> list[str] | None:
    return None if labels is None else [written(value) for value in labels.values]


def _of_these(labels: Labels | None, which: NDArray[np.bool_]) -> Labels | None:
    """Return labels numbered by frequency among some vertices or edges; others mean nothing."""
    if labels is None:
        return None
    counts = np.bincount(labels.codes[which], minlength=len(labels.values))
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    codes = np.zeros(len(counts), np.int32)
    codes[order] = np.arange(len(order))
    return Labels.trusted(tuple(labels.values[code] for code in order), codes[labels.codes])
