"""Which graphs each weight tells apart, beside 3-WL; permuted copies must stay the same."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Collection
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays.offsets import offsets, ranges
from ..evaluation.results import FILE
from ..features import WeisfeilerLehman
from ..features.histograms import Histograms
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from ..large.fingerprint import data_digest
from ..system.journal import Journal
from ..system.progress import progress_bar
from ..system.versions import processor, versions
from ..weights import Weight
from .expressiveness_plan import FAMILIES, Family, compared_weights, described
from .expressiveness_table import NAME, THREE_WL, write
from .three_wl import three_wl

DEPTH = 6  # labels of graphs of up to 7 vertices do not change any more
COPIES = 5  # of each graph
_SEED = 0
_BLOCK = 10  # graphs that are counted with their copies at a time, for the sake of memory


def run(
    out: Path,
    data: Path | None = None,
    only: Collection[str] = (),
    progress: bool | None = None,
) -> None:
    """Compare the families found, resuming an earlier run, and write the tables."""
    for name, read in FAMILIES.items():
        if only and name not in only:
            continue
        family = read(data)
        if family is not None:
            _run_family(out / NAME / name, name, family, progress)
            write(out)  # so that a long run can be watched
    write(out)


def _run_family(folder: Path, name: str, family: Family, progress: bool | None) -> None:
    """Do the units of a family that are not done: a weight, or 3-WL, on a category."""
    compared: dict[str, Weight | None] = {**compared_weights(), THREE_WL: None}
    categories = list(dict.fromkeys(family.category))
    units = [(weight, category) for weight in compared for category in categories]
    with Journal(folder / FILE, _header(name, family)) as journal:
        # A weight that has become another one is computed again.
        kept = [
            entry
            for entry in journal.entries
            if entry["weight"] not in compared
            or entry["is"] == _described(compared[entry["weight"]])
        ]
        done = {(entry["weight"], entry["category"]): entry for entry in kept}
        with progress_bar(name, len(units), progress, len(done)) as advance:
            for weight, category in units:
                if (weight, category) in done:
                    continue
                rows = family.of(category)
                found = _compared(
                    family.graphs[rows.tolist()], family.group[rows], compared[weight]
                )
                found["missed"] = rows[np.array(found["missed"], np.int64).reshape(-1, 2)].tolist()
                is_ = _described(compared[weight])
                entry = {"weight": weight, "is": is_, "category": category, **found}
                done[weight, category] = entry | {"processor": processor()}
                journal.append(done[weight, category])
                advance(1)
        others = [entry for unit, entry in done.items() if unit not in units]
        journal.finish([*(done[unit] for unit in units), *others])


def _header(name: str, family: Family) -> dict[str, Any]:
    return {
        "experiment": NAME,
        "family": name,
        "n_graphs": len(family.graphs),
        "data": data_digest(family.graphs, family.group),
        "depth": DEPTH,
        "copies": COPIES,
        "random_state": _SEED,
        "versions": versions(),
    }


def _described(weight: Weight | None) -> str:
    return THREE_WL if weight is None else described(weight)


def _compared(graphs: Graphs, group: Any, weight: Weight | None) -> dict[str, Any]:
    """Return how many pairs of a group are told apart, and how many permuted copies changed.

    A pair of which a copy changed does not count: it may be told apart by its order of vertices.
    """
    changed: set[int] = set()
    n_changed = 0
    if weight is None:
        start = time.perf_counter()
        classes: list[Any] = _each_group(graphs, group)
        seconds = time.perf_counter() - start
    else:
        fingerprints(graphs[:1], weight)  # compiles
        start = time.perf_counter()
        histograms = _histograms(graphs, weight)
        seconds = time.perf_counter() - start
        classes = _fingerprints(histograms)
        different = _changed(graphs, weight)
        changed, n_changed = set(different), len(different)
    pairs = sum(n * (n - 1) // 2 for n in Counter(group.tolist()).values())
    missed = set(_alike(list(zip(group.tolist(), classes, strict=True))))
    if changed:
        missed |= {
            (i, j)
            for i, j in combinations(range(len(graphs)), 2)
            if group[i] == group[j] and {i, j} & changed
        }
    return {
        "graphs": len(graphs),
        "pairs": pairs,
        "apart": pairs - len(missed),
        "copies": 0 if weight is None else COPIES * len(graphs),
        "changed": n_changed,
        "seconds": float(f"{seconds:.3g}"),
        "missed": sorted(missed),
    }


def _changed(graphs: Graphs, weight: Weight) -> list[int]:
    """Return the graph of each permuted copy whose histograms are others."""
    found = []
    for first in range(0, len(graphs), _BLOCK):
        block = graphs[first : first + _BLOCK]
        several = fingerprints(Graphs.concat([block, permuted(block, COPIES)]), weight)
        found += [
            first + i % len(block)
            for i, one in enumerate(several)
            if one != several[i % len(block)]
        ]
    return found


def _each_group(graphs: Graphs, group: Any) -> list[Any]:
    """Return what 3-WL says of each graph, in its group."""
    found: list[Any] = [None] * len(graphs)
    for number in np.unique(group):
        rows = np.flatnonzero(group == number)
        for row, one in zip(rows.tolist(), three_wl(graphs[rows.tolist()]).tolist(), strict=True):
            found[row] = one
    return found


def _alike(classes: list[Any]) -> list[tuple[int, int]]:
    """Return the pairs of graphs that are equal to the weight, and are in one group."""
    members: dict[Any, list[int]] = {}
    for i, one in enumerate(classes):
        members.setdefault(one, []).append(i)
    return [pair for rows in members.values() for pair in combinations(rows, 2)]


def permuted(graphs: Graphs, copies: int) -> Graphs:
    """Return copies of all graphs, one batch after the other, with their vertices in other orders.

    Examples
    --------
    >>> from grafik import datasets
    >>> from grafik.reproduction.expressiveness import permuted
    >>> permuted(datasets.triangle_pair()[0], 3)
    Graphs(6 graphs, 36 vertices, 54 edges)
    """
    rng = np.random.default_rng(_SEED)
    lists = []
    for _ in range(copies):
        lists += [rng.permutation(graph.n_nodes)[graph.edges] for graph in graphs]
    return Graphs.from_edge_lists(lists, np.tile(graphs.n_nodes, copies))


def fingerprints(graphs: Graphs, weight: Weight) -> list[bytes]:
    """Return a fingerprint of each graph: two are equal if and only if the histograms are.

    Every weight that occurs in the batch is a threshold. Which graphs differ does not depend on the
    others in it: at a threshold that two graphs do not have, both are as at the next larger one
    that one of them has, or have no edges; and then they differ there only if the numbers of their
    vertices do, so that they differ everywhere.

    Examples
    --------
    >>> from grafik import datasets, weights
    >>> from grafik.reproduction.expressiveness import fingerprints
    >>> graphs, y = datasets.triangle_pair()
    >>> [len(set(fingerprints(graphs, weight))) for weight in (weights.degree, weights.triangles)]
    [1, 2]
    """
    return _fingerprints(_histograms(graphs, weight))


def _histograms(graphs: Graphs, weight: Weight) -> Histograms:
    filtration = Filtration(weight, thresholds="distinct")
    levels = filtration.fit_levels(graphs)
    return WeisfeilerLehman(DEPTH).histograms(graphs, filtration, levels=levels)


def _fingerprints(histograms: Histograms) -> list[bytes]:
    columns = histograms.columns
    found = []
    for first, last in zip(columns.graph_ptr[:-1], columns.graph_ptr[1:], strict=True):
        rows = np.arange(first, last)
        rows = rows[np.lexsort((columns.features[rows], columns.depths[rows]))]
        starts = columns.run_ptr[rows]
        n_runs = columns.run_ptr[rows + 1] - starts
        runs = ranges(starts, offsets(n_runs))
        content = hashlib.sha256()
        for part in (
            *(columns.depths[rows], columns.features[rows], n_runs),
            *(columns.run_levels[runs], columns.run_counts[runs]),
        ):
            content.update(part.tobytes())
        found.append(content.digest())
    return found
