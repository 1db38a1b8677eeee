"""How molecules were read: a text that batches remember, and that options can be made of again."""

import json
import pickle
from itertools import product

import pyarrow.parquet as pq
import pytest

from grafik import Filtration, Graphs, as_graphs
from grafik.graphs.arrow import ABOUT_KEY
from grafik.graphs.convert.atoms import Chemistry
from grafik.graphs.parquet import GraphFile
from grafik.large.fingerprint import data_digest

ACIDS = ["CC(=O)O", "OC=O", "OC(=O)c1ccccc1"]
TYPED = "atoms='typed', hydrogens=True"


def degree(atom):
    return atom.GetDegree()


@pytest.fixture
def typed():
    return Graphs.from_smiles(ACIDS, atoms="typed", hydrogens=True)


def test_every_choice_of_options_has_a_reading_of_its_own():
    choices = [Chemistry(*one) for one in product(("element", "typed"), *[(False, True)] * 3)]
    assert len({one.reading for one in choices}) == len(choices) == 16
    assert [Chemistry.of(one.reading) for one in choices] == choices
    assert [eval(f"Chemistry({one.reading})") for one in choices] == choices


def test_functions_are_named_and_cannot_be_made_again():
    reading = Graphs.from_smiles("CC", atoms=degree, bonds=False).reading
    assert reading == f"atoms={__name__}.degree, bonds=False"
    assert Chemistry.of(reading) is None


def test_a_batch_remembers_how_it_was_read(typed, tmp_path):
    path = tmp_path / "acids.parquet"
    typed.to_parquet(path)
    for kept in (
        typed,
        typed[1:],
        typed[[2, 0]],
        as_graphs([typed[2], typed[0]]),
        pickle.loads(pickle.dumps(typed)),
        typed.with_ids(list("abc")),
        Graphs.concat([typed[:1], Graphs.from_smiles([]), typed[1:]]),
        Graphs.from_parquet(path),
        GraphFile(path, 2)[1],
        Filtration("degree").fit(typed).graphs(typed[0]),
        Graphs(
            typed.node_ptr, typed.edge_ptr, typed.edges, directed=True, reading=TYPED
        ).undirected(),
    ):
        assert kept.reading == TYPED
    assert Graphs.from_edge_lists([[(0, 1)]]).reading is None


def test_readings_play_no_part_in_what_graphs_are(typed):
    names = "node_ptr", "edge_ptr", "edges", "node_labels", "edge_labels", "edge_attributes"
    columns = {name: getattr(typed, name) for name in names}
    plain = Graphs(**columns, edge_attribute_names=typed.edge_attribute_names)
    assert plain.reading is None
    assert plain == typed
    assert data_digest(plain, [0, 1, 0]) == data_digest(typed, [0, 1, 0])
    assert Graphs.concat([plain, typed]).reading == Graphs.concat([typed, plain]).reading == TYPED


def test_molecules_of_different_readings_are_not_joined(typed):
    with pytest.raises(
        ValueError,
        match="^the molecules of item 2 were read with atoms='element', but those of item 0 with "
        "atoms='typed', hydrogens=True; read all in the same way$",
    ):
        Graphs.concat([typed, typed, Graphs.from_smiles(ACIDS)])


def test_files_without_a_reading_are_read_and_nonsense_is_refused(typed, tmp_path):
    path = tmp_path / "acids.parquet"
    typed.to_parquet(path)
    table = pq.read_table(path)
    about = json.loads(table.schema.metadata[ABOUT_KEY])
    assert about.pop("reading") == TYPED

    def write(about):
        metadata = table.schema.metadata | {ABOUT_KEY: json.dumps(about)}
        pq.write_table(table.replace_schema_metadata(metadata), path)

    write(about)
    assert Graphs.from_parquet(path).reading is None
    write(about | {"reading": 3})
    with pytest.raises(ValueError, match="is damaged: reading must be text .* got 3"):
        Graphs.from_parquet(path)
