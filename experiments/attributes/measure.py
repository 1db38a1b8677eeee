"""What node attributes add: kernels that ignore them beside kernels that use them.

    python experiments/attributes/measure.py [FOLDER_OF_TU_DATA_SETS]

compares on DHFR, whose attributes are the coordinates of atoms, and on two sets made here, whose
classes only the attributes tell. It writes one folder for each set beside this file, the file
attributes.json, and the table of docs/attributes.md. The folder of data is that in GRAFIK_DATA by
default. Started again, it goes on where it stopped; with all results there, it only writes the
table. It takes a few minutes on an idle machine.
"""

import json
import os
import platform
import sys
import textwrap
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from grafik import AttributeLabels, FiltrationKernel, Graphs, datasets
from grafik.baselines import WassersteinWL
from grafik.evaluation import PROTOCOLS, Protocol, Summary, evaluate, swept
from grafik.evaluation.methods import METHODS, Method
from grafik.evaluation.summary import percent
from grafik.evaluation.sweeps import Grams, Sweep, over_depths, over_filtrations
from grafik.reproduction.tables import markdown_table, write_text
from grafik.system.versions import processor, versions
from grafik.weights import NodeDistance

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs" / "attributes.md"
START, END = "<!-- measured:start -->", "<!-- measured:end -->"
SEED, N_GRAPHS, BINS = 0, 200, (3, 5, 8)
PROTOCOL = PROTOCOLS["quick"].with_values(repeats=2, levels=(1, 3, 6), depths=(1, 3))


def charges() -> tuple[Graphs, np.ndarray]:
    """Return random graphs with a number at each vertex, which is larger by 1 in one class."""
    random = np.random.default_rng(SEED)
    graphs, _ = datasets.random_graphs(N_GRAPHS, (12, 20), 0.2, random_state=SEED)
    y = np.arange(N_GRAPHS) % 2
    values = random.normal(size=int(graphs.node_ptr[-1])) + np.repeat(y, graphs.n_nodes)
    return Graphs(graphs.node_ptr, graphs.edge_ptr, graphs.edges, node_attributes=values), y


def positions() -> tuple[Graphs, np.ndarray]:
    """Return points in the plane, joined where they are near; in one class they change places.

    All points of a graph are turned and moved, so that absolute positions mean nothing.
    """
    random = np.random.default_rng(SEED)
    y = np.arange(N_GRAPHS) % 2
    edges, rows = [], []
    for moved in y:
        points = random.random((int(random.integers(12, 21)), 2))
        pairs = np.array(np.triu_indices(len(points), 1)).T
        apart = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
        edges.append(pairs[apart < 0.35])
        angle, shift = random.uniform(0, 2 * np.pi), random.normal(scale=3, size=2)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        placed = random.permutation(points) if moved else points
        rows.append((placed @ turn + shift).tolist())
    return Graphs.from_edge_lists(edges, [len(row) for row in rows], node_attributes=rows), y


def over_bins(kernel: Pipeline, graphs: Graphs, train: np.ndarray, protocol: Protocol) -> Grams:
    """Sweep over numbers of bins, which are learned from the training part, and filtrations."""
    for n_bins in BINS:
        labels = clone(kernel["labels"]).set_params(n_bins=n_bins).fit(graphs[train])
        sweep = over_filtrations(kernel["kernel"], labels.transform(graphs), train, protocol)
        for parameters, matrix in sweep:
            yield {"n_bins": n_bins, **parameters}, matrix


def remembered(sweep: Sweep) -> Sweep:
    """Compute matrices once, for kernels that learn nothing from the training part."""
    kept: list[tuple[dict[str, Any], np.ndarray]] = []

    def remembering(kernel: Any, graphs: Graphs, train: Any, protocol: Protocol) -> Grams:
        if not kept:
            found = sweep(kernel, graphs, train, protocol)
            kept.extend((parameters, matrix.copy()) for parameters, matrix in found)
        return iter(kept)

    return remembering


def binned(name: str, title: str, weight: Any, **values: Any) -> Method:
    """Return a kernel on labels from attributes."""
    kernel = FiltrationKernel(weight=weight, normalize=True)
    steps = Pipeline([("labels", AttributeLabels()), ("kernel", kernel)])
    return Method(name, title, steps, over_bins, ("levels", "depths", "gammas"), values)


