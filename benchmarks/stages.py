"""What is measured of large graphs, also by stage: each function prepares, and returns the call.

They run with the earlier state of grafik too, so they use only what both have.
"""

import hashlib
import time
from collections.abc import Callable

import numpy as np

from grafik import FiltrationKernel, Graphs, features, weights

from .peak import forget_peak, give_back, growth_since


def gram(graphs: Graphs, n_levels: int, n_jobs: int = -1) -> Callable[[], dict]:
    """Prepare a Gram matrix; the call says how large the histograms are that it rests on."""

    def call() -> dict:
        kernel = _kernel(n_levels, n_jobs)
        kernel.fit_transform(graphs[:])
        return {"histogram_bytes": bytes_of(kernel.histograms_)}

    return call


def by_stage(graphs: Graphs, n_levels: int, rounds: int = 1) -> Callable[[], dict]:
    """Prepare the same on one thread, stage by stage: seconds, and growth above the start of each.

    What a stage makes stays there for the next one. Growth is that of the first round, seconds are
    the least of all.
    """
    from grafik.kernels.matching import matched
    from grafik.kernels.postings import shared_postings_of
    from grafik.kernels.sums import add_up, sum_diagonal

    def one_round(found: dict[str, dict]) -> int:
        kernel = _kernel(n_levels, 1)

        def stage(name: str, work: Callable) -> object:
            if name not in found:
                give_back()
            before, start = forget_peak(), time.process_time()
            made = work()
            seconds = time.process_time() - start
            known = found.setdefault(
                name, {"processor_seconds": seconds, "peak_growth_bytes": growth_since(before)}
            )
            known["processor_seconds"] = min(known["processor_seconds"], seconds)
            return made

        stage("features", lambda: kernel.fit(graphs[:]))
        histograms, how = kernel.histograms_, kernel.on_histograms()
        stage("grouping", lambda: shared_postings_of(histograms, 1))
        pairs = stage("matching", lambda: matched(histograms, histograms, how.axis.points, 1))

        def add() -> None:
            matrix = np.empty((len(graphs), len(graphs)))
            add_up(pairs, how.rate, matrix, 1, base=pairs.distances)
            np.fill_diagonal(matrix, sum_diagonal(histograms))

        stage("sums", add)
        return bytes_of(histograms)

    def call() -> dict:
        found: dict[str, dict] = {}
        sizes = [one_round(found) for _ in range(rounds)]
        return {"stages": found, "histogram_bytes": sizes[0]}

    return call


def _kernel(n_levels: int, n_jobs: int) -> FiltrationKernel:
    labels = features.WeisfeilerLehman(5, edge_labels=False)
    return FiltrationKernel(labels, weight="degree", n_levels=n_levels, n_jobs=n_jobs)


def bytes_of(histograms: object) -> int:
    """Return the bytes of all arrays of histograms, without those that were derived from them."""
    arrays: dict[int, int] = {}

    def visit(value: object) -> None:
        if isinstance(value, np.ndarray):
            arrays[id(value)] = value.nbytes
        elif isinstance(value, tuple):
            for part in value:
                visit(part)

    for name, value in vars(histograms).items():
        if name not in ("_derived", "masses"):
            visit(value)
    return sum(arrays.values())


def weight(graphs: Graphs, name: str) -> Callable[[], dict]:
    """Prepare the weights of all edges."""
    return lambda: {"digest": _digest(np.asarray(getattr(weights, name)(graphs[:])))}


def counts(graphs: Graphs, name: str, **options: int) -> Callable[[], dict]:
    """Prepare histograms of other features, at one level, on all threads."""
    extractor = getattr(features, name)(**options)
    kernel = FiltrationKernel(extractor, n_levels=1, n_jobs=-1)

    def call() -> dict:
        found = kernel.fit(graphs[:]).histograms_
        columns = found.graph_ptr, found.depths, found.features, found.masses
        # The order of the features of a graph means nothing.
        owner = np.repeat(np.arange(len(found)), np.diff(found.graph_ptr))
        order = np.lexsort((found.features, found.depths, owner))
        return {"digest": _digest(columns[0], *(column[order] for column in columns[1:]))}

    return call


def _digest(*arrays: np.ndarray) -> str:
    whole = hashlib.sha256()
    for array in arrays:
        whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()
