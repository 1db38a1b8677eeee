"""Molecules from a CSV file: learn what an acid is, and see which atoms say so.

    python examples/molecules.py [FOLDER]

Needs grafik[plot,molecules]; writes molecules.png to the folder.
"""

import csv
import sys
import tempfile
from pathlib import Path

from sklearn.model_selection import StratifiedGroupKFold, cross_val_score

from grafik import (
    FiltrationClassifier,
    Graphs,
    datasets,
    explain_prediction,
    molecules,
    plots,
    vertex_importance,
)
from grafik.plots.style import blank_figure

# fmt: off
ACIDS = [
    "CC(=O)O", "CCC(=O)O", "CCCC(=O)O", "CC(C)C(=O)O", "OC(=O)c1ccccc1", "OC(=O)CC(=O)O",
    "OC(=O)CCC(=O)O", "CC(O)C(=O)O", "OC(=O)C1CCCCC1", "NCC(=O)O", "CC(N)C(=O)O",
    "OC(=O)c1ccccc1O", "OC(=O)c1ccncc1", "CCCCCC(=O)O", "OC(=O)C1CCCC1", "OC(=O)c1ccco1",
]
OTHERS = [
    "CCO", "CCCO", "CC(C)O", "CCC(C)=O", "CC(C)=O", "CC=O", "O=C1CCCCC1", "OCCO", "Oc1ccccc1",
    "COC", "CCOCC", "COC(C)=O", "CC(N)=O", "OCC(O)CO", "COC(=O)c1ccncc1", "NC(=O)c1ccco1",
]
# fmt: on
UNSEEN = {"aspirin": "CC(=O)Oc1ccccc1C(=O)O", "vanillin": "COc1cc(C=O)ccc1O"}

with tempfile.TemporaryDirectory() as scratch:
    # Your own file would be here already.
    table = Path(scratch) / "mols.csv"
    with table.open("w", newline="") as file:
        rows = [(smiles, "acid") for smiles in ACIDS] + [(smiles, "other") for smiles in OTHERS]
        csv.writer(file).writerows([("smiles", "kind"), *rows])
    graphs, y = datasets.read_csv(table, target="kind", id="smiles", atoms="typed")
print(graphs)

model = FiltrationClassifier(weight="degree", depths=(1, 2), cv=3)
groups = molecules.scaffolds(graphs.ids)  # relatives are never in both parts
folds = StratifiedGroupKFold(3, shuffle=True, random_state=0)
scores = cross_val_score(model, graphs, y, groups=groups, cv=folds)
print(f"accuracy on other scaffolds: {100 * scores.mean():.0f} %")
model.fit(graphs, y)
print(f"chosen by cross-validation: {model.best_params_}")

figure = blank_figure(7.6, 3.0)
for ax, (name, smiles) in zip(figure.subplots(1, 2), UNSEEN.items(), strict=True):
    molecule = Graphs.from_smiles([smiles], atoms="typed")
    why = explain_prediction(model, molecule, toward="acid")
    print(f"\n{name}: {model.predict(molecule)[0]}\n{why.table(4)}")
    plots.graph(molecule, smiles=smiles, importance=vertex_importance(why), ax=ax)
    ax.set_title(f"{name}: acid? {why.value:+.2f}", fontsize=10)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
print(f"\nsee {plots.save(figure, folder / 'molecules.png')}")
