"""Directed graphs: which programs have a loop, told from their control flow.

    python examples/directed_graphs.py [FOLDER]

Needs grafik[plot]; writes programs.png to the folder.
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
from sklearn.model_selection import cross_val_score

from grafik import FiltrationClassifier, Graphs, explain_prediction, plots
from grafik.plots.style import blank_figure

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def control_flow(parts):
    """Return the edges between the blocks of a program: from each block to those that may follow.

    Each part is ("if", n) or ("repeat", n): n + 1 blocks in a row, and a way from the first to the
    last that skips those between, or a way from the last back to the first.
    """
    edges, last = [], 0
    for kind, n in parts:
        first, end = last + 1, last + 1 + n
        edges += pairwise(range(last, end + 1))
        edges.append((first, end) if kind == "if" else (end, first))
        last = end
    return [*edges, (last, last + 1)]


# 150 programs of branches; in every second one, a branch is a loop instead.
generator = np.random.default_rng(0)
programs, has_loop = [], np.arange(150) % 2 == 1
for loop in has_loop:
    parts = [("if", int(n)) for n in generator.integers(2, 5, size=generator.integers(2, 6))]
    if loop:
        which = int(generator.integers(len(parts)))
        parts[which] = ("repeat", parts[which][1])
    programs.append(parts)
graphs = Graphs.from_edge_lists(map(control_flow, programs), directed=True)
print(graphs)

# A loop and a branch are the same graph, but for the direction of one edge.
model = FiltrationClassifier(depths=[2, 4], levels=[1, 3], gammas=[1.0])
for name, batch in (("with directions", graphs), ("without", graphs.undirected())):
    scores = cross_val_score(model, batch, has_loop, cv=5)
    print(f"accuracy {name}: {100 * scores.mean():.1f} %")

# What speaks for a loop: trees with an arrow for each edge, out -> or in <-.
model.fit(graphs, has_loop)
why = explain_prediction(model, graphs[1])
print(f"program 1, {programs[1]}, has a loop: {bool(model.predict(graphs[1])[0])}; it tells from")
for feature in [found for found in why.features if "->" in found.name][:3]:
    print(f"  {feature.contribution:+.3f}  {feature.name}")

figure = blank_figure(9.0, 3.2)
for ax, place in zip(figure.subplots(1, 2), (0, 1), strict=True):
    plots.graph(graphs[place], labels=True, ax=ax)
    ax.set_title("with a loop" if has_loop[place] else "branches only", fontsize=9)
print(f"see {plots.save(figure, folder / 'programs.png')}")
