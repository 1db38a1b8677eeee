"""A browser, pages opened in it, and a report of eight small graphs."""

import os
import shutil
from importlib import import_module

import numpy as np
import pytest

from grafik import FiltrationKernel, Graphs
from grafik.evaluation import PROTOCOLS, evaluate
from grafik.features import WeisfeilerLehman
from grafik.report import write_report

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="session")
def chromium():
    """A browser without a window, for all tests; skipped where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright: ./run test")
    found = [os.environ.get("GRAFIK_CHROMIUM"), *map(shutil.which, NAMES)]
    program = next(filter(None, found), None)
    if program is None:
        pytest.skip("no Chromium: apt install chromium, or name one in GRAFIK_CHROMIUM")
    with api.sync_playwright() as playwright:
        # The sandbox does not work for root, and the only pages that are opened are ours.
        options = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=program, args=options)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tab(chromium):
    """The one tab in which pages are opened, and what it complained of: messages and requests."""
    context = chromium.new_context()
    tab, complaints = context.new_page(), []
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("dialog", lambda dialog: (complaints.append("dialog"), dialog.dismiss()))
    tab.on("request", lambda request: complaints.append(request.url))
    yield tab, complaints
    context.close()


@pytest.fixture
def opened(tab):
    """Opens pages; at the end, there must have been no error and no request to anywhere."""
    page, complaints = tab
    complaints.clear()
    loads = 0

    def open_page(path, width=1200, height=900, scheme="light"):
        nonlocal loads
        loads += 1
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.goto(path.as_uri())
        return page

    yield open_page
    page.mouse.move(0, 0)
    allowed = ("file:///", "data:")
    assert [text for text in complaints if not text.startswith(allowed)] == []
    # The page itself, and the picture of its tab.
    assert sum(text.startswith("file:///") for text in complaints) == loads


@pytest.fixture
def rough_layouts(monkeypatch):
    """Draw graphs with little effort, where only how many numbers that takes is of interest."""
    drawing = import_module("grafik.plots.layout")
    monkeypatch.setattr(drawing, "_EFFORT", ((drawing.MAX_VERTICES, 1, 16),))


@pytest.fixture(scope="session")
def molecules():
    """Eight small graphs of two classes, with labels of vertices and edges."""
    rings = [[(i, (i + 1) % n) for i in range(n)] for n in (4, 5, 6, 7)]
    tails = [[*ring, (0, len(ring)), (len(ring), len(ring) + 1)] for ring in rings]
    labels = [["C"] * len(ring) for ring in rings]
    longer = [[*text, "O", "H"] for text in labels]
    graphs = Graphs.from_edge_lists([*rings, *tails], node_labels=[*labels, *longer])
    return graphs, np.repeat(["ring", "tail"], 4)


@pytest.fixture(scope="session")
def report(molecules, tmp_path_factory):
    graphs, y = molecules
    few = PROTOCOLS["quick"].with_values(n_splits=2, inner_splits=2, levels=[2], depths=[1])
    results = evaluate(["fwl-d", "wl"], graphs, y, protocol=few)
    kernel = FiltrationKernel(WeisfeilerLehman(2), n_levels=3, normalize=True)
    path = tmp_path_factory.mktemp("report") / "report.html"
    return write_report(path, graphs, y, name="rings", kernel=kernel, results=results)
