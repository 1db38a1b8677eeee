"""A page on a kernel with one level says nothing about levels; one with several does."""

import pytest

from grafik import FiltrationKernel
from grafik.features import WeisfeilerLehman
from grafik.report import write_pair, write_report

TIMING = ("W1", "Thick edges", "and when it lives", "over all levels", "at which levels", "gamma")


@pytest.mark.parametrize("levels", [1, 3])
def test_timing_is_told_only_where_there_are_several_levels(opened, molecules, tmp_path, levels):
    graphs, y = molecules
    kernel = FiltrationKernel(WeisfeilerLehman(2), n_levels=levels, normalize=True)
    for path in (
        write_report(tmp_path / "x.html", graphs, y, kernel=kernel),
        write_pair(tmp_path / "y.html", graphs, 0, 7, y, kernel=kernel),
    ):
        page = opened(path)
        text = page.inner_text("body")
        assert {word: word in text for word in TIMING} == dict.fromkeys(TIMING, levels > 1)
        assert ("There is one level" in text) is (levels == 1)
        assert page.locator("#filtration table").count() == (levels > 1)
        row = page.locator("#pair button.feature").first
        assert "occurrences" in row.inner_text()
        row.click()
        assert page.locator("#pair .vertex.chosen").count() > 0
        assert ("Bars: the levels" in page.inner_text("#pair .caption")) is (levels > 1)
        assert page.locator("#pair .barcode").count() == (0 if levels == 1 else 2)
