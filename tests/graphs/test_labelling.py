"""Labels of training graphs and of new ones: whether they can be compared."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grafik import Graphs
from grafik.graphs.labelling import ANY, Labelling, Seen
from grafik.graphs.labels import content_hash
from strategies import build, raw_batches

labels = st.sampled_from(["C", "O", "N", 1, True, 1.0, None])
batches = raw_batches(label=labels, max_nodes=4).map(build)


def path_of(vertices=None, edges=None):
    """Make two graphs, an edge and a path of three vertices, with the labels of both in a row."""
    shape = [0, 2, 5], [0, 1, 3], [(0, 1), (0, 1), (1, 2)]
    return Graphs(*shape, node_labels=vertices, edge_labels=edges)


def complaint(labelling, graphs):
    """Return the error or the warning that new graphs give rise to."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            labelling.check(graphs)
        except ValueError as error:
            return f"error: {error}"
    return "\n".join(str(one.message) for one in caught)


@given(batches, batches)
def test_new_graphs_are_refused_or_warned_of_by_the_definition(train, new):
    found = complaint(Labelling.of(train), new)
    pairs = [("vertex", train.node_labels, new.node_labels, "n_nodes")]
    pairs.append(("edge", train.edge_labels, new.edge_labels, "n_edges"))
    expected = []
    for kind, old, labels, size in pairs:
        counts = getattr(new, size)
        if not counts.sum() or (old is None and not getattr(train, size).sum()):
            continue
        if (old is None) != (labels is None):
            has, had = ("no ", "have") if labels is None else ("", "have none")
            text = f"error: these graphs have {has}{kind} labels, but those the model was fitted on"
            assert found.startswith(f"{text} {had};")
            return
        if not old:  # no labels, or no vertex or edge that has one
            continue
        known = set(map(content_hash, old))
        starts = np.concatenate([[0], np.cumsum(counts)])
        strangers = [
            graph
            for graph in range(len(new))
            if counts[graph]
            and not known & set(map(content_hash, labels[starts[graph] : starts[graph + 1]]))
        ]
        if strangers:
            expected.append((kind, strangers))
    assert len(found.splitlines()) == len(expected)
    for line, (kind, strangers) in zip(found.splitlines(), expected, strict=True):
        word = "graph" if len(strangers) == 1 else "graphs"
        named = ", ".join(map(str, strangers[:3]))
        assert line.startswith(f"no {kind} label of {word} {named} ")


def test_a_warning_names_labels_and_a_few_graphs():
    train = path_of(list("CCCCO"))
    assert complaint(Labelling.of(train), path_of(list("XOCNN"))) == ""
    assert complaint(Labelling.of(train), path_of(list("XYCNN"))) == (
        "no vertex label of graph 0 was seen in training (graph 0 has 'X', 'Y'), so there is "
        "little to compare; check that labels mean the same"
    )
    many = Graphs.from_edge_lists([[(0, 1)]] * 5, node_labels=[[6, 8]] * 5)
    assert complaint(Labelling.of(train), many).startswith(
        "no vertex label of graphs 0, 1, 2 and 2 more was seen in training (graph 0 has 6, 8)"
    )
    bonds = Labelling.of(path_of(edges=["single", "double", "single"]))
    assert complaint(bonds, path_of(edges=[1, "double", 2])).startswith("no edge label of graph 0")


def test_labels_that_do_not_count_need_not_match():
    train, plain = path_of(list("CCOCC"), [1, 2, 1]), path_of()
    assert "vertex" in complaint(Labelling.of(train, edges=False), plain)
    assert "edge" in complaint(Labelling.of(train, vertices=False), plain)
    assert complaint(Labelling.of(train, vertices=False, edges=False), plain) == ""
    assert complaint(ANY, train) == complaint(ANY, plain) == ""


def test_only_labels_that_occur_are_known():
    train = path_of(list("CCOON"))
    part = train[:1]
    assert Labelling.of(part).vertices.hashes.tolist() == [content_hash("C")]
    assert "graph 1 has 'O', 'N'" in complaint(Labelling.of(part), train)


@given(batches, batches)
def test_labels_of_further_graphs_are_known_too(first, second):
    labelling = Labelling.of(first)
    error = complaint(labelling, second)
    if error.startswith("error"):
        with pytest.raises(ValueError, match="these graphs have"):
            labelling.with_more(Labelling.of(second))
        return
    both = labelling.with_more(Labelling.of(second))
    assert complaint(both, first) == complaint(both, second) == ""
    for whole, *parts in zip(both, labelling, Labelling.of(second), strict=True):
        # An empty column of labels says nothing where the other graphs have vertices or edges.
        told = [part for part in parts if part is not None]
        sure = [part for part in told if len(part.hashes) or not part.labelled] or told
        assert {whole.labelled} == {part.labelled for part in sure} if sure else whole is None


def test_hashes_are_sorted_and_each_comes_once():
    found = Seen.of(path_of(list("OCOCN")).node_labels)
    assert found.hashes.tolist() == sorted(map(content_hash, "CNO"))
    assert found.hashes.dtype == np.uint64


READINGS = {
    "atoms='element'": {},
    "atoms='typed'": {"atoms": "typed"},
    "atoms='element', bonds=False": {"bonds": False},
    "atoms='element', hydrogens=True": {"hydrogens": True},
    "atoms='typed', hydrogens=True, chirality=True": {
        "atoms": "typed",
        "hydrogens": True,
        "chirality": True,
    },
}


@pytest.mark.parametrize("trained", READINGS)
@pytest.mark.parametrize("given", READINGS)
def test_molecules_must_be_read_as_those_of_training(trained, given):
    known = Labelling.of(Graphs.from_smiles(["CC(=O)O", "CCO"], **READINGS[trained]))
    new = Graphs.from_smiles(["CC(=O)O"], **READINGS[given])
    if trained == given:
        assert complaint(known, new) == ""
        assert known.with_more(Labelling.of(new)).reading == trained
        return
    assert complaint(known, new) == (
        f"error: these molecules were read with {given}, but those the model was fitted on with "
        f"{trained}; read them with Graphs.from_smiles(smiles, {trained})"
    )
    with pytest.raises(ValueError, match="these molecules were read with"):
        known.with_more(Labelling.of(new))


def test_graphs_that_are_no_molecules_fit_to_any_reading():
    typed = Graphs.from_smiles(["CC"], atoms="typed")
    plain = Graphs.from_edge_lists(
        [[(0, 1)]], node_labels=[["CH3", "CH3"]], edge_labels=[["single"]]
    )
    none = Graphs.from_smiles([])
    for known, new in ((typed, plain), (plain, typed), (typed, none), (none, typed)):
        assert complaint(Labelling.of(known), new) == ""
        merged = Labelling.of(known).with_more(Labelling.of(new))
        assert merged.reading == "atoms='typed'"
