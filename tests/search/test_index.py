"""GraphIndex: the greatest entries of a row of the Gram matrix, found without the row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import grafik
from all_kernels import COMBINED, WHOLE_GRAPHS
from grafik import (
    FiltrationKernel,
    GaussianKernel,
    GraphIndex,
    Graphs,
    MeanKernel,
    datasets,
)
from grafik.baselines import CoreWL, WassersteinWL
from grafik.features import ShortestPaths, WeisfeilerLehman
from grafik.features import wl_exact as exact_labels
from grafik.kernels.combined import CombinedKernel
from grafik.kernels.postings import postings_of
from grafik.search import inverted_index
from grafik.search.loops import _insert
from grafik.system.archive import read_archive, write_archive
from kernel_strategies import masses
from strategies import build, raw_batches, two_parts

some = raw_batches(label=st.integers(0, 1), max_graphs=8).filter(len).map(build)


@pytest.fixture(scope="module")
def batch():
    return datasets.random_graphs(200, n_nodes=(5, 25), density=(0.1, 0.3), n_labels=3)[0]


def best_of_row(kernel, queries, top):
    rows = kernel.transform(queries)
    order = np.argsort(-rows, axis=1, kind="stable")[:, :top]
    return order, np.take_along_axis(rows, order, axis=1)


def check(found, kernel, queries, top):
    graphs, similarities = best_of_row(kernel, queries, top)
    assert found.graphs.tolist() == graphs.tolist()
    assert found.similarities.tolist() == similarities.tolist()  # to the bit
    assert found.counts.tolist() == [graphs.shape[1]] * len(queries)
    assert found.ids is None


@pytest.mark.filterwarnings("ignore:no (vertex|edge) label of")
@given(two_parts(some), st.booleans(), st.integers(1, 9), st.sampled_from([0.0, 1.0, 30.0]), masses)
def test_the_best_are_those_of_the_row(parts, normalize, top, gamma, mass):
    graphs, queries = parts
    options = {"normalize": normalize, "gamma": gamma, "mass": mass}
    kernel = FiltrationKernel(WeisfeilerLehman(2), n_levels=3, **options)
    check(GraphIndex(kernel).add(graphs).search(queries, top), kernel.fit(graphs), queries, top)


@pytest.mark.filterwarnings("ignore:no (vertex|edge) label of")
@given(two_parts(some), st.booleans(), st.integers(1, 9), masses, st.data())
def test_only_graphs_that_are_similar_enough_are_found(parts, normalize, top, mass, data):
    graphs, queries = parts
    options = {"n_levels": 3, "normalize": normalize, "mass": mass}
    kernel = FiltrationKernel(WeisfeilerLehman(2), **options).fit(graphs)
    best, values = best_of_row(kernel, queries, top)
    # A value that occurs is the hardest cut: graphs that are just as similar are wanted.
    occur = sorted({v for v in values.ravel().tolist() if not normalize or v <= 1})
    least = data.draw(st.sampled_from([0.0, 1e-3, 0.5, 1.0, *occur]))
    for approximate in (False, True):  # an index this small is looked at as a whole
        index = GraphIndex(kernel).add(graphs)
        found = index.search(queries, top, min_similarity=least, approximate=approximate)
        enough = values >= least
        assert found.counts.tolist() == enough.sum(axis=1).tolist()
        assert found.graphs.shape == (len(queries), enough.sum(axis=1).max())
        for q, n in enumerate(found.counts):
            assert found.graphs[q, :n].tolist() == best[q, :n].tolist()
            assert found.similarities[q, :n].tolist() == values[q, :n].tolist()
            assert (found.graphs[q, n:] == len(graphs)).all()
            assert np.isnan(found.similarities[q, n:]).all()


@pytest.mark.parametrize("mass", ["linear", "min"])
def test_a_cut_saves_work_and_loses_nothing(batch, mass):
    kernel = FiltrationKernel(normalize=True, mass=mass).fit(batch)
    index = GraphIndex(kernel).add(batch)
    rows = kernel.transform(batch)
    every, shares = index.search(batch, top=200), []
    for least in (0.5, 0.9, 0.99):
        found = index.search(batch, top=200, min_similarity=least)
        assert found.counts.tolist() == (rows >= least).sum(axis=1).tolist()
        shares.append(found.touched.mean())
    assert shares[2] < shares[1] < shares[0] < every.touched.mean()


@pytest.mark.parametrize("mass", ["linear", "min"])
@pytest.mark.parametrize("normalize", [False, True])
def test_a_graph_that_is_just_similar_enough_is_found_among_many(batch, normalize, mass):
    kernel = FiltrationKernel(normalize=normalize, mass=mass).fit(batch)
    index = GraphIndex(kernel).add(batch)
    graphs, values = best_of_row(kernel, batch, 200)
    for query in range(0, 200, 4):
        least = values[query, query % 40]
        found = index.search(batch[query], top=30, min_similarity=least)
        expected = graphs[query][values[query] >= least][:30]
        assert found.graphs.tolist() == [expected.tolist()]


def test_ids_come_back(batch, tmp_path):
    ids = [("row", i) if i % 3 else f"graph {i}" for i in range(200)]
    named = batch.with_ids(ids)
    index = GraphIndex(FiltrationKernel(normalize=True)).add(named[:120]).add([]).add(named[120:])
    index.save(tmp_path / "index")
    for one in (index, grafik.load(tmp_path / "index")):
        found = one.search(batch[5:9], top=3)
        assert found.ids.tolist() == [[ids[g] for g in row] for row in found.graphs.tolist()]
        assert found.ids[1, 0] == "graph 6"
        few = one.search(batch[5:9], min_similarity=1.0, top=9)
        assert few.ids[:, 0].tolist() == ids[5:9]
        short = few.counts < few.ids.shape[1]
        assert all(row[-1] is None for row in few.ids[short])
    assert one.add(named[:1]).search(batch[0], top=2).ids.tolist() == [["graph 0", "graph 0"]]


def test_an_index_says_what_it_holds(batch, tmp_path):
    index = GraphIndex(FiltrationKernel(weight="core", normalize=True))
    kernel = "FiltrationKernel(normalize=True, weight='core')"
    assert repr(index) == f"GraphIndex(0 graphs, {kernel})"
    assert repr(index.add(batch[0])) == f"GraphIndex(1 graph, {kernel})"
    named = GraphIndex(index.kernel_).add(batch[:9].with_ids(range(9))).add([])
    named.save(tmp_path / "index")
    for one in (named, grafik.load(tmp_path / "index")):
        assert repr(one) == f"GraphIndex(9 graphs with ids, {kernel})"


def test_graphs_with_and_without_ids_are_not_mixed(batch):
    named = batch.with_ids(np.arange(200))
    index = GraphIndex().add(named[:5])
    with pytest.raises(ValueError, match=r"have no ids, but .* give an id to each: as_graphs"):
        index.add(batch[5:])
    assert len(index) == 5
    index = GraphIndex().add(batch[:5])
    with pytest.raises(ValueError, match=r"have ids, but .* none; take .*: as_graphs"):
        index.add(named[5:])
    assert index.add(named[5:].with_ids(None)).search(named[0]).ids is None
    assert GraphIndex().add(named).add(batch[:0]).search(named[:0]).ids.shape == (0, 10)


def many_sizes(sizes):
    """Return graphs of so many isolated vertices, which all have the same label."""
    ends = np.cumsum([0, *sizes])
    return Graphs(ends, np.zeros(len(ends), int), [], node_labels=["C"] * ends[-1])


def test_few_small_graphs_are_checked_as_many_are():
    with pytest.raises(TypeError, match="kernel must be a FiltrationKernel, .*, got 'wl'"):
        GraphIndex("wl")
    with pytest.raises(ValueError, match="gamma must be"):
        GraphIndex(FiltrationKernel(gamma=-1.0))
    plain = many_sizes([1, 2])
    named = plain.with_ids(["a", "b"])
    with pytest.raises(ValueError, match=r"have no ids, but .* give an id to each: as_graphs"):
        GraphIndex().add(named).add(plain)
    with pytest.raises(ValueError, match=r"have ids, but .* none; take .*: as_graphs"):
        GraphIndex().add(plain).add(named)


def test_ten_graphs_are_found_if_nothing_else_is_said_and_fewer_if_fewer_are_similar():
    index = GraphIndex(FiltrationKernel()).add(many_sizes(range(1, 13)))
    found = index.search(many_sizes([2]))
    assert found.graphs.tolist() == [list(range(11, 1, -1))]
    few = index.search(many_sizes([2]), min_similarity=float(found.similarities[0, 2]))
    assert few.graphs.tolist() == [[11, 10, 9]]
    assert few.similarities.tolist() == found.similarities[:, :3].tolist()


def test_training_graphs_of_a_kernel_are_no_part_of_the_kernel_of_an_index():
    kernel = FiltrationKernel().fit(many_sizes([1, 2, 3]))
    assert len(GraphIndex(kernel).kernel_.histograms_) == 0
    assert len(GraphIndex(kernel).add(many_sizes([4])).kernel_.histograms_) == 0


def test_an_approximate_search_looks_at_twenty_times_as_many_graphs_as_are_wanted():
    index = GraphIndex(FiltrationKernel(depth=0)).add(many_sizes([1] * 80))
    for top in (1, 3):
        found = index.search(many_sizes([1]), top, approximate=True)
        assert found.touched.tolist() == [20 * top / 80]


def test_sketches_know_how_large_graphs_are_unless_kernels_are_normalised():
    sizes = many_sizes([*range(1, 60), 5000])
    index = GraphIndex(FiltrationKernel(depth=0)).add(sizes)
    assert index.search(sizes[:1], 1, approximate=True).graphs.tolist() == [[59]]
    labels = ["C"] * 2 + (["C"] + ["O"] * 3) * 59
    graphs = Graphs([0, 2, *range(6, 239, 4)], np.zeros(61, int), [], node_labels=labels)
    index = GraphIndex(FiltrationKernel(depth=0, normalize=True)).add(graphs[1:]).add(graphs[:1])
    assert index.search(graphs[:1], 1, approximate=True).graphs.tolist() == [[59]]


def test_more_entries_than_the_lists_can_number_are_refused(monkeypatch):
    graphs = Graphs([0, 1, 2, 3], np.zeros(4, int), [], node_labels=["C", "O", "C"])
    for most in (3, 2):
        monkeypatch.setattr(inverted_index, "_MOST_ENTRIES", most)
        index = GraphIndex(FiltrationKernel(depth=0)).add(graphs)
        if most == 3:
            assert index.search(graphs[:1], 2).graphs.tolist() == [[0, 2]]
            continue
        with pytest.raises(
            ValueError, match=r"at most 2 features .*, got 3; make several indexes of fewer graphs"
        ):
            index.search(graphs[:1])


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"features": WeisfeilerLehman(2, exact=True)},
        {"features": ShortestPaths()},
        {"weight": "walks", "thresholds": "distinct"},
        {"scale": "raw", "gamma": 0.1},
        {"mass": "min"},
        {"mass": "min", "weight": "walks", "thresholds": "distinct", "gamma": 9.0},
    ],
)
def test_any_kernel_any_number_of_parts_and_threads(batch, normalize, options):
    kernel = FiltrationKernel(normalize=normalize, **options).fit(batch)
    index = GraphIndex(kernel)
    for start in range(0, 200, 70):
        index.add(batch[start : start + 70])
        assert index.search(batch[0]).graphs[0, 0] == 0 or not normalize
    assert len(index) == 200
    queries = batch[::9]
    check(index.search(queries), kernel, queries, 10)
    index.kernel_.n_jobs = 3
    check(index.search(queries), kernel, queries, 10)


def test_thresholds_come_from_a_fitted_kernel_or_from_the_first_graphs(batch):
    kernel = FiltrationKernel(weight="walks").fit(batch[:50])
    index = GraphIndex(kernel).add(batch[50:])
    assert index.kernel_.alphas_.tolist() == kernel.alphas_.tolist()
    assert len(index) == 150
    assert len(kernel.histograms_) == 50
    learned = GraphIndex(FiltrationKernel(weight="walks")).add(batch[:50]).add(batch[50:])
    assert learned.kernel_.alphas_.tolist() == kernel.alphas_.tolist()
    untouched = FiltrationKernel()
    GraphIndex(untouched).add(batch)
    assert not hasattr(untouched, "alphas_")


def test_equal_graphs_come_in_their_order_and_none_is_missing(batch):
    twice = Graphs.concat([batch[:20], batch[:20], batch[:20]])
    found = GraphIndex(FiltrationKernel(normalize=True)).add(twice).search(batch[7], top=4)
    assert found.graphs[0, :3].tolist() == [7, 27, 47]
    assert found.similarities[0, :3].tolist() == [1.0] * 3
    stranger = Graphs([0, 2], [0, 1], [[0, 1]], node_labels=["x", "y"])
    with pytest.warns(UserWarning, match="no vertex label of graph 0 was seen .*'x', 'y'"):
        found = GraphIndex().add(twice).search(stranger, top=60)
    assert found.graphs[0].tolist() == list(range(60))
    assert found.similarities.max() == 0.0
    empty = Graphs([0, 0], [0, 0], [])
    for normalize in (False, True):
        index = GraphIndex(FiltrationKernel(normalize=normalize)).add(empty).add(batch[:5])
        assert index.search(empty, 2).similarities.tolist() == [[0.0, 0.0]]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(1, 6), st.randoms())
def test_the_list_of_the_best_does_not_depend_on_the_order_of_graphs(values, top, random):
    graphs = list(range(len(values)))
    random.shuffle(graphs)
    best, found, n = np.zeros(top, np.int64), np.zeros(top), 0
    for graph in graphs:
        n = _insert(best, found, n, graph, float(values[graph]))
    expected = sorted(range(len(values)), key=lambda graph: (-values[graph], graph))[:top]
    assert best[:n].tolist() == expected
    assert found[:n].tolist() == [values[graph] for graph in expected]


def test_only_shared_features_are_touched_and_bounds_save_more(batch, monkeypatch):
    kernel = FiltrationKernel(n_jobs=1).fit(batch)
    postings = postings_of(kernel.histograms_)
    sizes = np.diff(postings.row_ptr)
    shared = np.bincount(postings.graphs, np.repeat(sizes, sizes)) / len(postings.graphs)
    full = np.diff(kernel.histograms_.graph_ptr) / len(postings.graphs)
    monkeypatch.setattr(inverted_index, "_STAGES", ())
    plain = GraphIndex(kernel).add(batch).search(batch, 1)
    # All that is shared, and then the best one, which may have a few equals.
    assert (plain.touched >= shared).all()
    assert (plain.touched <= shared + 5 * full.max()).all()
    monkeypatch.setattr(inverted_index, "_STAGES", (0.5, 0.8, 0.9, 0.95))
    found = GraphIndex(kernel).add(batch).search(batch, 1)
    assert found.graphs.tolist() == plain.graphs.tolist()
    assert found.touched.mean() < plain.touched.mean()


@pytest.mark.parametrize("normalize", [False, True])
def test_approximate_search_finds_most_with_exact_similarities(batch, normalize):
    kernel = FiltrationKernel(normalize=normalize).fit(batch)
    many = Graphs.concat([batch] + [datasets.random_graphs(300, n_nodes=(5, 25), density=(0.1, 0.3),
                          n_labels=3, random_state=seed)[0] for seed in (1, 2)])  # fmt: skip
    index = GraphIndex(kernel).add(many)
    found = index.search(batch[:40], top=5, approximate=True)
    exact = index.search(batch[:40], top=5)
    pairs = zip(found.graphs.tolist(), exact.graphs.tolist(), strict=True)
    assert np.mean([len(set(a) & set(b)) / 5 for a, b in pairs]) > 0.9
    again = (
        GraphIndex(kernel).add(many[:100]).add(many[100:]).search(batch[:40], 5, approximate=True)
    )
    assert again.graphs.tolist() == found.graphs.tolist()
    for q in range(40):
        row = index.search(batch[q], top=len(many))
        values = dict(zip(row.graphs[0].tolist(), row.similarities[0].tolist(), strict=True))
        assert [values[g] for g in found.graphs[q].tolist()] == found.similarities[q].tolist()
    few = GraphIndex(kernel).add(batch[:60])  # all of them are looked at closely
    check(few.search(batch[:9], 5, approximate=True), kernel.fit(batch[:60]), batch[:9], 5)


@pytest.mark.parametrize("features", [None, WeisfeilerLehman(2, exact=True), ShortestPaths()])
def test_saving_and_loading(batch, tmp_path, features):
    index = GraphIndex(FiltrationKernel(features, weight="walks", normalize=True, gamma=2.0))
    index.add(batch[:50]).add(batch[50:])
    index.save(tmp_path / "index.grafik")
    again = grafik.load(tmp_path / "index.grafik")
    assert type(again) is GraphIndex
    for approximate in (False, True):
        a, b = (i.search(batch[::7], approximate=approximate) for i in (index, again))
        assert all(np.array_equal(x, y) for x, y in zip(a[:4], b[:4], strict=True))
        assert a.ids is b.ids is None
    more = again.add(batch[:3]).search(batch[1], top=2)
    assert more.graphs.tolist() == [[1, 201]]


def test_damaged_files_are_refused(batch, tmp_path):
    path = tmp_path / "index.grafik"
    GraphIndex().add(batch).save(path)
    archive = read_archive(path)
    arrays = {**archive.arrays, "histograms/graph_ptr": archive.arrays["histograms/graph_ptr"][:-1]}
    write_archive(path, "GraphIndex", archive.content, arrays)
    with pytest.raises(ValueError, match="does not hold a valid GraphIndex: graph_ptr must rise"):
        grafik.load(path)
    write_archive(path, "GraphIndex", {**archive.content, "ids": ["a", "b"]}, archive.arrays)
    with pytest.raises(ValueError, match="does not hold a valid GraphIndex: ids has 2"):
        grafik.load(path)
    content = {**archive.content, "parameters": {"dict": {"combine": "product"}}}
    write_archive(path, "GraphIndex", content, archive.arrays)
    with pytest.raises(ValueError, match="does not hold a valid GraphIndex"):
        grafik.load(path)


def test_mistakes_are_explained(batch, tmp_path):
    with pytest.raises(TypeError, match="kernel must be a FiltrationKernel, .*, got 'wl'"):
        GraphIndex("wl")
    with pytest.raises(ValueError, match="kernel must be a sum"):
        GraphIndex(FiltrationKernel(combine="product"))
    with pytest.raises(ValueError, match="the index is empty; add graphs first"):
        GraphIndex().search(batch)
    with pytest.raises(ValueError, match="the index is empty; add graphs first"):
        GraphIndex().save(tmp_path / "x")
    index = GraphIndex().add(batch[:5])
    with pytest.raises(ValueError, match="top must be an integer of at least 1, got 0"):
        index.search(batch, top=0)
    with pytest.raises(ValueError, match="approximate must be True or False, got 'yes'"):
        index.search(batch, approximate="yes")
    with pytest.raises(ValueError, match="min_similarity must be a finite number of at least 0"):
        index.search(batch, min_similarity=-0.1)
    normalized = GraphIndex(FiltrationKernel(normalize=True)).add(batch[:5])
    with pytest.raises(ValueError, match="must be at most 1 for a normalised kernel, got 90"):
        normalized.search(batch, min_similarity=90)
    assert index.search([]).graphs.shape == (0, 5)


def test_an_answer_that_does_not_fit_is_refused(batch, monkeypatch):
    index = GraphIndex().add(batch)
    index.search(batch)
    monkeypatch.setattr("grafik.system.memory._SURELY_FREE", 0)
    monkeypatch.setattr("grafik.system.memory.available", lambda: 600_000)
    index.search(batch)
    with pytest.raises(MemoryError, match=r"to 200 queries .* find fewer graphs \(top\) or ask"):
        index.search(batch, top=200)


def test_the_best_on_real_data(data):
    graphs, _ = datasets.read_tu(data / "MUTAG")
    for normalize in (False, True):
        kernel = FiltrationKernel(normalize=normalize).fit(graphs)
        check(GraphIndex(kernel).add(graphs).search(graphs), kernel, graphs, 10)


def test_labels_must_match_and_those_of_graphs_that_were_added_are_known(tmp_path):
    edges = [[(0, 1), (1, 2)]]
    carbon = Graphs.from_edge_lists(edges, node_labels=[list("CCC")], edge_labels=[[1, 2]])
    oxygen = Graphs.from_edge_lists(edges, node_labels=[list("OOO")], edge_labels=[[3, 3]])
    plain = Graphs.from_edge_lists(edges, node_labels=[list("CCC")])
    other, strange = (
        Graphs.from_edge_lists(edges, node_labels=[list("CCC")], edge_labels=[kinds])
        for kinds in ([1, 1], [7, 8])
    )
    single = Graphs([0, 1], [0, 0], [], node_labels=["N"])
    # Graphs without edges leave open whether edge labels count.
    index = GraphIndex(FiltrationKernel(normalize=True)).add(single).add(carbon).add(oxygen)
    index.save(tmp_path / "index")
    for one in (index, grafik.load(tmp_path / "index")):
        assert one.kernel_.extractor_.edge_labels is True
        assert one.search(oxygen, top=1).graphs.tolist() == [[2]]
        for use in (one.add, one.search):
            with pytest.raises(ValueError, match="these graphs have no edge labels, but those"):
                use(plain)
        with pytest.warns(UserWarning, match="no edge label of graph 0 was seen"):
            one.search(strange)
        assert len(one) == 3
        assert one.search(other).similarities[0, 0] < 1.0


def test_molecules_must_be_read_as_those_in_the_index(tmp_path):
    smiles = ["CC(=O)O", "CCO", "c1ccccc1"]
    typed = Graphs.from_smiles(smiles, atoms="typed")
    index = GraphIndex(FiltrationKernel(normalize=True)).add(typed)
    index.save(tmp_path / "index")
    for one in (index, grafik.load(tmp_path / "index")):
        assert one.search(typed, top=1).graphs.ravel().tolist() == [0, 1, 2]
        for use in (one.add, one.search):
            with pytest.raises(ValueError, match="were read with atoms='element', but .*'typed'"):
                use(smiles)
        assert len(one) == 3


OTHERS = {
    **COMBINED,
    **{f"{name}, whole graphs": one for name, one in WHOLE_GRAPHS.items()},
    "cores": CoreWL(2, normalize=True),
    "Wasserstein": WassersteinWL(1),
}


@pytest.mark.parametrize("kernel", OTHERS.values(), ids=OTHERS)
def test_other_kernels_compare_with_all_graphs(kernel, batch, monkeypatch, tmp_path):
    graphs, queries, kernel = batch[:50], batch[50:60], clone(kernel)
    monkeypatch.setattr("grafik.search.compared._ENTRIES", 120)  # two queries at a time
    index = GraphIndex(kernel).add(graphs)
    fitted = clone(kernel).fit(graphs)
    found = index.search(queries, 7)
    check(found, fitted, queries, 7)
    assert found.touched.tolist() == [1.0] * 10
    # Thresholds stay as they are when more graphs are added; the fitted kernel is not changed.
    twice = GraphIndex(fitted).add(graphs[:20]).add(graphs[20:])
    assert twice.search(queries, 7).similarities.tolist() == found.similarities.tolist()
    assert fitted.transform(queries[:1]).shape == (1, 50)
    least = float(found.similarities[0, 2])
    few = index.search(queries[:1], 50, min_similarity=least)
    assert few.counts[0] == (fitted.transform(queries[:1]) >= least).sum()
    if isinstance(kernel, CombinedKernel) and kernel.fit(graphs).counts_features():
        twice.save(tmp_path / "index")
        loaded = grafik.load(tmp_path / "index")
        assert loaded.search(queries, 7).graphs.tolist() == found.graphs.tolist()
        more = loaded.add(queries).search(queries, 1)
        assert len(loaded) == 60
        assert (more.similarities >= 1 - 1e-12).all() or "paths" in repr(kernel).lower()
    assert "60" not in repr(index)


@pytest.mark.filterwarnings("ignore:no (vertex|edge) label of")
def test_exact_labels_of_graphs_that_are_added_one_by_one(batch, monkeypatch):
    original = exact_labels._entry
    monkeypatch.setattr(exact_labels, "_entry", lambda d, what, h: original(d, what, h & 7))
    kernel = clone(COMBINED["mean, exact"]).fit(batch[:3])
    one, two = GraphIndex(kernel).add(batch[:30]), GraphIndex(kernel)
    for start in range(0, 30, 5):
        two.add(batch[start : start + 5])
    queries = batch[20:40]
    assert np.array_equal(one.search(queries).similarities, two.search(queries).similarities)


def test_other_kernels_know_ids_and_refuse_sketches(batch):
    kernel = GaussianKernel(MeanKernel("degree+core"), 4.0)
    index = GraphIndex(kernel).add(batch[:5].with_ids(list("abcde")))
    assert index.search(batch[3], 1).ids.tolist() == [["d"]]
    assert "GaussianKernel" in index._repr_html_()
    with pytest.raises(ValueError, match="approximate=True needs a FiltrationKernel"):
        index.search(batch[3], approximate=True)
    with pytest.raises(ValueError, match="min_similarity must be at most 1"):
        index.search(batch[3], min_similarity=1.5)
    with pytest.raises(ValueError, match="the index is empty"):
        GraphIndex(CoreWL(1)).search(batch[3])
    with pytest.raises(ValueError, match="cannot be saved"):
        GraphIndex(CoreWL(1)).add(batch[:3]).save("index")
