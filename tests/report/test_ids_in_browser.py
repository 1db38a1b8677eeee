"""Pages on graphs with ids call them by these, wherever a graph is named."""

import re

import pytest

from grafik.report import write_pair, write_report

IDS = ["square", "pentagon", "hexagon", "heptagon", "twin", "twin", "<b>7</b>", "x" * 200]


@pytest.fixture(scope="module")
def named(molecules, tmp_path_factory):
    graphs, y = molecules
    path = tmp_path_factory.mktemp("named") / "named.html"
    return write_report(path, graphs.with_ids(IDS), y, name="rings")


def compare(page, first, second):
    """Enter two graphs, and return what the page says."""
    for which, given in (("First", first), ("Second", second)):
        page.fill(f"input[aria-label='{which} graph']", given)
    page.click(".by-name button")
    return page.inner_text(".status")


def test_graphs_are_called_by_their_ids(opened, named):
    page = opened(named)
    assert page.inner_text("#pair-title").startswith("Why are square and ")
    assert page.inner_text(".status").startswith("The kernel of square and ")
    assert page.inner_text(".inspector h3").startswith("square")
    assert "graph 0, 4 vertices, 4 edges" in page.inner_text(".inspector")
    point = page.locator("[data-graph='1']")
    assert point.get_attribute("aria-label") == "pentagon, class ring, 5 vertices, 5 edges"
    alike = page.locator(".inspector .alike button")
    assert alike.first.get_attribute("aria-label") == "Compare with pentagon, kernel 1"
    assert alike.first.inner_text().split()[-2:] == ["pentagon", "1"]
    same = page.locator(".inspector .same-point button").all_inner_texts()
    assert same == ["pentagon", "hexagon", "heptagon"]
    text = page.inner_text("body")
    assert "<b>7</b>" in text
    assert not re.search(r"[Gg]raphs \d", page.inner_text("#map") + page.inner_text("#pair"))
    page.locator("[data-graph='6']").click(force=True)
    assert page.inner_text(".status").startswith("<b>7</b> is chosen.")


def test_ids_and_numbers_can_be_compared(opened, named):
    page = opened(named)
    start = "Why are hexagon and pentagon similar?"
    assert compare(page, "hexagon", " pentagon ").startswith("The kernel of hexagon and pentagon")
    assert page.inner_text("#pair-title") == start
    assert compare(page, "0", "twin") == "2 graphs are called twin; enter the number of one: 4, 5"
    assert compare(page, "nonagon", "0") == "nonagon is not on this page."
    assert compare(page, "0", "") == "Enter two graphs, by their ids or their numbers."
    assert page.inner_text("#pair-title") == start
    compare(page, "3", "5")
    assert page.inner_text("#pair-title") == "Why are heptagon and twin (graph 5) similar?"
    drawn = page.locator("#pair .graph-card")
    assert drawn.locator("h3 .name").all_inner_texts() == ["heptagon", "twin (graph 5)"]
    assert drawn.locator("svg.graph").first.get_attribute("aria-label") == "heptagon"


def test_a_page_on_two_graphs_has_their_ids(opened, molecules, tmp_path):
    path = write_pair(tmp_path / "x.html", molecules[0].with_ids(IDS), 0, 3, name="rings")
    page = opened(path)
    assert page.title() == "rings: square and heptagon"
    assert page.inner_text("#pair-title") == "Why are square and heptagon similar?"
    page.locator("#pair button.feature").first.click()
    label = page.locator("#pair .barcode").first.get_attribute("aria-label")
    assert " in square: " in label


def test_long_ids_are_cut_and_fit_narrow_screens(opened, named):
    page = opened(named, width=360, height=740)
    assert compare(page, "x" * 200, "0").startswith(f"The kernel of {'x' * 59}… and square is ")
    page.locator("[data-graph='7']").hover(force=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
