"""What carries the gain: weights, masses by minimum, the Gaussian, how many filtrations, and more.

    python experiments/beyond/ablations.py [--data FOLDER] [--only MUTAG,EGO-1] [--jobs 2]

FOLDER has data sets in TU format; by default it is that in the environment variable GRAFIK_DATA.
All variants of a fold are made from the same passes over the graphs, and written to
`ablations/units.jsonl` when they are done, so that a run that was stopped goes on where it was.
`ablations/results.json` and `results.md` are made from that file, with --tables-only from what is
there. It takes about a quarter of an hour of one processor.

Ten folds once, the same as those of `grafik reproduce beyond`; three folds inside each training
part choose among a few depths, gammas and values of C, the same for all variants. Thresholds and
weights of parts are learned from the training part.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grafik import Filtration, FiltrationKernel, Graphs, datasets, weights
from grafik.evaluation import PROTOCOLS
from grafik.evaluation.unit import Work
from grafik.features import WeisfeilerLehman
from grafik.features.histograms import Histograms
from grafik.kernels.counting import FeatureCounter
from grafik.kernels.gram import KernelOnHistograms
from grafik.kernels.normalised import RunningMean, gaussian_of
from grafik.large.fingerprint import data_digest
from grafik.models.selection import select
from grafik.models.svm import score_path
from grafik.reproduction.tables import markdown_table, signed, write_text
from grafik.system.journal import Journal, read_journal
from grafik.system.processes import results_of
from grafik.system.versions import processor, versions

FOLDER = Path(__file__).parent / "ablations"
UNITS = "units.jsonl"
DATA = ("MUTAG", "PTC_MR", "DHFR", "IMDB-BINARY", "EGO-1", "EGO-2")
SEVEN: dict[str, Any] = {
    "degree": "degree",
    "walks": weights.Walks(3),
    "triangles": "triangles",
    "core": "core",
    "jaccard": "jaccard",
    "curvature": "curvature",
    "betweenness": "betweenness",
}
MASSES = ("linear", "min")
LEVELS, DEPTHS, GAMMAS, SIGMA, CS = 4, (1, 3), (1.0, 8.0), 4.0, (1.0, 16.0, 256.0)
PROTOCOL = PROTOCOLS["quick"].with_values(repeats=1, Cs=CS)

# Gram matrices, by depth and gamma.
Grid = dict[tuple[int, float], NDArray[np.float64]]


class Variant(NamedTuple):
    """A kernel that is compared with others.

    Attributes
    ----------
    parts : tuple of str
        Names of weights; none for plain Weisfeiler-Lehman labels.
    mass : {"linear", "min"}
    gaussian : bool
    aligned : bool
        Whether parts count by their alignment with the classes instead of equally.
    once : bool
        Whether labels of isolated vertices count at depth 0 alone.
    """

    parts: tuple[str, ...]
    mass: str = "linear"
    gaussian: bool = False
    aligned: bool = False
    once: bool = False

    @property
    def name(self) -> str:
        """Name in files and tables."""
        parts = "WL" if not self.parts else "+".join(self.parts)
        if len(self.parts) > 1:
            first = self.parts == tuple(SEVEN)[: len(self.parts)]
            without = [name for name in SEVEN if name not in self.parts]
            parts = f"first {len(self.parts)}" if first else f"all but {', '.join(without)}"
        marks = (("aligned", self.aligned), ("isolated once", self.once), ("G", self.gaussian))
        return ", ".join([parts, self.mass, *(mark for mark, is_on in marks if is_on)])


def variants() -> list[Variant]:
    """Return all that is compared."""
    names = tuple(SEVEN)
    found = []
    for parts in ((), *((name,) for name in names), *(names[:n] for n in (3, 5, 7))):
        found += [Variant(parts, mass, on) for mass in MASSES for on in (False, True)]
    for left_out in names:
        found.append(Variant(tuple(n for n in names if n != left_out), "min", True))
    for mass in MASSES:
        found += [Variant(names, mass, on, aligned=True) for on in (False, True)]
        found += [Variant(names, mass, on, once=True) for on in (False, True)]
        found.append(Variant(names[:1], mass, once=True))
    return found


def isolated_features(graphs: Graphs, extractor: WeisfeilerLehman) -> NDArray[np.uint64]:
    """Return the features of depth above 0 that isolated vertices have, and no others.

    They depend on the vertex's label alone, so they are those of graphs of one vertex.
    """
    labels = None if graphs.node_labels is None else sorted({*graphs.node_labels}, key=repr)
    shown = None if labels is None else [[label] for label in labels]
    n_single = 1 if labels is None else len(labels)
    single = Graphs.from_edge_lists([[]] * n_single, [1] * n_single, node_labels=shown)
    found = extractor.histograms(single, Filtration(n_levels=1).fit(single))
    return np.unique(found.features[found.depths > 0])


def without(x: Histograms, features: NDArray[np.uint64]) -> Histograms:
    """Return histograms without some features."""
    kept = np.flatnonzero(~np.isin(x.features, features))
    lengths = np.diff(x.run_ptr)
    of_row = np.repeat(np.arange(len(lengths)), lengths)
    runs = np.isin(of_row, kept)
    return Histograms(
        x.n_levels,
        np.searchsorted(kept, x.graph_ptr),
        x.depths[kept],
        x.features[kept],
        np.concatenate([[0], np.cumsum(lengths[kept])]),
        x.run_levels[runs],
        x.run_counts[runs],
    )


def alignment(gram: NDArray[np.float64], y: NDArray[Any]) -> float:
    """Return the centred alignment of a matrix with the classes; 0 if it is negative or undefined.

    That of Cortes, Mohri, Rostamizadeh: Algorithms for Learning Kernels Based on Centered
    Alignment, JMLR 2012, with 1 for graphs of the same class and 0 for others.
    """
    ideal = (y[:, None] == y).astype(np.float64)
    a, b = (_centred(one) for one in (gram, ideal))
    norms = float(np.linalg.norm(a) * np.linalg.norm(b))
    return max(0.0, float((a * b).sum()) / norms) if norms > 1e-9 else 0.0


def _centred(gram: NDArray[np.float64]) -> NDArray[np.float64]:
    means = gram.mean(axis=0)
    return np.asarray(gram - means - means[:, None] + means.mean())


class Fold:
    """The Gram matrices of one training part, by name of weight, mass and `once`.

    The empty name is plain Weisfeiler-Lehman labels. With `once`, there are those of the first
    weight, and under "all" the means of all.
    """

    def __init__(self, graphs: Graphs, y: NDArray[np.int64], train: NDArray[np.intp]) -> None:
        self.graphs, self.y, self.train = graphs, y, train
        self.extractor = WeisfeilerLehman(max(DEPTHS), edge_labels=False)
        self.isolated = isolated_features(graphs, self.extractor)
        self.grids: dict[tuple[str, str, bool], Grid] = {}
        self._add("", "degree", 1)
        for name, weight in SEVEN.items():
            self._add(name, weight, LEVELS)
        for mass in MASSES:
            several = [self.grids.pop((name, mass, True)) for name in SEVEN]
            self.grids[next(iter(SEVEN)), mass, True] = several[0]
            self.grids["all", mass, True] = {
                key: mean_of([grid[key] for grid in several], [1.0] * len(SEVEN))
                for key in several[0]
            }

    def _add(self, name: str, weight: Any, n_levels: int) -> None:
        """Compute all matrices of one weight."""
        filtration = Filtration(weight, n_levels=n_levels)
        filtration.fit(self.graphs[self.train])
        x = FeatureCounter(filtration, self.extractor).count(self.graphs)
        for mass in MASSES:
            plain = FiltrationKernel(mass=mass, normalize=True)
            kernel = KernelOnHistograms.of(plain).at(filtration.alphas_)
            for once in (False, True) if name else (False,):
                counted = without(x, self.isolated) if once else x
                self.grids[name, mass, once] = {
                    (depth or 0, gamma): gram
                    for depth, gamma, gram in kernel.grid(counted, DEPTHS, GAMMAS)
                }

    def grams(self, variant: Variant) -> Iterator[tuple[dict[str, Any], NDArray[np.float64]]]:
        """Yield the matrices of a variant, with their parameters."""
        names = variant.parts or ("",)
        if variant.once and len(names) > 1:
            names = ("all",)
        grids = [self.grids[name, variant.mass, variant.once] for name in names]
        here = np.ix_(self.train, self.train)
        for key in grids[0]:
            several = [grid[key] for grid in grids]
            shares = [1.0] * len(several)
            if variant.aligned:
                shares = [alignment(gram[here], self.y[self.train]) for gram in several]
            found = mean_of(several, shares)
            if variant.gaussian:
                own = found.diagonal().copy()
                gaussian_of(found, SIGMA, own, own, found)
            yield {"depth": key[0], "gamma": key[1]}, found


def mean_of(grams: list[NDArray[np.float64]], shares: list[float]) -> NDArray[np.float64]:
    """Return the weighted mean of normalised matrices; the plain one if all weights are 0."""
    mean = RunningMean(np.empty(grams[0].shape))
    for gram, share in zip(grams, shares, strict=True):
        if share > 0 or not any(shares):
            mean.add(gram, share or 1.0)
    return mean.finished()


def unit(work: Work, name: str, number: int) -> dict[str, Any]:
    """Return how many graphs of a test part each variant has right."""
    train, test = work.folds(0)[number]
    inner = work.inner_folds(train, 0, number)
    fold = Fold(work.graphs, work.y, train)
    right = {}
    for variant in variants():
        chosen = select(fold.grams(variant), work.y, inner, CS)
        final = score_path(chosen.gram, work.y, train, test, [chosen.best["C"]])
        right[variant.name] = round(float(final.scores[0]) * len(test))
    return {"data": name, "fold": number, "n_test": len(test), "correct": right}


def measure(folder: Path, names: Iterable[str], n_jobs: int) -> None:
    """Do all folds of some data sets that are not done yet."""
    for name in names:
        graphs, y = datasets.read_tu(folder / name)
        work = Work(graphs, np.unique(y, return_inverse=True)[1], {}, PROTOCOL)
        header = {
            "data": {"name": name, "sha256": data_digest(graphs, y)},
            "variants": [variant.name for variant in variants()],
            "grid": [LEVELS, DEPTHS, GAMMAS, SIGMA, CS],
            "versions": versions(),
        }
        with Journal(FOLDER / name / UNITS, header) as journal:
            done = {entry["fold"] for entry in journal.entries}
            todo = [fold for fold in range(PROTOCOL.n_splits) if fold not in done]

            def one(fold: int, name: str = name, work: Work = work) -> dict[str, Any]:
                return unit(work, name, fold)

            for entry in results_of(one, todo, n_jobs):
                journal.append(entry)
                print(f"{name}, fold {entry['fold']}", flush=True)
            journal.finish(sorted(journal.entries, key=lambda entry: entry["fold"]))
        about = {
            "date": datetime.now(UTC).date().isoformat(),
            "processor": processor(),
            "versions": versions(),
        }
        write_text(FOLDER / name / "about.json", json.dumps(about, indent=1) + "\n")


def questions() -> dict[str, list[tuple[str, Variant, Variant]]]:
    """Return what is asked: pairs of variants whose difference answers it."""
    names = tuple(SEVEN)
    plain, best = Variant(names), Variant(names, "min", gaussian=True)
    wl = Variant(())
    counts = ((3, 1), (5, 3), (7, 5))
    return {
        "The smaller mass instead of the product": [
            ("WL", wl._replace(mass="min"), wl),
            *((name, Variant((name,), "min"), Variant((name,))) for name in names),
            ("all seven", plain._replace(mass="min"), plain),
            ("all seven, Gaussian", best, best._replace(mass="linear")),
        ],
        "A Gaussian on top": [
            (f"{what}, {mass}", one._replace(mass=mass, gaussian=True), one._replace(mass=mass))
            for what, one in (("WL", wl), ("all seven", plain))
            for mass in MASSES
        ],
        "More filtrations (min, Gaussian)": [
            ("degree instead of none", best._replace(parts=names[:1]), best._replace(parts=())),
            *(
                (
                    f"{n} instead of {m}",
                    best._replace(parts=names[:n]),
                    best._replace(parts=names[:m]),
                )
                for n, m in counts
            ),
        ],
        "What each filtration adds to the other six (min, Gaussian)": [
            (name, best, best._replace(parts=tuple(n for n in names if n != name)))
            for name in names
        ],
        "Parts weighted by centred alignment instead of equally": [
            (_how(one), one._replace(aligned=True), one) for one in _ways(plain)
        ],
        "Labels of isolated vertices once instead of at every depth": [
            ("degree, linear", Variant(names[:1], once=True), Variant(names[:1])),
            ("degree, min", Variant(names[:1], "min", once=True), Variant(names[:1], "min")),
            *((_how(one), one._replace(once=True), one) for one in _ways(plain)),
        ],
    }


def _ways(variant: Variant) -> list[Variant]:
    return [variant._replace(mass=mass, gaussian=on) for mass in MASSES for on in (False, True)]


def _how(variant: Variant) -> str:
    return f"all seven, {variant.mass}{', Gaussian' if variant.gaussian else ''}"


def read_units() -> dict[str, list[dict[str, Any]]]:
    """Return the folds of all data sets that are complete."""
    found = {}
    for name in DATA:
        path = FOLDER / name / UNITS
        if path.is_file():
            entries = read_journal(path)[1]
            if len(entries) == PROTOCOL.n_splits:
                found[name] = entries
    return found


def results(units: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return accuracies of all variants, and differences of pairs with their standard errors."""
    shares = {
        (name, variant.name): np.array([e["correct"][variant.name] / e["n_test"] for e in entries])
        for name, entries in units.items()
        for variant in variants()
    }
    accuracy = {
        variant.name: {name: _percent(shares[name, variant.name].mean()) for name in units}
        for variant in variants()
    }
    pairs = [
        {
            "question": question,
            "what": what,
            "with": one.name,
            "without": other.name,
            "data": name,
            "difference": _percent(gaps.mean()),
            "standard_error": _percent(gaps.std(ddof=1) / math.sqrt(len(gaps))),
        }
        for question, asked in questions().items()
        for what, one, other in asked
        for name in units
        for gaps in [shares[name, one.name] - shares[name, other.name]]
    ]
    return {"accuracy": accuracy, "pairs": pairs}


