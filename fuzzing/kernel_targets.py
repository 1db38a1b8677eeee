"""Kernels, vectors, search and explanations, beside their definitions in dicts and loops."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import grafik
from grafik import FiltrationKernel, GaussianKernel, Graphs, MeanKernel
from grafik.system import threads

from .cases import Target, Wrong
from .drawn import drawer

_NUMBERS = ["degree", "walks", "walks:3", "triangles", "core", "betweenness", "jaccard"]
_NUMBERS += ["curvature", "attribute", "attribute:small", "node-distance", "cliques", "cycles"]
_NUMBERS += ["resistance"]
_RULES = ["kmeans", "kmeans-distinct", "quantile", "distinct"]
_FEATURES = ["shortest paths", "graphlets", "cyclic patterns", "counts"]


def _strategy() -> Any:
    from hypothesis import strategies as st

    from strategies import raw_batches

    few = st.sampled_from(["C", "O", 1, True])
    value = st.integers(-4, 4).map(float)
    return raw_batches(label=few, value=value, max_nodes=6, max_graphs=4).filter(len)


def make(random: Random) -> dict[str, Any]:
    """Return graphs that Hypothesis draws, and all parameters of a kernel."""
    raw = drawer("graphs", _strategy)(random)
    product = random.random() < 0.25
    features: list[Any] = [random.choice(_FEATURES), 0]
    if random.random() < 0.6:
        features = [random.choice(["labels", "exact", "no edge labels"]), random.randrange(4)]
    return {
        "graphs": [dict(vars(graph)) for graph in raw],
        "weight": random.choice([*_NUMBERS, "marked", "canonical"]),
        "thresholds": random.choice([*_RULES, [3.0, 2.5, -1.0]]),
        "n_levels": random.randint(1, 4),
        "features": features,
        "scale": random.choice(("unit", "raw")),
        "gamma": random.choice(
            (0.0, 0.3, 1.0, 8.0) if product else (0.0, 2.0**-12, 0.3, 8.0, 2.0**12)
        ),
        "combine": "product" if product else "sum",
        "beta": random.choice((0.0, 1e-3, 0.1)),
        "alpha_delta": random.choice((None, 0.5, -3.0)),
        "mass": "linear" if product else random.choice(("linear", "min")),
        "normalize": random.random() < 0.3,
        "around": random.choice((None, None, "mean", "gaussian")),
        "order": random.randrange(1000),
    }


def _built(case: dict[str, Any]) -> Graphs:
    """Build the graphs; weights that need attributes get some."""
    from strategies import RawGraph, build

    raw = [RawGraph(**graph) for graph in case["graphs"]]
    for graph in raw:
        if case["weight"].startswith("attribute"):
            graph.edge_attributes = [[float((u - v) ** 2 % 5) - 1.5] for u, v in graph.edges]
        if case["weight"] == "node-distance":
            graph.node_attributes = [[v**2 % 5 - 1.5, v % 2] for v in range(graph.n)]
    # Attributes of no vertices have no columns.
    if case["weight"].startswith("attribute") and not any(graph.edges for graph in raw):
        case["weight"] = "degree"
    if case["weight"] == "node-distance" and not any(graph.n for graph in raw):
        case["weight"] = "degree"
    return build(raw)


def _kernel(case: dict[str, Any], **changed: Any) -> Any:
    """Return the kernel that a case describes."""
    from all_kernels import DEFINITIONS
    from grafik.features import WeisfeilerLehman

    name, depth = case["features"]
    if name in DEFINITIONS:
        features = DEFINITIONS[name][0]
    else:
        edges: Any = False if name == "no edge labels" else "auto"
        features = WeisfeilerLehman(depth, edges, name == "exact")
    rule = "auto" if case["weight"] in ("marked", "canonical") else case["thresholds"]
    names = ("weight", "n_levels", "scale", "gamma", "combine", "beta", "alpha_delta", "mass")
    chosen = {name: case[name] for name in (*names, "normalize")}
    return FiltrationKernel(features, thresholds=rule, **{**chosen, **changed})


def _around(case: dict[str, Any], kernel: Any, **options: Any) -> Any:
    """Return a kernel that is made of another one, if the case asks for it."""
    if case["around"] == "mean":
        other = FiltrationKernel(depth=1, thresholds="distinct")
        return MeanKernel([kernel, other], weights=[1.0, 0.3], **options)
    if case["around"] == "gaussian":
        return GaussianKernel(kernel, 4.0, **options)
    return kernel


def check_kernel(case: dict[str, Any], folder: Path) -> None:
    """Compare a Gram matrix with the definition, and its bits in all orders."""
    graphs = _built(case)
    kernel = _kernel(case)
    _check_weights(case, graphs)
    found = kernel.fit_transform(graphs)
    _check_alphas(case, kernel, graphs)
    expected = _gram(case, kernel, graphs)
    _close(found, expected, "the Gram matrix")
    whole = _around(case, kernel)
    if whole is not kernel:
        found = whole.fit_transform(graphs)
        _close(found, _gram_around(case, expected, graphs), f"the {case['around']}")
    _same_bits(case, found, graphs)


def _close(found: Any, expected: Any, what: str) -> None:
    if not np.allclose(found, expected, rtol=1e-12, atol=1e-300):
        raise Wrong(f"{what} is {np.asarray(found).tolist()}, not {expected}")


def _check_weights(case: dict[str, Any], graphs: Graphs) -> None:
    """Compare weights with their definitions."""
    import naive_weights as naive
    from grafik.weights import compute

    name = case["weight"]
    definitions: dict[str, Any] = {
        **{
            one: getattr(naive, one)
            for one in ("degree", "triangles", "core", "jaccard", "curvature")
        },
        "betweenness": naive.betweenness,
        "resistance": lambda n, edges: [-r for r in naive.resistance(n, edges)],
        "walks:3": lambda n, edges: naive.walks(n, edges, 3),
        "walks": lambda n, edges: naive.walks(n, edges, 7),
    }
    if name not in definitions:
        return
    wanted = [float(w) for g in graphs for w in definitions[name](g.n_nodes, g.edges.tolist())]
    rough = 1e-6 if name in ("betweenness", "resistance") else 0.0
    found = np.asarray(compute(name, graphs), float)
    if not np.allclose(found, np.array(wanted), rtol=rough, atol=0.0):
        raise Wrong(f"weights are {found.tolist()}, not {wanted}")


def _check_alphas(case: dict[str, Any], kernel: Any, graphs: Graphs) -> None:
    """Compare thresholds with the best ones of all, and levels with a search for each edge."""
    import naive
    from grafik.weights import compute

    if case["weight"] in ("marked", "canonical") or not len(graphs.edges):
        return
    weights = np.asarray(compute(case["weight"], graphs), float).tolist()
    alphas, rule = kernel.alphas_.tolist(), case["thresholds"]
    if rule == "distinct" and alphas != sorted(set(weights), reverse=True):
        raise Wrong(f"thresholds are {alphas}, not all of {sorted(set(weights))}")
    if rule == "kmeans" and len(weights) <= 12:
        best = naive.best_clusterings(weights, case["n_levels"])
        if alphas not in best:
            raise Wrong(f"thresholds are {alphas}, not one of {best}")
    levels = kernel.filtration_.levels(graphs).tolist()
    if levels != naive.levels(weights, alphas):
        raise Wrong(f"levels are {levels}, not {naive.levels(weights, alphas)}")


def _histograms(case: dict[str, Any], kernel: Any, graphs: Graphs) -> list[dict[Any, list[int]]]:
    """Count what the definition counts in each filtration graph."""
    import naive
    from all_kernels import DEFINITIONS
    from filtered_graphs import written_out

    levels = kernel.filtration_.levels(graphs)
    n_levels = len(kernel.alphas_)
    name, depth = case["features"]
    rows = []
    for number, graph in enumerate(graphs):
        entry = levels[graphs.edge_ptr[number] : graphs.edge_ptr[number + 1]].tolist()
        if name not in DEFINITIONS:
            kinds = name != "no edge labels"
            rows.append(naive.wl_histograms(written_out(graph), entry, n_levels, depth, kinds))
            continue
        counted: dict[Any, list[int]] = {}
        for level in range(n_levels):
            kept = [i for i in range(graph.n_edges) if entry[i] <= level]
            edges = [tuple(graph.edges[i].tolist()) for i in kept]
            kinds = None
            if graph.edge_labels is not None:
                kinds = {edge: graph.edge_labels[i] for edge, i in zip(edges, kept, strict=True)}
            known = graph.n_nodes, edges, graph.node_labels, kinds
            for feature, count in DEFINITIONS[name][1](*known).items():
                counted.setdefault(feature, [0] * n_levels)[level] = count
        rows.append(counted)
    return rows


def _gram(case: dict[str, Any], kernel: Any, graphs: Graphs) -> list[list[float]]:
    """Return the Gram matrix by definition, with the thresholds that the kernel has learned."""
    import naive

    rows = _histograms(case, kernel, graphs)
    alphas = kernel.alphas_.tolist()
    alphas = naive.unit(alphas) if case["scale"] == "unit" else alphas
    if case["combine"] == "sum":
        how = alphas, case["gamma"], case["mass"]
        gram = [[naive.sum_kernel(a, b, *how) for b in rows] for a in rows]
    else:
        delta = alphas[-1] if case["alpha_delta"] is None else case["alpha_delta"]
        how = alphas, case["gamma"], case["beta"], delta
        gram = [[naive.product_kernel(a, b, *how) for b in rows] for a in rows]
    return naive.normalised(gram) if case["normalize"] else gram


def _gram_around(case: dict[str, Any], gram: list[list[float]], graphs: Graphs) -> Any:
    import naive

    if case["around"] == "gaussian":
        return naive.gaussian_kernel(gram, 4.0)
    plain = {**case, "weight": "degree", "thresholds": "distinct", "features": ["labels", 1]}
    plain |= {"scale": "unit", "gamma": 1.0, "combine": "sum", "mass": "linear", "normalize": False}
    other = _kernel({**plain, "alpha_delta": None}).fit(graphs)
    return naive.mean_kernel([gram, _gram(plain, other, graphs)], [1.0, 0.3])


def _same_bits(case: dict[str, Any], found: Any, graphs: Graphs) -> None:
    """Refuse a matrix that depends on order, threads, chunks, or on being fitted or not."""
    random = np.random.default_rng(case["order"])
    n = len(graphs)
    if not np.array_equal(found, found.T):
        raise Wrong("the matrix is not symmetric")
    order = random.permutation(n)
    cut = int(random.integers(n + 1))
    fitted = _around(case, _kernel(case)).fit(graphs)
    before = threads._WORTH
    threads._WORTH = 1  # so that small work is passed to threads too
    try:
        ways = {
            "graph order": _around(case, _kernel(case)).fit_transform(graphs[order])[
                np.ix_(np.argsort(order), np.argsort(order))
            ],
            "vertex order": _around(case, _kernel(case)).fit_transform(_renumbered(graphs, random)),
            "threads": _around(case, _kernel(case, n_jobs=2)).fit_transform(graphs),
            "transform": fitted.transform(graphs),
            "chunks": np.vstack([fitted.transform(graphs[:cut]), fitted.transform(graphs[cut:])]),
            "graphs added": fitted.transform(Graphs.concat([graphs, graphs]))[n:],
        }
    finally:
        threads._WORTH = before
    for name, other in ways.items():
        if not np.array_equal(found, other):
            raise Wrong(f"with another {name} the matrix is {other.tolist()}, not {found.tolist()}")
    own = fitted.diagonal(graphs)
    if case["around"] is None and not case["normalize"] and not np.array_equal(own, np.diag(found)):
        raise Wrong(f"the diagonal is {own.tolist()}, not {np.diag(found).tolist()}")


def _renumbered(graphs: Graphs, random: Any) -> Graphs:
    """Return the same graphs with vertices in another order."""
    orders = [random.permutation(n) for n in graphs.n_nodes]
    back = [np.argsort(order) for order in orders]

    def moved(column: str) -> Any:
        if getattr(graphs, column) is None:
            return None
        return [
            [getattr(graph, column)[i] for i in order]
            for graph, order in zip(graphs, back, strict=True)
        ]

    def kept(column: str) -> Any:
        return None if getattr(graphs, column) is None else [getattr(g, column) for g in graphs]

    return Graphs.from_edge_lists(
        [order[graph.edges] for graph, order in zip(graphs, orders, strict=True)],
        graphs.n_nodes,
        node_labels=moved("node_labels"),
        edge_labels=kept("edge_labels"),
        node_attributes=_rows(moved("node_attributes")),
        edge_attributes=_rows(kept("edge_attributes")),
    )


def _rows(parts: Any) -> Any:
    """Return attributes graph by graph; graphs without any have rows of no length."""
    if parts is None:
        return None
    width = max((len(row) for part in parts for row in part), default=1)
    return [np.array(part, float).reshape(-1, width) for part in parts]


# Vectors, search, explanations


def make_sum(random: Random) -> dict[str, Any]:
    """Return a case of a sum kernel."""
    case = make(random)
    case |= {"combine": "sum", "around": None, "top": random.randint(1, 5)}
    case["gamma"] = min(case["gamma"], 8.0)
    case["min_similarity"] = random.choice((0.0, 0.0, 0.5, 1.0 if case["normalize"] else 3.0))
    return case


def check_vectors(case: dict[str, Any], folder: Path) -> None:
    """Compare products of vectors with the kernel."""
    graphs = _built(case)
    kernel = _kernel(case).fit(graphs)
    names = ("features", "weight", "thresholds", "n_levels", "scale", "gamma", "normalize", "mass")
    embedding = grafik.FiltrationEmbedding(**{name: getattr(kernel, name) for name in names})
    vectors = embedding.fit_transform(graphs)
    found = (vectors @ vectors.T).toarray()
    expected = np.array(_gram(case, kernel, graphs))
    if not np.allclose(found, expected, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(expected).max())):
        raise Wrong(f"products are {found.tolist()}, not {expected.tolist()}")
    order = np.random.default_rng(case["order"]).permutation(len(graphs))
    again = embedding.transform(graphs[order])
    products = (again @ vectors.T).toarray()
    if not np.allclose(
        products, found[order], rtol=1e-9, atol=1e-9 * max(1.0, np.abs(found).max())
    ):
        raise Wrong("transformed in another order, products differ")
    single = grafik.FiltrationEmbedding(**{name: getattr(kernel, name) for name in names}, n_jobs=2)
    if (single.fit_transform(graphs) != vectors).nnz:
        raise Wrong("with two threads, vectors differ")


def check_search(case: dict[str, Any], folder: Path) -> None:
    """Compare matches with the greatest entries of the kernel's rows, to the bit."""
    graphs = _built(case)
    kernel = _kernel(case).fit(graphs)
    index = grafik.GraphIndex(kernel).add(graphs)
    rows = kernel.transform(graphs)
    found = index.search(graphs, top=case["top"], min_similarity=case["min_similarity"])
    for query, row in enumerate(rows.tolist()):
        best = sorted(range(len(row)), key=lambda g: (-row[g], g))[: case["top"]]
        wanted = [(g, row[g]) for g in best if row[g] >= case["min_similarity"]]
        pairs = zip(found.graphs[query].tolist(), found.similarities[query].tolist(), strict=True)
        mine = [(g, s) for g, s in pairs if s == s]
        if mine != wanted:
            raise Wrong(f"query {query} finds {mine}, not {wanted}")


def check_explained(case: dict[str, Any], folder: Path) -> None:
    """Compare the sum of what features contribute with the kernel."""
    graphs = _built(case)
    kernel = _kernel(case).fit(graphs)
    expected = _gram(case, kernel, graphs)
    i, j = case["order"] % len(graphs), case["order"] // 7 % len(graphs)
    found = grafik.explain_pair(kernel, graphs[i], graphs[j])
    parts = [feature.contribution for feature in found.features]
    _close(sum(parts), expected[i][j], "the sum of contributions")
    _close(kernel.transform(graphs), expected, "the Gram matrix")


TARGETS = [
    Target("kernel", "definition", make, check_kernel, 120),
    Target("embedding", "definition", make_sum, check_vectors, 120),
    Target("search", "definition", make_sum, check_search, 120),
    Target("explanation", "definition", make_sum, check_explained, 120),
]
