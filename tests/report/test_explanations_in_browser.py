"""The page's script computes what the library does."""

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from grafik import FiltrationKernel, Graphs, datasets, explain_pair, vertex_importance
from grafik.features import WeisfeilerLehman
from grafik.report import write_pair, write_report
from kernel_strategies import batches, directed_batches, kernels

EXPLAIN = """([i, j]) => {
  const why = grafik.explain(i, j);
  const shares = [i, j].map((g, side) => grafik.importance(why, side, grafik.data.graphs[g].n));
  const bars = (side) => side ? side.bars.map((b) => [b.vertex, b.birth, b.death]) : [];
  const features = why.features.map((f) =>
    [f.depths, f.name, ...f.masses, f.distance, f.contribution, f.sides.map(bars)]);
  return { value: why.value, total: why.total, features, shares };
}"""

# For each picture and each arrow: the vertex nearest to its tip, and how far off its border it is.
TIPS = """() => [...document.querySelectorAll("svg.graph")].map((picture) => {
  const circles = [...picture.querySelectorAll("circle")].map((c) =>
    ["cx", "cy", "r"].map((name) => Number(c.getAttribute(name))));
  return [...picture.querySelectorAll("path.edge")].map((path) => {
    const [x, y] = path.getAttribute("d").split("L")[1].split(" ").map(Number);
    const off = circles.map(([cx, cy, r]) => Math.hypot(cx - x, cy - y) - r);
    const nearest = off.indexOf(Math.min(...off));
    return [nearest, off[nearest]];
  });
})"""


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
        mine.setdefault((*one.depths, one.name, *one.masses), []).append(row)
    theirs = {}
    for depths, name, first, second, apart, contribution, bars in told["features"]:
        sides = [sorted(side) for side in bars]
        theirs.setdefault((*depths, name, first, second), []).append((apart, contribution, sides))
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


in_browser = settings(
    max_examples=20,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a browser takes long to find less
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@in_browser
@given(kernel=kernels(), graphs=directed_batches.filter(len), chosen=st.data())
def test_the_page_follows_directions(tab, tmp_path, kernel, graphs, chosen):
    kernel.set_params(weight="degree")
    i, j = (chosen.draw(st.integers(0, len(graphs) - 1)) for _ in range(2))
    tab[0].goto(write_pair(tmp_path / "pair.html", graphs, i, j, kernel=kernel).as_uri())
    kernel.fit(graphs)
    assert_same(tab[0].evaluate(EXPLAIN, [0, 1]), explain_pair(kernel, graphs[i], graphs[j]))


def test_directed_edges_are_arrows(opened, tmp_path):
    graphs = Graphs.from_edge_lists(
        [[(0, 1), (2, 1)], [(0, 1), (1, 0)]],
        node_labels=[["a", "b", "c"], ["a", "b"]],
        directed=True,
    )
    path = write_pair(tmp_path / "pair.html", graphs, 0, 1, kernel=FiltrationKernel(n_levels=1))
    page = opened(path)
    drawn = page.evaluate(TIPS)
    assert [len(tips) for tips in drawn] == [2, 2]
    # Each tip lies at the border of the vertex that its edge leads to.
    assert [[near for near, _ in tips] for tips in drawn] == [[1, 1], [1, 0]]
    assert all(abs(off) < 0.1 for tips in drawn for _, off in tips)
    assert "directions of edges" in page.locator("#filtration").inner_text()
    undirected = write_pair(tmp_path / "same.html", graphs.undirected(), 0, 1)
    assert opened(undirected).locator("path.edge").count() == 0
    kernel = FiltrationKernel().fit(graphs.undirected())
    with pytest.raises(ValueError, match="fitted on undirected graphs, but these are directed"):
        write_pair(tmp_path / "other.html", graphs, 0, 1, kernel=kernel)


@in_browser
@given(kernel=kernels(), graphs=batches.filter(len), chosen=st.data())
def test_the_page_finds_what_the_library_finds(tab, tmp_path, kernel, graphs, chosen):
    i, j = (chosen.draw(st.integers(0, len(graphs) - 1)) for _ in range(2))
    tab[0].goto(write_pair(tmp_path / "pair.html", graphs, i, j, kernel=kernel).as_uri())
    kernel.fit(graphs)
    assert_same(tab[0].evaluate(EXPLAIN, [0, 1]), explain_pair(kernel, graphs[i], graphs[j]))


@pytest.mark.parametrize("name", ["MUTAG", "IMDB-BINARY"])
def test_reports_of_real_data_find_what_the_library_finds(opened, data, tmp_path, name):
    graphs, y = datasets.read_tu(data / name)
    graphs, y = graphs[::5], y[::5]
    kernel = FiltrationKernel(WeisfeilerLehman(3), n_levels=5, normalize=True)
    page = opened(write_report(tmp_path / "x.html", graphs, y, kernel=kernel))
    kernel.fit(graphs)
    for i, j in np.random.default_rng(0).integers(0, len(graphs), (12, 2)).tolist():
        assert_same(page.evaluate(EXPLAIN, [i, j]), explain_pair(kernel, graphs[i], graphs[j]))


def test_bonds_are_drawn_as_chemists_draw_them(tmp_path, opened):
    count = """() => [...document.querySelectorAll("svg.graph")].map((picture) => {
      const lines = [...picture.querySelectorAll("line.edge")];
      return [lines.length, lines.filter((line) => line.hasAttribute("stroke-dasharray")).length];
    })"""
    graphs = Graphs.from_smiles(["c1ccccc1C#N", "CC(=O)O"])
    page = opened(write_pair(tmp_path / "x.html", graphs, 0, 1))
    assert page.evaluate(count)[:2] == [[6 * 2 + 1 + 3, 6], [1 + 2 + 1, 0]]
    # They are drawn even if the kernel does not look at them.
    without = FiltrationKernel(WeisfeilerLehman(1, edge_labels=False))
    page = opened(write_pair(tmp_path / "x.html", graphs, 0, 1, kernel=without))
    assert page.evaluate(count)[:2] == [[6 * 2 + 1 + 3, 6], [1 + 2 + 1, 0]]
    plain = Graphs.from_edge_lists([[(0, 1)]] * 2, edge_labels=[["double"], ["triple"]])
    page = opened(write_pair(tmp_path / "y.html", plain, 0, 1))
    assert page.evaluate(count)[:2] == [[1, 0], [1, 0]]
