"""Contributions add up to what they explain, and are those of the definition."""

import json
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.svm import SVC

import naive
from all_kernels import DEFINITIONS
from grafik import (
    FiltrationClassifier,
    FiltrationKernel,
    FiltrationRegressor,
    Graphs,
    datasets,
    explain_pair,
    explain_prediction,
    load,
    vertex_importance,
    weights,
)
from grafik.features import VertexEdgeHistogram, WeisfeilerLehman
from grafik.features import wl_exact as exact_labels
from kernel_strategies import batches, kernels
from strategies import build, raw_batches

several = batches.filter(len)


def together(explanation):
    return explanation.base + math.fsum(found.contribution for found in explanation.features)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("combine", ["sum", "product"])
@given(kernel=kernels(), graphs=batches.filter(lambda found: len(found) > 1), data=st.data())
def test_contributions_add_up_to_the_kernel(combine, normalize, kernel, graphs, data):
    kernel.set_params(combine=combine, normalize=normalize)
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
    return (graph.n_nodes, graph.edges.tolist(), graph.node_labels, graph.edge_labels), entry


def definition(kernel, g, h):
    """Depth, masses, vertices, contribution and distance of every feature, by naive.py."""
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
    rows = []
    for key in x.keys() | y.keys():
        masses = sum(x.get(key, [])), sum(y.get(key, []))
        if kernel.combine == "sum":
            if key not in x or key not in y:
                continue
            moved = naive.wasserstein(x[key], y[key], axis)
            value = naive.sum_kernel({key: x[key]}, {key: y[key]}, axis, kernel.gamma)
            if kernel.normalize:
                own = (sum(sum(c) ** 2 for c in side.values()) for side in counts)
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
        rows.append(((key[0], *masses, *vertices), (value, moved)))
    return sorted(rows)


@given(kernels(), several)
def test_every_feature_is_that_of_the_definition(kernel, graphs):
    check_definition(kernel.fit(graphs), graphs[0], graphs[len(graphs) - 1])


def check_definition(kernel, g, h):
    found = explain_pair(kernel, g, h)
    rows = sorted(
        ((f.depth, *f.masses, *map(tuple, f.vertices)), (f.contribution, f.distance))
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
        sorted((f.depth, f.name, *f[3:]) for f in each.features) for each in (expected, found)
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


# Predictions


def training(n_classes):
    parts = [
        datasets.random_graphs(8, 8, density=0.15 + 0.2 * i, n_labels=2, random_state=i)[0]
        for i in range(n_classes)
    ]
    return Graphs.concat(parts), np.repeat([f"class {i}" for i in range(n_classes)], 8)


GRID = {"levels": [3], "depths": [2], "gammas": [1.0], "Cs": [2.0]}
KINDS = [("sum", True, 2), ("sum", False, 2), ("product", True, 2), ("sum", True, 3)]
KINDS += [("product", False, 3)]


@pytest.fixture(scope="module")
def models():
    found = {}
    for combine, normalize, n_classes in KINDS:
        options = {"combine": combine, "normalize": normalize, "beta": 1e-4, **GRID}
        model = FiltrationClassifier(**options).fit(*training(n_classes))
        found[combine, normalize, n_classes] = model
    return found


def like_training(raw):
    """Give all vertices labels, and the edges none."""
    for graph in raw:
        graph.node_labels, graph.edge_labels = graph.node_labels or ["new"] * graph.n, None
    return build(raw)


odd = raw_batches(label=st.sampled_from([0, 1, "new"]), max_nodes=7).filter(len).map(like_training)


@pytest.mark.filterwarnings("ignore:no vertex label of")
@given(odd, st.sampled_from(KINDS))
def test_contributions_add_up_to_the_decision(models, graphs, kind):
    model, g = models[kind], graphs[0]
    found = explain_prediction(model, g)
    if kind[2] == 2:
        assert (found.toward, found.against) == ("class 1", "class 0")
        decision = float(model.decision_function(g)[0])
    else:
        assert found.toward == model.predict(g)[0]
        others = [name for name in model.classes_ if name != found.toward]
        against = [explain_prediction(model, g, against=name).value for name in others]
        decision = math.fsum(against)
    near = {"rel": 1e-10, "abs": 1e-10}
    assert found.value == pytest.approx(decision, **near)
    assert together(found) == pytest.approx(decision, **near)
    by_graph = [graph.contribution for graph in found.graphs]
    assert found.intercept + math.fsum(by_graph) == pytest.approx(decision, **near)
    if kind[0] == "sum":
        assert found.base == found.intercept
    present = math.fsum(f.contribution for f in found.features if f.masses[0])
    assert vertex_importance(found).sum() == pytest.approx(present, **near)
    assert all(f.vertices[0] or not f.masses[0] for f in found.features)


@pytest.mark.parametrize("kind", KINDS)
def test_decisions_between_two_classes_are_those_of_the_machine(models, kind):
    model, (graphs, y) = models[kind], training(kind[2])
    new, _ = datasets.random_graphs(6, 8, density=0.3, n_labels=2, random_state=9)
    kernel = FiltrationKernel(
        WeisfeilerLehman(2), combine=kind[0], normalize=kind[1], gamma=1.0, beta=1e-4
    )
    machine = SVC(kernel="precomputed", C=2.0, decision_function_shape="ovo")
    machine.fit(kernel.fit_transform(graphs), y)
    pairs = machine.decision_function(kernel.transform(new)).reshape(len(new), -1)
    similar = kernel.transform(new)
    for i, g in enumerate(new):
        for pair, (a, b) in enumerate(combinations(model.classes_, 2)):
            sign = -1 if kind[2] == 2 else 1
            found = explain_prediction(model, g, toward=a, against=b)
            assert found.value == pytest.approx(sign * pairs[i, pair], rel=1e-9, abs=1e-9)
            other = explain_prediction(model, g, toward=b, against=a)
            assert other.value == -found.value
            for part in found.graphs:
                assert part.similarity == pytest.approx(similar[i, part.graph], rel=1e-12)
                assert part.target == y[part.graph]
                assert part.contribution == part.similarity * part.coefficient


def test_a_feature_contributes_what_the_decision_loses_without_it(models):
    """Take it out of the support vectors; the kernel here is not normalised."""
    model = models["sum", False, 2]
    graphs, _ = training(2)
    found = explain_prediction(model, graphs[3])
    kernel, whole = model.kernel_, model.kernel_.histograms_
    for feature in found.features[:5]:
        masses = np.where(
            (whole.depths == feature.depth) & (whole.features == np.uint64(feature.feature)), 1, 0
        )
        other = whole.features + masses.astype(np.uint64)  # a hash that no graph has
        columns = whole.columns._replace(features=other)
        kernel.histograms_ = type(whole)(whole.n_levels, *columns)
        without = float(model.decision_function(graphs[3])[0])
        kernel.histograms_ = whole
        assert found.value - without == pytest.approx(feature.contribution, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind[0] == "product"])
