"""`grafik evaluate`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from rich.console import Console
from rich.table import Table

from . import columns as col
from . import options as opt
from .data import load_target, name_of
from .long_work import cluster, resumable
from .messages import remark

_MOST = 1000  # an option may list at most this many numbers


def evaluate(
    data: opt.Data,
    kernel: opt.Kernels = "fwl-d,wl",
    protocol: opt.ProtocolOption = opt.ProtocolName.quick,
    repeats: opt.Repeats = None,
    folds: opt.Folds = None,
    levels: opt.TriedLevels = None,
    depths: opt.TriedDepths = None,
    gammas: opt.TriedGammas = None,
    sigmas: opt.TriedSigmas = None,
    cs: opt.TriedCs = None,
    thresholds_from: opt.ThresholdsFrom = opt.LearnedFrom.train,
    normalize: opt.NormalizeAll = True,
    seed: opt.SeedOfFolds = 0,
    labels: opt.LabelFile = None,
    smiles: col.Smiles = None,
    target: col.Target = None,
    errors: col.Errors = col.BadRows.fail,
    atoms: col.Atoms = None,
    hydrogens: col.Hydrogens = False,
    chirality: col.Chirality = False,
    out: opt.ResultsOut = None,
    jobs: opt.Jobs = 1,
    scheduler: opt.Scheduler = None,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Compare kernels: nested cross-validation on the same folds, with paired tests.

    For example: grafik evaluate MUTAG -k fwl-d,wl --out results/MUTAG
    """
    molecules = col.Molecules(atoms, hydrogens, chirality)
    graphs, y = load_target(data, labels, col.Columns(smiles, target, None, errors, molecules))
    grid = {
        "levels": numbers("--levels", levels, int),
        "depths": numbers("--depths", depths, int),
        "gammas": numbers("--gammas", gammas, float),
        "sigmas": numbers("--sigmas", sigmas, float),
        "Cs": numbers("--Cs", cs, float),
    }
    from ..evaluation import PROTOCOLS
    from ..evaluation import evaluate as run

    followed = PROTOCOLS[protocol.value].with_values(
        repeats=repeats,
        n_splits=folds,
        normalize=normalize,
        thresholds_from=thresholds_from.value,
        random_state=seed,
        **grid,
    )
    with cluster(scheduler) as client, resumable(out):
        results = run(
            kernel,
            graphs,
            y,
            protocol=followed,
            name=name_of(data),
            out=out,
            n_jobs=jobs,
            client=client,
        )
    summary = results.summary()
    if as_json:
        print(summary.to_json(), end="")
        return
    print_summary(summary)
    if out is not None:
        remark(f"\nresults and tables are in {out}")


def print_summary(summary: Any) -> None:
    """Print a summary as tables."""
    from ..evaluation.summary import params_text, percent

    console = Console(highlight=False)
    table = Table("method", "accuracy, %", "+-", "most often chosen", "fits", "not converged")
    for s in summary.scores:
        found = percent(s.accuracy), percent(s.deviation), params_text(s.params)
        table.add_row(s.title, *found, str(s.n_fits), str(s.n_unconverged))
    console.print(table)
    console.print(summary.note(), soft_wrap=True)
    if summary.comparisons:
        pairs = Table("methods", "difference, %", "p, corrected t-test", "p, Wilcoxon")
        for c in summary.comparisons:
            tests = f"{c.t_test:.3g}", f"{c.wilcoxon:.3g}"
            pairs.add_row(f"{c.first} - {c.second}", f"{c.difference:+.2f}", *tests)
        console.print(pairs)


def numbers(option: str, text: str | None, kind: Callable[[str], Any]) -> list[Any] | None:
    """Return numbers separated by commas; integers may be ranges (1-10), floats powers (2^-3).

    Examples
    --------
    >>> from grafik.cli.evaluate import numbers
    >>> numbers("--levels", "1-3,10", int), numbers("--gammas", "2^-3,1", float)
    ([1, 2, 3, 10], [0.125, 1.0])
    """
    if text is None:
        return None
    found: list[Any] = []
    try:
        for part in text.split(","):
            base, power, exponent = part.partition("^")
            first, dash, last = part.partition("-")
            if power and kind is float:
                found.append(float(base) ** float(exponent))
            elif dash and kind is int:
                # One number too many is enough to refuse the range.
                found.extend(islice(range(int(first), int(last) + 1), _MOST + 1))
            else:
                found.append(kind(part))
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        raise ValueError(f"{option} must be numbers separated by commas, got {text!r}") from error
    if len(found) > _MOST:
        raise ValueError(f"{option} must be at most {_MOST} numbers, got more: {text!r}")
    return found
