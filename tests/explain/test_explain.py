"""Contributions add up to what they explain, and are those of the definition."""

import ast
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive
from all_kernels import DEFINITIONS
from explained import GRID, together, training
from filtered_graphs import written_out
from grafik import (
    FiltrationClassifier,
    FiltrationKernel,
    Graphs,
    datasets,
    explain_pair,
    vertex_importance,
    weights,
)
from grafik.features import VertexEdgeHistogram, WeisfeilerLehman
from grafik.features import wl_exact as exact_labels
from kernel_strategies import batches, directed_batches, kernels

several = batches.filter(len)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize(
    ("combine", "mass"), [("sum", "linear"), ("sum", "min"), ("product", "linear")]
)
@given(kernel=kernels(), graphs=batches.filter(lambda found: len(found) > 1), data=st.data())
def test_contributions_add_up_to_the_kernel(combine, mass, normalize, kernel, graphs, data):
    kernel.set_params(combine=combine, mass=mass, normalize=normalize)
    matrix = kernel.fit_transform(graphs)
    i, j = data.draw(st.permutations(range(len(graphs))))[:2]
    found = explain_pair(kernel, graphs[i], graphs[j])
    assert found.fitted
    assert found.value == pytest.approx(matrix[i, j], rel=1e-12)
    expected = matrix[i, j]
    if kernel.combine == "product":
        expected = math.log(expected) if expected > 1e-300 else found.total
    assert together(found) == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert found.total == pytest.approx(together(found), rel=1e-10, abs=1e-10)


@given(kernels(), several)
def test_a_kernel_that_is_not_fitted_learns_from_the_two_graphs_and_stays_as_it_is(kernel, graphs):
    g, h = graphs[0], graphs[len(graphs) - 1]
    found = explain_pair(kernel, g, h)
    assert not found.fitted
    assert not hasattr(kernel, "histograms_")
    both = graphs[[0, len(graphs) - 1]]
    assert found.value == pytest.approx(kernel.fit_transform(both)[0, 1], rel=1e-12)
    assert found.alphas.tolist() == kernel.alphas_.tolist()


def plain(kernel, graph):
    """One graph as naive.py takes it, with the levels of its edges."""
    entry = kernel.filtration_.levels(graph).tolist()
    return written_out(graph), entry


def root(depth, label):
    """The label of depth 0 of a vertex without neighbours, None for other labels of naive.py."""
    if depth == 0:
        return None
    for _ in range(depth):
        label, around = ast.literal_eval(label)
        if around:
            return None
    return label


def definition(kernel, g, h):
    """Depths, masses, vertices, contribution and distance of every feature, by naive.py."""
    depth, edge_labels = kernel.features.depth, kernel.features.edge_labels
    alphas = kernel.alphas_.tolist()
    axis = naive.unit(alphas) if kernel.scale == "unit" else alphas
    delta = axis[-1] if kernel.alpha_delta is None else kernel.alpha_delta
    counts, places = [], []
    for graph in (g, h):
        how = (*plain(kernel, graph), len(alphas), depth, edge_labels)
        counts.append(naive.wl_histograms(*how))
        where = {}
        for d, label, v, *_ in naive.bars(*how):
            where.setdefault((d, label), set()).add(v)
        places.append(where)
    x, y = counts
    rows = {}
    for key in sorted(x.keys() | y.keys()):
        masses = sum(x.get(key, [])), sum(y.get(key, []))
        if kernel.combine == "sum":
            if key not in x or key not in y:
                continue
            moved = naive.wasserstein(x[key], y[key], axis)
            how = axis, kernel.gamma, kernel.mass
            value = naive.sum_kernel({key: x[key]}, {key: y[key]}, *how)
            if kernel.normalize:
                own = (naive.sum_kernel(side, side, *how) for side in counts)
                value /= math.sqrt(math.prod(own))
        else:
            if key in x and key in y:
                moved = naive.wasserstein(x[key], y[key], axis)
            elif len(axis) == 1:
                moved = 0.0
            else:
                histogram = x.get(key) or y.get(key)
                steps = zip(histogram, axis, strict=True)
                moved = sum(c * abs(a - delta) for c, a in steps) / sum(histogram)
            value = -kernel.gamma * moved - kernel.beta * (masses[0] - masses[1]) ** 2
        vertices = tuple(tuple(sorted(where.get(key, ()))) for where in places)
        same = rows.setdefault(root(*key) or key, ([], (*masses, *vertices), [], moved))
        assert same[1] == (*masses, *vertices)
        same[0].append(key[0])
        same[2].append(value)
    return sorted(
        ((tuple(depths), *what), (math.fsum(values), moved))
        for depths, what, values, moved in rows.values()
    )


