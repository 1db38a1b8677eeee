"""A weighted social network: strong ties first, in Zachary's karate club.

    python examples/social_network.py [FOLDER]

Needs grafik[plot]; writes club.png and members.png to the folder.
"""

import sys
from pathlib import Path

import networkx as nx

from grafik import Filtration, FiltrationKernel, Graphs, plots, weights
from grafik.features import WeisfeilerLehman
from grafik.plots.style import blank_figure

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
club = nx.karate_club_graph()  # weights: how many kinds of activities two members share
heavy = weights.Attribute()

# How the club grows from its strongest ties, and when members have exactly one tie.
graph = Graphs.from_networkx([club], node_label="club", edge_attribute="weight")
plain = Graphs.from_networkx([club], node_label=None, edge_attribute="weight")
filtration = Filtration(heavy, n_levels=4).fit(plain)
print(f"thresholds: {filtration.alphas_.tolist()}")
axes = plots.filtration(plain, filtration, name="exactly one tie", figure=blank_figure)
plots.save(axes["graph"].figure, folder / "club.png")

# Members are alike if their surroundings are, not if they know each other.
around = [nx.ego_graph(club, member) for member in club]
surroundings = Graphs.from_networkx(around, node_label=None, edge_attribute="weight")
kernel = FiltrationKernel(WeisfeilerLehman(depth=2), weight=heavy, normalize=True)
K = kernel.fit_transform(surroundings)
leaders = {0: "Mr. Hi", 33: "the officer"}
for member, name in leaders.items():
    others = [other for other in K[member].argsort()[::-1].tolist() if other != member]
    print(f"most like {name}: members {others[:3]}")

figure = blank_figure(8.2, 3.4)
left, right = figure.subplots(1, 2)
names = [leaders.get(member, "") for member in club]
plots.graph(graph, labels=names, legend=True, ax=left)
plots.data_map(K, [club.nodes[member]["club"] for member in club], names=names, ax=right)
print(f"see {folder / 'club.png'} and {plots.save(figure, folder / 'members.png')}")
