"""How networks that see the filtration perform in practice: what the paper leaves open.

    python experiments/neural/measure.py [--data FOLDER] [--only MUTAG,EGO-1] [--jobs 2]

FOLDER has data sets in TU format; by default it is that in the environment variable GRAFIK_DATA. It
needs PyTorch: pip install 'grafik[neural]'. Networks without a filtration and with three are
trained on ten folds of each data set, the first of those of `grafik reproduce`, so that the
accuracies of kernels are taken from `experiments/accuracy` and `experiments/beyond`. Their seconds
are measured on the first fold. Each unit of work is written when it is done, so that a run that was
stopped goes on where it was. `neural.json`, `neural.md`, `neural.png` and the table of
`docs/neural.md` are made from what is complete, with --tables-only from what is there. Networks are
small and epochs few, so that it takes about an hour on two idle cores.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import textwrap
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grafik import datasets
from grafik.evaluation import PROTOCOLS, evaluate, read_results
from grafik.evaluation.methods import as_methods
from grafik.evaluation.results import is_begun
from grafik.evaluation.unit import Unit, Work
from grafik.large.fingerprint import data_digest
from grafik.neural import FiltrationNetworkClassifier
from grafik.plots import style
from grafik.reproduction.plan import BEYOND, PLANS
from grafik.reproduction.tables import markdown_table, signed, write_text
from grafik.system.journal import Journal, read_journal
from grafik.system.processes import results_of
from grafik.system.versions import processor, versions

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "neural.md"
START, END = "<!-- measured:start -->", "<!-- measured:end -->"
PROTOCOL = PROTOCOLS["paper"].with_values(repeats=1)
# Fixed for all methods, and not chosen on any data set: small networks and few epochs, so that all
# of it takes an hour. NCI1 has so many graphs that fewer epochs are as many steps.
FEW = {"hidden_channels": 16, "max_epochs": 50, "patience": 10}
MANY = {"hidden_channels": 16, "max_epochs": 20, "patience": 5, "batch_size": 128}
DATA = {
    **dict.fromkeys(("MUTAG", "PTC_MR", "DHFR", "IMDB-BINARY", "EGO-1", "EGO-2", "ENZYMES"), FEW),
    "NCI1": MANY,
}
WEIGHTS = {"gin": None, "degree": "degree", "curvature": "curvature", "betweenness": "betweenness"}
TITLES = {
    "gin": "GIN",
    "degree": "FiltrationGIN, degree",
    "curvature": "FiltrationGIN, curvature",
    "betweenness": "FiltrationGIN, betweenness",
    "wl": "WL",
    "fwl-d": "FWL-D",
    "default": "default kernel",
}
KERNELS = ("wl", "fwl-d", "default")
SECONDS = "seconds.jsonl"
_COLOURS = dict(
    zip(
        TITLES,
        (style.GREY, style.SKY, style.BLUE, style.GREEN, style.YELLOW, style.ORANGE, style.BLACK),
        strict=True,
    )
)


class Found(NamedTuple):
    """What is known of a method on a data set: accuracies of the ten folds, and seconds of one."""

    shares: NDArray[np.float64]
    seconds: float | None

    @property
    def mean(self) -> float:
        """Mean accuracy in percent."""
        return 100 * float(self.shares.mean())

    @property
    def error(self) -> float:
        """Standard error of the mean over folds, in percent."""
        return 100 * float(self.shares.std(ddof=1)) / math.sqrt(len(self.shares))


def networks(name: str, **changed: Any) -> dict[str, FiltrationNetworkClassifier]:
    """Return the networks that are compared on a data set."""
    options = {"progress": False, **DATA[name], **changed}
    return {method: FiltrationNetworkClassifier(one, **options) for method, one in WEIGHTS.items()}


def measure(
    folder: Path, names: Iterable[str], n_jobs: int, out: Path = HERE, **changed: Any
) -> None:
    """Train all networks that are not trained yet, and measure how long kernels take."""
    for name in names:
        graphs, y = datasets.read_tu(folder / name)
        given = {"protocol": PROTOCOL, "name": name, "out": out / name, "n_jobs": n_jobs}
        evaluate(networks(name, **changed), graphs, y, **given)
        print(f"{name}: networks are done", flush=True)


def time_kernels(folder: Path, names: Iterable[str], n_jobs: int, out: Path = HERE) -> None:
    """Measure how long kernels take on the first fold, choice of parameters included."""
    for name in names:
        graphs, y = datasets.read_tu(folder / name)
        plan = PLANS.get(name) or BEYOND[name]["compared"]
        protocol = PROTOCOL.with_values(**plan.grid)
        methods = as_methods([*plan.evaluated, "default"], protocol.normalize)
        by_name = {one.name: one for one in methods if one.name in KERNELS}
        work = Work(graphs, np.unique(y, return_inverse=True)[1], by_name, protocol)
        header = {"data": {"name": name, "sha256": data_digest(graphs, y)}, **about_machine()}
        with Journal(out / name / SECONDS, header) as journal:
            done = {entry["method"] for entry in journal.entries}

            def one(method: str, work: Work = work) -> dict[str, Any]:
                return {"method": method, "seconds": round(work(Unit(method, 0, 0))[1], 3)}

            todo = [method for method in KERNELS if method not in done]
            for entry in results_of(one, todo, n_jobs):
                journal.append(entry)
                print(f"{name}, {entry['method']}: {entry['seconds']:.1f} s", flush=True)
            journal.finish(sorted(journal.entries, key=lambda e: KERNELS.index(e["method"])))


def about_machine() -> dict[str, Any]:
    """Return what seconds depend on."""
    return {
        "processor": processor(),
        "versions": {**versions(), "torch": version("torch")},
    }


def network_results(name: str, out: Path = HERE) -> dict[str, Found]:
    """Return what networks found on a data set; nothing if they are not done."""
    if not is_begun(out / name):
        return {}
    results = read_results(out / name)
    if results.n_missing:
        return {}
    lines = (out / name / "timings.jsonl").read_text().splitlines()
    timings = [json.loads(line) for line in lines]
    return {
        method: Found(
            results.accuracies(method)[0],
            float(np.median([one["seconds"] for one in timings if one["method"] == method])),
        )
        for method in WEIGHTS
    }


def kernel_results(name: str, out: Path = HERE) -> dict[str, Found]:
    """Return what kernels found on the same folds, in the experiments that are there already."""
    own = read_results(out / name).header
    seconds = {}
    if (out / name / SECONDS).is_file():
        entries = read_journal(out / name / SECONDS)[1]
        seconds = {one["method"]: one["seconds"] for one in entries}
    found = {}
    above = HERE.parent
    places = [
        above / "accuracy" / name,
        *(above / "beyond" / name / p for p in ("compared", "default")),
    ]
    for folder in places:
        if not is_begun(folder):
            continue
        results = read_results(folder)
        theirs = results.header
        if (theirs.data.sha256, theirs.folds[0]) != (own.data.sha256, own.folds[0]):
            raise ValueError(f"{folder} has other graphs or other folds than {out / name}")
        for method in KERNELS:
            if method in results.methods and method not in found:
                shares = results.accuracies(method)[0]
                if not np.isnan(shares).any():
                    found[method] = Found(shares, seconds.get(method))
    return {method: found[method] for method in KERNELS if method in found}


def all_results(out: Path = HERE) -> dict[str, dict[str, Found]]:
    """Return all methods on all data sets that are complete."""
    found = {name: network_results(name, out) for name in DATA}
    return {name: {**own, **kernel_results(name, out)} for name, own in found.items() if own}


def as_json(found: dict[str, dict[str, Found]]) -> dict[str, Any]:
    """Return the numbers behind the tables."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        **about_machine(),
        "cores": os.cpu_count(),
        "settings": {name: DATA[name] for name in found},
        "rows": [
            {
                "data": name,
                "method": method,
                "accuracy": round(one.mean, 2),
                "standard_error": round(one.error, 2),
                "folds": one.shares.round(6).tolist(),
                "seconds": None if one.seconds is None else round(one.seconds, 2),
            }
            for name, by_method in found.items()
            for method, one in by_method.items()
        ],
    }


