"""Subtrees of each core, and cores, against the definitions and networkx."""

import networkx as nx
import numpy as np
from hypothesis import given

import naive_baselines
from baseline_definitions import depths, gram, plain, raw
from grafik import Graphs
from grafik.baselines import CoreWL
from grafik.baselines.core_wl import cores
from grafik.weights.centrality import core_numbers
from strategies import build


@given(raw, depths)
def test_subtrees_of_each_core(batch, depth):
    graphs = plain(batch)
    expected = gram(graphs, lambda a, b: naive_baselines.core_wl(a, b, depth))
    assert np.array_equal(CoreWL(depth).fit_transform(build(batch)), expected)


@given(raw)
def test_cores_are_those_of_networkx(batch):
    graphs = build(batch)
    numbers = core_numbers(graphs, n_jobs=2)
    parts, ptr, first, last = cores(graphs)
    for i, graph in enumerate(graphs.to_networkx()):
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        expected = nx.core_number(graph)
        mine = numbers[graphs.node_ptr[i] : graphs.node_ptr[i + 1]].tolist()
        assert mine == [expected[v] for v in range(len(expected))]
        own = range(int(ptr[i]), int(ptr[i + 1]))
        which = [(k, p) for p in own for k in range(first[p], last[p] + 1)]
        assert [k for k, _ in which] == list(range(max(mine, default=-1) + 1))
        assert len(own) <= len(set(mine) | {0})
        for k, p in which:
            core = nx.k_core(graph, k) if k else graph.subgraph(list(nx.isolates(graph)))
            number = {v: j for j, v in enumerate(sorted(core))}
            edges = sorted(tuple(sorted((number[u], number[v]))) for u, v in core.edges)
            assert parts[p].n_nodes == len(core)
            assert parts[p].edges.tolist() == [list(edge) for edge in edges]
            if graphs.node_labels is not None:
                assert parts[p].node_labels == [graphs[i].node_labels[v] for v in sorted(core)]
            if graphs.edge_labels is not None:
                listed = [tuple(edge) for edge in graphs[i].edges.tolist()]
                labels = dict(zip(listed, graphs[i].edge_labels, strict=True))
                names = sorted(core)
                assert parts[p].edge_labels == [labels[names[u], names[v]] for u, v in edges]


def test_cores_of_complete_graphs_are_labelled_once():
    """K_300 has 300 cores, which are all the same but the 0-core without isolated vertices."""
    graphs = Graphs.from_networkx([nx.complete_graph(300), nx.complete_graph(3)])
    parts, ptr, first, last = cores(graphs)
    assert (len(parts), ptr.tolist()) == (4, [0, 2, 4])
    assert (first.tolist(), last.tolist()) == ([0, 1, 0, 1], [0, 299, 0, 2])
    matrix = CoreWL(1).fit_transform(graphs)
    assert matrix.tolist() == [[300 * 2 * 300**2, 3 * 900], [3 * 900, 3 * 2 * 9]]


def test_core_numbers_of_larger_graphs():
    graphs = [nx.gnm_random_graph(200, m, seed=m) for m in (100, 400, 1500, 6000)]
    graphs += [nx.barabasi_albert_graph(300, 5, seed=1), nx.complete_graph(30)]
    numbers = core_numbers(Graphs.from_networkx(graphs)).tolist()
    expected = [nx.core_number(graph) for graph in graphs]
    assert numbers == [known[v] for known in expected for v in range(len(known))]
