"""Descriptions tell what gives other results, and nothing else."""

from functools import partial

import numpy as np
import pytest

from grafik import FiltrationKernel, Graphs, datasets
from grafik.large.fingerprint import data_digest, described

factor = 3
table = {"a": [1, 2], "b": np.arange(3)}
module = np


def helped(graphs):
    """Read a global name, through another function."""
    return inner(graphs)


def inner(graphs):
    """Read a global name within a lambda."""
    return [(lambda edge: factor * edge)(edge) for edge in graphs.edges]


def tabled(graphs):
    """Read a collection."""
    return table["a"][0] * module.ones(len(graphs.edges))


def even(n):
    """Call one that calls it."""
    return n == 0 or odd(n - 1)


def odd(n):
    """Call one that calls it."""
    return n != factor and even(n - 1)


def attribute(graphs):
    """Read an attribute that is called like a global name."""
    return graphs.factor


@pytest.mark.parametrize(
    ("function", "name", "value"),
    [
        (helped, "factor", 4),
        (inner, "factor", 3.0),
        (tabled, "table", {"a": [1, 3], "b": np.arange(3)}),
        (tabled, "table", {"a": [1, 2], "b": np.arange(4)}),
        (tabled, "module", pytest),
        (even, "factor", 4),
        (helped, "inner", even),
        (helped, "inner", len),
    ],
)
def test_global_names_that_a_function_reads_count(monkeypatch, function, name, value):
    before = described(FiltrationKernel(weight=function))
    assert described(FiltrationKernel(weight=function)) == before
    monkeypatch.setitem(globals(), name, value)
    assert described(FiltrationKernel(weight=function)) != before


def test_attributes_are_no_global_names(monkeypatch):
    before = described(attribute)
    monkeypatch.setitem(globals(), "factor", 4)
    assert described(attribute) == before


class Owner:
    """Has a method."""

    def __init__(self, length):
        self.length = length

    def weight(self, graphs):
        """Depend on the object."""
        return np.full(len(graphs.edges), self.length)


def test_methods_count_with_their_objects():
    assert described(Owner(1).weight) == described(Owner(1).weight)
    assert described(Owner(1).weight) != described(Owner(2).weight)


class Slotted:
    """Keeps no dictionary."""

    __slots__ = ("length",)

    def __init__(self, length):
        self.length = length


@pytest.mark.parametrize("make", [Slotted, lambda n: partial(even, n), np.random.default_rng])
def test_objects_that_keep_their_state_elsewhere(make):
    assert described(make(1)) == described(make(1)) != described(make(2))


def test_what_was_learned_counts_when_asked_for():
    graphs, _ = datasets.random_graphs(9, 8, random_state=0)
    one, other = (FiltrationKernel().fit(graphs[:n]) for n in (5, 9))
    assert described([one]) == described([other]) == described([FiltrationKernel()])
    assert described([one], fitted=True) != described([other], fitted=True)


def test_values_within_themselves_end():
    loop = [1]
    loop.append(loop)
    assert described(loop) == "[1, <1 up>]"


def test_the_digest_sees_all_of_the_data():
    graphs, y = datasets.random_graphs(36, (6, 12), (0.25, 0.4), n_labels=2)
    digest = data_digest(graphs, y)
    assert digest == data_digest(Graphs.concat([graphs[:7], graphs[7:]]), y.tolist())
    columns = {
        "node_ptr": graphs.node_ptr,
        "edge_ptr": graphs.edge_ptr,
        "edges": graphs.edges,
        "node_labels": list(graphs.node_labels),
    }
    others = [
        {**columns, "node_labels": [str(label) for label in graphs.node_labels]},
        {**columns, "node_labels": None},
        {**columns, "edge_labels": ["x"] * len(graphs.edges)},
        {**columns, "node_attributes": np.zeros(graphs.node_ptr[-1])},
        {**columns, "edge_attributes": np.zeros(len(graphs.edges))},
        {**columns, "directed": True},
    ]
    assert data_digest(Graphs(**columns), y) == digest
    assert digest not in {data_digest(Graphs(**other), y) for other in others}
    assert data_digest(graphs[::-1], y) != digest


def test_the_digest_sees_names_of_attributes_but_not_of_vertices_and_graphs():
    columns = {"node_ptr": [0, 2], "edge_ptr": [0, 1], "edges": [[0, 1]], "edge_attributes": [[1]]}
    digest = data_digest(Graphs(**columns), np.zeros(1))
    named = data_digest(Graphs(**columns, edge_attribute_names=["w"]), np.zeros(1))
    assert len({digest, named}) == 2
    for more in ({"node_names": ["a", "b"]}, {"ids": ["one"]}):
        assert data_digest(Graphs(**columns, **more), np.zeros(1)) == digest


def test_sets_and_keywords_are_told_apart_in_any_order():
    def weigh(graphs, *, chosen):
        return chosen

    def weighed(graphs, *, chosen):
        return chosen

    weigh.__kwdefaults__ = {"chosen": {"b", "a"}}
    before = described(weigh)
    weigh.__kwdefaults__ = {"chosen": {"a", "b"}}
    assert described(weigh) == before
    weigh.__kwdefaults__ = {"chosen": {"a", "c"}}
    assert described(weigh) != before
    weigh.__kwdefaults__ = None
    assert described(weigh) != before