def block(result: dict[str, Any]) -> str:
    """Return the tables for people."""
    rows = {(row["data"], row["method"]): row for row in result["rows"]}
    names = list(dict.fromkeys(row["data"] for row in result["rows"]))
    accuracy, seconds, gaps = [], [], []
    for method, title in TITLES.items():
        mine = [rows.get((name, method)) for name in names]
        best = [max(rows[n, m]["accuracy"] for m in TITLES if (n, m) in rows) for n in names]
        accuracy.append([title, *(_cell(row, top) for row, top in zip(mine, best, strict=True))])
        times = [None if row is None else row["seconds"] for row in mine]
        seconds.append([title, *("-" if one is None else f"{one:.1f}" for one in times)])
        if WEIGHTS.get(method):
            against = [_gap(row, rows[row["data"], "gin"]) for row in mine if row is not None]
            gaps.append([title, *against])
    known = result["versions"]
    about = (
        "Networks: 16 channels, 3 layers, at most 4 levels and 50 epochs, patience 10 (NCI1: 20 "
        "epochs, patience 5, batches of 128), not tuned, one seed for all folds; a tenth of each "
        "training part held out to stop. FiltrationGIN has more weights than GIN, and computes as "
        "many times more as it has levels. Kernels: parameters chosen by folds inside each "
        "training part (NCI1: from a thin grid), accuracies from the experiments that are there "
        "already, on the same ten folds, once; vertex labels are used, other attributes are not. "
        "± is the standard error over folds, which is too small, as folds share training graphs, "
        "and leaves seeds out. Seconds are those of a clock, for one fold on one of two busy "
        "cores, choice of parameters included: the median for networks, the first fold for "
        "kernels. "
        f"{result['date']}, {result['processor']}, PyTorch {known['torch']}, Python "
        f"{known['python']}; `python experiments/neural/measure.py` computes all of it again."
    )
    return "\n\n".join(
        [
            markdown_table(["accuracy, %", *names], accuracy),
            markdown_table(["more than GIN, %", *names], gaps),
            markdown_table(["seconds", *names], seconds),
            textwrap.fill(about, 100),
        ]
    )