@given(kernels(), several)
def test_every_feature_is_that_of_the_definition(kernel, graphs):
    check_definition(kernel.fit(graphs), graphs[0], graphs[len(graphs) - 1])


@given(kernels(), directed_batches.filter(len))
def test_so_is_every_feature_of_directed_graphs(kernel, graphs):
    kernel.set_params(weight="degree").fit(graphs)
    check_definition(kernel, graphs[0], graphs[len(graphs) - 1])


def check_definition(kernel, g, h):
    found = explain_pair(kernel, g, h)
    rows = sorted(
        ((tuple(f.depths), *f.masses, *map(tuple, f.vertices)), (f.contribution, f.distance))
        for f in found.features
    )
    expected = definition(kernel, g, h)
    assert [what for what, _ in rows] == [what for what, _ in expected]
    mine, theirs = ([numbers for _, numbers in each] for each in (rows, expected))
    assert_allclose(mine, theirs, rtol=1e-10, atol=1e-10)
    sizes = [abs(f.contribution) for f in found.features]
    assert sizes == sorted(sizes, reverse=True)
    for f in found.features:
        for mass, spans in zip(f.masses, f.lifespans, strict=True):
            assert sum((s.death - s.birth) * s.occurrences for s in spans) == mass


@pytest.mark.parametrize("combine", ["sum", "product"])
@pytest.mark.parametrize("scale", ["unit", "raw"])
def test_on_graphs_of_many_levels_too(scale, combine):
    graphs, _ = datasets.random_graphs(4, n_nodes=12, density=0.4, n_labels=2)
    for levels in (5, 40):
        kernel = FiltrationKernel(
            WeisfeilerLehman(2),
            weight=weights.Walks(5),
            thresholds="kmeans" if levels == 5 else "distinct",
            n_levels=levels,
            scale=scale,
            gamma=0.4 if scale == "unit" else 1e-4,
            combine=combine,
            beta=1e-4,
        ).fit(graphs)
        check_definition(kernel, graphs[1], graphs[2])
        assert len(kernel.alphas_) >= min(levels, 20)


def test_exact_labels_are_explained_as_hashed_ones_even_where_hashes_collide():
    graphs, _ = datasets.random_graphs(4, n_nodes=7, density=0.4, n_labels=3)
    hashed, exact = (FiltrationKernel(WeisfeilerLehman(2, exact=e)) for e in (False, True))
    expected = explain_pair(hashed.fit(graphs[:2]), graphs[2], graphs[3])
    original = exact_labels._entry
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_labels, "_entry", lambda d, what, hashed: original(d, what, hashed & 7))
        found = explain_pair(exact.fit(graphs[:2]), graphs[2], graphs[3])
    without_hash = [
        sorted((f.depths, f.name, *f[3:8]) for f in each.features) for each in (expected, found)
    ]
    assert without_hash[0] == without_hash[1]
    assert_allclose(vertex_importance(found), vertex_importance(expected), rtol=1e-12)


@given(kernels(), several)
def test_importances_of_vertices_add_up(kernel, graphs):
    g, h = graphs[0], graphs[len(graphs) - 1]
    found = explain_pair(kernel.fit(graphs), g, h)
    for side, graph in enumerate((g, h)):
        importance = vertex_importance(found, side)
        assert importance.shape == (graph.n_nodes,)
        present = [f.contribution for f in found.features if f.masses[side]]
        assert_allclose(importance.sum(), math.fsum(present), rtol=1e-10, atol=1e-10)
        if kernel.combine == "sum":
            assert_allclose(importance.sum(), found.value, rtol=1e-10, atol=1e-10)


