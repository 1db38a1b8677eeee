"""Sketches: their bits differ by the angle of two graphs, and tell which graphs are promising."""

import numpy as np
import pytest

from grafik.features.histograms import Histograms
from grafik.kernels.gram import KernelOnHistograms
from grafik.search.sketches import _differing, promising, sketches


def sketched(graphs):
    """Return sketches of graphs, each of which is a dict of masses by feature, at one level."""
    masses = [mass for graph in graphs for mass in graph.values()]
    features = [feature for graph in graphs for feature in graph]
    graph_ptr = np.cumsum([0, *map(len, graphs)])
    zeros, rows = np.zeros(len(masses), np.int32), np.arange(len(masses) + 1)
    how = {"scale": "unit", "gamma": 1.0, "combine": "sum", "beta": 1.0, "alpha_delta": None}
    kernel = KernelOnHistograms(**how, normalize=False, n_jobs=1, mass="linear", alphas=np.zeros(1))
    return sketches(Histograms(1, graph_ptr, zeros, features, rows, zeros, masses), kernel)


def counts(words, known):
    out = np.empty(len(known), np.int64)
    _differing(words, known, out)
    return out.tolist()


def differing(words, known):
    """Return a sketch that differs from some words in the first bits, as many as are said."""
    number = int.from_bytes(words.tobytes(), "little") ^ ((1 << known) - 1)
    return np.frombuffer(number.to_bytes(64, "little"), np.uint64)


def test_bits_that_differ_are_counted_one_by_one():
    words = np.random.default_rng(0).integers(0, 2**64, (30, 8), np.uint64)
    words[1], words[2] = words[0], ~words[0]
    expected = [
        sum(int(x ^ y).bit_count() for x, y in zip(words[0], w, strict=True)) for w in words
    ]
    assert counts(words[0], words) == expected
    assert expected[:3] == [0, 0, 512]


@pytest.mark.parametrize(
    ("other", "angle"), [({1: 9}, 0), ({1: 1, 2: 1}, 1 / 4), ({2: 1}, 1 / 2), ({3: 2, 4: 5}, 1 / 2)]
)
def test_sketches_differ_in_as_many_bits_as_the_angle_of_two_graphs_says(other, angle):
    one, two = sketched([{1: 1}, other])
    spread = np.sqrt(512 * angle * (1 - angle))
    assert abs(counts(one, two[None])[0] - 512 * angle) <= 4 * spread


def test_every_bit_of_a_sketch_tells_graphs_apart():
    made = sketched([{feature: 1} for feature in range(25)])
    bits = np.unpackbits(made.view(np.uint8), axis=1)
    assert bits.shape == (25, 512)
    assert (bits.any(axis=0) & ~bits.all(axis=0)).all()


def test_graphs_are_promising_by_their_lengths_and_angles():
    own = np.random.default_rng(1).integers(0, 2**64, 8, np.uint64)
    apart = [0, 100, 200, 256, 257, 300, 512]
    norms = np.array([1.0, 3.0, 40.0, 1000.0, 1.0, 0.5, 0.1])
    known = np.array([differing(own, bits) for bits in apart])
    products = norms * np.cos(np.pi * np.array(apart) / 512)
    for n in range(1, 8):
        expected = np.argsort(-products, kind="stable")[:n]
        assert set(promising(own[None], known, norms, n)[0].tolist()) == set(expected.tolist())