def _percent(value: float) -> float:
    return round(100 * float(value), 2)


def markdown(found: dict[str, Any], names: list[str]) -> str:
    """Return the tables for people."""
    parts = [_ABOUT]
    for question in questions():
        mine = [pair for pair in found["pairs"] if pair["question"] == question]
        rows = []
        for what in dict.fromkeys(pair["what"] for pair in mine):
            here = [pair for pair in mine if pair["what"] == what]
            gaps = [pair["difference"] for pair in here]
            cells = [f"{signed(p['difference'])} ± {p['standard_error']:.2f}" for p in here]
            rows.append([what, *cells, signed(sum(gaps) / len(gaps))])
        table = markdown_table(["difference, %", *names, "mean"], rows)
        parts.append(f"## {question}\n\n{table}")
    rows = [
        [name, *(f"{by_data[one]:.1f}" for one in names), f"{np.mean([*by_data.values()]):.1f}"]
        for name, by_data in found["accuracy"].items()
    ]
    table = markdown_table(["accuracy, %", *names, "mean"], rows)
    parts.append(f"## All variants\n\nG is a Gaussian on top.\n\n{table}")
    absent = [name for name in DATA if name not in names]
    parts += [f"Not run, or not complete: {', '.join(absent)}."] if absent else []
    return "\n\n".join(parts) + "\n"


