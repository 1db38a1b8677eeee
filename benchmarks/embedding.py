"""Explicit maps and search: how exact, how accurate, how fast.

Run with ``./run bench embedding``; writes ``benchmarks/results/embedding.json``, from which the
numbers in ``docs/embeddings.md`` are made. One thread throughout; seconds are those of the
processor, so that other programs on the machine do not count.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, LinearSVC

from grafik import FiltrationEmbedding, FiltrationKernel, GraphIndex, Graphs, datasets, wasserstein
from grafik.filtration.axis import unit_axis
from grafik.kernels.postings import postings_of

from . import inputs
from .machine import load, write_result
from .measure import tell
from .ours import PAPER_LABELS

# Options of the kernel for each data set.
DATA = {
    "MUTAG": {},
    "PTC_MR": {},
    "DHFR": {},
    "ENZYMES": {},
    "BZR_MD": {"weight": "attribute"},
    "NCI1": {},
    "IMDB-BINARY": {"n_levels": 10},
    "EGO-1": {"n_levels": 10},
    "REDDIT-BINARY": {"n_levels": 10},
}
# Of the kernel machine, and of a linear machine that is as accurate and trained in little time: the
# squared hinge loss and a loose tolerance.
C, LINEAR_C, TOLERANCE, FOLDS = 8.0, 4.0, 1.0, 10
# How many times as many graphs as NCI1 has; the others are variants of them.
TIMES, SEARCH_TIMES = (1, 2, 4, 8), (1, 12)
BINS, COMPONENTS = (1, 2, 4, 8, 16), (2**10, 2**12, 2**14, 2**16, 2**18)
SEEDS = 200


def processor(call: Callable[[], object], repeats: int = 1) -> float:
    """Return the seconds that a call takes of one processor, the least of several."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def exact() -> list[dict]:
    """Compare products of exact vectors with Gram matrices, entry by entry."""
    rows = []
    for name, options in DATA.items():
        if inputs.missing(name):
            rows.append({"data": name, "missing": inputs.missing(name)})
            continue
        graphs = inputs.read(name)
        options = {"features": PAPER_LABELS, **options}
        kernel, embedding = FiltrationKernel(**options), FiltrationEmbedding(**options)
        gram, vectors = kernel.fit_transform(graphs), embedding.fit_transform(graphs)
        worst = 0.0
        for start in range(0, len(graphs), 500):
            part, products = gram[start : start + 500], vectors[start : start + 500] @ vectors.T
            worst = max(worst, _largest_error(products.toarray(), part))
        rows.append(
            {
                "data": name,
                "graphs": len(graphs),
                "levels": len(embedding.alphas_),
                "columns": vectors.shape[1],
                "entries": vectors.nnz,
                "largest_relative_error": worst,
                "map_seconds": processor(partial(embedding.fit_transform, graphs), 3),
                "gram_seconds": processor(partial(kernel.fit_transform, graphs), 3),
            }
        )
        tell(f"exact, {name}: error {worst:.1e}")
    return rows


def _largest_error(found: np.ndarray, expected: np.ndarray) -> float:
    apart = np.abs(found - expected)
    return float(np.divide(apart, expected, out=apart, where=expected > 0).max())


def accuracy() -> dict:
    """Cross-validate a kernel machine and linear machines on NCI1, on the same folds."""
    graphs, y = datasets.read_tu(inputs.folder() / "NCI1")
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(y)), y)
    ways = {
        "kernel": (FiltrationKernel(PAPER_LABELS, normalize=True), _kernel_machine()),
        "exact": (FiltrationEmbedding(PAPER_LABELS, normalize=True), _linear_machine()),
        "hashed": (
            FiltrationEmbedding(PAPER_LABELS, normalize=True, method="hashed"),
            _linear_machine(),
        ),
    }
    scores: dict[str, list[float]] = {name: [] for name in ways}
    for train, test in splits:
        for name, (transformer, machine) in ways.items():
            machine.fit(transformer.fit_transform(graphs[train]), y[train])
            scores[name].append(machine.score(transformer.transform(graphs[test]), y[test]))
        tell(f"accuracy: {[f'{name} {np.mean(s):.4f}' for name, s in scores.items()]}")
    return {"data": "NCI1", "C": C, "linear_C": LINEAR_C, "tol": TOLERANCE, "folds": FOLDS} | {
        name: {"mean": float(np.mean(found)), "std": float(np.std(found)), "folds": found}
        for name, found in scores.items()
    }


def _kernel_machine() -> SVC:
    return SVC(kernel="precomputed", C=C)


