"""Continuous distances: what a filtration sees in complete graphs.

    python examples/distances.py [FOLDER]

Takes BZR_MD (molecules as complete graphs, with distances between atoms) from the folder in
GRAFIK_DATA if it is there, else random points on a ring or in a disc, which are all alike without
a filtration. Needs grafik[plot]; writes distances.png to the folder.
"""

import os
import sys
from pathlib import Path

import numpy as np
from sklearn.model_selection import cross_val_score

from grafik import FiltrationClassifier, FiltrationKernel, Graphs, datasets, plots, weights
from grafik.features import WeisfeilerLehman
from grafik.plots.style import blank_figure


def rings_and_discs(n_graphs: int = 60) -> tuple[Graphs, np.ndarray]:
    """Return complete graphs of points with their distances; half of them lie on a ring."""
    random = np.random.default_rng(0)
    y = np.array(["ring", "disc"] * (n_graphs // 2))
    pairs = np.array(np.triu_indices(12, 1)).T
    lengths = []
    for kind in y:
        angle = random.uniform(0, 2 * np.pi, 12)
        radius = 1.0 if kind == "ring" else np.sqrt(random.uniform(0, 1, 12))
        points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
        lengths.append(np.hypot(*(points[pairs[:, 0]] - points[pairs[:, 1]]).T).tolist())
    edges = [pairs.tolist()] * n_graphs
    return Graphs.from_edge_lists(edges, edge_attributes=lengths), y


folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
data = Path(os.environ.get("GRAFIK_DATA", "")) / "BZR_MD"
graphs, y = datasets.read_tu(data) if data.is_dir() else rings_and_discs()
print(f"{'BZR_MD' if data.is_dir() else 'rings and discs'}: {graphs}")

near = weights.Attribute(first="small")  # the smaller a distance, the earlier an edge enters
figure = blank_figure(9.0, 6.4)
axes = figure.subplots(2, 2)
for n_levels, (left, right) in zip((1, 8), axes, strict=True):
    kernel = FiltrationKernel(
        WeisfeilerLehman(depth=1), weight=near, n_levels=n_levels, normalize=True
    )
    K = kernel.fit_transform(graphs)
    model = FiltrationClassifier(weight=near, levels=[n_levels], random_state=0)
    accuracy = cross_val_score(model, graphs, y, cv=5).mean()
    print(f"number of levels: {n_levels}, accuracy: {100 * accuracy:.1f} %")
    plots.gram(K, y, ax=left)
    plots.data_map(K, y, ax=right)
    left.set_title("no filtration" if n_levels == 1 else f"{n_levels} levels", fontsize=10)
print(f"see {plots.save(figure, folder / 'distances.png')}")
