"""Digests of everything that grafik computes, on small data: run before and after a change.

``./run bench bits > before.txt``, change the code, ``./run bench bits > after.txt``, compare. It
uses only public names, and makes its graphs itself, apart from a few real ones. Digests differ
between machines and versions of packages; between commits they must not.
"""

import hashlib
import inspect
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

import grafik
from grafik import (
    Filtration,
    FiltrationClassifier,
    FiltrationEmbedding,
    FiltrationKernel,
    FiltrationRegressor,
    GraphIndex,
    Graphs,
    baselines,
    datasets,
    explain_pair,
    explain_prediction,
    isomorphism_test,
    vertex_importance,
    weights,
)
from grafik.evaluation import evaluate
from grafik.features import (
    CyclicPatterns,
    FunctionFeatures,
    Graphlets,
    ShortestPaths,
    VertexEdgeHistogram,
    WeisfeilerLehman,
)

WEIGHTS = {
    "degree": "degree",
    "walks": "walks",
    "Walks(2)": weights.Walks(2),
    "triangles": "triangles",
    "core": "core",
    "betweenness": "betweenness",
    "jaccard": "jaccard",
    "curvature": "curvature",
    "canonical": "canonical",
    "function": lambda graphs: np.arange(graphs.edge_ptr[-1]) % 5.0,
}
RULES = ["kmeans", "kmeans-distinct", "quantile", "distinct", [4.0, 2.5, 0.0]]
BASELINES = {name: getattr(baselines, name) for name in baselines.__all__}


def names_of_neighbours(graph):
    """Count degrees: a function of a networkx graph."""
    return [graph.degree(node) for node in graph]


FEATURES = {
    "wl": WeisfeilerLehman(depth=3, edge_labels=False),
    "wl edge labels": WeisfeilerLehman(depth=2),
    "wl exact": WeisfeilerLehman(depth=3, edge_labels=False, exact=True),
    "sp": ShortestPaths(),
    "graphlets": Graphlets(size=4),
    "graphlets sampled": Graphlets(size=4, sampling=True, n_samples=50, random_state=3),
    "cycles": CyclicPatterns(),
    "ve": VertexEdgeHistogram(),
    "function": FunctionFeatures(names_of_neighbours),
}


def made(n_graphs=24, seed=0, labels=True):
    """Make random graphs, labelled or not, some of them empty or without edges."""
    rng = np.random.default_rng(seed)
    sizes = [*rng.integers(1, 14, n_graphs - 3), 0, 1, 5]
    edges, counts = [], []
    for i, n in enumerate(sizes):
        pairs = np.argwhere(np.triu(np.ones((n, n)), 1))
        kept = pairs[rng.random(len(pairs)) < 0.35] if i < n_graphs - 3 else pairs[:0]
        edges.append(kept)
        counts.append(len(kept))
    node_ptr = np.concatenate([[0], np.cumsum(sizes)])
    edge_ptr = np.concatenate([[0], np.cumsum(counts)])
    local = np.concatenate(edges)
    values = rng.integers(0, 3, node_ptr[-1]), rng.integers(0, 2, edge_ptr[-1])
    node_labels = [["C", "N", "O"][i] for i in values[0]]
    keywords = {}
    if labels:
        keywords = {"node_labels": node_labels, "edge_labels": values[1].tolist()}
    keywords["edge_attributes"] = rng.random((int(edge_ptr[-1]), 1))
    return Graphs(node_ptr, edge_ptr, local, **keywords)


def tried(work):
    """Return what work gives; for work that is refused, the type of the error."""
    try:
        return work()
    except (ValueError, TypeError, AttributeError, NotImplementedError) as error:
        print(f"refused: {type(error).__name__}: {error}", file=sys.stderr)
        return f"{type(error).__name__}: {error}"


def digest(value):
    """Return a SHA-256 of arrays, sparse matrices, text, and lists and dicts of these."""
    found = hashlib.sha256()
    _feed(found, value)
    return found.hexdigest()[:32]


def _feed(found, value):
    if hasattr(value, "tocsr"):
        for part in (value.indptr.astype(np.int64), value.indices.astype(np.int64), value.data):
            _feed(found, part)
    elif isinstance(value, np.ndarray) and value.dtype != object:
        found.update(f"{value.dtype.str}{value.shape}".encode())
        found.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, dict):
        for key, item in value.items():
            found.update(repr(key).encode())
            _feed(found, item)
    elif isinstance(value, (list, tuple)):
        found.update(f"{len(value)}[".encode())
        for item in value:
            _feed(found, item)
    elif isinstance(value, bytes):
        found.update(value)
    else:
        found.update(repr(value).encode())


def say(name, value):
    """Print one line."""
    print(f"{digest(value)}  {name}", flush=True)


def combined(way):
    """Return the options of a sum, a product, or a sum with the smaller masses."""
    return {"mass": "min"} if way == "min" else {"combine": way}


