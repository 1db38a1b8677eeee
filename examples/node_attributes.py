"""Node attributes: numbers at vertices, as distances between ends of edges and as labels.

    python examples/node_attributes.py [FOLDER]

Makes networkx graphs whose vertices have a position and a charge. The positions of half of the
graphs are mixed up, and charges are higher in other ones; the edges tell neither. Needs
grafik[plot]; writes node_attributes.png to the folder.
"""

import sys
from pathlib import Path

import networkx as nx
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from grafik import AttributeLabels, FiltrationClassifier, FiltrationKernel, Graphs, plots
from grafik.plots.style import blank_figure
from grafik.weights import NodeDistance


def sensors(mixed: bool, charged: bool, random: np.random.Generator) -> nx.Graph:
    """Return points in the plane, joined where they are near, somewhere on the map."""
    points = random.random((15, 2))
    graph = nx.random_geometric_graph(15, 0.4, pos=dict(enumerate(points)))
    nx.set_node_attributes(graph, dict(enumerate(random.normal(1.0 * charged, size=15))), "charge")
    # Where the map begins means nothing, so absolute positions do not either.
    shown = (random.permutation(points) if mixed else points) + random.normal(scale=3, size=2)
    nx.set_node_attributes(graph, dict(enumerate(shown.tolist())), "position")
    return graph


folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
random = np.random.default_rng(0)
mixed, charged = np.arange(80) % 2, np.arange(80) // 2 % 2
made = [sensors(bool(m), bool(c), random) for m, c in zip(mixed, charged, strict=True)]
graphs = Graphs.from_networkx(made, node_attribute=["position", "charge"])
print(graphs)

model = FiltrationClassifier(random_state=0, levels=[1, 4], depths=[1], gammas=[1.0])
apart = NodeDistance(columns=[0, 1])
models = {
    "edges alone": model,
    "node distance": FiltrationClassifier(**{**model.get_params(), "weight": apart}),
    "attribute labels": make_pipeline(AttributeLabels(n_bins=4, columns=2), model),
}
for name, one in models.items():
    found = [100 * cross_val_score(one, graphs, y, cv=5).mean() for y in (mixed, charged)]
    print(f"{name + ':':18} mixed up? {found[0]:5.1f} %   charged? {found[1]:5.1f} %")
print(f"labels such as {', '.join(AttributeLabels(4, columns=2).fit(graphs).labels_[0])}")

figure = blank_figure(9.0, 3.4)
axes = figure.subplots(1, 2)
for ax, weight, title in zip(axes, ("degree", apart), ("degree", "node distance"), strict=True):
    kernel = FiltrationKernel(weight=weight, n_levels=4, normalize=True)
    plots.data_map(kernel.fit_transform(graphs), np.where(mixed, "mixed up", "in place"), ax=ax)
    ax.set_title(f"weight: {title}", fontsize=10)
print(f"see {plots.save(figure, folder / 'node_attributes.png')}")
