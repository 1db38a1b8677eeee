"""Molecules from SMILES: learn what an acid is, and see which atoms say so.

    python examples/molecules.py [FOLDER]

Needs grafik[plot,molecules]; writes molecules.png to the folder.
"""

import sys
from pathlib import Path

from grafik import FiltrationClassifier, Graphs, explain_prediction, plots, vertex_importance
from grafik.plots.style import blank_figure

# fmt: off
ACIDS = [
    "CC(=O)O", "CCC(=O)O", "CCCC(=O)O", "CC(C)C(=O)O", "OC(=O)c1ccccc1", "OC(=O)CC(=O)O",
    "OC(=O)CCC(=O)O", "CC(O)C(=O)O", "OCC(=O)O", "NCC(=O)O", "CC(N)C(=O)O", "OC(=O)c1ccccc1O",
    "C=CC(=O)O", "CCCCCC(=O)O",
]
OTHERS = [
    "CCO", "CCCO", "CC(C)O", "CCC(C)=O", "CC(C)=O", "CC=O", "CCC=O", "OCCO", "Oc1ccccc1", "COC",
    "CCOCC", "COC(C)=O", "CC(N)=O", "OCC(O)CO",
]
# fmt: on
UNSEEN = {"aspirin": "CC(=O)Oc1ccccc1C(=O)O", "vanillin": "COc1cc(C=O)ccc1O"}

graphs = Graphs.from_smiles(ACIDS + OTHERS)
classes = ["acid"] * len(ACIDS) + ["other"] * len(OTHERS)
model = FiltrationClassifier(weight="degree", depths=(1, 2)).fit(graphs, classes)
print(f"chosen by cross-validation: {model.best_params_}")

figure = blank_figure(7.6, 3.0)
for ax, (name, smiles) in zip(figure.subplots(1, 2), UNSEEN.items(), strict=True):
    molecule = Graphs.from_smiles([smiles])
    why = explain_prediction(model, molecule, toward="acid")
    print(f"\n{name}: {model.predict(molecule)[0]}\n{why.table(4)}")
    plots.graph(molecule, smiles=smiles, importance=vertex_importance(why), ax=ax)
    ax.set_title(f"{name}: acid? {why.value:+.2f}", fontsize=10)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
print(f"\nsee {plots.save(figure, folder / 'molecules.png')}")
