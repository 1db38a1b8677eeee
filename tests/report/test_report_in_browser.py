"""Pages in a real browser: they open, answer mouse and keys, and keep text as text."""

import re

import numpy as np
import pytest

from grafik import FiltrationKernel, Graphs, datasets, explain_pair
from grafik.evaluation import PROTOCOLS, evaluate
from grafik.features import WeisfeilerLehman
from grafik.report import write_pair, write_report

EVIL = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "a & b < 'c' > \"d\""]


def look_at(page, graph):
    """Point at a graph of the map."""
    page.locator(f"[data-graph='{graph}']").hover(force=True)


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
    assert "8 graphs in 2 classes" in page.inner_text("header")


def test_distances_are_written_as_they_were_given(opened, tmp_path):
    graphs, _ = datasets.figure_one()
    for weight, words, first in (
        ("attribute:small", ("its short edges first", "weight at most"), "1"),
        ("attribute", ("its heavy edges first", "weight at least"), "4"),
    ):
        kernel = FiltrationKernel(weight=weight, thresholds="distinct")
        page = opened(write_report(tmp_path / "x.html", graphs, kernel=kernel))
        for text in words:
            assert text in page.inner_text("#filtration")
        assert (
            page.locator("#filtration tbody tr").first.locator("td, th").nth(1).inner_text()
            == first
        )
        assert "-" not in page.locator("#filtration tbody").inner_text()


def test_pointing_at_a_graph_draws_it(opened, report, molecules):
    page = opened(report)
    for number in (6, 0):
        look_at(page, number)
        graph = molecules[0][number]
        assert f"Graph {number}" in page.inner_text(".inspector h3")
        assert page.locator(".inspector > .graph .vertex").count() == graph.n_nodes
        assert page.locator(".inspector > .graph .edge").count() == graph.n_edges
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
    assert float(page.inner_text("#pair .value")) == pytest.approx(found.value, rel=1e-3)
    page.click("#pair .more")
    names = page.locator("#pair button.feature code").all_inner_texts()
    assert sorted(names) == sorted(one.name for one in found.features)
    told = page.get_attribute("[data-graph='5']", "aria-selected")
    assert (told, page.get_attribute("[data-graph='0']", "aria-selected")) == ("true", "false")


def test_a_chosen_feature_is_marked_and_has_bars(opened, report):
    page = opened(report)
    page.fill("input[aria-label='First graph']", "4")
    page.fill("input[aria-label='Second graph']", "5")
    page.click(".by-name button")
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
    page.click(".by-name button")
    assert page.locator("#pair .edge.absent").count() == 0
    page.fill("#level", "0")
    kernel = FiltrationKernel(WeisfeilerLehman(2), n_levels=3).fit(molecules[0])
    late = [(kernel.filtration_.levels(molecules[0][g]) > 0).sum() for g in (4, 1)]
    assert page.locator("#pair .edge.absent").count() == sum(late) > 0


def test_a_feature_that_dies_is_shown_while_it_lives(opened, report):
    page = opened(report)
    row = page.locator(
        "#pair button.feature", has=page.get_by_text("C before its edges", exact=True)
    ).first
    row.click()  # isolated vertices, of which there are none in the end
    assert page.input_value("#level") == "0"
    assert page.locator("#pair .vertex.chosen").count() > 0
    page.fill("#level", "1")
    assert page.locator("#pair .vertex.chosen").count() == 0
    assert page.locator("#pair .bar").count() > 0
    row.click()
    assert page.input_value("#level") == "1"


def test_vertices_are_called_by_their_names(opened, tmp_path):
    names = [*EVIL, "a name that is far too long"]
    path = Graphs([0, 4, 8], [0, 3, 6], 2 * [[0, 1], [1, 2], [2, 3]], node_names=2 * names)
    kernel = FiltrationKernel(WeisfeilerLehman(1), thresholds=[3, 1])
    page = opened(write_pair(tmp_path / "pair.html", path, 0, 1, kernel=kernel))
    titles = page.locator("#pair .vertex title").all_text_contents()
    assert titles == [f"vertex {name}" for name in 2 * names]
    page.locator("#pair button.feature").first.click()
    shown = page.locator("#pair .barcode text[text-anchor=end]").all_text_contents()
    assert shown[:4] == [name if len(name) <= 14 else f"{name[:13]}…" for name in names]


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
    assert page.locator(".inspector > .graph .vertex.chosen").count() > 0
    button.click()
    assert page.locator(".point.without").count() == 0


def test_a_number_that_is_not_there_is_said_so(opened, report):
    page = opened(report)
    for given, told in (
        ("99", "Graph 99 is not on this page."),
        ("-1", "Graph -1 is not on this page."),
        ("1.5", "Graph 1.5 is not on this page."),
        ("", "Enter two graphs, by their numbers."),
    ):
        page.fill("input[aria-label='Second graph']", given)
        page.click(".by-name button")
        assert page.inner_text(".status") == told


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


