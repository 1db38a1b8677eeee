"""Pages on means and Gaussians say what is of the whole kernel and what is of a part."""

import numpy as np
import pytest
from sklearn.base import clone

from grafik import FiltrationKernel, GaussianKernel, MeanKernel, datasets
from grafik.baselines import WL, CoreWL
from grafik.report import data_set, pair, write_pair, write_report


@pytest.fixture
def pages(monkeypatch):
    """What was written to pages."""
    found, write_page = [], data_set.write_page

    def noted(path, title, data):
        found.append(data)
        return write_page(path, title, data)

    for module in (data_set, pair):
        monkeypatch.setattr(module, "write_page", noted)
    return found


@pytest.mark.parametrize("fitted", [False, True])
def test_pages_on_combined_kernels_say_what_they_show(tmp_path, pages, fitted):
    graphs, y = datasets.random_graphs(30, n_nodes=(4, 9), density=(0.2, 0.5), n_labels=2)
    mean = MeanKernel([WL(1), FiltrationKernel(weight="core"), CoreWL(1)], weights=[1, 2, 3])
    kernel = GaussianKernel(mean, 4.0)
    matrix = clone(kernel).fit_transform(graphs)
    if fitted:
        kernel.fit(graphs)
    write_report(tmp_path / "x.html", graphs, y, kernel=kernel, name="x")
    found = pages[-1]
    for i, nearest in enumerate(found["nearest"]):
        assert [value for _, value in nearest] == pytest.approx(
            sorted(np.delete(matrix[i], i), reverse=True)[: len(nearest)], rel=1e-3
        )
    assert "by the whole kernel, GaussianKernel(" in found["filtration"]["how"]
    assert "its part 'core' alone" in found["filtration"]["how"]
    assert found["filtration"]["weight"] == "core"
    assert found["kernel"]["normalize"]
    write_pair(tmp_path / "x.html", graphs, 0, 1, y, kernel=kernel)
    page = pages[-1]
    assert "This page explains its part 'core' alone" in page["notes"][0]
    assert f"is {matrix[0, 1]:.6g}"[:9] in page["notes"][1]
    assert page["notes"][2].startswith("parts: wl ")
    with pytest.raises(TypeError, match="no part of the kernel is a FiltrationKernel"):
        write_report(tmp_path / "y.html", graphs, y, kernel=MeanKernel([CoreWL(1)]))
