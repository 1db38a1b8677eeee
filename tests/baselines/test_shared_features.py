"""Sums over shared features: exact, in tiles, in an order of their own."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive_baselines
from baseline_definitions import gram
from grafik.baselines.shared_features import intersections, products, squares, totals, vectors


def overlaps(x, y, depths, n_jobs):
    """Intersections of graphs that are all of size 1."""
    return intersections(x, y, depths, n_jobs, np.ones(len(x)), np.ones(len(y)))


@given(st.lists(st.dictionaries(st.integers(0, 9), st.integers(1, 5)), min_size=1, max_size=6))
def test_sums_over_shared_features(counts):
    graph, key, value = (
        np.array(column, kind)
        for column, kind in zip(
            zip(*[(g, f, c) for g, row in enumerate(counts) for f, c in row.items()], strict=True)
            if any(counts)
            else ((), (), ()),
            (np.int64, np.uint64, np.float64),
            strict=True,
        )
    )
    depth = (key % 3).astype(np.uint16)
    x = vectors(len(counts), graph, depth, key, value)
    other = vectors(len(counts), graph, depth, key, value)
    many = {f: 3 if f < 5 else 1 for f in range(10)}
    thrice, again = (
        vectors(len(counts), graph, depth, key, value, np.where(key < 5, 3.0, 1.0))
        for _ in range(2)
    )
    for depths in ([2], [0, 2], [0, 1], [0, 1, 2]):
        shallow = [[{f: c for f, c in row.items() if f % 3 <= d} for row in counts] for d in depths]
        dot = [gram(rows, naive_baselines.dot) for rows in shallow]
        least = [
            gram(rows, lambda a, b: sum(min(a[f], b[f]) for f in a.keys() & b.keys()))
            for rows in shallow
        ]
        weighted = [
            gram(rows, lambda a, b: sum(many[f] * a[f] * b[f] for f in a.keys() & b.keys()))
            for rows in shallow
        ]
        for y in (x, other):
            for jobs in (1, 3):
                assert np.array_equal(list(products(x, y, depths, jobs)), dot)
                assert np.array_equal(list(overlaps(x, y, depths, jobs)), least)
        for y in (thrice, again):
            assert np.array_equal(list(products(thrice, y, depths, None)), weighted)
        for i, d in enumerate(depths):
            assert np.array_equal(squares(x, d), np.diag(dot[i]))
            assert np.array_equal(totals(x, d), np.diag(least[i]))
            assert np.array_equal(squares(thrice, d), np.diag(weighted[i]))


def test_tiles_and_rare_and_common_features():
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((700, 60)) < np.linspace(0.001, 0.9, 60), rng.random((700, 60)), 0)
    graph, key = np.nonzero(dense)
    columns = graph, key % 2, key.astype(np.uint64), dense[graph, key]
    x, other = vectors(700, *columns), vectors(700, *columns)
    for sums, expected in (
        (products, [part @ part.T for part in (dense[:, ::2], dense)]),
        (
            overlaps,
            [
                np.minimum(part[:, None, :], part[None, :, :]).sum(axis=2)
                for part in (dense[:, ::2], dense)
            ],
        ),
    ):
        found = list(sums(x, x, [0, 1], None))
        np.testing.assert_allclose(found, expected, rtol=1e-13)
        for y, depths, jobs in ((other, [0, 1], 2), (x, [0, 1], 2), (other, [1], None)):
            assert np.array_equal(found[-len(depths) :], list(sums(x, y, depths, jobs)))


def test_parts_are_added_in_an_order_of_their_own():
    values = np.array([1e16, 1.0, -1.0 + 2.0, 3.0, 0.1])
    zeros = np.zeros(5, np.int64)
    found = {
        vectors(1, zeros, zeros, zeros.astype(np.uint64), values[np.roll(np.arange(5), k)]).values[
            0
        ]
        for k in range(5)
    }
    assert len(found) == 1
