"""Groups of graphs: no fold tears one apart, and results depend on them."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedGroupKFold

from grafik import datasets
from grafik.evaluation import PROTOCOLS, evaluate, read_results
from grafik.evaluation.folds import chosen_by, group_codes, outer_folds
from grafik.evaluation.results import FILE
from grafik.evaluation.unit import Unit, Work

SMALL = PROTOCOLS["quick"].with_values(n_splits=3, levels=(1, 2), depths=(1,), gammas=(1.0,))
GROUPS = np.array([f"family {i // 2}" for i in range(36)])


def two_classes():
    graphs, _ = datasets.random_graphs(36, (6, 12), 0.3, n_labels=2, random_state=0)
    return graphs, np.resize(["a", "b", "b", "a"], 36)


@settings(max_examples=50, deadline=None)
@given(st.permutations(sorted([*range(12)] * 4 + [0] * 3)), st.integers(0, 2**32 - 1))
def test_no_group_is_torn_apart(groups, seed):
    y, codes = np.resize([0, 1], len(groups)), group_codes(groups, len(groups))
    outer = outer_folds(y, codes, 3, seed)
    inner = [chosen_by(y, codes, train, 2, seed) for train, _ in outer]
    assert sorted(np.concatenate([test for _, test in outer])) == list(range(len(groups)))
    for (train, test), inside in zip(outer, inner, strict=True):
        assert not set(codes[train]) & set(codes[test])
        assert sorted(np.concatenate([part for _, part in inside])) == sorted(train)
        for learned, scored in inside:
            assert not set(codes[learned]) & set(codes[scored])
            assert len(np.unique(y[learned])) == 2


def test_folds_are_those_of_scikit_learn():
    y, codes = np.resize([0, 1, 1, 0], 36), group_codes(GROUPS, 36)
    cut = StratifiedGroupKFold(3, shuffle=True, random_state=5)
    for (_, found), (_, expected) in zip(
        outer_folds(y, codes, 3, 5), cut.split(y, y, codes), strict=True
    ):
        assert np.array_equal(found, expected)


def test_groups_are_numbered_as_they_occur_whatever_they_are_called():
    assert group_codes(["b", "a", "b", ""], 4).tolist() == [0, 1, 0, 2]
    assert group_codes(np.array([7, 3, 7, 5]), 4).tolist() == [0, 1, 0, 2]


def test_units_learn_and_choose_from_other_groups():
    """What is in a test part, or in the part by which parameters are chosen, was not seen."""
    graphs, y = two_classes()
    codes = group_codes(GROUPS, 36)
    seen = []

    class Method:
        name = "watched"
        simplest, learns = None, True

        def grams(self, graphs, train, protocol):
            seen.append(train)
            yield {}, np.eye(len(graphs))

    work = Work(graphs, np.unique(y, return_inverse=True)[1], {"watched": Method()}, SMALL, codes)
    for fold in range(3):
        work(Unit("watched", 0, fold))
    tested = [work.fold_of_graphs(0).index(fold) for fold in range(3)]
    for fold, train in enumerate(seen):
        assert codes[tested[fold]] not in codes[train]
        assert len(train) == 24


def test_results_tell_of_groups_and_are_refused_for_others(tmp_path):
    graphs, y = two_classes()
    grouped = evaluate("wl", graphs, y, groups=GROUPS, protocol=SMALL, out=tmp_path)
    assert "36 graphs in 18 groups that stay together" in grouped.summary().note()
    assert json.loads((tmp_path / "summary.json").read_text())["setting"]["n_groups"] == 18
    assert read_results(tmp_path).header == grouped.header
    before = (tmp_path / FILE).read_bytes()
    renamed = [f"group {name}" for name in GROUPS]
    assert evaluate("wl", graphs, y, groups=renamed, protocol=SMALL, out=tmp_path).units
    others = np.roll(GROUPS, 1)
    for groups, message in ((others, "data.groups is .* there"), (None, "data.groups is .* there")):
        with pytest.raises(ValueError, match=message):
            evaluate("wl", graphs, y, groups=groups, protocol=SMALL, out=tmp_path)
    assert (tmp_path / FILE).read_bytes() == before
    plain = evaluate("wl", graphs, y, protocol=SMALL)
    assert plain.header.folds != grouped.header.folds
    assert "groups" not in plain.summary().note() + plain.summary().to_json()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (GROUPS[:5], r"groups must have one entry for each of 36 graphs, got shape \(5,\)"),
        ([None, *GROUPS[1:]], "graph 0 has no group, but None"),
        ([*GROUPS[:35], float("nan")], "graph 35 has no group, but nan"),
        (["all"] * 36, "3 folds need more than 1 groups; use fewer folds"),
        (["all"] * 30 + list("abcdef"), "3 folds need more than 2 graphs of a class; use fewer"),
    ],
)
def test_groups_that_cannot_be_used_are_refused(groups, message):
    graphs, y = two_classes()
    with pytest.raises(ValueError, match=message):
        evaluate("wl", graphs, y, groups=groups, protocol=SMALL)


def test_a_class_in_one_group_cannot_be_learned():
    graphs, _ = two_classes()
    y = np.repeat(["a", "b"], 18)
    groups = np.where(y == "a", 0, np.arange(36))
    with pytest.raises(ValueError, match="has one class to learn from, because some group holds"):
        evaluate("wl", graphs, y, groups=groups, protocol=SMALL)
