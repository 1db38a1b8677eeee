"""`grafik show`."""

from __future__ import annotations

from ..system.files import check_target
from . import columns as col
from . import options as opt
from .data import check_number, load, name_of


def show(
    data: opt.Data,
    index: opt.Number,
    out: opt.PictureOut,
    feature: opt.Feature = None,
    weight: opt.OneWeight = "degree",
    levels: opt.Levels = 4,
    depth: opt.FeatureDepth = 1,
    smiles: col.Smiles = None,
    errors: col.Errors = col.BadRows.fail,
    atoms: col.Atoms = None,
    hydrogens: col.Hydrogens = False,
    chirality: col.Chirality = False,
    quiet: opt.Quiet = False,
) -> None:
    """Draw how a graph is built up, and when a feature occurs in it, like Fig. 1 of the paper.

    Thresholds are learned from all graphs of the data. For example:
    grafik show MUTAG 0 --weight triangles --out picture.svg
    """
    from .. import Filtration, plots
    from ..features import WeisfeilerLehman
    from ..plots.feature_choice import LabelOf, parsed
    from ..plots.style import blank_figure, checked_format, plain

    checked_format(out)
    check_target(out)
    wanted = parsed(feature)
    molecules = col.Molecules(atoms, hydrogens, chirality)
    graphs, _ = load(data, columns=col.Columns(smiles, None, None, errors, molecules))
    check_number(index, graphs, data)
    graph = graphs[index]
    filtration = Filtration(weight, n_levels=levels).fit(graphs)
    features = WeisfeilerLehman(depth=depth) if isinstance(wanted, LabelOf) else None
    axes = plots.filtration(graph, filtration, feature, features=features, figure=blank_figure)
    figure = axes["graph"].figure
    figure.suptitle(plain(f"graph {index} of {name_of(data)}"), fontsize=10)
    saved = plots.save(figure, out)
    if not quiet:
        print(f"the picture is in {saved}")
