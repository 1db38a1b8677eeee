"""Facts about data, filtration and accuracy, as the script of a page reads them."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import weights
from ..evaluation import Results
from ..evaluation.summary import TESTS
from ..features.wl_trees import written
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from ..large.fingerprint import described
from ..weights.display import as_given, is_small_first
from .kernel_choice import told

_MOST_LABELS = 12
_BINS = 24


def data_facts(graphs: Graphs) -> dict[str, Any]:
    """Return counts, sizes and labels of all graphs."""
    summary = graphs.describe()
    told = dict(summary.rows())
    rows = [
        ("degrees", f"{summary.degrees}; {_isolated(summary.isolated)}"),
        *([("directions", "edges are directed; degrees count those in and out")] * graphs.directed),
        ("graphs without edges", str(summary.edgeless or "none")),
        ("vertex attributes", told["node attributes"]),
        ("edge attributes", told["edge attributes"]),
    ]
    labels = {
        name: None
        if found is None
        else {
            "count": len(found),
            "top": [[written(label), count] for label, count in found[:_MOST_LABELS]],
        }
        for name, found in (("vertices", summary.node_labels), ("edges", summary.edge_labels))
    }
    return {
        "totals": [summary.n_graphs, summary.n_nodes, summary.n_edges],
        "rows": [list(row) for row in rows],
        "labels": labels,
        "sizes": [
            {"what": what, "range": str(spread), "bins": _bins(counts)}
            for what, spread, counts in (
                ("vertices", summary.nodes, graphs.n_nodes),
                ("edges", summary.edges, graphs.n_edges),
            )
        ],
    }


_ONE_LEVEL = (
    "There is one level: graphs are not built up in steps, all their edges are there from the "
    "start. More levels, or another edge weight than {}, may tell more."
)


def filtration_facts(
    filtration: Filtration, graphs: Graphs, source: str, how: str = ""
) -> dict[str, Any]:
    """Return how graphs are built up, and how many edges enter at each level.

    `source` says where the thresholds come from, `how` says how the kernel was chosen.
    """
    weight = filtration.weight
    found = weights.NAMES.get(weight) if isinstance(weight, str) else weight
    about = inspect.getdoc(found) or ""
    name = weight if isinstance(weight, str) else described(weight)
    if filtration.n_levels_ == 1:
        how = " ".join(filter(None, [how, _ONE_LEVEL.format(name)]))
    entering = np.bincount(filtration.levels(graphs), minlength=filtration.n_levels_)
    return {
        "weight": name,
        "meaning": _as_part(about.split("\n\n")[0].replace("\n", " ").replace("`", "")),
        "source": source,
        "how": how,
        "alphas": as_given(weight, filtration.alphas_).tolist(),
        "smallFirst": is_small_first(weight),
        "entering": entering.tolist(),
    }


def accuracy_facts(
    results: Results, sizes: NDArray[np.int64], method: str | None = None
) -> dict[str, Any]:
    """Return the accuracy of each kernel, and how certain it is.

    `method` is the one whose kernel the page shows; None if it shows another kernel.
    """
    summary = results.summary()
    return {
        "shown": None
        if method
        else "Map, pairs and telling features are of a kernel that was not measured here.",
        "scores": [
            {
                "title": score.title,
                "shown": score.method == method,
                "accuracy": score.accuracy,
                "deviation": score.deviation,
                "params": told(score.params),
            }
            for score in summary.scores
        ],
        "majority": 100 * int(sizes.max()) / int(sizes.sum()),
        "note": summary.note(),
        "comparisons": [
            [f"{c.first} - {c.second}", c.difference, c.t_test, c.wilcoxon]
            for c in summary.comparisons
        ],
        "tests": TESTS,
    }


def _as_part(sentence: str) -> str:
    """Return a sentence as the part of one after a colon."""
    named = sentence.startswith(("Forman", "Weisfeiler")) or sentence[1:2].isupper()
    return sentence if named else sentence[:1].lower() + sentence[1:]


def _isolated(n: int) -> str:
    return f"{n} {'vertex is' if n == 1 else 'vertices are'} isolated" if n else "none is isolated"


def _bins(counts: NDArray[np.int64]) -> list[list[int]]:
    """Return the bins of a histogram: smallest size, largest size and number of graphs."""
    low, high = int(counts.min()), int(counts.max())
    width = -(-(high - low + 1) // _BINS)
    found = np.bincount((counts - low) // width)
    return [[low + i * width, low + (i + 1) * width - 1, n] for i, n in enumerate(found.tolist())]
