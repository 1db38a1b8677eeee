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
    weight: opt.Weight = "degree",
    levels: opt.Levels = 4,
    depth: opt.FeatureDepth = 1,
    smiles: col.Smiles = None,
    errors: col.Errors = col.BadRows.fail,
    quiet: opt.Quiet = False,
) -> None:
    """Draw how a graph is built up, and when a feature occurs in it, like Fig. 1 of the paper.

    Thresholds are learned from all graphs of the data. For example:
    grafik show MUTAG 0 --weight triangles --out picture.svg
    """
    from .. import Filtration, plots
    from ..plots.barcode import label_of
    from ..plots.style import blank_figure, checked_format, plain

    checked_format(out)
    check_target(out)
    wanted = _parsed(feature)
    graphs, _ = load(data, columns=col.Columns(smiles, None, None, errors))
    check_number(index, graphs, data)
    graph = graphs[index]
    filtration = Filtration(weight, n_levels=levels).fit(graphs)
    if isinstance(wanted, int):
        wanted = label_of(graph, filtration, wanted, depth)
    axes = plots.filtration(graph, filtration, wanted, figure=blank_figure)
    figure = axes["graph"].figure
    figure.suptitle(plain(f"graph {index} of {name_of(data)}"), fontsize=10)
    saved = plots.save(figure, out)
    if not quiet:
        print(f"the picture is in {saved}")


def _parsed(text: str | None) -> int | tuple[int, int] | None:
    """Return a vertex, a feature as (depth, hash), or None."""
    if text is None:
        return None
    kind, _, rest = text.partition(":")
    try:
        if kind == "vertex":
            return int(rest)
        return int(kind), int(rest, 0)
    except ValueError:
        raise ValueError(
            f"--feature must be DEPTH:FEATURE, such as 1:0x97a9, or vertex:V, got {text!r}"
        ) from None
