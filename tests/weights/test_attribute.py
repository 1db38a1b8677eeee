"""Attributes of edges as weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from grafik import datasets
from grafik.weights import Attribute, compute
from grafik.weights.display import as_given, is_small_first
from strategies import build, raw_batches
from weighted_graphs import one_graph

first = st.sampled_from(["large", "small"])


@given(batch=raw_batches(loops=False), first=first)
def test_attribute_is_a_column(batch, first):
    graphs = build(batch)
    if graphs.edge_attributes is None:
        return
    for column in range(graphs.edge_attributes.shape[1]):
        given_values = [
            dict(zip([tuple(sorted(e)) for e in g.edges], g.edge_attributes, strict=True))
            for g in batch
        ]
        values = [row[column] for table in given_values for _, row in sorted(table.items())]
        expected = [-value if first == "small" else value for value in values]
        assert_array_equal(Attribute(column, first)(graphs), expected)


def test_attribute_says_what_is_missing():
    bare = one_graph([(0, 1)], 2)
    with pytest.raises(ValueError, match="no edge attributes; name them when you convert graphs"):
        Attribute()(bare)
    two = one_graph([(0, 1)], 2, edge_attributes=[[1.0, 2.0]])
    assert Attribute(1)(two).tolist() == [2.0]
    with pytest.raises(ValueError, match="column must be less than 2, the number of .* got 2"):
        Attribute(2)(two)
    for column in (-1, 1.0, None, False):
        with pytest.raises(ValueError, match="column must be an integer of at least 0, got"):
            Attribute(column)(two)
    for wrong in ("no", True, None):
        with pytest.raises(ValueError, match="first must be one of 'large', 'small', got"):
            Attribute(first=wrong)(two)
    with pytest.raises(ValueError, match="no edge attribute 'w'; the 2 edge .* have no names"):
        Attribute("w")(two)


def test_attributes_are_found_by_name():
    graphs = one_graph(
        [(0, 1)], 2, edge_attributes=[[1.0, 2.0]], edge_attribute_names=["strength", "distance"]
    )
    assert Attribute("distance")(graphs).tolist() == [2.0]
    assert Attribute("distance", first="small")(graphs).tolist() == [-2.0]
    assert Attribute()(graphs).tolist() == [1.0]
    message = "no edge attribute 'w'; the 2 edge attributes of these graphs are 'strength', 'dista"
    with pytest.raises(ValueError, match=message):
        Attribute("w")(graphs)
    assert Attribute("w")(graphs[:0]).shape == (0,)
    assert Attribute("w")(one_graph([], 2)).shape == (0,)


def test_weights_are_shown_as_they_were_given():
    graphs = one_graph([(0, 1), (1, 2)], 3, edge_attributes=[1.5, 0.0])
    for name in ("attribute", "attribute:small", Attribute(), Attribute(0, "small"), "degree"):
        given = as_given(name, compute(name, graphs)).tolist()
        assert given == ([1.5, 0.0] if name != "degree" else [2.0, 2.0])
        assert not np.signbit(given).any()
    assert is_small_first("attribute:small")
    assert not is_small_first("attribute")
    assert not is_small_first(lambda graphs: graphs.edges[:, 0])


@pytest.mark.parametrize("first", ["large", "small"])
def test_attribute_knows_one_zero(first):
    graphs = one_graph([(0, 1), (1, 2)], 3, edge_attributes=[0.0, -0.0])
    assert not np.signbit(Attribute(first=first)(graphs)).any()


def test_real_distances_are_weights(data):
    graphs, _ = datasets.read_tu(data / "BZR_MD")
    values = compute("attribute:small", graphs)
    assert_array_equal(values, -graphs.edge_attributes[:, 0])
    assert len(np.unique(values)) > 1000