def _linear_machine() -> LinearSVC:
    return LinearSVC(C=LINEAR_C, tol=TOLERANCE, max_iter=10_000, random_state=0)


def training() -> list[dict]:
    """Time the training of both machines on NCI1, and on variants of it."""
    graphs, y = datasets.read_tu(inputs.folder() / "NCI1")
    rows = []
    for times in TIMES:
        many, classes = inputs.variants(graphs, times), np.tile(y, times)
        ways = {
            "kernel": (FiltrationKernel(PAPER_LABELS, normalize=True), _kernel_machine()),
            "exact": (FiltrationEmbedding(PAPER_LABELS, normalize=True), _linear_machine()),
            "hashed": (
                FiltrationEmbedding(PAPER_LABELS, normalize=True, method="hashed"),
                _linear_machine(),
            ),
        }
        row: dict = {"graphs": len(many)}
        for name, (transformer, machine) in ways.items():
            start = time.process_time()
            found = transformer.fit_transform(many)
            middle = time.process_time()
            machine.fit(found, classes)
            row[name] = {"map_seconds": middle - start}
            row[name]["machine_seconds"] = time.process_time() - middle
        for name in ("exact", "hashed"):
            row[name]["times_faster"] = sum(row["kernel"].values()) / sum(row[name].values())
        tell(f"training, {len(many)} graphs: {row['exact']['times_faster']:.2f} times faster")
        rows.append(row)
    return rows


def throughput() -> list[dict]:
    """Time hashed vectors of NCI1 with three levels and labels of depth five, warm."""
    graphs, rows = inputs.read("NCI1"), []
    for n_bins in BINS:
        embedding = FiltrationEmbedding(PAPER_LABELS, method="hashed", n_bins=n_bins).fit(graphs)
        entries = embedding.transform(graphs).nnz
        # A new view each time: a batch remembers its neighbour lists.
        seconds = processor(lambda e=embedding: e.transform(graphs[:]), 5)
        rows.append(
            {
                "n_bins": n_bins,
                "graphs_per_second": len(graphs) / seconds,
                "entries_per_graph": entries / len(graphs),
            }
        )
        tell(f"throughput, {n_bins} grids: {rows[-1]['graphs_per_second']:.0f} graphs per second")
    return rows


def unbiased() -> dict:
    """Compare means and variances of products over many seeds with the kernel and the law."""
    graphs = inputs.read("MUTAG")[:30]
    kernel = FiltrationKernel(PAPER_LABELS, gamma=2.0)
    gram, n_bins, n_components = kernel.fit_transform(graphs), 4, 2**14
    options = {"thresholds": kernel.alphas_.tolist(), "gamma": kernel.gamma, "n_bins": n_bins}
    embedding = FiltrationEmbedding(
        PAPER_LABELS, method="hashed", n_components=n_components, **options
    )
    found = []
    for seed in range(SEEDS):
        vectors = embedding.set_params(random_state=seed).transform(graphs)
        found.append((vectors @ vectors.T).toarray())
    apart = np.triu_indices(len(graphs), 1)
    expected, law = gram[apart], variance(kernel, gram, n_bins, n_components)[apart]
    products = np.array([one[apart] for one in found])
    scores = (products.mean(0) - expected) / np.sqrt(law / SEEDS)
    by_seed = (products / expected - 1).mean(1)
    result = {
        "data": "MUTAG:30",
        "gamma": kernel.gamma,
        "seeds": SEEDS,
        "n_bins": n_bins,
        "n_components": n_components,
        "pairs": len(scores),
        "largest_score": float(np.abs(scores).max()),
        "mean_relative_bias": float(by_seed.mean()),
        "standard_error_of_bias": float(by_seed.std(ddof=1) / np.sqrt(SEEDS)),
        "variance_over_law": float((products.var(0, ddof=1) / law).mean()),
    }
    tell(f"unbiased: {result}")
    return result


def variance(
    kernel: FiltrationKernel, gram: np.ndarray, n_bins: int, n_components: int
) -> np.ndarray:
    r"""Return the variance of hashed products that docs/embeddings.md states.

    With base kernels `k` and :math:`p = e^{-\gamma}`, the probability that a grid has one bin.
    """
    plain, once, twice = (_squared_masses(kernel, times * kernel.gamma) for times in (0, 1, 2))
    of_grids = (once - twice) / n_bins
    own, p = np.diag(gram), np.exp(-kernel.gamma)
    together = plain * p**2 * (1 - 1 / n_bins) + once / n_bins
    of_hashes = np.outer(own, own) + gram**2 + of_grids - 2 * together
    return of_grids + of_hashes / n_components


