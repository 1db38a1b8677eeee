"""Nested cross-validation over Gram matrices: the same folds for all methods, resumable."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graphs.as_graphs import as_graphs
from ..large.fingerprint import data_digest
from ..models.classes import as_classes
from ..system.files import expanded, replacing
from ..system.journal import Journal
from ..system.processes import results_of
from ..system.progress import progress_bar
from ..system.threads import n_threads
from ..system.versions import versions
from .folds import fewer, group_codes, groups_digest, most_folds, needed
from .header import DataRecord, Header
from .methods import Method, as_methods
from .model_methods import ModelMethod
from .protocols import Protocol, as_protocol
from .results import FILE, Results
from .unit import Unit, Work


def evaluate(
    methods: Any,
    graphs: Any,
    y: Any,
    *,
    groups: Any = None,
    protocol: str | Protocol = "paper",
    name: str | None = None,
    out: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    client: Any = None,
    progress: bool | None = None,
) -> Results:
    """Compare kernels by the accuracy of support vector machines, as the paper does.

    The graphs are shuffled and cut into stratified folds, as often as the protocol says. Inside
    each training part the parameters of kernel and machine are chosen by cross-validation. A
    machine with these parameters is then trained on the whole part and tested on the test part. All
    methods see the same folds. The test part has no influence on what is learned, unless the
    protocol has ``thresholds_from="all"``.

    Parameters
    ----------
    methods : str, kernel, model, or list or dict of these
        Names: ``"fwl-d"``, ``"fwl-rw"``, ``"wl"``, ``"wl-oa"``, ``"w-wl"``, ``"p-wl"``,
        ``"core-wl"``, ``"sp"``, ``"gs"``, ``"ve-hist"``, or ``"fwl-"`` and the name of a weight,
        such as ``"fwl-triangles"``, or of several, such as ``"fwl-degree+core-min-gaussian"``
        (masses by minimum, a Gaussian on top); ``"default"``, ``"default-quick"`` and
        ``"default-thorough"`` are :class:`grafik.FiltrationClassifier` as it is. Kernels are
        transformers whose `fit_transform` returns a Gram matrix; they are used as they are. Use
        :func:`swept` to try a filtration kernel with all parameters of the grid. Models have `fit`
        and `predict`; they choose their own parameters, whatever the grid. Pairs of a name and one
        of these, or a dict, give other names.
    graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
    y : array of shape (n_graphs,)
        Classes, of any type.
    groups : array of shape (n_graphs,), optional
        Graphs of one group are never in both the training and the test part, nor torn apart when
        parameters are chosen. With :func:`grafik.molecules.scaffolds`, molecules are predicted from
        those of other scaffolds.
    protocol : {"paper", "quick"} or Protocol
        ``"paper"``: 10 repeats of 10 folds, 3 inner folds, the full grid. ``"quick"``: one repeat
        and a thin grid, for a first look. For other values, such as
        ``PROTOCOLS["paper"].with_values(repeats=2, random_state=1)``, see :class:`Protocol`.
    name : str, optional
        Name of the data in result files.
    out : path, optional
        Folder for results. Each unit of work is written when it is done. A run that was stopped,
        in whatever way, goes on where it was when it is started again, and ends with the same
        files, byte for byte. Repeats and methods can be added later; only what is new is computed.
        Without a folder, a run that is stopped leaves nothing.
    n_jobs : int or None
        Number of processes; None is one, -1 as many as there are processors. The results are the
        same for any number.
    client : dask.distributed.Client, optional
        Let the workers of a cluster do the work, in place of processes of this machine. Results are
        written here, and are the same.
    progress : bool or None
        Whether to show a progress bar on standard error; by default where that is a terminal.

    Returns
    -------
    Results
        Accuracies, chosen parameters, and :meth:`~Results.summary`.

    Examples
    --------
    >>> from grafik import datasets
    >>> from grafik.evaluation import PROTOCOLS, evaluate
    >>> graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    >>> three = PROTOCOLS["quick"].with_values(n_splits=3)
    >>> results = evaluate(["wl", "fwl-triangles"], graphs, y, protocol=three)
    >>> for score in results.summary().scores:
    ...     print(score.title, round(score.accuracy, 1))
    WL 33.3
    FWL-triangles 66.7
    """
    followed = as_protocol(protocol)
    processes = n_threads(n_jobs)
    by_name = {method.name: method for method in as_methods(methods, followed.normalize)}
    if followed.thresholds_from == "all":
        _refuse_models(by_name)
    batch = as_graphs(graphs)
    given = _checked_classes(y, len(batch))
    classes, codes = np.unique(given, return_inverse=True)
    together = None if groups is None else group_codes(groups, len(batch))
    _check_counts(given, followed)
    work = Work(batch, codes.astype(np.int64), by_name, followed, together)
    if together is not None:
        work.check_folds()  # now, and not after hours
    digest = data_digest(batch, given)
    data = DataRecord(name, digest, len(batch), [str(one) for one in classes])
    if together is not None:
        data = replace(data, n_groups=int(together.max()) + 1, groups=groups_digest(together))
    header = Header(
        data=data,
        methods={key: method.record(followed) for key, method in by_name.items()},
        protocol=followed.record(),
        random_state=followed.random_state,
        folds=[work.fold_of_graphs(repeat) for repeat in range(followed.repeats)],
        thresholds_from=followed.thresholds_from,
        normalize=followed.normalize,
        versions=versions(),
    )
    compute = partial(results_of, n_processes=processes)
    if client is not None:
        from ..distributed import checked_client, units_on

        compute = partial(units_on, checked_client(client))
    return _run(work, header, out, compute, progress)


def _run(
    work: Work,
    header: Header,
    out: str | os.PathLike[str] | None,
    compute: Callable[[Work, Sequence[Unit]], Generator[Any, None, None]],
    progress: bool | None,
) -> Results:
    units = work.units()
    what = " ".join(filter(None, ["evaluating", header.data.name]))
    place = {unit: i for i, unit in enumerate(units)}
    found: dict[Unit, dict[str, Any]] = {}
    with contextlib.ExitStack() as stack:
        journal = None
        if out is not None:
            journal = stack.enter_context(Journal(expanded(out) / FILE, header.to_json(), _extends))
            known = Results.of_file(header, journal.entries, journal.path)
            found = {_unit_of(entry): entry for entry in known.units}
        advance = stack.enter_context(progress_bar(what, len(units), progress, len(found)))
        todo = [unit for unit in units if unit not in found]
        # This is closed before the journal, so that no process is left whatever happens.
        computed = stack.enter_context(contextlib.closing(compute(work, todo)))
        for entry, seconds in computed:
            unit = _unit_of(entry)
            found[unit] = entry
            if journal is not None:
                journal.append(entry)
                _note(journal.path.parent, unit, seconds)
            advance(1)
        results = Results(header, sorted(found.values(), key=lambda e: place[_unit_of(e)]))
        if journal is not None:
            journal.finish(results.units)
            _write_summary(results, journal.path.parent)
    return results


def _refuse_models(methods: dict[str, Method | ModelMethod]) -> None:
    """Refuse models where thresholds come from all graphs: they see the training part alone."""
    found = [name for name, method in methods.items() if isinstance(method, ModelMethod)]
    if found:
        raise ValueError(
            f"{found[0]} is a model, which learns from the training part alone, so that "
            "thresholds_from='all' is not possible; leave it out, or use thresholds_from='train'"
        )


def _extends(wanted: dict[str, Any], found: dict[str, Any]) -> bool:
    """Tell whether the wanted run includes all units of the run found in a file."""
    try:
        return Header.from_json(wanted).extends(Header.from_json(found))
    except ValueError:
        return False


def _write_summary(results: Results, folder: Path) -> None:
    """Write the tables of results into their folder."""
    summary = results.summary()
    texts = {"md": summary.to_markdown(), "csv": summary.to_csv(), "json": summary.to_json()}
    for suffix, text in texts.items():
        with replacing(folder / f"summary.{suffix}") as part:
            part.write_text(text)


def _unit_of(entry: dict[str, Any]) -> Unit:
    return Unit(entry["method"], entry["repeat"], entry["fold"])


def _note(folder: Path, unit: Unit, seconds: float) -> None:
    """Write down how long a unit took; errors are ignored, as no result depends on it."""
    line = json.dumps({**unit._asdict(), "seconds": round(seconds, 3)})
    with contextlib.suppress(OSError), (folder / "timings.jsonl").open("a") as file:
        file.write(f"{line}\n")


def _checked_classes(y: Any, n_graphs: int) -> NDArray[Any]:
    """Return the class of each graph."""
    if y is None:
        raise ValueError("classes are needed, one for each graph; this data has none")
    given = as_classes(y)
    if given.shape != (n_graphs,):
        raise ValueError(f"y must have one class for each of {n_graphs} graphs, got {given.shape}")
    if given.dtype.kind == "f" and not np.all(given == np.round(given)):
        raise ValueError("y must be classes, got numbers that are not whole")
    n_classes = len(np.unique(given))
    if n_classes < 2:
        raise ValueError(f"at least two classes are needed, got {n_classes}")
    return given


def _check_counts(y: NDArray[Any], protocol: Protocol) -> None:
    """Refuse classes that cannot be cut into folds."""
    classes, counts = np.unique(y, return_counts=True)
    outer, inner = protocol.n_splits, protocol.inner_splits
    rare = int(counts.argmin())
    # Every inner fold of every training part must contain every class.
    least = needed(int(counts[rare]), outer, inner)
    if counts[rare] < least:
        raise ValueError(
            f"{outer} outer and {inner} inner folds need at least {least} graphs of each class, "
            f"but class {classes[rare]} has {counts[rare]}; "
            f"{fewer(most_folds(y, outer, inner))}, or leave the class out"
        )
