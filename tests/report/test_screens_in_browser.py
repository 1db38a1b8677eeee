"""Pages on narrow and dark screens: nothing scrolls sideways, all stands out, nothing moves."""

from itertools import pairwise

import numpy as np
import pytest

from grafik import Graphs, datasets
from grafik.report import write_pair, write_report


def test_a_narrow_screen_does_not_scroll_sideways(opened, report, tmp_path):
    long = Graphs.from_edge_lists([[(0, 1)], [(0, 1)]], node_labels=[["W" * 300, "x"]] * 2)
    others = write_report(tmp_path / "long.html", long, ["V" * 200, "U"], name="N" * 200)
    for path in (report, others, write_pair(tmp_path / "pair.html", long, 0, 1)):
        page = opened(path, width=360, height=740)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        if path != others:
            page.locator("#pair button.feature").first.click()
            for part in page.locator("details").all():
                part.evaluate("(one) => { one.open = true; }")
            assert page.evaluate("document.documentElement.scrollWidth") == 360
    # A finger needs room: whatever is pressed is at least 24 pixels tall.
    page = opened(report, width=360, height=740)
    small = """[...document.querySelectorAll("button, input")].filter((one) =>
      one.getBoundingClientRect().height < (one.type === "range" ? 16 : 24)).length"""
    assert page.evaluate(small) == 0


def test_on_a_narrow_screen_a_chosen_feature_brings_its_graphs_into_view(opened, report):
    page = opened(report, width=360, height=740)
    row = page.locator("#pair button.feature").last
    row.scroll_into_view_if_needed()
    card = "document.querySelector('#pair .graph-card').getBoundingClientRect()"
    assert page.evaluate(f"{card}.bottom < 0")
    row.click()
    assert page.evaluate(f"{card}.top >= 0 && {card}.top < innerHeight / 2")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
def test_cards_fill_their_rows(opened, tmp_path, n_classes):
    graphs, y = datasets.csl(skips=range(2, 2 + n_classes), copies=2)
    page = opened(write_report(tmp_path / "x.html", graphs, y))
    for section in ("#the-data", "#telling"):
        boxes = page.locator(f"{section} .cards > .card").evaluate_all(
            "(cards) => cards.map((card) => card.getBoundingClientRect().toJSON())"
        )
        row = page.locator(f"{section} .cards").bounding_box()
        rows = {round(box["top"]) for box in boxes}
        for top in rows:
            mine = [box for box in boxes if round(box["top"]) == top]
            assert max(box["right"] for box in mine) == pytest.approx(row["x"] + row["width"])
    # Below the last line of the card beside the map there is nothing but its border.
    inspector = page.locator(".inspector").bounding_box()
    last = page.locator(".inspector > :last-child").bounding_box()
    assert last["y"] + last["height"] > inspector["y"] + inspector["height"] - 24


def test_the_card_beside_the_map_is_not_empty(opened, tmp_path):
    """Neither above and below a flat graph, nor anywhere else."""
    chains = [[(i, i + 1) for i in range(n)] for n in range(2, 12)]
    page = opened(write_report(tmp_path / "x.html", Graphs.from_edge_lists(chains)), width=1280)
    for number in (0, 5, 9):
        page.locator(f"[data-graph='{number}']").hover(force=True)
        boxes = page.locator(".inspector > *").evaluate_all(
            "(parts) => parts.map((one) => one.getBoundingClientRect().toJSON())"
        )
        assert all(b["top"] - a["bottom"] < 16 for a, b in pairwise(boxes))
        drawing = page.locator(".inspector > .graph")
        vertices = drawing.locator(".vertex").evaluate_all(
            "(those) => those.map((one) => one.getBoundingClientRect().toJSON())"
        )
        top, bottom = min(v["top"] for v in vertices), max(v["bottom"] for v in vertices)
        assert (bottom - top) + 110 > drawing.bounding_box()["height"]


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


@pytest.mark.usefixtures("rough_layouts")
def test_text_and_shapes_stand_out(opened, tmp_path):
    graphs, y = datasets.csl(copies=2)
    graphs = Graphs(
        graphs.node_ptr, graphs.edge_ptr, graphs.edges, node_labels=np.arange(820) % 41 % 9
    )
    page = opened(write_report(tmp_path / "x.html", graphs, y))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
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


def test_vertices_that_matter_have_a_strong_colour(opened, report):
    page = opened(report)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        weak, strong = page.evaluate(STRENGTHS)
        assert strong > weak
    assert "The stronger the colour of a vertex, the more" in page.inner_text("#pair .caption")


def test_nothing_moves_for_those_who_do_not_want_it(opened, report):
    page = opened(report)
    moving = "[...document.querySelectorAll('*')].filter((e) => "
    moving += "getComputedStyle(e).transitionDuration !== '0s').length"
    assert page.evaluate(moving) == 0