def kernels(name, graphs, new):
    """Gram matrices of many kernels."""
    for label, features in FEATURES.items():
        for rule in RULES[:1] if "graphlets" in label else RULES:
            kernel = FiltrationKernel(features, thresholds=rule, gamma=2.0)
            say(f"{name} sum {label} {rule}", tried(lambda k=kernel: k.fit_transform(graphs)))
            say(f"{name} sum {label} {rule} new", tried(lambda k=kernel: k.transform(new)))
        for options in (
            {"normalize": True},
            {"combine": "product", "beta": 0.01},
            {"combine": "product", "beta": 0.01, "alpha_delta": 3.0, "scale": "raw"},
            {"scale": "raw", "gamma": 0.25, "n_jobs": 2},
            {"n_levels": 1},
            {"mass": "min", "n_jobs": 2},
            {"mass": "min", "normalize": True, "thresholds": "distinct"},
        ):
            kernel = FiltrationKernel(features, **options)
            found = [tried(lambda k=kernel: k.fit_transform(graphs))]
            found += [tried(lambda k=kernel: k.transform(new))]
            found += [tried(lambda k=kernel: k.diagonal(new))]
            say(f"{name} {label} {options}", found)
    for label, weight in WEIGHTS.items():
        for rule in RULES:
            kernel = FiltrationKernel(WeisfeilerLehman(3), weight=weight, thresholds=rule)
            say(
                f"{name} weight {label} {rule}",
                tried(lambda k=kernel: [k.fit_transform(graphs), k.transform(new), k.alphas_]),
            )
    kernel = FiltrationKernel(weight=weights.Attribute(0, first="small"), n_levels=4)
    say(f"{name} attribute", tried(lambda: [kernel.fit_transform(graphs), kernel.transform(new)]))
    for way in ("sum", "product", "min"):
        kernel = FiltrationKernel(weight="walks", beta=0.01, normalize=True, **combined(way))
        grid = list(kernel.gram_grid(graphs, depths=[0, 1, 3], gammas=[0.0, 0.5, 8.0]))
        say(f"{name} grid {way}", [list(part) for part in grid])
    with tempfile.TemporaryDirectory() as folder:
        for way in ("sum", "product", "min"):
            kernel = FiltrationKernel(weight="walks", beta=0.01, **combined(way))
            written = kernel.gram_to(f"{folder}/{way}.npy", graphs, memory=5e8)
            say(
                f"{name} gram_to {way}",
                [np.array(written), Path(written.filename).read_bytes()],
            )
            written = kernel.transform_to(f"{folder}/{way}-new.npy", new, memory=5e8)
            say(f"{name} transform_to {way}", np.array(written))


def others(name, graphs, new):
    """Gram matrices of the kernels of others."""
    for label, kind in sorted(BASELINES.items()):
        if not inspect.isclass(kind):
            continue
        for options in ({}, {"normalize": True}):
            kernel = tried(lambda k=kind, o=options: k(**o))
            say(
                f"{name} {label} {options}",
                [
                    tried(lambda k=kernel: k.fit_transform(graphs)),
                    tried(lambda k=kernel: k.transform(new)),
                ],
            )


def vectors(name, graphs, new):
    """Embeddings, search and barcodes."""
    for options in (
        {"method": "exact"},
        {"method": "exact", "normalize": True, "min_graphs": 2},
        {"method": "exact", "rank": 2, "n_jobs": 2},
        {"method": "exact", "mass": "min", "normalize": True},
        {"method": "hashed", "n_components": 512},
        {"method": "hashed", "normalize": True, "n_bins": 2, "random_state": 5},
    ):
        embedding = FiltrationEmbedding(weight="walks", gamma=2.0, **options)
        found = [embedding.fit_transform(graphs), embedding.transform(new)]
        say(f"{name} embedding {options}", found)
        if options["method"] == "exact":
            say(f"{name} columns {options}", embedding.get_feature_names_out().tolist())
    for options in ({}, {"normalize": True}, {"normalize": True, "mass": "min"}):
        index = GraphIndex(FiltrationKernel(weight="walks", **options)).add(graphs).add(new)
        for approximate in (False, True):
            found = index.search(graphs, top=5, approximate=approximate)
            say(f"{name} search {options} {approximate}", list(found[:3]))
    filtration = Filtration("walks").fit(graphs)
    for label, features in (
        ("wl", WeisfeilerLehman(2)),
        ("exact", WeisfeilerLehman(2, exact=True)),
    ):
        bars = grafik.barcodes.barcodes(graphs, filtration, features)
        say(f"{name} barcodes {label}", tried(lambda b=bars: b.to_pandas().to_csv()))
        histograms = features.histograms(graphs, filtration)
        say(f"{name} histograms {label}", tried(lambda h=histograms: h.to_pandas().to_csv()))


