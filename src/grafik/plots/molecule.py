"""Molecules, drawn by RDKit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..graphs.batch import Graphs
from ..graphs.convert.atoms import Chemistry
from ..graphs.convert.smiles import is_molecule, read_molecules
from ..system.optional import require
from . import style
from .drawing import Shades, checked_values
from .layout import one_graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH, _HEIGHT = 1200, 900  # of RDKit's drawing, in pixels
_SVG = "{http://www.w3.org/2000/svg}"
_VISIBLE = 0.05  # of the largest importance; paler colours can hardly be seen
_THINNEST = 0.25  # points; thinner lines vanish in print


def molecule(
    smiles: Any,
    *,
    importance: ArrayLike | None = None,
    graph: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a molecule as chemists do; colours behind the atoms may show importance.

    Atoms with negative importance have a dashed outline, unless they are nearly white, so that the
    sign can be seen without colours. Needs RDKit: ``pip install grafik[molecules]``.

    Parameters
    ----------
    smiles : str or rdkit.Chem.Mol
    importance : array with a number for each atom, optional
        In the order of the SMILES string, which is that of the vertices of ``Graphs.from_smiles``.
    graph : Graph, optional
        The graph of the molecule; any other is refused. Hydrogen atoms are drawn if the graph has
        them.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from grafik import plots
    >>> ax = plots.molecule("CCO", importance=[0, 0.2, 1], ax=Figure().subplots())
    >>> len(ax.patches) > 3
    True
    """
    chem = require("rdkit.Chem", "drawing molecules", "grafik[molecules]")
    if not is_molecule(smiles):
        raise TypeError(f"a molecule must be a SMILES string or an RDKit molecule, got {smiles!r}")
    hydrogens = False
    batch = Graphs.from_smiles([smiles])
    if graph is not None:
        wanted = one_graph(graph)
        hydrogens = wanted.n_nodes[0] != batch.n_nodes[0]
        batch = Graphs.from_smiles([smiles], hydrogens=True) if hydrogens else batch
        if not _same_molecule(chem, batch, wanted):
            raise ValueError(
                f"the graph is not that of {smiles!r}: its {wanted.n_nodes[0]} vertices, their "
                "labels or its edges differ; give the SMILES that it was made from"
            )
    (drawn,) = read_molecules([smiles], Chemistry(hydrogens=hydrogens))
    n = drawn.GetNumAtoms()
    shades, negative = None, set[int]()
    if importance is not None:
        numbers = checked_values("importance", importance, n, "vertex")
        least = -_VISIBLE * np.abs(numbers).max(initial=0.0)
        shades, negative = Shades(numbers), set(np.flatnonzero(numbers < least).tolist())
    ax = style.new_axes(ax, 4.8, 3.6)
    ax.set_axis_off()
    if n == 0:
        ax.text(0.5, 0.5, "no atoms", transform=ax.transAxes, ha="center", va="center")
        return ax
    _draw_outlines(ax, _svg(drawn, None if shades is None else shades.colours), negative)
    if shades is not None:
        shades.add_bar(ax, "importance (dashed: < 0)" if negative else "importance")
    return ax


def _svg(drawn: Any, colours: NDArray[np.float64] | None) -> str:
    """Return the SVG of a molecule."""
    draw = require("rdkit.Chem.Draw", "drawing molecules", "grafik[molecules]").rdMolDraw2D
    canvas = draw.MolDraw2DSVG(_WIDTH, _HEIGHT)
    options = canvas.drawOptions()
    options.bondLineWidth = 5
    options.maxFontSize = -1
    options.baseFontSize = 0.8
    options.fillHighlights = True
    options.highlightRadius = 0.4
    options.useBWAtomPalette()
    marked = {} if colours is None else {i: tuple(c[:3]) for i, c in enumerate(colours.tolist())}
    draw.PrepareAndDrawMolecule(
        canvas, drawn, highlightAtoms=list(marked), highlightBonds=[], highlightAtomColors=marked
    )
    canvas.FinishDrawing()
    text: str = canvas.GetDrawingText()
    return text


def _draw_outlines(ax: Axes, svg: str, dashed: set[int]) -> None:
    """Draw the ellipses and paths of an SVG that RDKit made, one unit of the axes for each pixel.

    Shapes of matplotlib stay sharp in vector formats. The ellipses of some atoms are dashed.
    """
    from matplotlib.patches import Ellipse, PathPatch

    ax.set_xlim(0, _WIDTH)
    ax.set_ylim(_HEIGHT, 0)
    ax.set_aspect("equal", adjustable="box")
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    unit = 72 * min(box.width / _WIDTH, box.height / _HEIGHT)  # points for each pixel
    for shape in ElementTree.fromstring(svg):
        if shape.tag == f"{_SVG}ellipse":
            x, y, a, b = (float(shape.attrib[name]) for name in ("cx", "cy", "rx", "ry"))
            look = _look(shape, unit)
            if int(shape.attrib["class"].removeprefix("atom-")) in dashed:
                look |= {"edgecolor": style.BLUE, "linewidth": 1.0, "linestyle": (0, (3, 2))}
            ax.add_patch(Ellipse((x, y), 2 * a, 2 * b, zorder=1, **look))
        elif shape.tag == f"{_SVG}path":
            ax.add_patch(PathPatch(_path(shape.attrib["d"]), zorder=2, **_look(shape, unit)))


def _look(shape: Any, unit: float) -> dict[str, Any]:
    """Return colours and line width of an SVG element."""
    declared = dict(re.findall(r"([\w-]+):([^;]+)", shape.attrib.get("style", "")))
    look = {"stroke": "none", "stroke-width": "1px", **shape.attrib, **declared}
    width = float(look["stroke-width"].removesuffix("px"))
    return {
        "facecolor": look.get("fill", "none"),
        "edgecolor": look["stroke"],
        "linewidth": 0.0 if look["stroke"] == "none" else max(width * unit, _THINNEST),
        "capstyle": "round",
        "joinstyle": "round",
    }


def _path(text: str) -> Any:
    """Return a path of straight lines and curves."""
    from matplotlib.path import Path

    # The command, how many points it takes, and what matplotlib calls it.
    commands = {"M": (1, Path.MOVETO), "L": (1, Path.LINETO), "Q": (2, Path.CURVE3)}
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    for command, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", text):
        numbers = np.array(re.findall(r"-?\d+\.?\d*", rest), np.float64).reshape(-1, 2)
        if command == "Z":
            points.append(points[-1])
            codes.append(int(Path.CLOSEPOLY))
            continue
        if command not in commands or len(numbers) != commands[command][0]:
            raise ValueError(
                f"a drawing of RDKit must be made of M, L, Q and Z, got {command}{rest}"
            )
        points += [(float(x), float(y)) for x, y in numbers]
        codes += [int(commands[command][1])] * len(numbers)
    return Path(points, codes)


def _same_molecule(chem: Any, made: Graphs, wanted: Graphs) -> bool:
    """Return whether atoms and bonds agree; labels that are no elements are not compared."""
    if made.n_nodes[0] != wanted.n_nodes[0] or not np.array_equal(made.edges, wanted.edges):
        return False
    table = chem.GetPeriodicTable()
    elements = {table.GetElementSymbol(number) for number in range(1, 119)}
    labels = wanted.node_labels
    if labels is None or not elements.issuperset(labels.values):
        return True
    return list(made.node_labels or []) == list(labels)