@given(several, st.integers(0, 2), st.integers(1, 3))
def test_a_vertex_is_as_important_as_the_labels_it_has(graphs, depth, n_levels):
    """Level by level, its labels get an equal share each of what they contribute."""
    kernel = FiltrationKernel(WeisfeilerLehman(depth), n_levels=n_levels, gamma=0.7).fit(graphs)
    g, h = graphs[0], graphs[len(graphs) - 1]
    levels, axis = len(kernel.alphas_), naive.unit(kernel.alphas_.tolist())
    x, y = (naive.wl_histograms(*plain(kernel, graph), levels, depth) for graph in (g, h))
    expected = [0.0] * g.n_nodes
    for level in range(levels):
        for d, labels in enumerate(naive.labels_at(*plain(kernel, g), level, depth)):
            for v, label in enumerate(labels):
                if (d, label) in y:
                    one = {(d, label): x[d, label]}, {(d, label): y[d, label]}
                    expected[v] += naive.sum_kernel(*one, axis, 0.7) / sum(x[d, label])
    found = vertex_importance(explain_pair(kernel, g, h))
    assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_permuted_vertices_have_the_importance_of_the_originals():
    graphs, _ = datasets.random_graphs(2, n_nodes=9, density=0.4, n_labels=2)
    order = np.random.default_rng(0).permutation(9)
    names = np.array(graphs[0].node_labels, object)
    permuted = Graphs(
        [0, 9],
        [0, graphs[0].n_edges],
        np.argsort(order)[graphs[0].edges],
        node_labels=names[order].tolist(),
    )
    kernel = FiltrationKernel(normalize=True).fit(graphs)
    one, other = (explain_pair(kernel, g, graphs[1]) for g in (graphs[0], permuted))
    assert_allclose(vertex_importance(other), vertex_importance(one)[order], rtol=1e-12)
    assert [f[:4] for f in one.features] == [f[:4] for f in other.features]


def test_a_product_too_small_for_a_float_has_a_finite_logarithm():
    graphs, _ = datasets.random_graphs(2, n_nodes=30, density=0.2)
    found = explain_pair(FiltrationKernel(combine="product", beta=100.0), *graphs)
    assert found.value == 0.0
    assert -np.inf < found.total < -1e4
    assert found.total == pytest.approx(together(found), rel=1e-12)


@pytest.mark.parametrize("combine", ["sum", "product"])
@pytest.mark.parametrize("name", DEFINITIONS)
def test_features_without_a_place_are_explained_too(name, combine):
    features, _ = DEFINITIONS[name]
    graphs, _ = datasets.random_graphs(2, n_nodes=8, density=0.5, n_labels=2)
    kernel = FiltrationKernel(features, combine=combine, beta=1e-3)
    found = explain_pair(kernel, *graphs)
    matrix = kernel.fit_transform(graphs)
    expected = matrix[0, 1] if combine == "sum" else math.log(matrix[0, 1])
    assert together(found) == pytest.approx(expected, rel=1e-10)
    assert {f.vertices for f in found.features} == {(None, None)}
    with pytest.raises(TypeError, match="only features that sit at single vertices"):
        vertex_importance(found)
    if isinstance(features, VertexEdgeHistogram):
        assert any("'vertex'" in f.name for f in found.features)


# What is shown, and what is refused


def test_a_label_that_is_the_same_at_several_depths_is_one_line():
    """One carbon of each graph is alone for good, and nitrogen has no edges at first."""
    graphs = Graphs.from_edge_lists(
        [[(0, 1), (1, 2), (0, 2), (2, 3)], [(0, 1), (1, 2), (0, 2), (2, 3)]],
        node_labels=[list("OOONC"), list("OOONC")],
        n_nodes=[5, 5],
    )
    kernel = FiltrationKernel(WeisfeilerLehman(3), weight="triangles", n_levels=2)
    found = explain_pair(kernel.fit(graphs), graphs[0], graphs[1])
    lines = {f.name: (f.depth, f.depths, f.contribution) for f in found.features}
    assert len(lines) == len(found.features)
    assert lines["C without edges"] == (1, [1, 2, 3], 3 * 4.0)
    assert lines["N before its edges"] == (1, [1, 2, 3], 3 * 1.0)
    assert found.value == 36 + 4 + 4 + sum(part for depth, _, part in lines.values() if depth)
    row = next(line for line in str(found).splitlines() if "before" in line)
    assert row.split() == ["3", "1-3", "0", "1", "1", "0", "0", "N", "before", "its", "edges"]
    frame = found.to_pandas().set_index("name")
    assert frame.loc["N before its edges", "depths"] == [1, 2, 3]
    told = {f["name"]: f["depths"] for f in found.to_dict()["features"]}
    assert told["C without edges"] == [1, 2, 3]