_ABOUT = (
    "# What carries the gain\n\n"
    "Made by `experiments/beyond/ablations.py` from the files in this folder. Ten folds once; "
    f"{LEVELS} levels, depths {DEPTHS}, gammas {GAMMAS}, sigma {SIGMA:g} and C {CS}, chosen by "
    "three folds inside each training part; thresholds, and alignments, learned from the training "
    "part. Filtrations in this order: degree, walks up to 3, triangles, core, jaccard, curvature, "
    "betweenness. Differences are of the same folds, with their standard errors, which are too "
    "small, as folds share training graphs. There are many pairs and one repeat: a single "
    "difference of two standard errors means little."
)


def write_results() -> None:
    """Write the tables of what is complete."""
    units = read_units()
    if not units:
        return
    found = results(units)
    about = {
        name: json.loads(path.read_text())
        for name in units
        if (path := FOLDER / name / "about.json").is_file()
    }
    write_text(FOLDER / "results.json", json.dumps({"about": about, **found}, indent=1) + "\n")
    write_text(FOLDER / "results.md", markdown(found, list(units)))


def main() -> None:
    """Measure what is not measured yet, and write the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("GRAFIK_DATA"))
    parser.add_argument("--only", default=",".join(DATA), help="data sets, separated by commas")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--tables-only", action="store_true")
    given = parser.parse_args()
    if not given.tables_only:
        if given.data is None:
            parser.error("say where the data sets are: --data FOLDER, or GRAFIK_DATA")
        measure(Path(given.data), given.only.split(","), given.jobs)
    write_results()


if __name__ == "__main__":
    main()
