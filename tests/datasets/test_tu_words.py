"""Words for the files of a data set that others use: what they stand for is never lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grafik import datasets
from grafik.datasets.tu_words import PARTS, differences, parts_meant
from tu_files import SMALL, changed, write, zipped

FEW = {part: SMALL[part] for part in ("A", "graph_indicator")}


@pytest.mark.parametrize(
    ("part", "name"),
    [
        *(("node_attributes", f"X_node_{word}.txt") for word in ("attr", "attrs", "feature")),
        *(("node_attributes", f"X_node_{word}.txt") for word in ("features", "feat", "feats")),
        *(("node_attributes", f"X_{word}.txt") for word in ("attributes", "features", "attrs")),
        *(("node_attributes", name) for name in ("X_atoms_feat.csv", "node_features.txt")),
        *(("edge_attributes", f"X_edge_{word}.txt") for word in ("attr", "weight", "weights")),
        *(("edge_attributes", name) for name in ("X_weights.txt", "X_bond_feats.txt")),
        *(
            ("node_labels", name)
            for name in ("X_node_lbl.txt", "X_n_labels.txt", "X_lbls_node.txt")
        ),
        *(("edge_labels", name) for name in ("X_e_labels.txt", "X_edge_lbls.txt")),
        *(("graph_labels", name) for name in ("X_lbl.txt", "X_g_labels.txt", "X_graph_lbl.txt")),
        *(("graph_attributes", name) for name in ("X_graph_attr.txt", "X_graph_features.txt")),
    ],
)
def test_another_word_for_a_part_is_an_error_that_names_both(tmp_path, part, name):
    folder = write(tmp_path / "X", FEW, "X")
    (folder / name).write_text("1\n" * 6)
    message = rf"X has no file X_{part}.txt, but '{name}', .*; rename it to X_{part}.txt, or leave "
    with pytest.raises(ValueError, match=message):
        datasets.read_tu(folder)


@pytest.mark.parametrize(
    "name", ["X_target.txt", "X_targets.txt", "X_y.txt", "X_graph_targets.txt", "X_graph_y.csv"]
)
def test_targets_are_not_lost(tmp_path, name, recwarn):
    folder = write(tmp_path / "X", FEW, "X")
    (folder / name).write_text("1\n0\n")
    with pytest.raises(ValueError, match=f"no file X_graph_labels.txt, but {name!r}") as caught:
        datasets.read_tu(folder)
    remedy = "rename it to X_graph_labels.txt (or X_graph_attributes.txt, if it holds more than int"
    assert remedy in str(caught.value)
    for part in ("graph_labels", "graph_attributes"):
        assert datasets.read_tu(folder, ignore=[part])[1] is None
    assert not recwarn
    for part in ("graph_labels", "graph_attributes"):
        there = write(tmp_path / part / "X", {**FEW, part: "1\n0\n"}, "X")
        (there / name).write_text("1\n0\n")
        with pytest.warns(UserWarning, match=f"X_{part}.txt is read, {name!r} is not"):
            assert datasets.read_tu(there)[1].tolist() == [1, 0]


@pytest.mark.parametrize("name", ["X_node_positions.txt", "X_Edge_Index.csv", "X_graph_splits.txt"])
@pytest.mark.parametrize("pack", [False, True])
def test_other_numbers_of_vertices_edges_or_graphs_are_named_in_a_warning(tmp_path, name, pack):
    path = write(tmp_path / "X", FEW, "X")
    (path / name).write_text("1\n")
    if pack:
        files = [(f"X/{file.name}", file.read_text()) for file in path.iterdir()]
        path = zipped(tmp_path / "X.zip", files)
    message = rf"{name}' is not read, as the format has no such file; if .*, rename it to .*X_NAME"
    with pytest.warns(UserWarning, match=message) as caught:
        datasets.read_tu(path)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_many_such_files_are_named_in_one_warning(tmp_path):
    folder = write(tmp_path / "X", FEW, "X")
    for number in range(9):
        (folder / f"X_node_times{number}.txt").write_text("1\n")
    with pytest.warns(UserWarning, match="'X_node_times0.txt' is not read, nor 8 more") as caught:
        datasets.read_tu(folder)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("X_node_labels.txt.gz", "unpack it to X_node_labels.txt"),
        ("X_node_labels.zip", "unpack it to X_node_labels.txt"),
        ("X_node_labels.tar.gz", "unpack it to X_node_labels.txt"),
        ("X_node_labels.npy", "write its numbers as text to X_node_labels.txt"),
        ("X_node_labels.parquet", "write its numbers as text to X_node_labels.txt"),
        ("raw/X_node_labels.txt.gz", "unpack it to X_node_labels.txt, beside X_A.txt"),
    ],
)
def test_what_is_no_text_is_to_be_unpacked_or_converted(tmp_path, name, remedy):
    folder = write(tmp_path / "X", changed(node_labels=None), "X")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(b"\x93")
    with pytest.raises(
        ValueError, match=f"'{name}', which would not be read; {remedy}, or leave it"
    ):
        datasets.read_tu(folder)


def test_packed_edges_are_to_be_unpacked(tmp_path):
    folder = write(tmp_path / "X", changed(A=None), "X")
    (folder / "X_A.txt.gz").write_bytes(b"\x1f\x8b")
    with pytest.raises(FileNotFoundError, match=r"but 'X_A.txt.gz'; unpack it to NAME_A.txt$"):
        datasets.read_tu(folder)


@pytest.mark.parametrize("name", ["X_clanode.txt", "X_nodecla.txt", "X_clae.txt", "X_cla.txt"])
def test_only_the_s_of_a_plural_is_left_out(name):
    assert parts_meant(name, "X_") == ()


def edits(mine, other):
    """The number of changed letters, by the usual table."""
    row = list(range(len(other) + 1))
    for first, letter in enumerate(mine, 1):
        last, row = row, [first]
        for at, wanted in enumerate(other):
            row.append(min(last[at + 1] + 1, row[-1] + 1, last[at] + (letter != wanted)))
    return row[-1]


WORD = st.text("ab", max_size=8)


@given(WORD, WORD, st.integers(0, 4))
def test_letters_that_differ_are_counted_up_to_a_bound(mine, other, most):
    assert differences(mine, other, most) == min(edits(mine, other), most + 1)


@given(st.sampled_from(PARTS), st.data())
def test_two_wrong_letters_do_not_hide_a_name(part, data):
    name = f"SMALL_{part}"
    for _ in range(2):
        at = data.draw(st.integers(0, len(name) - 1))
        how = data.draw(st.sampled_from(["", "q", name[at] + "q"]))
        name = name[:at] + how + name[at + 1 :]
    assert parts_meant(f"{name}.txt", "SMALL_") == (part,)


def test_long_names_take_no_longer_than_they_are_read(monkeypatch):
    """Each comparison looks at a few places only, wherever the names differ."""
    looked = []
    same = "grafik.datasets.tu_words._same_letters"
    from grafik.datasets import tu_words

    original = tu_words._same_letters
    monkeypatch.setattr(same, lambda *pair: looked.append(1) or original(*pair))
    long = "n" * 4000
    for other in (long, "m" + long[1:], long[:-1] + "m", "ab" * 2000, "m" + long[1:-2] + "mm"):
        looked.clear()
        differences(long, other, 2)
        assert len(looked) <= 1 + 3 + 9


def test_a_name_of_a_data_set_may_hold_any_letters(tmp_path):
    name = "node_labels.(a+)*"
    folder = write(tmp_path / name, SMALL, name)
    assert len(datasets.read_tu(folder)[0]) == 2
    (folder / f"{name}_node_attributes.txt").rename(folder / f"{name}_node_attr.txt")
    with pytest.raises(ValueError, match=re.escape(f"rename it to {name}_node_attributes.txt")):
        datasets.read_tu(folder)
