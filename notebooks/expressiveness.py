# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Expressiveness
#
# Which graphs can be told apart? The prism and K(3, 3) both have six vertices with three
# neighbours each. Weisfeiler-Lehman labels of any depth are the same in both.

# %%
import pandas
from matplotlib import pyplot

from grafik import FiltrationKernel, datasets, isomorphism_test, plots, weights

prism, k33 = datasets.triangle_pair()[0]
figure, (left, right) = pyplot.subplots(1, 2, figsize=(7, 3))
plots.graph(prism, ax=left).set_title("prism")
plots.graph(k33, ax=right).set_title("K(3, 3)")
# %%
plain = FiltrationKernel(n_levels=1, depth=10, normalize=True)
plain.fit_transform([prism, k33])

# %% [markdown]
# A filtration by triangles builds them up differently: all edges of triangles come first, and K(3,
# 3) has none.

# %%
print(isomorphism_test(prism, k33, weight="degree"))
print(isomorphism_test(prism, k33, weight="triangles"))

# %% [markdown]
# Circular skip link graphs are the classic hard case: all ten classes look the same to
# Weisfeiler-Lehman. Numbers of walks tell more and more of them apart, the longer the walks are.

# %%
graphs, y = datasets.csl(copies=1)
for length in range(1, 9):
    kernel = FiltrationKernel(weight=weights.Walks(length), thresholds="distinct", depth=1)
    K = kernel.fit_transform(graphs)
    told = len({row.round(6).tobytes() for row in K})
    print(f"walks up to {length}: {len(kernel.alphas_)} levels, {told} of 10 classes told apart")

# %% [markdown]
# Harder pairs, and which weight tells them apart:

# %%
tried = ["degree", "triangles", "walks", "resistance", "marked", "canonical"]
pairs = {name: datasets.wl_hard(name)[0] for name in ("decalin", "rook", "cfi")}
pandas.DataFrame(
    {
        name: [isomorphism_test(*pair, weight=one).different for one in tried]
        for name, pair in pairs.items()
    },
    index=tried,
)

# %% [markdown]
# `canonical` tells all graphs apart (Theorem 3 of the paper), and nothing is similar to anything.
# To learn, take weights whose numbers mean something.
