# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Social networks
#
# Networks of people, with and without weights: what a filtration sees that counting does not. The
# data come with networkx, or are made on the spot.

# %%
import networkx as nx
import numpy as np
from matplotlib import pyplot

from grafik import Filtration, FiltrationClassifier, as_graphs, plots

families = nx.florentine_families_graph()  # marriages in Florence, about 1430
graphs = as_graphs([families])
print(graphs.describe())

# %% [markdown]
# How strong is a tie? The number of common neighbours says something: edges within a circle have
# many, edges between circles none. Strong ties enter first. The picture follows the families that
# have exactly two ties.

# %%
circles = Filtration("jaccard", n_levels=3).fit(graphs)
figure = pyplot.figure(figsize=(12, 6.5), layout="constrained")
axes = circles.plot(graphs[0], name="a family with two ties", figure=figure)

# %% [markdown]
# Now many networks, of two kinds. Both have the same number of people and ties, and nearly the
# same degrees; in one kind, friends of friends are friends.


# %%
def network(clustered, seed):
    """Return a small world with many triangles, or the same with its ties exchanged."""
    graph = nx.connected_watts_strogatz_graph(30, 6, 0.1, seed=seed)
    if not clustered:
        nx.double_edge_swap(graph, nswap=120, max_tries=10_000, seed=seed)
    return graph


networks = [network(seed % 2, seed) for seed in range(60)]
kinds = np.where(np.arange(60) % 2, "circles", "mixed")
train, test = np.arange(40), np.arange(40, 60)

# %%
weights = ["degree", "jaccard", "triangles"]
model = FiltrationClassifier(weight=weights, effort="quick")
model.fit([networks[i] for i in train], kinds[train])
print(model)
print("on new networks:", model.score([networks[i] for i in test], kinds[test]))

# %%
ax = plots.tried(model, top=8)

# %% [markdown]
# With numbers at the edges, such as messages, name the attribute. Here all networks are complete,
# and only the numbers differ: in half of them, one person writes to everybody.

# %%
random = np.random.default_rng(0)


def team(led):
    """Return a complete network in which the first person writes more, or nobody does."""
    graph = nx.complete_graph(7)
    for u, v in graph.edges:
        graph.edges[u, v]["weight"] = int(random.poisson(9 if led and u == 0 else 3)) + 1
    return graph


teams = [team(i % 2) for i in range(60)]
led = np.arange(60) % 2
model = FiltrationClassifier(weight="attribute", levels=[1, 2, 4], depths=[1, 2])
model.fit([teams[i] for i in train], led[train]).score([teams[i] for i in test], led[test])