def _cell(row: dict[str, Any] | None, best: float) -> str:
    if row is None:
        return "-"
    mean = f"{row['accuracy']:.1f}"
    mean = f"**{mean}**" if row["accuracy"] == best else mean
    return f"{mean} ± {row['standard_error']:.1f}"


def _gap(row: dict[str, Any], other: dict[str, Any]) -> str:
    """Return the mean difference of the same folds, with its standard error."""
    gaps = 100 * (np.array(row["folds"]) - np.array(other["folds"]))
    return f"{signed(float(gaps.mean()))} ± {gaps.std(ddof=1) / math.sqrt(len(gaps)):.2f}"


def draw(result: dict[str, Any], path: Path) -> None:
    """Draw accuracies with standard errors, data set by data set."""
    names = list(dict.fromkeys(row["data"] for row in result["rows"]))
    figure = style.blank_figure(max(6.0, 1.5 * len(names)), 4.2)
    panel = figure.subplots()
    for i, (method, title) in enumerate(TITLES.items()):
        mine = [row for row in result["rows"] if row["method"] == method]
        x = [names.index(row["data"]) + (i - (len(TITLES) - 1) / 2) * 0.1 for row in mine]
        panel.errorbar(
            x,
            [row["accuracy"] for row in mine],
            [row["standard_error"] for row in mine],
            fmt="o" if method in WEIGHTS else "s",
            color=_COLOURS[method],
            markersize=5,
            label=title,
        )
    panel.set_xticks(range(len(names)), names)
    panel.set_ylabel("accuracy, %")
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, 1.2), ncols=4, fontsize=8, frameon=False)
    style.save(figure, path, dpi=130)


def write_tables(out: Path = HERE, page: Path | None = PAGE) -> None:
    """Write the tables and the picture of all that is complete."""
    found = all_results(out)
    if not found:
        print("no data set is complete yet")
        return
    result = as_json(found)
    path = out / "neural.json"
    if path.is_file():
        old = json.loads(path.read_text())
        if old["rows"] == result["rows"]:
            result = old  # nothing was measured, so the date stays
    write_text(path, json.dumps(result, indent=1) + "\n")
    write_text(out / "neural.md", block(result) + "\n")
    draw(result, out / "neural.png")
    if page is not None:
        before, _, rest = page.read_text().partition(START)
        after = rest.partition(END)[2]
        write_text(page, f"{before}{START}\n\n{block(result)}\n\n{END}{after}")


def main() -> None:
    """Measure what is not measured yet, and write the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("GRAFIK_DATA"))
    parser.add_argument("--only", help="data sets, separated by commas")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tables-only", action="store_true")
    given = parser.parse_args()
    names = given.only.split(",") if given.only else list(DATA)
    if not given.tables_only:
        if given.data is None:
            parser.error("where are the data sets? pass --data, or set GRAFIK_DATA")
        measure(given.data, names, given.jobs)
        time_kernels(given.data, names, given.jobs)
    write_tables()


if __name__ == "__main__":
    main()
