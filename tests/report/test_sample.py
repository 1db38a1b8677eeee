"""Graphs of a page, where there are too many to show, and what a page needs of a kernel."""

from types import SimpleNamespace

import numpy as np
import pytest

from grafik import MeanKernel, datasets
from grafik.baselines import ShortestPath
from grafik.report.combined_kernels import WholeKernel
from grafik.report.kernel_choice import _filtration_method
from grafik.report.sample import stratified


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
