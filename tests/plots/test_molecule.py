"""Pictures of molecules: outlines that stand on the colours of atoms."""

import sys

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, PathPatch
from numpy.testing import assert_allclose
from rdkit import Chem

from grafik import Graphs, plots


def test_important_atoms_stand_on_their_colour():
    from grafik.plots.graph import Shades

    values = np.array([0.0, 0.5, 1.0])
    ax = plots.molecule("CCO", importance=values, ax=Figure().subplots())
    grounds = [patch for patch in ax.patches if isinstance(patch, Ellipse)]
    colours = np.array([patch.get_facecolor() for patch in grounds])
    assert_allclose(colours, Shades(values).colours, atol=1 / 255)
    # The two bonds go from atom to atom; the one to the O, which is written, is cut short.
    lines = [patch.get_path() for patch in ax.patches if isinstance(patch, PathPatch)]
    first = next(line for line in lines if len(line) == 2)
    assert_allclose(first.vertices[0], grounds[0].get_center(), atol=0.2)
    assert_allclose(first.vertices[1], grounds[1].get_center(), atol=0.2)


def test_negative_atoms_are_dashed_and_nothing_is_written_beside_them():
    plain = plots.molecule("CC(=O)[O-]", ax=Figure().subplots())
    ax = plots.molecule("CC(=O)[O-]", importance=[-1, 0.5, -0.01, -0.1], ax=Figure().subplots())
    grounds = [patch for patch in ax.patches if isinstance(patch, Ellipse)]
    assert [patch.get_linestyle() == "solid" for patch in grounds] == [False, True, True, False]
    # The same bonds and letters: a "-" beside an atom would be read as a charge.
    assert len(ax.patches) - len(grounds) == len(plain.patches)
    (bar,) = (other for other in ax.figure.axes if other is not ax)
    assert bar.get_ylabel() == "importance (dashed: < 0)"
    ax = plots.molecule("CO", importance=[1, 0], ax=Figure().subplots())
    assert ax.figure.axes[1].get_ylabel() == "importance"


def test_a_molecule_is_drawn_with_the_atoms_of_its_graph():
    molecule = Chem.AddHs(Chem.MolFromSmiles("CO"))
    n_atoms = Graphs.from_smiles([molecule]).n_nodes[0]
    ax = plots.molecule(molecule, importance=np.ones(n_atoms), ax=Figure().subplots())
    assert sum(isinstance(patch, Ellipse) for patch in ax.patches) == 2


@pytest.mark.parametrize("atoms", ["element", "typed", Chem.Atom.GetDegree])
def test_graphs_of_any_labels_are_drawn(atoms):
    graphs = Graphs.from_smiles(["CCO"], atoms=atoms)
    assert len(plots.molecule("CCO", graph=graphs, ax=Figure().subplots()).patches) > 3


def test_molecules_are_outlines_and_no_pixels(tmp_path):
    figure = Figure()
    ax = plots.molecule("CC(=O)Oc1ccccc1C(=O)[O-]", ax=figure.subplots())
    assert len(ax.images) == 0
    assert "<image" not in plots.save(figure, tmp_path / "x.svg").read_text()
    letters = [patch for patch in ax.patches if len(patch.get_path()) > 20]
    assert len(letters) == 4  # the O's, each with a hole
    for patch in letters:
        outer, hole = (_area(polygon) for polygon in patch.get_path().to_polygons())
        assert outer * hole < 0  # they go around in opposite directions
        assert abs(hole) < abs(outer)


def _area(polygon):
    x, y = polygon.T
    return (x * np.roll(y, 1) - y * np.roll(x, 1)).sum() / 2


def test_a_graph_made_from_smiles_is_drawn_as_a_molecule():
    smiles = "CC(=O)Oc1ccccc1C(=O)O"
    for hydrogens in (False, True):
        graphs = Graphs.from_smiles([smiles], hydrogens=hydrogens)
        values = np.linspace(-1, 1, graphs.n_nodes[0])
        ax = plots.graph(graphs, importance=values, smiles=smiles, ax=Figure().subplots())
        assert sum(isinstance(patch, Ellipse) for patch in ax.patches) == graphs.n_nodes[0]
    with pytest.raises(ValueError, match="the graph is not that of 'CCO'"):
        plots.graph(graphs, smiles="CCO")
    with pytest.raises(ValueError, match="the graph is not that of 'CCN'"):
        plots.graph(Graphs.from_smiles(["CCO"]), smiles="CCN")


def test_molecules_without_rdkit_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(ImportError, match=r"pip install 'grafik\[molecules\]'"):
        plots.molecule("CCO")


def test_a_molecule_without_atoms_is_said_and_what_is_none_is_refused(ax):
    plots.molecule(Chem.Mol(), ax=ax)
    assert [text.get_text() for text in ax.texts] == ["no atoms"]
    with pytest.raises(TypeError, match="must be a SMILES string or an RDKit molecule, got 3"):
        plots.molecule(3)


def test_paths_of_drawings_are_lines_curves_and_ends():
    from matplotlib.path import Path

    from grafik.plots.molecule import _path

    path = _path("M 1,2 L 3,4.5 Q 5,6 7,8 Z")
    assert path.vertices.tolist() == [[1, 2], [3, 4.5], [5, 6], [7, 8], [7, 8]]
    curve = [Path.CURVE3] * 2
    assert path.codes.tolist() == [Path.MOVETO, Path.LINETO, *curve, Path.CLOSEPOLY]
    for odd in ("M 1,2 A 3,4", "M 1,2 L 3,4 5,6"):
        with pytest.raises(ValueError, match="a drawing of RDKit must be made of M, L, Q and Z"):
            _path(odd)