def reasons(name, graphs, classes, numbers):
    """Explanations, models, model files, results, pages."""
    for way in ("sum", "product", "min"):
        for features in (None, FEATURES["sp"], FEATURES["wl exact"]):
            kernel = FiltrationKernel(features, normalize=way != "product", **combined(way))
            kernel.fit(graphs)
            pair = explain_pair(kernel, graphs[1], graphs[2])
            say(
                f"{name} explain {way} {features}",
                [str(pair), json.dumps(pair.to_dict(), default=repr)],
            )
    folder = Path(tempfile.mkdtemp())
    model = FiltrationClassifier(weight=["degree", "walks"], levels=[1, 3], random_state=0)
    model.fit(graphs, classes)
    found = [model.predict(graphs), model.decision_function(graphs), model.predict_proba(graphs)]
    say(f"{name} classifier", [*found, repr(model.best_params_)])
    model.save(folder / "model.grafik")
    again = grafik.load(folder / "model.grafik")
    say(f"{name} loaded", [again.predict(graphs), again.decision_function(graphs)])
    for graph in (0, 3):
        why = explain_prediction(model, graphs[graph])
        say(f"{name} importance {graph}", vertex_importance(why))
        say(f"{name} prediction {graph}", [str(why), json.dumps(why.to_dict(), default=repr)])
    machine = FiltrationRegressor(weight="degree", levels=[1, 2]).fit(graphs, numbers)
    say(f"{name} regressor", [machine.predict(graphs), repr(machine.best_params_)])
    index = GraphIndex(FiltrationKernel(weight="walks")).add(graphs)
    index.save(folder / "index.grafik")
    found = grafik.load(folder / "index.grafik").search(graphs, top=4)
    say(f"{name} index loaded", list(found[:3]))
    results(name, graphs, classes, folder)
    try:
        from grafik.report import write_report
    except ImportError:
        return
    write_report(folder / "page.html", graphs, classes, name="made")
    say(f"{name} page", (folder / "page.html").read_bytes())


def results(name, graphs, classes, folder):
    """Write the result files of an evaluation."""
    from grafik.evaluation import swept

    methods = ["fwl-d", "wl", "wl-oa", "sp", "ve-hist", "fwl-triangles"]
    methods.append(("own", swept(FiltrationKernel(weight="core"))))
    changed = {"repeats": 2, "n_splits": 3, "inner_splits": 2, "levels": [1, 3]}
    if "repeats" in inspect.signature(evaluate).parameters:
        keywords = {"protocol": "quick", **changed}
    else:
        from grafik.evaluation import PROTOCOLS

        keywords = {"protocol": PROTOCOLS["quick"].with_values(**changed)}
    found = evaluate(methods, graphs, classes, name="made", out=folder / "results", **keywords)
    for path in sorted((folder / "results").iterdir()):
        if path.name != "timings.jsonl":
            say(f"{name} results {path.name}", path.read_bytes())
    say(f"{name} summary", found.summary().to_markdown())


def main():
    """Print a line for each thing that is computed."""
    graphs, new = made(labels=True), made(7, seed=1, labels=True)
    plain, plain_new = made(seed=2, labels=False), made(7, seed=3, labels=False)
    for name, batch, others_batch in (("labelled", graphs, new), ("plain", plain, plain_new)):
        kernels(name, batch, others_batch)
        others(name, batch, others_batch)
        vectors(name, batch, others_batch)
    several = Graphs.concat([made(20, seed=seed) for seed in range(3)])
    numbers = several.n_nodes + 0.5 * several.n_edges
    classes = (several.n_edges > np.median(several.n_edges)).astype(int) + (several.n_nodes > 9)
    reasons("several", several, np.array(["a", "b", "c"])[classes], numbers)
    pair = datasets.triangle_pair()[0]
    for weight in ("degree", "triangles"):
        say(f"isomorphism {weight}", repr(isomorphism_test(pair[0], pair[1], weight=weight)))
    folder = Path(os.environ.get("GRAFIK_DATA", "../shared/data"))
    for name in ("MUTAG", "EGO-1", "BZR_MD"):
        if not (folder / name).is_dir():
            print(f"no {name} in {folder}", file=sys.stderr)
            continue
        batch, _ = datasets.read_tu(folder / name)
        batch = batch[:150]
        for way in ("sum", "product", "min"):
            kernel = FiltrationKernel(weight="degree", n_levels=5, n_jobs=2, **combined(way))
            say(f"{name} {way}", kernel.fit_transform(batch))
        kernel = FiltrationKernel(weight="curvature", n_levels=8, normalize=True)
        say(f"{name} curvature", kernel.fit_transform(batch))
        say(f"{name} embedding", FiltrationEmbedding(n_levels=5).fit_transform(batch))


if __name__ == "__main__":
    main()