def test_before_its_edges_is_true_of_both_graphs():
    one, other, never = (
        Graphs.from_edge_lists([edges], node_labels=[list("OOOC")], n_nodes=[4])
        for edges in ([(0, 1), (1, 2), (0, 2), *more] for more in ([(2, 3)], [(1, 3)], []))
    )
    kernel = FiltrationKernel(WeisfeilerLehman(1), weight="triangles", n_levels=2)
    mixed = Graphs.from_edge_lists(
        [[(0, 1), (1, 2), (0, 2), (2, 3)]], node_labels=[list("OOOCC")], n_nodes=[5]
    )
    kernel.fit(Graphs.concat([one, other, never]))
    for g, h, name in (
        (one, other, "C before its edges"),
        (one, never, "C without edges"),
        (never, one, "C without edges"),
        (one, mixed, "C without edges"),
    ):
        assert name in [f.name for f in explain_pair(kernel, g, h).features]


@given(kernels(), several)
def test_explanations_are_json_and_tables(kernel, graphs):
    found = explain_pair(kernel, graphs[0], graphs[len(graphs) - 1])
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [int(f["feature"], 0) for f in told["features"]] == [f.feature for f in found.features]
    assert [f["vertices_h"] for f in told["features"]] == [f.vertices[1] for f in found.features]
    assert len(found.to_dict(top=2)["features"]) == min(2, len(found.features))
    assert told["n_features"] == len(found.features)
    frame = found.to_pandas()
    assert frame["contribution"].tolist() == [f.contribution for f in found.features]
    assert frame["mass_g"].tolist() == [f.masses[0] for f in found.features]
    lines = found.table(top=3).splitlines()
    assert len(lines) == 4 + min(4, len(found.features))
    for line, feature in zip(lines[4:], found.features[:3], strict=False):
        assert line.endswith(f"  {feature.name}")
    assert str(found) == found.table()
    assert repr(found).startswith("PairExplanation(value=")


def test_nothing_is_written_without_a_minus():
    g = datasets.triangle_pair()[0][0]
    found = explain_pair(FiltrationKernel(combine="product"), g, g)
    assert "log K(g, h) = 0 (" in str(found)
    assert not any(word == "-0" for word in str(found).split())


def test_what_cannot_be_explained_is_refused():
    graphs, y = training(2)
    model = FiltrationClassifier(**GRID).fit(graphs, y)
    with pytest.raises(TypeError, match="kernel must be a FiltrationKernel.*take model.kernel_"):
        explain_pair(model, graphs[0], graphs[1])
    with pytest.raises(ValueError, match="h must be one graph, got 16"):
        explain_pair(FiltrationKernel(), graphs[0], graphs)
    found = explain_pair(FiltrationKernel(), graphs[0], graphs[1])
    with pytest.raises(ValueError, match="graph must be at most 1, got 2"):
        vertex_importance(found, 2)


def test_graphs_are_called_by_their_ids():
    graphs = Graphs.from_edge_lists([[(0, 1)], [(0, 1), (1, 2)]], ids=["bond", None])
    found = explain_pair(FiltrationKernel().fit(graphs), graphs[0], graphs[1])
    assert (found.ids, found.to_dict()["ids"]) == (("bond", None), ["bond", None])
    assert found.about[-1] == "g is bond"
    assert "g is" not in str(explain_pair(FiltrationKernel(), graphs[1], graphs[1]))
