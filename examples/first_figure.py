"""The idea in one picture, as at the top of the README: a graph, built up, and a feature's life.

    python examples/first_figure.py [FOLDER]

Needs grafik[plot]; writes filtration.png to the folder (that of the README is in docs/).
"""

import sys
from pathlib import Path

from grafik import Filtration, datasets, plots, weights
from grafik.plots.style import blank_figure

graphs, _ = datasets.figure_one()
filtration = Filtration(weights.Attribute(), thresholds="distinct").fit(graphs)
axes = plots.filtration(graphs[0], filtration, figure=blank_figure, name="exactly one neighbour")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
print(f"see {plots.save(axes['graph'].figure, folder / 'filtration.png', dpi=110)}")
