"""Unfolding trees against an explicit expansion, and against the labels they stand for."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from filtered_graphs import filtered
from grafik import Filtration, Graphs, datasets
from grafik.features import WeisfeilerLehman
from grafik.features.barcodes import barcodes
from grafik.features.wl_trees import unfolding_tree

STRING = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
LABEL = re.compile(rf"{STRING}|\((?:[^'\"()]|{STRING})*\)|[^(),:]+")
WORDS = ("None", "True", "False")


def parsed(text):
    """Read a tree back: (label, None or children), equal neighbours one by one."""

    def tree(at):
        found = LABEL.match(text, at)
        root, at = found.group(), found.end()
        plain = root.isidentifier() or re.fullmatch(r"[^\W\d][\w+.#-]*", root)
        root = repr(root) if plain and root not in WORDS else root
        if text[at : at + 1] == ":":
            (inner, children, _), at = tree(at + 1)
            return (inner, children, root), at
        if text[at : at + 1] != "(":
            return (root, None, None), at
        at, children = at + 1, []
        while text[at] != ")":
            times = re.compile(r"(\d+)x").match(text, at)
            (inner, below, kind), at = tree(times.end() if times else at)
            children += [(kind, (inner, below))] * (int(times.group(1)) if times else 1)
            if text[at] == ",":
                at += 2
        return (root, sorted(children, key=repr), None), at + 1

    (root, children, _), end = tree(0)
    assert end == len(text)
    return root, children


def cases(graphs, filtration):
    for i, g in enumerate(graphs):
        entry = filtration.found[graphs.edge_ptr[i] : graphs.edge_ptr[i + 1]]
        own = type(filtration)(entry, filtration.n_levels_)
        graph = (g.n_nodes, g.edges.tolist(), g.node_labels, g.edge_labels)
        yield g, own, graph, entry.tolist()


@given(filtered(), st.integers(0, 3), st.sampled_from(["auto", False]))
def test_trees_are_those_of_an_explicit_expansion(case, depth, edge_labels):
    graphs, filtration = case
    for g, own, graph, entry in cases(graphs, filtration):
        for v in range(g.n_nodes):
            for level in range(filtration.n_levels_):
                text = unfolding_tree(
                    g, v, depth, filtration=own, level=level, edge_labels=edge_labels
                )
                assert parsed(text) == naive.unfolding(graph, entry, level, v, depth, edge_labels)


numbers = st.integers(-2, 2)


@given(
    filtered(label=numbers, max_nodes=7),
    st.integers(0, 4),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from(["auto", False]),
)
def test_long_trees_are_cut(case, depth, max_depth, max_width, edge_labels):
    graphs, filtration = case
    for g, own, graph, entry in cases(graphs, filtration):
        for v in range(g.n_nodes):
            tree = naive.unfolding(graph, entry, filtration.n_levels_ - 1, v, depth, edge_labels)
            bounds = {"max_depth": max_depth, "max_width": max_width}
            text = unfolding_tree(g, v, depth, filtration=own, edge_labels=edge_labels, **bounds)
            assert text == naive.tree_text(tree, **bounds)


@given(filtered(), st.integers(0, 3), st.sampled_from(["auto", False]))
def test_labels_are_equal_if_and_only_if_their_trees_read_the_same(case, depth, edge_labels):
    graphs, filtration = case
    bars = barcodes(graphs, filtration, WeisfeilerLehman(depth, edge_labels))
    text_of, label_of = {}, {}
    for i, (g, own, _, _) in enumerate(cases(graphs, filtration)):
        bar = bars[i]
        columns = bar.depths, bar.features, bar.vertices, bar.births, bar.deaths
        for d, label, v, birth, death in zip(*(c.tolist() for c in columns), strict=True):
            for level in (birth, death - 1):
                text = unfolding_tree(g, v, d, filtration=own, level=level, edge_labels=edge_labels)
                assert text_of.setdefault((d, label), text) == text
                assert label_of.setdefault((d, text), label) == label


def test_labels_are_written_so_that_none_reads_like_another():
    values = ["C", "1", 1, 1.0, True, "True", None, "None", "a b", "3xC", "*", "", (1, "a"), "é-1"]
    graphs = Graphs([0, len(values)], [0, 0], [], node_labels=values)
    texts = [unfolding_tree(graphs, v, 0) for v in range(len(values))]
    assert texts == [
        *("C", "'1'", "1", "1.0", "True", "'True'", "None", "'None'", "'a b'", "'3xC'", "'*'"),
        *("''", "(1, 'a')", "é-1"),
    ]


def test_deep_trees_of_long_paths_need_no_recursion():
    n = 3000
    edges = [[v, v + 1] for v in range(n - 1)]
    graphs = Graphs([0, n], [0, n - 1], edges)
    short = unfolding_tree(graphs, 0, 5000, max_depth=2)
    assert short == "*(*(2x*(...)))"


def test_without_a_filtration_the_tree_is_that_of_the_whole_graph():
    graphs, _ = datasets.figure_one()
    filtration = Filtration(n_levels=3).fit(graphs)
    assert unfolding_tree(graphs, 4, 2) == unfolding_tree(graphs, 4, 2, filtration=filtration)
    assert unfolding_tree(graphs, 4, 1) == "*(3x*)"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((6, 1), {}, "vertex must be at most 5, got 6"),
        ((-1, 1), {}, "vertex must be an integer of at least 0"),
        ((0, -1), {}, "depth must be an integer of at least 0"),
        ((0, 1), {"level": 1}, "level must be at most 0, got 1"),
        ((0, 1), {"max_width": -1}, "max_width must be an integer of at least 0"),
    ],
)
def test_what_cannot_be_unfolded_is_refused(arguments, options, message):
    graphs, _ = datasets.figure_one()
    with pytest.raises(ValueError, match=message):
        unfolding_tree(graphs, *arguments, **options)
    with pytest.raises(ValueError, match="a vertex of one graph, got 2 graphs"):
        unfolding_tree(datasets.triangle_pair()[0], 0, 1)
