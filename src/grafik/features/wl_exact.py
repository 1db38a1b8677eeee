"""Weisfeiler-Lehman labels with a dictionary, so that no two of them can ever collide."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays.hashing import UNLABELLED
from ..graphs.batch import Graphs
from ..graphs.label_hashes import IN, OUT
from ..graphs.labels import content, content_hash
from .wl_occurrences import Occurrences

# What a label stands for (its depth, its own label before, its neighbours), and the other way.
Dictionary: TypeAlias = dict[Any, Any]

_64_BITS = 2**64 - 1


def exact_occurrences(
    graphs: Graphs,
    levels: NDArray[np.int32],
    n_levels: int,
    depth: int,
    edge_labels: bool,
    dictionary: Dictionary,
) -> Occurrences:
    """Relabel graphs level by level, and note which vertex changes which label when.

    Labels are the same hashes that the fast loop makes, unless one of them stands for something
    else already; then the next free hash is taken. `dictionary` is read and extended.
    """
    changes: list[tuple[int, int, int]] = []
    graph_of, features = [], []
    vertices = graphs.node_labels
    kinds = graphs.edge_labels if edge_labels else None
    ways = ((b">", int(OUT)), (b"<", int(IN))) if graphs.directed else ((b"", 0), (b"", 0))
    unlabelled = int(UNLABELLED) if graphs.directed else 0
    for index, graph in enumerate(graphs):
        edge0, node0 = int(graphs.edge_ptr[index]), int(graphs.node_ptr[index])
        entry = levels[edge0 : edge0 + graph.n_edges].tolist()
        pairs = graph.edges.tolist()
        old: dict[tuple[int, int], int] = {}
        for level in range(n_levels):
            if level > 0 and level not in entry:
                continue
            around: list[list[tuple[int, bytes, int]]] = [[] for _ in range(graph.n_nodes)]
            for edge, (u, v) in enumerate(pairs):
                if entry[edge] <= level:
                    kind = b"" if kinds is None else content(kinds[edge0 + edge])
                    number = unlabelled if kinds is None else content_hash(kinds[edge0 + edge])
                    for here, there, (way, more) in ((u, v, ways[0]), (v, u, ways[1])):
                        around[here].append((there, way + kind, (number + more) & _64_BITS))
            labels: list[int] = []
            for d in range(depth + 1):
                before, labels = labels, []
                for v in range(graph.n_nodes):
                    if d == 0:
                        value = b"" if vertices is None else content(vertices[node0 + v])
                        own = UNLABELLED if vertices is None else content_hash(vertices[node0 + v])
                        label = _entry(dictionary, (0, value), mix(int(own)))
                    else:
                        near = sorted((before[u], kind) for u, kind, _ in around[v])
                        total = sum(mix_other(before[u] ^ number) for u, _, number in around[v])
                        hashed = mix((before[v] * 0x9E3779B97F4A7C15 + total + d) & _64_BITS)
                        label = _entry(dictionary, (d, before[v], tuple(near)), hashed)
                    labels.append(label)
                    if old.get((d, v)) == label:
                        continue
                    graph_of.append(index)
                    changes.append((d, v, level))
                    features.append(label)
                    old[d, v] = label
    return Occurrences.of_changes(
        graphs,
        n_levels,
        np.array(graph_of, np.int64),
        np.array(changes, np.int64).reshape(-1, 3),
        np.array(features, np.uint64),
    )


def _entry(dictionary: Dictionary, meaning: tuple[Any, ...], hashed: int) -> int:
    """Return the label with a meaning, which is its hash unless that is taken."""
    label = dictionary.get(meaning)
    if label is None:
        label = hashed
        while (meaning[0], label) in dictionary:
            label = mix((label + 1) & _64_BITS)
        dictionary[meaning] = label
        dictionary[meaning[0], label] = meaning
    return int(label)


# Here labels are Python's integers, which never overflow; the compiled functions are for uint64.


def mix(x: int) -> int:
    """Scramble 64 bits, as :func:`grafik.arrays.hashing.mix` does."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _64_BITS
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _64_BITS
    return x ^ (x >> 31)


def mix_other(x: int) -> int:
    """Scramble 64 bits, as :func:`grafik.arrays.hashing.mix_other` does."""
    x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCD & _64_BITS
    x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53 & _64_BITS
    return x ^ (x >> 33)
