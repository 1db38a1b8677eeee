"""`grafik report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..graphs.batch import Graphs
from . import columns as col
from . import options as opt
from .data import load, name_of
from .kernels import KernelOptions, combined
from .messages import remark
from .outputs import PAGE, check_output

_KERNELS = "fwl-d,wl"


def report(
    source: opt.DataOrResults,
    out: opt.ReportOut,
    data: opt.DataOfResults = None,
    accuracy: opt.Accuracy = True,
    kernel: opt.Kernels = _KERNELS,
    protocol: opt.ProtocolOption = opt.ProtocolName.quick,
    folds: opt.Folds = None,
    weight: opt.ShownWeight = None,
    levels: opt.ShownLevels = None,
    depth: opt.ShownDepth = None,
    gamma: opt.ShownGamma = None,
    mass: opt.ShownMass = None,
    sigma: opt.ShownSigma = None,
    edge_labels: opt.ShownEdgeLabels = None,
    graphs: opt.MostGraphs = 1000,
    seed: opt.SeedOfReport = 0,
    labels: opt.LabelFile = None,
    smiles: col.Smiles = None,
    target: col.Target = None,
    ids: col.Id = None,
    errors: col.Errors = col.BadRows.fail,
    atoms: col.Atoms = None,
    hydrogens: col.Hydrogens = False,
    chirality: col.Chirality = False,
    jobs: opt.Jobs = 1,
    quiet: opt.Quiet = False,
) -> None:
    """Write a page on a data set: what it is, how good kernels are, why graphs are similar.

    The page is one file that needs no network. For example: grafik report MUTAG --out report.html,
    or with results of your own: grafik report results/MUTAG --out report.html
    """
    check_output(out, PAGE, "a page")
    results = _results_at(source)
    if results is None and data is not None:
        raise ValueError(f"--data is for results, but {source} has none; leave it out")
    if results is not None and (kernel != _KERNELS or not accuracy or folds is not None):
        raise ValueError(
            f"--kernel, --folds and --no-accuracy are for data, but {source} has results; leave "
            "them out"
        )
    where = data or (source if results is None else _name(results, source))
    try:
        molecules = col.Molecules(atoms, hydrogens, chirality)
        batch, y = load(where, labels, col.Columns(smiles, target, ids, errors, molecules))
    except FileNotFoundError as error:
        if results is not None and data is None:
            error.add_note(f"{source} has results of {where}; say where it is: --data DATA")
        raise
    if results is not None:
        _check_same(results, batch, y, source, where)
    from ..report import write_report

    asked = {
        "weight": weight,
        "n_levels": levels,
        "features__depth": depth,
        "gamma": gamma,
        "mass": mass and mass.value,
        "features__edge_labels": edge_labels,
        "sigma": sigma,
    }
    asked = {key: value for key, value in asked.items() if value is not None}
    if asked:
        _kernel(None, asked).fit(batch[:1])  # finds mistakes before the long work
    name, missing = name_of(where), "It was not measured, as you asked."
    if results is None and accuracy:
        options = {"name": name, "n_jobs": jobs}
        results, missing = _measured(kernel, batch, y, protocol, folds, seed, **options)
    write_report(
        out,
        batch,
        y,
        kernel=_kernel(results, asked) if asked else None,
        results=results,
        name=name,
        max_graphs=graphs,
        random_state=seed,
        no_accuracy=missing,
    )
    if not quiet:
        print(f"the report is in {out} ({out.stat().st_size / 1e6:.1f} MB)")


def _results_at(source: str) -> Any:
    """Return the results in a folder; None if it has no results."""
    from ..evaluation.results import FILE, read_results

    return read_results(source) if (Path(source) / FILE).is_file() else None


def _name(results: Any, source: str) -> str:
    name: str | None = results.header.data.name
    if name is None:
        raise ValueError(f"{source} does not say what its data is called; add --data DATA")
    return name


def _check_same(results: Any, graphs: Graphs, y: Any, source: str, where: str) -> None:
    """Refuse data other than the data of the results."""
    from ..large.fingerprint import data_digest
    from ..models.classes import as_classes

    if y is None or data_digest(graphs, as_classes(y)) != results.header.data.sha256:
        raise ValueError(
            f"{source} has results of other data than {where}: the SHA-256 differs; name the data "
            "and classes of the results: --data DATA --labels FILE"
        )


def _measured(
    kernels: str,
    graphs: Graphs,
    y: Any,
    protocol: opt.ProtocolName,
    folds: int | None,
    seed: int,
    **options: Any,
) -> tuple[Any, str]:
    """Return results, or why there are none."""
    if y is None or y.ndim > 1 or y.dtype.kind == "f":
        return None, "It was not measured: there are no classes to predict."
    from ..evaluation import PROTOCOLS, evaluate
    from ..evaluation.folds import most_folds
    from ..models.classes import as_classes

    followed = PROTOCOLS[protocol.value].with_values(n_splits=folds, random_state=seed)
    most = most_folds(as_classes(y), followed.n_splits, followed.inner_splits)
    if folds is None and protocol == opt.ProtocolName.quick and 0 < most < followed.n_splits:
        remark(
            f"accuracy is measured by {most} folds in place of {followed.n_splits}, as the "
            "smallest class has few graphs"
        )
        followed = followed.with_values(n_splits=most)
    try:
        return evaluate(kernels, graphs, y, protocol=followed, **options), ""
    except ValueError as error:
        # Options that were given must work; with defaults, the page is useful without accuracies.
        if (kernels, protocol, folds) != (_KERNELS, opt.ProtocolName.quick, None):
            raise
        remark(f"accuracy is left out: {error}")
        return None, f"It could not be measured: {error}."


def _kernel(results: Any, asked: dict[str, Any]) -> Any:
    """Return the kernel asked for: the best one, with the parameters that were given."""
    from ..report.kernel_choice import chosen_kernel, default_kernel

    # The best parameters of one weight say nothing about another.
    kernel = default_kernel() if "weight" in asked else chosen_kernel(results)[0]
    own = {name: value for name, value in asked.items() if name not in ("weight", "sigma")}
    weights = KernelOptions(asked["weight"]).weights if "weight" in asked else [kernel.weight]
    return combined(kernel.set_params(**own), weights, asked.get("sigma"))