def test_in_products_features_share_what_is_lost_by_their_logarithms(models, kind):
    model, (graphs, _) = models[kind], training(kind[2])
    g = datasets.random_graphs(1, 8, density=0.3, n_labels=2, random_state=5)[0][0]
    found = explain_prediction(model, g)
    expected = dict.fromkeys(((f.depth, f.feature) for f in found.features), 0.0)
    for part in found.graphs:
        pair = explain_pair(model.kernel_, g, graphs[part.graph])
        for f in pair.features:
            share = f.contribution / pair.total
            expected[f.depth, f.feature] += part.coefficient * (pair.value - 1) * share
    assert_allclose(
        [f.contribution for f in found.features], list(expected.values()), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("combine", ["sum", "product"])
def test_predicted_numbers_are_explained_too(combine):
    graphs, _ = datasets.random_graphs(30, n_nodes=10, density=(0.1, 0.5))
    model = FiltrationRegressor(combine=combine, beta=1e-4, **GRID).fit(graphs, graphs.n_edges)
    found = explain_prediction(model, graphs[3])
    expected = pytest.approx(float(model.predict(graphs[3])[0]), rel=1e-10)
    assert found.value == expected
    assert together(found) == expected
    assert found.intercept + math.fsum(g.contribution for g in found.graphs) == expected
    assert found.toward is None
    assert found.graphs[0].target is None
    with pytest.raises(ValueError, match="toward and against are for classifiers"):
        explain_prediction(model, graphs[3], toward=1)


def test_a_machine_without_support_vectors_is_its_intercept():
    graphs, _ = datasets.random_graphs(12, n_nodes=5, density=0.5)
    model = FiltrationRegressor(**GRID).fit(graphs, np.full(12, 7.0))
    found = explain_prediction(model, graphs[0])
    assert model.machine_.coefficients.shape == (1, 0)
    assert (found.value, found.base, found.features, found.graphs) == (7.0, 7.0, (), ())
    assert vertex_importance(found).tolist() == [0.0] * 5


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[2]])
def test_models_from_files_explain_as_the_saved_ones_do(models, tmp_path, kind):
    model, (graphs, _) = models[kind], training(2)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    mine, theirs = (explain_prediction(m, graphs[5]).to_dict() for m in (model, again))
    assert json.dumps(mine) == json.dumps(theirs)
    absent = [f["name"] for f in theirs["features"] if not f["mass_g"]]
    assert bool(absent) == (kind[0] == "product")
    assert all(name.startswith("#") and len(name) == 17 for name in absent)
    assert not any(f["name"].startswith("#") for f in theirs["features"] if f["mass_g"])


# What is shown, and what is refused


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


def test_an_explanation_of_a_prediction_reads_well(models):
    graphs, _ = training(3)
    found = explain_prediction(models["sum", True, 3], graphs[0])
    text = str(found).splitlines()
    assert text[0].startswith("decision = ")
    assert text[0].endswith("for class class 0 against the other classes")
    assert f"{len(found.graphs)} training graphs: " in text[1]
    assert json.dumps(found.to_dict(top=4), allow_nan=False)
    assert len(found.to_dict(top=4)["graphs"]) == 4


def test_what_cannot_be_explained_is_refused(models):
    graphs, _ = training(2)
    model = models["sum", True, 2]
    with pytest.raises(TypeError, match="kernel must be a FiltrationKernel.*take model.kernel_"):
        explain_pair(model, graphs[0], graphs[1])
    with pytest.raises(ValueError, match="h must be one graph, got 16"):
        explain_pair(FiltrationKernel(), graphs[0], graphs)
    with pytest.raises(TypeError, match="model must be a FiltrationClassifier"):
        explain_prediction(FiltrationKernel(), graphs[0])
    with pytest.raises(ValueError, match="toward must be one of the classes .*, got 'x'"):
        explain_prediction(model, graphs[0], toward="x")
    with pytest.raises(ValueError, match="must be two classes, got 'class 0' twice"):
        explain_prediction(model, graphs[0], toward="class 0", against="class 0")
    found = explain_pair(FiltrationKernel(), graphs[0], graphs[1])
    with pytest.raises(ValueError, match="graph must be at most 1, got 2"):
        vertex_importance(found, 2)
