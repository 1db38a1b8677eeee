"""Networks in loops over levels, vertices and channels, slow and plain; imports nothing of grafik.

Weights come as nested lists, by the names that they have in files.
"""

import math

EPSILON = 1e-5  # that of batch normalisation


def silu(row):
    return [value / (1 + math.exp(-value)) for value in row]


def linear(state, name, row):
    bias = state.get(f"{name}.bias", [0.0] * len(state[f"{name}.weight"]))
    return [
        sum(w * value for w, value in zip(weights, row, strict=True)) + b
        for weights, b in zip(state[f"{name}.weight"], bias, strict=True)
    ]


def normalised(state, name, row):
    """Batch normalisation with what it has learned, as in predictions."""
    parts = (state[f"{name}.{part}"] for part in ("running_mean", "running_var", "weight", "bias"))
    return [
        (value - mean) / math.sqrt(variance + EPSILON) * weight + bias
        for value, mean, variance, weight, bias in zip(row, *parts, strict=True)
    ]


def added(*rows):
    return [math.fsum(values) for values in zip(*rows, strict=True)]


def filtration_gin(state, x, entries, n_levels, n_layers, directed=False):
    """The outputs for one graph, given the level at which each pair (from, to) of `entries` enters.

    One filtration graph after the other, as in the formula of FiltrationGIN.
    """
    levels = []
    for level in range(n_levels):
        edges = [pair for pair, entry in entries if entry <= level]
        h = [added(linear(state, "start", row), state["level"][level]) for row in x]
        kept = [h]
        for number in range(n_layers):
            h = layer(state, f"layers.{number}", h, edges, directed)
            kept.append(h)
        width = len(state["level"][level])
        sums = [value for h in kept for value in added([0.0] * width, *h)]
        levels += silu(linear(state, "of_level", normalised(state, "pooled", sums)))
    return linear(state, "out", silu(linear(state, "of_graph", levels)))


def layer(state, name, h, edges, directed):
    """One round of messages on one filtration graph."""
    own = 1 + state[f"{name}.epsilon"]
    result = []
    for vertex, row in enumerate(h):
        sent = [h[u] for u, v in edges if v == vertex]
        z = linear(state, f"{name}.first", added([own * value for value in row], *sent))
        if directed:
            zeros = [0.0] * len(row)
            back = added(zeros, *(h[v] for u, v in edges if u == vertex))
            z = added(z, linear(state, f"{name}.against", back))
        inside = silu(normalised(state, f"{name}.inner", z))
        result.append(
            silu(normalised(state, f"{name}.outer", linear(state, f"{name}.second", inside)))
        )
    return result
