"""The names of the columns of an exact embedding."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.hash_table import find
from ..arrays.offsets import part_of
from ..features import WeisfeilerLehman
from ..features.histograms import Histograms
from ..features.steps import entry_levels
from ..features.wl_trees import Trees
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from ..system.threads import uninterrupted
from .landmarks import Landmarks
from .steps import Steps

# Histograms with at most this many levels are written out; beyond, landmarks are numbered.
_SHOWN_LEVELS = 8


def column_names(
    graphs: Graphs,
    filtration: Filtration,
    extractor: Any,
    known: Histograms,
    landmarks: Landmarks,
    steps: Steps | None = None,
) -> NDArray[Any]:
    """Return the names of all columns, all different.

    Parameters
    ----------
    graphs : Graphs
        Graphs in which all features occur.
    filtration : Filtration
    extractor : extractor
    known : Histograms
        With the names of features, and the dictionary of exact labels.
    landmarks : Landmarks
    steps : Steps, optional
        If the smaller mass counts: the masses of each feature.
    """
    if isinstance(extractor, WeisfeilerLehman):
        features = _trees(graphs, filtration, extractor, known, landmarks)
    else:
        hashes = landmarks.features.tolist()
        features = [repr(known.names[h]) if h in known.names else f"#{h:016x}" for h in hashes]
    # A vertex without neighbours reads the same at all depths, and large trees are abbreviated.
    features = _told_apart(features, [f"depth {depth}" for depth in landmarks.depths.tolist()])
    features = _told_apart(features, [f"#{h:016x}" for h in landmarks.features.tolist()])
    names: list[str] = []
    for feature, name in enumerate(features):
        columns = range(*landmarks.column_ptr[feature : feature + 2].tolist())
        masses = [""]
        if steps is not None:
            levels = steps.levels[slice(*steps.ptr[feature : feature + 2])].tolist()
            masses = [f" mass {level:.0f}" for level in levels] if len(levels) > 1 else [""]
        if len(columns) == 1:
            names.extend(f"{name}{mass}" for mass in masses)
            continue
        spread = [
            _histogram(landmarks, column, number, filtration.n_levels_)
            for number, column in enumerate(columns)
        ]
        # Rounded shares may be the same.
        spread = _told_apart(spread, [f"({number})" for number in range(len(columns))])
        names.extend(f"{name} {text}{mass}" for text in spread for mass in masses)
    return np.array(names, dtype=object)


def _told_apart(names: list[str], marks: list[str]) -> list[str]:
    """Add marks to names that occur several times."""
    times = Counter(names)
    return [
        f"{name} {mark}" if times[name] > 1 else name
        for name, mark in zip(names, marks, strict=True)
    ]


def _trees(
    graphs: Graphs,
    filtration: Filtration,
    extractor: WeisfeilerLehman,
    known: Histograms,
    landmarks: Landmarks,
) -> list[str]:
    """Return the tree of each feature, read off at its first occurrence."""
    found = extractor.occurrences(graphs, filtration, known=known)
    keys = found.depths, found.features
    first = uninterrupted(_first, landmarks.table, len(landmarks.features), *keys)
    graph_of = part_of(found.graph_ptr)[first].tolist().__getitem__
    levels, names = entry_levels(graphs, filtration), [""] * len(first)
    for graph, features in groupby(sorted(range(len(first)), key=graph_of), graph_of):
        part = slice(int(graphs.edge_ptr[graph]), int(graphs.edge_ptr[graph + 1]))
        trees = Trees(graphs[graph : graph + 1], levels[part], extractor.edge_labels)
        for feature in features:
            at = first[feature]
            place = int(found.vertices[at]), int(found.depths[at]), int(found.births[at])
            names[feature] = trees.text(*place)
    return names


@njit(cache=True, nogil=True)
def _first(table, n_features, depths, features):
    """Return the first occurrence of each feature."""
    first = np.full(n_features, -1, np.int64)
    for at in range(len(features)):
        number = find(table, depths[at], features[at])
        if number >= 0 and first[number] < 0:
            first[number] = at
    return first


def _histogram(landmarks: Landmarks, column: int, number: int, n_levels: int) -> str:
    """Return how the mass is spread over the levels, in a few digits."""
    if n_levels > _SHOWN_LEVELS:
        return f"[{number}]"
    sums = landmarks.profiles.lines[
        landmarks.profiles.ptr[column] : landmarks.profiles.ptr[column + 1]
    ]
    shares = np.diff(np.concatenate([[0.0], sums, [1.0]]))
    return f"[{' '.join(f'{max(share, 0.0):.2g}' for share in shares)}]"
