"""Gram matrices by the definitions, from histograms by the definitions."""

from hypothesis import strategies as st

import naive
from filtered_graphs import Levels, plain
from strategies import raw_batches

small = raw_batches(label=st.integers(0, 1), max_graphs=4, max_nodes=5)
gammas = st.sampled_from([0.0, 2.0**-12, 0.3, 1.0, 8.0, 2.0**12])


def naive_levels(kernel, graphs):
    """The filtration of a fitted kernel, in the form that `plain` takes."""
    return Levels(kernel.filtration_.levels(graphs), len(kernel.alphas_))


def naive_gram(kernel, graphs):
    """The Gram matrix by definition, with the thresholds that the kernel has learned."""
    rows = plain(graphs, naive_levels(kernel, graphs), kernel.features.depth)
    alphas = kernel.alphas_.tolist()
    if kernel.scale == "unit":
        alphas = naive.unit(alphas)
    if kernel.combine == "sum":
        how = alphas, kernel.gamma, kernel.mass
        return [[naive.sum_kernel(a, b, *how) for b in rows] for a in rows]
    delta = alphas[-1] if kernel.alpha_delta is None else kernel.alpha_delta
    return [
        [naive.product_kernel(a, b, alphas, kernel.gamma, kernel.beta, delta) for b in rows]
        for a in rows
    ]
