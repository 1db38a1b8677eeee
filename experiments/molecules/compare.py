"""Fingerprints and a random forest, beside kernels, on the same folds of three sets of molecules.

    python experiments/molecules/compare.py [DATA]

DATA is the folder with MUTAG in TU format, by default that in the environment variable GRAFIK_DATA;
the other molecules come with RDKit. Each unit of work is written to `units.jsonl`, so that a run
that was stopped goes on where it was; then `results.json`, `results.md` and the table in
`docs/molecules.md` are made. It takes some ten minutes.
"""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rdkit
from mutag import molecule_of
from numpy.typing import NDArray
from rdkit import Chem
from rdkit.Chem import rdFingerprintGenerator
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from grafik import FiltrationClassifier, FiltrationRegressor, Graphs, datasets, molecules
from grafik.features import WeisfeilerLehman
from grafik.system.files import replacing
from grafik.system.journal import Journal, read_journal
from grafik.system.versions import processor, versions

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "molecules.md"
UNITS = "units.jsonl"
BEGIN, END = "<!-- made by experiments/molecules/compare.py -->", "<!-- end -->"
SEED = 0
TREES = 500
FOLDS = {"MUTAG": 10, "CHEMBL2321810": 3, "NCI": 5}
ABOUT = {
    "MUTAG": "mutagenic or not",
    "CHEMBL2321810": "measured activity, -log10 M",
    "NCI": "calculated log P",
}
WAYS = ("random", "scaffold")


class Molecules(NamedTuple):
    """Molecules of RDKit, and what is to be predicted: classes 0 and 1, or numbers."""

    molecules: list[Any]
    y: NDArray[Any]
    regression: bool


