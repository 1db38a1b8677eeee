"""Weighted networkx graphs: who leads a team, told by how often people write to each other.

    python examples/weighted_networks.py [FOLDER]

All teams look alike until the numbers of messages matter: where one person leads, the busiest ties
meet at this person. Needs grafik[plot]; writes teams.png to the folder.
"""

import sys
from pathlib import Path

import networkx as nx
import numpy as np
from sklearn.model_selection import cross_val_score

from grafik import FiltrationClassifier, as_graphs, plots, weights
from grafik.plots.style import blank_figure


def team(random: np.random.Generator, is_led: bool) -> nx.Graph:
    """Return people who write to each other; `weight` says how often, `delay` when they answer."""
    graph = nx.gnm_random_graph(12, 26, seed=int(random.integers(2**31)))
    graph = nx.relabel_nodes(graph, {i: f"person_{i}" for i in graph})
    leader = max(graph, key=graph.degree)
    ties = list(graph.edges)
    n_busy = graph.degree(leader)
    busy = (
        set(graph.edges(leader)) if is_led else {ties[i] for i in random.permutation(26)[:n_busy]}
    )
    for u, v in ties:
        often = {(u, v), (v, u)} & busy
        graph.edges[u, v]["weight"] = int(random.integers(20, 40) if often else random.integers(20))
        graph.edges[u, v]["delay"] = 40.0 - graph.edges[u, v]["weight"]
    return graph


folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
random = np.random.default_rng(0)
y = np.array(["led", "flat"] * 80)
teams = [team(random, kind == "led") for kind in y]

# Weights and names of people are read by default; other attributes are read by name.
graphs = as_graphs(
    teams, edge_attribute=["weight", "delay"], ids=[f"team {i}" for i in range(len(y))]
)
print(graphs.describe())

choices = {
    "degrees of people": (as_graphs(teams, edge_attribute=None), "degree"),
    "messages, most first": (graphs, weights.Attribute("weight")),
    "delays, shortest first": (graphs, weights.Attribute("delay", first="small")),
}
for name, (batch, weight) in choices.items():
    model = FiltrationClassifier(weight=weight, levels=[1, 3], depths=[1, 2], random_state=0)
    accuracy = cross_val_score(model, batch, y, cv=5).mean()
    print(f"{name}, accuracy: {100 * accuracy:.1f} %")

figure = blank_figure(9.0, 4.4)
for ax, place in zip(figure.subplots(1, 2), (0, 1), strict=True):
    graph = graphs[place]
    often = graph.edge_attributes[:, 0]
    u, v = (graph.node_names[i] for i in graph.edges[often.argmax()])
    print(f"{graph.id} ({y[place]}): {u} and {v} write most often, {often.max():.0f} times")
    names = [name.removeprefix("person_") for name in graph.node_names]
    plots.graph(graph, weights=often, labels=names, ax=ax)
    ax.set_title(f"{graph.id}: {y[place]}", fontsize=10)
print(f"see {plots.save(figure, folder / 'teams.png')}")
