"""Histograms by feature: every row once, in the same order for any threads."""

import numpy as np
import pytest
from hypothesis import given

from filtered_graphs import filtered
from grafik import Histograms
from grafik.features import WeisfeilerLehman
from grafik.kernels import postings as postings_module
from grafik.kernels.postings import postings_of


def test_depths_may_be_anything():
    depths = [2**31 - 1, 0, 70, 2**31 - 1]
    features = np.array([1, 1, 9, 2], np.uint64)
    found = Histograms(1, [0, 2, 4], depths, features, np.arange(5), [0] * 4, [1, 2, 3, 4])
    p = postings_of(found)
    assert sorted(zip(p.depths.tolist(), p.features.tolist(), p.masses.tolist(), strict=True)) == [
        (0, 1, 2.0), (70, 9, 3.0), (2**31 - 1, 1, 1.0), (2**31 - 1, 2, 4.0)
    ]  # fmt: skip


@given(filtered(max_graphs=6))
def test_postings_hold_every_row_once_by_feature_and_graph(case):
    graphs, filtration = case
    found = WeisfeilerLehman(1).histograms(graphs, filtration)
    p = postings_of(found)
    seen = set()
    for f in range(len(p.features)):
        key = int(p.depths[f]), int(p.features[f])
        entries = range(p.row_ptr[f], p.row_ptr[f + 1])
        assert list(p.graphs[entries]) == sorted(set(p.graphs[entries]))
        shapes = {}
        for e in entries:
            counts = found[int(p.graphs[e])][key]
            assert p.masses[e] == counts.sum()
            assert 0 <= p.classes[e] < p.class_ptr[f + 1] - p.class_ptr[f]
            shapes.setdefault(tuple(counts / counts.sum()), set()).add(int(p.classes[e]))
            like = p.example[p.class_ptr[f] + p.classes[e]]
            other = found._counts(like)
            assert tuple(other / other.sum()) == tuple(counts / counts.sum())
            assert (found.depths[like], found.features[like]) == key
            seen.add((int(p.graphs[e]), *key))
        # One class for each distinct normalised histogram.
        assert all(len(classes) == 1 for classes in shapes.values())
        assert len(set.union(set(), *shapes.values())) == len(shapes)
        assert p.class_ptr[f + 1] - p.class_ptr[f] == len(shapes)
    assert len(seen) == len(found.features) == len(p.graphs)
    several = np.diff(p.row_ptr) > 1
    order = list(zip(p.depths[several], p.features[several], strict=True))
    assert order == sorted(order)
    assert list(p.depths) == sorted(p.depths)


@pytest.mark.parametrize("bucket", [1, 4, 1000])
@pytest.mark.parametrize("hashed", [True, False])
def test_postings_are_the_same_for_any_buckets_and_threads(bucket, hashed, monkeypatch):
    """Features that are not hashed all have the same first bits, and share one bucket."""
    rng = np.random.default_rng(bucket)
    pairs = np.unique(rng.integers([0, 0, 0], [300, 3, 900], (20_000, 3)), axis=0)
    names = pairs[:, 2].astype(np.uint64)
    features = names * np.uint64(0x9E3779B97F4A7C15) if hashed else names
    n = len(pairs)
    counts = rng.integers(1, 4, n)
    graph_ptr = np.searchsorted(pairs[:, 0], np.arange(301))
    columns = (graph_ptr, pairs[:, 1], features, np.arange(n + 1), rng.integers(0, 5, n), counts)
    monkeypatch.setattr(postings_module, "_BUCKET", bucket)
    histograms = Histograms(5, *columns)
    found = [postings_module._postings(histograms, n_jobs) for n_jobs in (1, 2, 3)]
    for column, *others in zip(*found, strict=True):
        for other in others:
            assert np.array_equal(column, other)
    p = found[0]
    key = (
        np.repeat(p.depths.astype(np.uint64), np.diff(p.row_ptr)),
        np.repeat(p.features, np.diff(p.row_ptr)),
    )
    order = np.lexsort((p.graphs, key[1], key[0]))
    expected = np.lexsort((pairs[:, 0], features, pairs[:, 1]))
    assert np.array_equal(p.graphs[order], pairs[expected, 0])
    assert np.array_equal(key[1][order], features[expected])
    assert np.array_equal(p.masses[order], (counts * (5 - columns[4]))[expected])


def test_histograms_with_the_same_counts_at_other_levels_are_different():
    """Twice 2 occurrences and once none, of mass 6: which of four levels lacks them decides."""
    rows = [[2, 0, 2, 2], [2, 2, 0, 2], [4, 0, 4, 4]]
    run_levels = [0, 1, 2, 0, 2, 3, 0, 1, 2]
    run_counts = [2, 0, 2, 2, 0, 2, 4, 0, 4]
    same = np.zeros(3, np.int32), np.full(3, 7, np.uint64)
    found = Histograms(4, np.arange(4), *same, 3 * np.arange(4), run_levels, run_counts)
    assert [next(iter(found[i].values())).tolist() for i in range(3)] == rows
    p = postings_of(found)
    assert p.graphs.tolist() == [0, 1, 2]
    assert p.classes.tolist() == [0, 1, 0]
    assert p.class_ptr.tolist() == [0, 2]