def test_a_graph_that_is_far_off_does_not_squeeze_the_others(opened, tmp_path):
    tails = [[(0, 1), *((1 + i, 2 + i) for i in range(n % 10))] for n in range(30)]
    star = [(0, 1 + i) for i in range(60)]
    graphs = Graphs.from_edge_lists([*tails, star])
    kernel = FiltrationKernel(WeisfeilerLehman(1), n_levels=2)  # large graphs are far off
    page = opened(write_report(tmp_path / "x.html", graphs, kernel=kernel))
    places = """[...document.querySelectorAll(".point")].map((point) => {
      const at = point.getCTM();
      return [at.e, at.f];
    })"""
    box = page.locator(".map").bounding_box()
    size = np.array([box["width"], box["height"]])

    def spread():
        """Return how much of the map the usual graphs take, and where the other one is."""
        found = np.array(page.evaluate(places))
        assert ((found >= 0) & (found <= size)).all()
        return (np.ptp(found[:-1], axis=0) / size).max(), found[-1]

    wide, border = spread()
    assert wide > 0.8
    assert min(*border, *(size - border)) < 12
    assert page.locator(".point.far").get_attribute("data-graph") == "30"
    assert "Graph 30 lies so far off" in page.inner_text(".far-off")
    page.click("text=Whole map")
    narrow, _ = spread()
    assert narrow < 0.5 * wide
    assert page.locator("button:has-text('Whole map')").is_disabled()
    page.click("button[aria-label='Zoom in']")
    assert spread()[0] == wide
    page.click("button[aria-label='Zoom out']")
    assert spread()[0] == narrow


RANGES = """(values) => grafik.usualRanges(values, values.map(() => 0))[0]"""


@pytest.mark.parametrize(
    ("far", "expected"),
    [
        ([], (0, 1)),
        ([1.2], (0, 1.2)),  # a fifth more room is no squeeze
        ([1.4], (0, 1)),
        ([1.8], (0, 1)),
        ([-0.8, 1.8], (0, 1)),
        ([-0.3, 1.3], (-0.3, 1.3)),
        ([1.9, 2.1], (0, 1)),
        ([1.9, 2, 2.1], (0, 1)),
    ],
)
def test_what_is_far_off_depends_on_the_room_it_takes(opened, report, far, expected):
    values = [*np.linspace(0, 1, 29).tolist(), *far]
    assert opened(report).evaluate(RANGES, values) == pytest.approx(expected)


def test_graphs_at_one_point_do_not_make_all_others_far_off(opened, report):
    assert opened(report).evaluate(RANGES, [0] * 27 + [1, 2]) == [0, 1]


def test_a_graph_is_not_far_off_where_the_other_way_needs_the_room(opened, report):
    rows = "([x, y]) => grafik.usualRanges(x, y)"
    near = np.linspace(0, 1, 29).tolist()
    page = opened(report)
    for wide, expected in ((1.0, [0, 1]), (10.0, [0, 3])):
        across = [*(wide * value for value in near), 0.5]
        assert page.evaluate(rows, [across, [*near, 3]]) == [[0, wide], expected]


def test_bars_have_one_length_and_one_scale(opened, report):
    page = opened(report)
    width = "(those) => [...new Set(those.map((one) => one.getBoundingClientRect().width))]"
    for part in ("#pair .features .track", "#filtration .track"):
        assert len(page.locator(part).evaluate_all(width)) == 1
    shares = page.locator("#telling button.feature").evaluate_all(
        """(those) => those.map((one) => [parseFloat(one.querySelector(".fill").style.width),
          parseFloat(one.querySelector(".amount").textContent)])"""
    )
    filled, told = np.array(shares).T
    np.testing.assert_allclose(filled, 100 * told / told.max(), atol=0.5)
    assert filled.max() == 100


def test_a_product_of_next_to_nothing_is_written_and_drawn(opened, molecules, tmp_path):
    kernel = FiltrationKernel(WeisfeilerLehman(1), combine="product", beta=1e308)
    page = opened(write_pair(tmp_path / "pair.html", molecules[0], 0, 7, kernel=kernel))
    for text in ("Infinity", "NaN"):
        assert text not in page.inner_html("main")
    assert page.locator("#pair .amount").first.inner_text() == "\u2212\u221e"
    assert page.locator("#pair .fill").first.evaluate("(bar) => bar.style.width") == "100%"


def test_a_scale_has_a_length_where_all_accuracies_are_one(opened, tmp_path):
    graphs, y = datasets.csl(skips=(2, 3), copies=6)  # all alike to this kernel
    few = PROTOCOLS["quick"].with_values(n_splits=2, depths=[1])
    results = evaluate("wl", graphs, y, protocol=few)
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
    assert re.match(r"The kernel of graphs 6 and 0 is 0\.\d{1,3}\. ", page.inner_text(".status"))
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


SPOKEN = {"button", "spinbutton", "slider", "listbox", "option", "image", "region", "group"}


def test_whatever_can_be_used_has_a_name(opened, report):
    """As Chromium tells screen readers, before and after something is chosen."""
    page = opened(report)
    reader = page.context.new_cdp_session(page)
    for chosen in (False, True):
        if chosen:
            page.locator("#pair button.feature").first.click()
        nodes = reader.send("Accessibility.getFullAXTree")["nodes"]
        told = [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node["ignored"]
        ]
        named = {role: [name for r, name in told if r == role] for role in SPOKEN}
        unnamed = [role for role, names in named.items() for name in names if not name.strip()]
        assert unnamed == []
        assert {role for role, names in named.items() if names} == SPOKEN
        assert len(named["option"]) == 8
        assert "Compare with graph 1, kernel 1" in named["button"]
        assert sum(name.startswith("barcode of ") for name in named["image"]) == 2 * chosen
    reader.detach()


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
