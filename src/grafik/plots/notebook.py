"""What notebooks show of graphs, barcodes, explanations, indexes and results."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..evaluation.results import Results
from ..evaluation.summary import params_text, percent
from ..explain.results import PairExplanation, PredictionExplanation
from ..features.barcodes import Barcode, Barcodes
from ..graphs.batch import Graphs
from ..graphs.graph import Graph
from ..graphs.labels import Labels
from ..search.index import GraphIndex
from . import style
from .html import bar, display, side_by_side, table, text
from .svg import bars_svg, can_be_drawn, graph_svg

_GALLERY = 4  # of the first graphs of a batch, those that are small are drawn
_MOST_ROWS = 30


def graphs_html(graphs: Graphs) -> str:
    """Return the sizes and labels of a batch, and pictures of its first graphs."""
    rows = [
        (name, f"{total:,} in all; {_range(sizes)} per graph")
        for name, total, sizes in (
            ("vertices", int(graphs.node_ptr[-1]), graphs.n_nodes),
            (_edges(graphs), len(graphs.edges), graphs.n_edges),
        )
    ]
    rows += _columns(graphs)
    first = (graphs[i : i + 1] for i in range(min(len(graphs), _GALLERY)))
    drawn = [
        f"{graph_svg(one, 130)}<div>graph {_called(graphs, i)}</div>"
        for i, one in enumerate(first)
        if can_be_drawn(one) and len(one.edges) <= 60
    ]
    title = f"Graphs: {len(graphs):,}"
    return display(title, table((), rows, left=(0, 1)), side_by_side(drawn))


def graph_html(graph: Graph) -> str:
    """Return a picture of a graph, or its sizes and labels if it is large."""
    batch = graph._batch[graph._index : graph._index + 1]
    title = f"Graph{'' if graph.id is None else f' {text(graph.id, 40)}'}"
    vertices = "vertex" if graph.n_nodes == 1 else "vertices"
    edges = _edges(batch)[:-1] if graph.n_edges == 1 else _edges(batch)
    title += f": {graph.n_nodes:,} {vertices}, {graph.n_edges:,} {edges}"
    picture = graph_svg(batch, 260) if can_be_drawn(batch) else ""
    return display(title, picture, table((), _columns(batch), left=(0, 1)))


def _columns(graphs: Graphs) -> list[tuple[str, str]]:
    """Return what vertices and edges have: labels, attributes, names."""
    rows = []
    for kind, what in (("node", "vertices"), ("edge", "edges")):
        labels, values = getattr(graphs, f"{kind}_labels"), getattr(graphs, f"{kind}_attributes")
        if labels is not None:
            rows.append((f"labels of {what}", _frequent(labels)))
        if values is not None:
            names = getattr(graphs, f"{kind}_attribute_names") or ()
            called = f": {text(', '.join(names))}" if names else ""
            rows.append((f"attributes of {what}", f"{values.shape[1]}{called}"))
    if graphs.node_names is not None and len(graphs.node_names):
        rows.append(("names of vertices", f"such as {text(graphs.node_names[0], 40)}"))
    return rows


def _frequent(labels: Labels) -> str:
    """Return the number of labels and the most frequent ones."""
    counts = np.bincount(labels.codes, minlength=len(labels.values))
    order = np.argsort(-counts, kind="stable")[:5]
    first = ", ".join(f"{text(labels.values[i], 30)} ({counts[i]:,})" for i in order)
    return f"{len(counts):,}: {first}{', …' if len(counts) > 5 else ''}"


def _range(sizes: Any) -> str:
    return f"{sizes.min():,} to {sizes.max():,}" if len(sizes) else "none"


def _edges(graphs: Graphs) -> str:
    return "directed edges" if graphs.directed else "edges"


def _called(graphs: Graphs, i: int) -> str:
    return str(i) if graphs.ids is None else text(graphs.ids[i], 20)


def barcode_html(bars: Barcode) -> str:
    """Return the bars of one feature; of several features, how many there are at each depth."""
    title = f"Barcode: {len(bars):,} bars, {bars.n_levels:,} levels"
    kinds = set(zip(bars.depths.tolist(), bars.features.tolist(), strict=True))
    if len(kinds) == 1:
        ((depth, feature),) = kinds
        more = f"the first of {len(bars):,} bars" if len(bars) > 25 else ""
        return display(title, f"depth {depth}, feature {feature:#x}", bars_svg(bars), more)
    return display(title, _by_depth(bars.depths, bars.features))


def barcodes_html(bars: Barcodes) -> str:
    """Return how many bars and features a batch has at each depth."""
    title = f"Barcodes: {len(bars):,} graphs, {bars.n_levels:,} levels, {len(bars.features):,} bars"
    return display(title, _by_depth(bars.depths, bars.features))


def _by_depth(depths: Any, features: Any) -> str:
    rows = []
    for depth in np.unique(depths).tolist()[:_MOST_ROWS]:
        found = features[depths == depth]
        rows.append((str(depth), f"{len(np.unique(found)):,}", f"{len(found):,}"))
    return table(("depth", "features", "bars"), rows, left=()) if rows else ""


def explanation_html(found: PairExplanation | PredictionExplanation) -> str:
    """Return the largest contributions with bars, and the most important vertices."""
    head, rows = found.cells(10)
    shown = found.features[: len(rows)]
    most = max((abs(f.contribution) for f in shown), default=0.0)
    lines = []
    for row, feature in zip(rows, shown, strict=True):
        size = abs(feature.contribution)
        part = size / most if 0 < most < np.inf else float(size > 0)
        colour = style.VERMILION if feature.contribution > 0 else style.SKY
        *numbers, name = map(text, row)
        lines.append([bar(part, colour), *numbers, f"<code>{name}</code>"])
    body = table(("", *map(text, head)), lines, left=(0, len(head))) if lines else ""
    title, *about = (text(line, 400) for line in found.about)
    n_others, rest = found.rest(10)
    others = f"{n_others:,} other features, together {rest:.6g}" if n_others else ""
    return display(title, *about, body, others, *(text(line, 300) for line in found.important()))


def index_html(index: GraphIndex) -> str:
    """Return how many graphs an index has, and by which kernel it compares them."""
    kernel = index.kernel_
    rows = [("kernel", f"<code>{text(' '.join(repr(kernel).split()), 300)}</code>")]
    if hasattr(kernel, "alphas_"):
        alphas = ", ".join(f"{alpha:.4g}" for alpha in kernel.alphas_[:8])
        more = ", …" if len(kernel.alphas_) > 8 else ""
        rows.append(("thresholds", f"{len(kernel.alphas_)}: {alphas}{more}"))
    return display(f"GraphIndex: {len(index):,} graphs", table((), rows, left=(0, 1)))


def results_html(results: Results) -> str:
    """Return accuracies of methods, and whether they differ."""
    summary = results.summary()
    scores = [
        (
            text(score.title, 60),
            f"{percent(score.accuracy)} ± {percent(score.deviation)}",
            text(params_text(score.params)),
        )
        for score in summary.scores[:_MOST_ROWS]
    ]
    pairs = [
        (
            f"{text(pair.first, 60)} - {text(pair.second, 60)}",
            f"{pair.difference:+.2f}",
            f"{pair.t_test:.3g}",
        )
        for pair in summary.comparisons[:_MOST_ROWS]
    ]
    more = len(summary.scores) + len(summary.comparisons) - len(scores) - len(pairs)
    return display(
        f"Results{'' if summary.setting.data is None else f' on {text(summary.setting.data, 60)}'}",
        table(("method", "accuracy, %", "most often chosen"), scores, left=(0, 2)),
        table(("", "difference, %", "p, corrected t-test"), pairs, left=(0,)) if pairs else "",
        f"{more} more lines are in summary()" if more else "",
        text(summary.note(), 1000),
    )
