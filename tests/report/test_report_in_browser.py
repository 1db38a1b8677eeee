"""Pages in a real browser: they open, answer mouse and keys, and compute what the library does."""

import os
import shutil

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from test_explain import batches, kernels

from grafik import FiltrationKernel, Graphs, datasets, explain_pair, vertex_importance
from grafik.evaluation import evaluate
from grafik.features import WeisfeilerLehman
from grafik.report import write_pair, write_report

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
EVIL = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "a & b < 'c' > \"d\""]


@pytest.fixture(scope="module")
def chromium():
    """A browser without a window; skipped where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright: ./run test")
    found = [os.environ.get("GRAFIK_CHROMIUM"), *map(shutil.which, NAMES)]
    program = next(filter(None, found), None)
    if program is None:
        pytest.skip("no Chromium: apt install chromium, or name one in GRAFIK_CHROMIUM")
    with api.sync_playwright() as playwright:
        # The sandbox does not work for root, and the only pages that are opened are ours.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium):
    """Opens pages; at the end, there must have been no error and no request to anywhere."""
    contexts, complaints = [], []

    def open_page(path, **options):
        options = {
            "viewport": {"width": 1200, "height": 900},
            "reduced_motion": "reduce",
            **options,
        }
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append("dialog"), dialog.dismiss()))
        page.on("request", lambda request: complaints.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    allowed = ("file:///", "data:")
    assert [text for text in complaints if not text.startswith(allowed)] == []
    # The page itself, and the picture of its tab.
    assert sum(text.startswith("file:///") for text in complaints) == len(contexts)


@pytest.fixture(scope="module")
def molecules():
    """Eight small graphs of two classes, with labels of vertices and edges."""
    rings = [[(i, (i + 1) % n) for i in range(n)] for n in (4, 5, 6, 7)]
    tails = [[*ring, (0, len(ring)), (len(ring), len(ring) + 1)] for ring in rings]
    labels = [["C"] * len(ring) for ring in rings]
    longer = [[*text, "O", "H"] for text in labels]
    graphs = Graphs.from_edge_lists([*rings, *tails], node_labels=[*labels, *longer])
    return graphs, np.repeat(["ring", "tail"], 4)


@pytest.fixture
def report(molecules, tmp_path):
    graphs, y = molecules
    few = {"protocol": "quick", "n_splits": 2, "inner_splits": 2, "levels": [2], "depths": [1]}
    results = evaluate(["fwl-d", "wl"], graphs, y, **few)
    kernel = FiltrationKernel(WeisfeilerLehman(2), n_levels=3, normalize=True)
    return write_report(
        tmp_path / "report.html", graphs, y, name="rings", kernel=kernel, results=results
    )


def look_at(page, graph):
    """Point at a graph of the map."""
    page.locator(f"[data-graph='{graph}']").hover(force=True)


# What is computed


EXPLAIN = """([i, j]) => {
  const why = grafik.explain(i, j);
  const shares = [i, j].map((g, side) => grafik.importance(why, side, grafik.data.graphs[g].n));
  const bars = (side) => side ? side.bars.map((b) => [b.vertex, b.birth, b.death]) : [];
  const features = why.features.map((f) =>
    [f.depth, f.name, ...f.masses, f.distance, f.contribution, f.sides.map(bars)]);
  return { value: why.value, total: why.total, features, shares };
}"""


def assert_same(told, found):
    """Compare what the page's script finds with what the library does."""
    close = {"rtol": 1e-10, "atol": 1e-10}
    assert_allclose(told["value"], found.value, **close)
    assert_allclose(told["total"], found.total, **close)
    mine = {}
    for one in found.features:
        parts = (side.of(one.depth, one.feature) for side in found.barcodes)
        bars = [np.column_stack([bar.vertices, bar.births, bar.deaths]).tolist() for bar in parts]
        row = one.distance, one.contribution, [sorted(side) for side in bars]
        mine.setdefault((one.depth, one.name, *one.masses), []).append(row)
    theirs = {}
    for depth, name, first, second, apart, contribution, bars in told["features"]:
        sides = [sorted(side) for side in bars]
        theirs.setdefault((depth, name, first, second), []).append((apart, contribution, sides))
    assert mine.keys() == theirs.keys()
    for key, rows in mine.items():
        # Long trees are cut short, so that several may have a name; their bars tell them apart.
        pairs = zip(
            *(sorted(side, key=lambda row: row[2]) for side in (rows, theirs[key])), strict=True
        )
        for (apart, contribution, bars), (their_apart, their_contribution, their_bars) in pairs:
            assert bars == their_bars
            assert_allclose(their_apart, apart, **close)
            assert_allclose(their_contribution, contribution, **close)
    for side in (0, 1):
        assert_allclose(told["shares"][side], vertex_importance(found, side), **close)