class Parts(NamedTuple):
    """A training and a test part; the first is cut into folds by which parameters are chosen."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    inner: list[tuple[NDArray[np.intp], NDArray[np.intp]]]


def read_all(folder: Path) -> dict[str, Molecules]:
    """Return the three sets of molecules."""
    return {"MUTAG": mutag(folder / "MUTAG"), "CHEMBL2321810": chembl(), "NCI": nci()}


def mutag(folder: Path) -> Molecules:
    """Return the molecules of MUTAG that obey the rules of valence."""
    graphs, y = datasets.read_tu(folder)
    found = [molecule_of(graph) for graph in graphs]
    kept = [i for i, molecule in enumerate(found) if molecule is not None]
    return Molecules([found[i] for i in kept], (y[kept] == 1).astype(np.int64), False)


def chembl() -> Molecules:
    """Return the series of the Free-Wilson example of RDKit, with activities."""
    folder = Path(rdkit.__file__).parent / "Contrib" / "FreeWilson" / "data"
    with (folder / "CHEMBL2321810_act.csv").open() as file:
        activity = {row["Name"]: float(row["Act"]) for row in csv.DictReader(file)}
    rows = [line.split() for line in (folder / "CHEMBL2321810.smi").read_text().splitlines()]
    made = [Chem.MolFromSmiles(smiles) for smiles, _ in rows]
    return Molecules(made, np.array([activity[name] for _, name in rows]), True)


def nci() -> Molecules:
    """Return the first molecules of the NCI, with log P calculated by another program."""
    path = Path(rdkit.__file__).parent / "Data" / "NCI" / "first_200.props.sdf"
    made = list(Chem.SDMolSupplier(str(path)))
    return Molecules(made, np.array([float(one.GetProp("CLOGP")) for one in made]), True)


def parts(data: Molecules, way: str, n_splits: int) -> Iterator[Parts]:
    """Yield outer folds, each with inner ones of the same kind."""
    groups = molecules.scaffolds(data.molecules)
    options = {"shuffle": True, "random_state": SEED}

    def cut(rows: NDArray[np.intp], n: int) -> list[tuple[Any, Any]]:
        kinds = (KFold, GroupKFold) if data.regression else (StratifiedKFold, StratifiedGroupKFold)
        folds = kinds[way == "scaffold"](n, **options)
        given = {"groups": groups[rows]} if way == "scaffold" else {}
        return list(folds.split(rows, data.y[rows], **given))

    for train, test in cut(np.arange(len(data.y)), n_splits):
        yield Parts(train, test, cut(train, 3))


def forest(data: Molecules, part: Parts) -> NDArray[np.float64]:
    """Predict by a random forest on ECFP4: Morgan fingerprints of radius 2, 2048 bits."""
    maker = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    bits = np.array([maker.GetFingerprintAsNumPy(molecule) for molecule in data.molecules])
    kind = RandomForestRegressor if data.regression else RandomForestClassifier
    model = kind(TREES, random_state=SEED).fit(bits[part.train], data.y[part.train])
    return _predicted(model, bits[part.test], data.regression)


def kernel(atoms: str, levels: tuple[int, ...]) -> Callable[[Molecules, Parts], Any]:
    """Return a function that predicts by our models, which choose their parameters themselves."""

    def predict(data: Molecules, part: Parts) -> NDArray[np.float64]:
        graphs = Graphs.from_smiles(data.molecules, atoms=atoms)
        kind = FiltrationRegressor if data.regression else FiltrationClassifier
        labels = WeisfeilerLehman(edge_labels=True)
        options = {"features": labels, "depths": (1, 3, 5), "cv": part.inner, "progress": False}
        model = kind(levels=levels, random_state=SEED, **options)
        model.fit(graphs[part.train], data.y[part.train])
        return _predicted(model, graphs[part.test], data.regression)

    return predict


def _predicted(model: Any, given: Any, regression: bool) -> NDArray[np.float64]:
    """Return numbers, or probabilities of class 1."""
    return model.predict(given) if regression else model.predict_proba(given)[:, 1]


METHODS: dict[str, Callable[[Molecules, Parts], NDArray[np.float64]]] = {
    "ECFP4, random forest": forest,
    "WL, elements": kernel("element", (1,)),
    "WL, typed atoms": kernel("typed", (1,)),
    "filtration, elements": kernel("element", (1, 3, 10)),
    "filtration, typed atoms": kernel("typed", (1, 3, 10)),
}


def run(folder: Path) -> None:
    """Compute what is missing, and write results and tables."""
    data = read_all(folder)
    header = {
        "seed": SEED,
        "trees": TREES,
        "folds": FOLDS,
        "molecules": {name: len(one.molecules) for name, one in data.items()},
        "versions": {**versions(), "rdkit": rdkit.__version__},
    }
    with Journal(HERE / UNITS, header) as journal:
        known = {key(unit) for unit in journal.entries}
        for name, one in data.items():
            for way in WAYS:
                for fold, part in enumerate(parts(one, way, FOLDS[name])):
                    for method, predict in METHODS.items():
                        unit = {"data": name, "way": way, "fold": fold, "method": method}
                        if key(unit) in known:
                            continue
                        found = np.round(predict(one, part), 6)
                        truth = {"rows": part.test.tolist(), "y": one.y[part.test].tolist()}
                        journal.append({**unit, **truth, "predicted": found.tolist()})
                        print(name, way, fold, method, flush=True)
    machine = {"date": datetime.now(UTC).date().isoformat(), "processor": processor()}
    write(HERE / "results.json", json.dumps(scored(machine), indent=1) + "\n")
    tables()


def key(unit: dict[str, Any]) -> tuple[Any, ...]:
    """Return what tells a unit from others."""
    return tuple(unit[name] for name in ("data", "way", "fold", "method"))


def scored(machine: dict[str, Any]) -> dict[str, Any]:
    """Return the scores of all methods, from the predictions on the disk."""
    header, units = read_journal(HERE / UNITS)
    rows = []
    for name in FOLDS:
        for way in WAYS:
            for method in METHODS:
                mine = [
                    u for u in units if (u["data"], u["way"], u["method"]) == (name, way, method)
                ]
                rows.append({"data": name, "folds": way, "method": method, **scores(name, mine)})
    return {**machine, **{k: v for k, v in header.items() if k != "format"}, "scores": rows}


def scores(name: str, units: list[dict[str, Any]]) -> dict[str, Any]:
    """Return mean and deviation over folds, and one score of all test parts together."""
    pairs = [(np.array(unit["y"]), np.array(unit["predicted"])) for unit in units]
    y, predicted = (np.concatenate(column) for column in zip(*pairs, strict=True))
    if name == "MUTAG":
        each = [100 * accuracy_score(y, p > 0.5) for y, p in pairs]
        together = {"roc_auc": roc_auc_score(y, predicted)}
    else:
        each = [r2_score(y, p) for y, p in pairs]
        together = {"rmse": float(np.sqrt(np.mean((y - predicted) ** 2)))}
    own = {"accuracy" if name == "MUTAG" else "r2": float(np.mean(each)), "+-": float(np.std(each))}
    return {score: float(f"{value:.5g}") for score, value in {**own, **together}.items()}


def table(results: dict[str, Any]) -> str:
    """Return a table of scores for each set of molecules; the best are bold."""
    texts = []
    for name, about in ABOUT.items():
        rows = [row for row in results["scores"] if row["data"] == name]
        first, digits = ("accuracy", 1) if name == "MUTAG" else ("r2", 3)
        second = "roc_auc" if name == "MUTAG" else "rmse"
        titles = {"accuracy": "accuracy, %", "r2": "R^2", "roc_auc": "ROC AUC", "rmse": "RMSE"}
        columns = " | ".join(f"{titles[first]}, {way} | {titles[second]}" for way in WAYS)
        n = results["molecules"][name]
        texts.append(
            f"**{name}**: {n} molecules, {about}; {results['folds'][name]} folds\n\n"
            f"| method | {columns} |"
            f"\n| --- | {' | '.join(['---: | ---:'] * len(WAYS))} |"
        )
        best = {way: max(row[first] for row in rows if row["folds"] == way) for way in WAYS}
        for method in METHODS:
            cells = []
            for row in (row for row in rows if row["method"] == method):
                mean = f"{row[first]:.{digits}f}"
                mean = f"**{mean}**" if row[first] == best[row["folds"]] else mean
                cells += [f"{mean} ± {row['+-']:.{digits}f}", f"{row[second]:.3f}"]
            texts[-1] += f"\n| {method} | {' | '.join(cells)} |"
    known = results["versions"]
    texts.append(
        f"Mean ± deviation over folds; ROC AUC and RMSE over all test parts together. "
        f"{results['date']}, {results['processor']}, RDKit {known['rdkit']}, scikit-learn "
        f"{known['scikit-learn']}, seed {results['seed']}."
    )
    return "\n\n".join(texts) + "\n"


def tables() -> None:
    """Write the table, and put it into the page of the docs."""
    text = table(json.loads((HERE / "results.json").read_text()))
    write(HERE / "results.md", text)
    if PAGE.is_file():
        page = PAGE.read_text()
        before, rest = page.split(BEGIN)
        write(PAGE, f"{before}{BEGIN}\n\n{text}\n{END}{rest.split(END)[1]}")


def write(path: Path, text: str) -> None:
    """Write a file that appears when it is complete."""
    with replacing(path) as part:
        part.write_text(text)


if __name__ == "__main__":
    place = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("GRAFIK_DATA", "")
    if not (Path(place) / "MUTAG").is_dir():
        sys.exit("where is MUTAG? python experiments/molecules/compare.py FOLDER_OF_TU_DATA_SETS")
    run(Path(place))