def _squared_masses(kernel: FiltrationKernel, gamma: float) -> np.ndarray:
    """Return the sum of (m m')^2 exp(-gamma W1) over features, by definition."""
    axis, counted = unit_axis(kernel.alphas_)[0], kernel.histograms_
    tables = [counted[g] for g in range(len(counted))]
    result = np.zeros((len(tables),) * 2)
    for i, x in enumerate(tables):
        for j, y in enumerate(tables[: i + 1]):
            result[i, j] = result[j, i] = sum(
                (x[f].sum() * y[f].sum()) ** 2 * np.exp(-gamma * wasserstein(x[f], y[f], axis))
                for f in x.keys() & y.keys()
            )
    return result


def errors() -> list[dict]:
    """Measure how far normalised hashed products are from the kernel, on pairs of NCI1."""
    graphs = inputs.read("NCI1:1000")
    gram = FiltrationKernel(PAPER_LABELS, normalize=True).fit_transform(graphs)
    apart, rows = ~np.eye(len(graphs), dtype=bool), []
    cases = [(n_bins, 2**18) for n_bins in BINS] + [(4, size) for size in COMPONENTS]
    for n_bins, n_components in dict.fromkeys(cases):
        vectors = FiltrationEmbedding(
            PAPER_LABELS, method="hashed", normalize=True, n_bins=n_bins, n_components=n_components
        ).fit_transform(graphs)
        difference = ((vectors @ vectors.T).toarray() - gram)[apart]
        rows.append(
            {
                "n_bins": n_bins,
                "n_components": n_components,
                "root_mean_square": float(np.sqrt(np.mean(difference**2))),
            }
        )
        tell(f"errors: {rows[-1]}")
    return rows


def search() -> list[dict]:
    """Search NCI1, and variants of it, for some of its own graphs."""
    return [_search(times, normalize) for times in SEARCH_TIMES for normalize in (False, True)]


def _search(times: int, normalize: bool) -> dict:
    graphs = inputs.read("NCI1")
    many, queries = inputs.variants(graphs, times), graphs[:: 10 * min(times, 5)]
    kernel = FiltrationKernel(PAPER_LABELS, normalize=normalize).fit(many)
    index = GraphIndex(kernel).add(many)
    found, near = index.search(queries), index.search(queries, approximate=True)
    full = kernel.transform(queries)
    best = np.argsort(-full, axis=1, kind="stable")[:, :10]
    row = {
        "graphs": len(many),
        "normalize": normalize,
        "queries": len(queries),
        "same_top_ten": float((found.graphs == best).all(axis=1).mean()),
        "same_bits": bool((found.similarities == np.take_along_axis(full, best, axis=1)).all()),
        "touched": float(found.touched.mean()),
        "touched_most": float(found.touched.max()),
        "shared": _shared(kernel, queries),
        "seconds": processor(partial(index.search, queries), 3) / len(queries),
        # Of equally similar graphs any will do.
        "approximate_recall": float((near.similarities >= found.similarities[:, -1:]).mean()),
        "approximate_touched": float(near.touched.mean()),
        "approximate_seconds": processor(partial(index.search, queries, approximate=True), 3)
        / len(queries),
    }
    tell(f"search: {row}")
    return row


def _shared(kernel: FiltrationKernel, queries: Graphs) -> float:
    """Return the mean part of all entries that have a feature of a query."""
    known = postings_of(kernel.histograms_)
    same = FiltrationKernel(PAPER_LABELS, thresholds=kernel.alphas_.tolist())
    asked = postings_of(same.fit(queries).histograms_)
    keys, wanted = (
        list(zip(found.depths.tolist(), found.features.tolist(), strict=True))
        for found in (known, asked)
    )
    sizes = dict(zip(keys, np.diff(known.row_ptr).tolist(), strict=True))
    uses = np.diff(asked.row_ptr).tolist()
    total = sum(sizes.get(key, 0) * n for key, n in zip(wanted, uses, strict=True))
    return total / len(queries) / len(known.graphs)


SECTIONS = {
    "exact": exact,
    "accuracy": accuracy,
    "training": training,
    "throughput": throughput,
    "unbiased": unbiased,
    "errors": errors,
    "search": search,
}


def main(only: Sequence[str] = (), to: str = "embedding") -> None:
    """Measure the sections, by default all, and write the result file."""
    result: dict = {"complete": not only, "load": load()}
    for name, measure in SECTIONS.items():
        if not only or name in only:
            result[name] = measure()
    tell(f"written to {write_result(to, result)}")