@pytest.fixture(scope="module")
def blank(chromium):
    """One page for many examples."""
    context = chromium.new_context()
    yield context.new_page()
    context.close()


@settings(
    max_examples=60,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a browser takes long to find less
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(kernel=kernels(), graphs=batches.filter(len), chosen=st.data())
def test_the_page_finds_what_the_library_finds(blank, tmp_path, kernel, graphs, chosen):
    i, j = (chosen.draw(st.integers(0, len(graphs) - 1)) for _ in range(2))
    blank.goto(write_pair(tmp_path / "pair.html", graphs, i, j, kernel=kernel).as_uri())
    kernel.fit(graphs)
    assert_same(blank.evaluate(EXPLAIN, [0, 1]), explain_pair(kernel, graphs[i], graphs[j]))


@pytest.mark.parametrize("name", ["MUTAG", "IMDB-BINARY"])
def test_reports_of_real_data_find_what_the_library_finds(opened, data, tmp_path, name):
    graphs, y = datasets.read_tu(data / name)
    graphs, y = graphs[::5], y[::5]
    kernel = FiltrationKernel(WeisfeilerLehman(3), n_levels=5, normalize=True)
    page = opened(write_report(tmp_path / "x.html", graphs, y, kernel=kernel))
    kernel.fit(graphs)
    for i, j in np.random.default_rng(0).integers(0, len(graphs), (12, 2)).tolist():
        assert_same(page.evaluate(EXPLAIN, [i, j]), explain_pair(kernel, graphs[i], graphs[j]))


# What is seen


def test_the_report_says_what_it_is_about(opened, report):
    page = opened(report)
    assert page.title() == page.inner_text("h1") == "rings"
    assert page.locator("h2").all_inner_texts() == [
        "The data",
        "The filtration",
        "Accuracy",
        "Map of graphs",
        "Why are graphs 0 and 7 similar?",  # rings of any size are the same to this kernel
        "Telling features",
    ]
    for text in ("null", "undefined", "NaN", "[object"):
        assert text not in page.inner_text("body")
    assert page.locator("#accuracy tbody tr").count() == 3  # two kernels, one comparison
    assert page.locator("#filtration tbody tr").count() == 2
    assert page.locator(".point").count() == 8
    assert "8 graphs of 2 classes" in page.inner_text("header")


def test_pointing_at_a_graph_draws_it(opened, report, molecules):
    page = opened(report)
    for number in (6, 0):
        look_at(page, number)
        graph = molecules[0][number]
        assert f"Graph {number}" in page.inner_text(".inspector h3")
        assert page.locator(".inspector .vertex").count() == graph.n_nodes
        assert page.locator(".inspector .edge").count() == graph.n_edges
    same = page.locator(".inspector .same-point")
    assert "3 other graphs at the same point:" in same.inner_text()
    assert same.locator("button").all_inner_texts() == ["1", "2", "3"]
    same.locator("button").nth(1).click()
    assert page.inner_text("#pair-title") == "Why are graphs 0 and 2 similar?"


def test_two_clicks_say_why_two_graphs_are_similar(opened, report, molecules):
    page = opened(report)
    for number in (7, 5):
        page.locator(f"[data-graph='{number}']").click(force=True)
    assert page.inner_text("#pair-title") == "Why are graphs 7 and 5 similar?"
    kernel = FiltrationKernel(WeisfeilerLehman(2), n_levels=3, normalize=True).fit(molecules[0])
    found = explain_pair(kernel, molecules[0][7], molecules[0][5])
    assert float(page.inner_text("#pair .value")) == pytest.approx(found.value, rel=1e-5)
    page.click("#pair .more")
    names = page.locator("#pair button.feature code").all_inner_texts()
    assert sorted(names) == sorted(one.name for one in found.features)
    told = page.get_attribute("[data-graph='5']", "aria-selected")
    assert (told, page.get_attribute("[data-graph='0']", "aria-selected")) == ("true", "false")


def test_a_chosen_feature_is_marked_and_has_bars(opened, report):
    page = opened(report)
    page.fill("input[aria-label='First graph']", "4")
    page.fill("input[aria-label='Second graph']", "5")
    page.click(".by-number button")
    row = page.locator("#pair button.feature", has=page.get_by_text("O", exact=True)).first
    row.click()
    assert row.get_attribute("aria-pressed") == "true"
    marked = page.locator("#pair .vertex.chosen")
    assert [one.get_attribute("data-vertex") for one in marked.all()] == ["4", "5"]
    assert page.locator("#pair .barcode").count() == 2
    assert page.locator("#pair .bar").count() == 2
    row.click()
    assert page.locator("#pair .vertex.chosen").count() == 0
    assert page.locator("#pair .vertex.shaded").count() == 6 + 7


def test_the_slider_shows_filtration_graphs(opened, report, molecules):
    page = opened(report)
    page.fill("input[aria-label='First graph']", "4")
    page.fill("input[aria-label='Second graph']", "1")
    page.click(".by-number button")
    assert page.locator("#pair .edge.absent").count() == 0
    page.fill("#level", "0")
    kernel = FiltrationKernel(WeisfeilerLehman(2), n_levels=3).fit(molecules[0])
    late = [(kernel.filtration_.levels(molecules[0][g]) > 0).sum() for g in (4, 1)]
    assert page.locator("#pair .edge.absent").count() == sum(late) > 0


def test_a_feature_that_dies_is_shown_while_it_lives(opened, report):
    page = opened(report)
    row = page.locator("#pair button.feature", has=page.get_by_text("C()", exact=True)).first
    row.click()  # isolated vertices, of which there are none in the end
    assert page.input_value("#level") == "0"
    assert page.locator("#pair .vertex.chosen").count() > 0
    page.fill("#level", "1")
    assert page.locator("#pair .vertex.chosen").count() == 0
    assert page.locator("#pair .bar").count() > 0
    row.click()
    assert page.input_value("#level") == "1"


def test_a_telling_feature_is_shown_on_the_map(opened, report):
    page = opened(report)
    button = page.locator("#telling .card", has_text="class tail").locator("button.feature").first
    name = button.locator("code").inner_text()
    button.click()
    feature = page.evaluate(
        "(name) => grafik.data.telling.classes[1].features.find((f) => f.name === name)", name
    )
    dimmed = page.locator(".point.without").count()
    assert dimmed == 8 - len(feature["graphs"])
    assert page.locator(".inspector .vertex.chosen").count() > 0
    button.click()
    assert page.locator(".point.without").count() == 0


def test_a_number_that_is_not_there_is_said_so(opened, report):
    page = opened(report)
    page.fill("input[aria-label='Second graph']", "99")
    page.click(".by-number button")
    assert page.inner_text(".status") == "Graph 99 is not on this page."


def test_the_map_can_be_looked_at_more_closely(opened, report):
    page = opened(report)
    look_at(page, 2)
    before = page.evaluate("[...document.querySelectorAll('.point')].map((p) => p.getCTM().e)")
    page.click("button[aria-label='Zoom in']")
    after = page.evaluate("[...document.querySelectorAll('.point')].map((p) => p.getCTM().e)")
    assert np.ptp(after) == pytest.approx(2 * np.ptp(before), rel=1e-2)
    page.click("text=Whole map")
    again = page.evaluate("[...document.querySelectorAll('.point')].map((p) => p.getCTM().e)")
    assert again == before


def test_a_product_of_next_to_nothing_is_written_and_drawn(opened, molecules, tmp_path):
    kernel = FiltrationKernel(WeisfeilerLehman(1), combine="product", beta=1e308)
    page = opened(write_pair(tmp_path / "pair.html", molecules[0], 0, 7, kernel=kernel))
    for text in ("Infinity", "NaN"):
        assert text not in page.inner_html("main")
    assert page.locator("#pair .amount").first.inner_text() == "\u2212\u221e"
    assert page.locator("#pair .fill").first.evaluate("(bar) => bar.style.width") == "100%"


def test_a_scale_has_a_length_where_all_accuracies_are_one(opened, tmp_path):
    graphs, y = datasets.csl(skips=(2, 3), copies=6)  # all alike to this kernel
    results = evaluate("wl", graphs, y, protocol="quick", n_splits=2, depths=[1])
    page = opened(write_report(tmp_path / "x.html", graphs, y, results=results))
    assert "The scale goes from 50 to 60 %" in page.inner_text("#accuracy")


# Keys


def test_everything_works_from_the_keyboard(opened, report):
    page = opened(report)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.point')"):
            break
    focused = "document.activeElement.dataset.graph"
    start = page.evaluate(focused)
    assert start == "0"
    assert page.evaluate("getComputedStyle(document.activeElement).strokeWidth") == "4px"
    page.keyboard.press("End")
    assert page.evaluate(focused) == "7"
    assert "Graph 7" in page.inner_text(".inspector h3")
    page.keyboard.press("PageUp")
    assert page.evaluate(focused) == "6"
    page.keyboard.press("Escape")
    assert page.inner_text(".status") == "No graph is chosen."
    assert page.inner_text("#pair").split("\n")[-1] == "No two graphs are chosen yet."
    page.keyboard.press("Enter")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert page.inner_text("#pair-title") == "Why are graphs 6 and 0 similar?"
    assert "Graphs 6 and 0: kernel" in page.inner_text(".status")
    page.keyboard.press("Tab")  # out of the map, which is one stop
    assert page.evaluate("document.activeElement.matches('.point')") is False
    page.focus("#pair button.feature")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_arrow_keys_go_to_the_next_graph_in_their_direction(opened, report):
    page = opened(report)
    place = "(() => { const m = document.activeElement.getCTM(); return [m.e, m.f]; })()"
    moves = {"ArrowLeft": (-1, 0), "ArrowRight": (1, 0), "ArrowUp": (0, -1), "ArrowDown": (0, 1)}
    page.focus(".point[tabindex='0']")
    moved = 0
    for key in [*moves, *reversed(moves)] * 3:
        x, y = page.evaluate(place)
        page.keyboard.press(key)
        a, b = page.evaluate(place)
        right, down = moves[key]
        if (a, b) != (x, y):
            moved += 1
            assert (a - x) * right + (b - y) * down > 0
    assert moved > 3


def test_keys_with_modifiers_are_left_to_the_browser(opened, report):
    page = opened(report)
    swallowed = """([key, held]) => !document.querySelector(".point").dispatchEvent(
      new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...held }))"""
    for key in ("-", "+", "0", "ArrowLeft", "Home", "Escape"):
        for held in ("ctrlKey", "metaKey", "altKey"):
            assert page.evaluate(swallowed, [key, {held: True}]) is False
        assert page.evaluate(swallowed, [key, {"shiftKey": True}]) is True


def test_every_graph_has_a_name_for_those_who_do_not_see_it(opened, report):
    page = opened(report)
    points = page.get_by_role("option")
    assert points.count() == 8
    assert points.nth(0).get_attribute("aria-label") == "graph 0, class ring, 4 vertices, 4 edges"
    assert page.get_by_role("listbox", name="Map of 8 graphs").count() == 1
    assert page.get_by_role("slider", name="Built up to level").count() == 1
    unnamed = "[...document.querySelectorAll('button, input, svg[role=img]')].filter((e) => "
    unnamed += "!(e.getAttribute('aria-label') || e.innerText || e.labels?.length)).length"
    assert page.evaluate(unnamed) == 0


# What others have written stays text


def test_labels_classes_and_names_stay_text(opened, tmp_path):
    edges = [[(0, 1), (1, 2)], [(0, 1), (0, 2)], [(0, 1)], [(0, 1), (1, 2), (0, 2)]]
    labels = [EVIL, EVIL, EVIL[:2], EVIL]
    between = [[EVIL[i % 3] for i in range(len(part))] for part in edges]
    graphs = Graphs.from_edge_lists(edges, node_labels=labels, edge_labels=between)
    y = np.array([EVIL[0], EVIL[1], EVIL[0], EVIL[1]])
    kernel = FiltrationKernel(WeisfeilerLehman(1, edge_labels=True), normalize=True)
    options = {"name": EVIL[1], "kernel": kernel}
    for path in (
        write_report(tmp_path / "report.html", graphs, y, no_accuracy=EVIL[0], **options),
        write_pair(tmp_path / "pair.html", graphs, 0, 1, y, **options),
    ):
        page = opened(path)
        assert page.locator("img").count() == 0
        assert page.locator("main script").count() == 0
        text = page.inner_text("body")
        assert all(label in text for label in EVIL[:2])
        assert EVIL[1] in page.title()
        for button in page.locator("button.feature").all():
            button.click()
        assert page.locator("img").count() == 0


def test_the_policy_forbids_what_slips_in(chromium, report):
    context = chromium.new_context()
    page = context.new_page()
    page.goto(report.as_uri())
    page.evaluate("""() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.slipped = 1";
      document.body.append(script);
      document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='globalThis.slipped = 1'>");
    }""")
    assert page.evaluate("globalThis.slipped") is None
    refused = "fetch('https://example.org').then(() => 'went out', () => 'refused')"
    assert page.evaluate(refused) == "refused"
    context.close()


# Screens


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_screen_does_not_scroll_sideways(opened, report, tmp_path, scheme):
    narrow = {"viewport": {"width": 360, "height": 740}, "color_scheme": scheme}
    long = Graphs.from_edge_lists([[(0, 1)], [(0, 1)]], node_labels=[["W" * 300, "x"]] * 2)
    others = write_report(tmp_path / "long.html", long, ["V" * 200, "U"], name="N" * 200)
    for path in (report, others, write_pair(tmp_path / "pair.html", long, 0, 1)):
        page = opened(path, **narrow)
        if path != others:
            page.locator("#pair button.feature").first.click()
        assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_on_a_narrow_screen_a_chosen_feature_brings_its_graphs_into_view(opened, report):
    page = opened(report, viewport={"width": 360, "height": 740})
    row = page.locator("#pair button.feature").last
    row.scroll_into_view_if_needed()
    card = "document.querySelector('#pair .graph-card').getBoundingClientRect()"
    assert page.evaluate(f"{card}.bottom < 0")
    row.click()
    assert page.evaluate(f"{card}.top >= 0 && {card}.top < innerHeight / 2")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"


CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d",
    { willReadFrequently: true });
  const rgb = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (text) => {
    const linear = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = rgb(text).map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (rgb(colour)[3] === 255) return colour;
    }
    return "white";
  };
  const found = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("noscript, title")) continue;
    const ink = getComputedStyle(element);
    const circle = element.closest(".vertex")?.querySelector("circle");
    const ground = circle ? getComputedStyle(circle).fill : behind(element);
    const colour = element.namespaceURI.endsWith("svg") ? ink.fill : ink.color;
    found.push(["text", walker.currentNode.data, contrast(light(colour), light(ground))]);
  }
  for (const point of document.querySelectorAll(".point, .mark path, .bar, .fill")) {
    const style = getComputedStyle(point);
    const colour = point.namespaceURI.endsWith("svg") ? style.fill : style.backgroundColor;
    const ground = behind(point.parentElement);
    found.push(["shape", point.getAttribute("class"), contrast(light(colour), light(ground))]);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_shapes_stand_out(opened, tmp_path, scheme):
    graphs, y = datasets.csl(copies=2)
    graphs = Graphs(
        graphs.node_ptr, graphs.edge_ptr, graphs.edges, node_labels=np.arange(820) % 41 % 9
    )
    report = write_report(tmp_path / "x.html", graphs, y)
    page = opened(report, color_scheme=scheme)
    found = page.evaluate(CONTRASTS)
    page.locator("#pair button.feature").first.click()
    found += page.evaluate(CONTRASTS)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (dark == "rgb(20, 23, 26)") == (scheme == "dark")
    assert {kind for kind, *_ in found} == {"text", "shape"}
    weak = [one for one in found if one[2] < (4.5 if one[0] == "text" else 3.0)]
    assert weak == []


STRENGTHS = """() => {
  const parts = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const look = (circle) => parts(getComputedStyle(circle).fill);
  const circles = [...document.querySelectorAll("#pair .vertex.shaded circle")];
  const part = (circle) => parseFloat(circle.style.getPropertyValue("--part"));
  const [least, most] = [Math.min, Math.max].map((of) => of(...circles.map(part)))
    .map((value) => look(circles.find((circle) => part(circle) === value)));
  return [least, most].map((rgb) => Math.max(...rgb) - Math.min(...rgb));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_vertices_that_matter_have_a_strong_colour(opened, report, scheme):
    page = opened(report, color_scheme=scheme)
    weak, strong = page.evaluate(STRENGTHS)
    assert strong > weak
    assert "The stronger the colour of a vertex, the more" in page.inner_text("#pair .caption")


def test_nothing_moves_for_those_who_do_not_want_it(opened, report):
    page = opened(report)
    moving = "[...document.querySelectorAll('*')].filter((e) => "
    moving += "getComputedStyle(e).transitionDuration !== '0s').length"
    assert page.evaluate(moving) == 0
