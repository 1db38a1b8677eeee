"""Attributes of edges as weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from grafik import datasets
from grafik.weights import Attribute, compute
from strategies import build, raw_batches
from weighted_graphs import one_graph


@given(batch=raw_batches(loops=False), small_first=st.booleans())
def test_attribute_is_a_column(batch, small_first):
    graphs = build(batch)
    if graphs.edge_attributes is None:
        return
    for column in range(graphs.edge_attributes.shape[1]):
        given_values = [
            dict(zip([tuple(sorted(e)) for e in g.edges], g.edge_attributes, strict=True))
            for g in batch
        ]
        values = [row[column] for table in given_values for _, row in sorted(table.items())]
        expected = [-value if small_first else value for value in values]
        assert_array_equal(Attribute(column, small_first)(graphs), expected)


def test_attribute_says_what_is_missing():
    bare = one_graph([(0, 1)], 2)
    with pytest.raises(ValueError, match="no edge attributes; pass edge_attributes when you build"):
        Attribute()(bare)
    two = one_graph([(0, 1)], 2, edge_attributes=[[1.0, 2.0]])
    assert Attribute(1, small_first=False)(two).tolist() == [2.0]
    with pytest.raises(ValueError, match="column must be less than 2, the number of .* got 2"):
        Attribute(2)(two)
    for column in (-1, 1.0, None, False):
        with pytest.raises(ValueError, match="column must be an integer of at least 0, got"):
            Attribute(column)(two)
    with pytest.raises(ValueError, match="small_first must be True or False, got 'no'"):
        Attribute(small_first="no")(two)


@pytest.mark.parametrize("small_first", [True, False])
def test_attribute_knows_one_zero(small_first):
    graphs = one_graph([(0, 1), (1, 2)], 3, edge_attributes=[0.0, -0.0])
    assert not np.signbit(Attribute(small_first=small_first)(graphs)).any()


def test_real_distances_are_weights(data):
    graphs, _ = datasets.read_tu(data / "BZR_MD")
    values = compute("attribute", graphs)
    assert_array_equal(values, -graphs.edge_attributes[:, 0])
    assert len(np.unique(values)) > 1000
