"""Graphs of a page, where there are too many to show, and what a page needs of a kernel."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

from grafik import FiltrationKernel, Graphs, MeanKernel, datasets
from grafik.baselines import ShortestPath
from grafik.evaluation.methods import as_methods
from grafik.report.combined_kernels import WholeKernel
from grafik.report.data_set import _left_out
from grafik.report.kernel_choice import _filtration_method
from grafik.report.page_graphs import PageLabels, page_graphs
from grafik.report.sample import MOST_VERTICES, Shown, stratified


@pytest.mark.parametrize(
    ("sizes", "most", "expected"),
    [
        ([60, 30, 1], 9, [5, 3, 1]),
        # Seven rare classes get a graph each, so the common one gives up some of its eight.
        ([80] + [1] * 7, 8, [1] * 8),
        ([4, 4], 8, [4, 4]),
    ],
)
def test_each_class_has_its_share_and_at_least_one(sizes, most, expected):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    chosen = stratified(codes, most, random_state=0)
    assert np.array_equal(chosen, np.unique(chosen))
    assert np.bincount(codes[chosen]).tolist() == expected


def test_a_page_needs_a_part_with_weisfeiler_lehman_labels():
    graphs = datasets.csl(copies=1)[0][:3]
    with pytest.raises(TypeError, match="explains Weisfeiler-Lehman labels, but no part of the"):
        WholeKernel.of(MeanKernel([ShortestPath()]), graphs)


def test_only_methods_whose_kernel_can_be_shown_count_as_filtrations():
    header = SimpleNamespace(normalize=False, methods={})
    assert _filtration_method(SimpleNamespace(header=header), "w-wl") is None
    assert _filtration_method(SimpleNamespace(header=header), "no such method") is None
    for name, shown in (("fwl-degree", True), ("fwl-degree-gaussian", False)):
        text = as_methods([name], False)[0].text
        header.methods[name] = SimpleNamespace(kernel=text)
        found = _filtration_method(SimpleNamespace(header=header), name)
        assert (found is not None) == shown


def test_of_graphs_that_are_compared_only_the_small_ones_are_drawn():
    sizes = [2, MOST_VERTICES + 1, 3, MOST_VERTICES + 2]
    graphs = Graphs.from_edge_lists([[(0, 1)]] * 4, sizes)
    compared = np.array([True, True, True, False])
    shown = Shown(graphs, np.arange(4), compared, drawn=np.array([True, False, True, False]))
    kernel = FiltrationKernel(depth=0).fit(graphs[:1])
    found = page_graphs(kernel, shown, PageLabels(None, None), False)
    assert ["edges" in one for one in found] == compared.tolist()
    assert ["at" in one and "size" in one for one in found] == shown.drawn.tolist()
    assert len(found[2]["at"]) == 6
    notes = _left_out(graphs, shown, None, 0)
    assert [note.split(" would ")[0].split(" can ")[0] for note in notes] == [
        "1 graph of more than 300 vertices",
        "1 graph of 302 to 302 vertices",
    ]
    every = np.ones(4, bool)
    assert _left_out(graphs, Shown(graphs, np.arange(4), every, every), None, 0) == []


def test_vertices_are_called_by_their_names_in_each_graph():
    first, second = nx.Graph([("ann", "bob")]), nx.Graph([("kim", "lea"), ("lea", "joe")])
    graphs = Graphs.from_networkx([first, second])
    both = np.array([True, True])
    shown = Shown(graphs, np.arange(2), both, ~both)
    kernel = FiltrationKernel(depth=0).fit(graphs)
    found = page_graphs(kernel, shown, PageLabels(None, None), False)
    assert [one["names"] for one in found] == [["ann", "bob"], ["kim", "lea", "joe"]]