def methods() -> list[Method]:
    """Return all that is compared; the first three ignore attributes."""
    transport = WassersteinWL(embedding="continuous", n_jobs=-1, progress=False)
    grid = ("depths", "gammas")
    return [
        METHODS["wl"],
        METHODS["fwl-d"],
        METHODS["w-wl"],
        swept(FiltrationKernel(weight=NodeDistance()), "distance", "FWL, node distance"),
        binned("bins", "WL, attribute labels", "degree", levels=(1,)),
        binned("both", "FWL, both", NodeDistance()),
        Method("w-wl-attributes", "W-WL, attributes", transport, remembered(over_depths), grid),
    ]


def about() -> dict[str, Any]:
    """Return where the numbers come from."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "versions": versions(),
        "seed": SEED,
        "n_bins": BINS,
    }


def table(found: dict[str, dict[str, Any]]) -> str:
    """Return the accuracies of all methods on all sets."""
    rows = []
    for i, score in enumerate(found["DHFR"]["scores"]):
        cells = [score["title"]]
        for name, summary in found.items():
            here = summary["scores"][i]
            cells.append(f"{percent(here['accuracy'])} ± {percent(here['deviation'])}")
            if name == "DHFR":
                cells.append("-" if i == 0 else f"{_against_first(summary, i):.2g}")
        rows.append(cells)
    names = [f"{name}, %" for name in found]
    return markdown_table(["method", names[0], "p against WL", *names[1:]], rows)


def _against_first(summary: dict[str, Any], i: int) -> float:
    """Return the p-value of the corrected t-test of a method and the first one."""
    pair = {summary["scores"][0]["title"], summary["scores"][i]["title"]}
    return next(c["t_test"] for c in summary["comparisons"] if {c["first"], c["second"]} == pair)


def block(result: dict[str, Any]) -> str:
    """Return all that stands between the markers of the page."""
    setting = result["sets"]["DHFR"]["setting"]
    versions = result["versions"]
    text = (
        f"Accuracy of support vector machines: {setting['repeats_done']} times "
        f"{setting['n_splits']}-fold cross-validation, on the same folds for all methods; "
        f"parameters chosen by {setting['inner_splits']} folds inside each training part from a "
        "thin grid; bins and thresholds learned on each training part. Deviation over repeats; p "
        "is that of a t-test corrected for overlapping training parts. Measured on "
        f"{result['processor'] or result['machine']}, {result['date']}, Python "
        f"{versions['python']}, scikit-learn {versions['scikit-learn']}, seed {result['seed']}; "
        "`python experiments/attributes/measure.py` computes all of it again."
    )
    return f"{table(result['sets'])}\n\n{textwrap.fill(text, 100)}"


def write_page(result: dict[str, Any]) -> None:
    """Put the table into the page."""
    before, _, rest = DOCS.read_text().partition(START)
    after = rest.partition(END)[2]
    write_text(DOCS, f"{before}{START}\n\n{block(result)}\n\n{END}{after}")


def main(data: Path) -> None:
    """Evaluate all sets, and write the results and the page."""
    sets: dict[str, Callable[[], tuple[Graphs, np.ndarray]]] = {
        "DHFR": lambda: datasets.read_tu(data / "DHFR"),
        "charges": charges,
        "positions": positions,
    }
    found: dict[str, Summary] = {}
    for name, load in sets.items():
        graphs, y = load()
        results = evaluate(methods(), graphs, y, protocol=PROTOCOL, name=name, out=HERE / name)
        found[name] = results.summary()
    result = {**about(), "sets": {name: asdict(summary) for name, summary in found.items()}}
    path = HERE / "attributes.json"
    if path.is_file():
        old = json.loads(path.read_text())
        if old["sets"] == json.loads(json.dumps(result["sets"])):
            result = old  # nothing was measured, so the date stays
    write_text(path, json.dumps(result, indent=1) + "\n")
    write_page(result)


if __name__ == "__main__":
    folder = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("GRAFIK_DATA", "")
    main(Path(folder))
