"""Graphs of other libraries, and arrays for the constructor, beside what loops make of them."""

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from grafik import Graphs

from .cases import Target, Void, Wrong, attempt
from .drawn import drawer
from .mutations import ODD_VALUES, value_edits, with_value_edits

_KINDS = (ValueError, TypeError)
# What may be a label, an attribute, a name.
_LABELS = ["C", "O", 1, 2, True, 1.5, None, ("a", 1)]


def spelled(label: Any) -> str:
    """Write a label so that those of different types differ."""
    if isinstance(label, tuple):
        return "(" + ", ".join(map(spelled, label)) + ")"
    return f"{type(label).__name__} {label + 0.0 if isinstance(label, float) else label!r}"


def _is_label(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_label, value))
    finite = not isinstance(value, float) or math.isfinite(value)
    return finite and (value is None or isinstance(value, (str, int, float, bool)))


# Graphs of other libraries


def make_converted(random: Random) -> dict[str, Any]:
    """Return graphs as names, edges and data of both, of which some may be odd."""
    labels = random.sample(_LABELS, 3)
    has = {name: random.random() < 0.5 for name in ("label", "x", "kind", "weight")}
    directed = random.random() < 0.3
    graphs = []
    for _ in range(random.randint(1, 3)):
        n = random.randrange(5)
        names = random.choice(
            ([f"v{i}" for i in range(n)], list(range(n)), [i * 7 for i in range(n)])
        )
        vertices = []
        for name in names:
            data = {"label": random.choice(labels), "x": random.choice((0, 1.5, -2.0))}
            vertices.append([name, {key: data[key] for key in data if has[key]}])
        pairs = [(i, j) for i in range(n) for j in range(n) if i < j or (directed and i != j)]
        edges = []
        for i, j in random.sample(pairs, min(len(pairs), random.randrange(6))):
            data = {"kind": random.choice(labels), "weight": random.choice((1, 2.5, -1.0))}
            edges.append([i, j, {key: data[key] for key in data if has[key]}])
        if n and random.random() < 0.1:
            edges.append([0, 0, {key: 1 for key in ("kind", "weight") if has[key]}])
        graphs.append({"vertices": vertices, "edges": edges})
    case = {"library": random.choice(sorted(_LIBRARIES)), "directed": directed, "graphs": graphs}
    if random.random() < 0.6:
        case["odd"] = _oddness(random, graphs)
    return case


def _oddness(random: Random, graphs: list[Any]) -> list[Any]:
    """Return what is odd: a graph, a vertex or edge of it or None, a name, and a value or none."""
    at = random.randrange(len(graphs))
    kind = random.choice(("vertices", "edges", "graph"))
    items = graphs[at].get(kind)
    if not items:
        return [at, "graph", 0, "", random.choice(ODD_VALUES)]
    key = random.choice(("label", "x") if kind == "vertices" else ("kind", "weight"))
    value = random.choice(ODD_VALUES) if random.random() < 0.7 else _MISSING
    return [at, kind, random.randrange(len(items)), key, value]


_MISSING = "<missing>"


def check_converted(case: dict[str, Any], folder: Path) -> None:
    """Build the graphs of the library, convert them, and compare."""
    graphs = [
        {
            "vertices": [[name, dict(data)] for name, data in graph["vertices"]],
            "edges": [[i, j, dict(data)] for i, j, data in graph["edges"]],
        }
        for graph in case["graphs"]
    ]
    odd = case.get("odd")
    if odd and odd[1] != "graph":
        data = graphs[odd[0]][odd[1]][odd[2]][-1]
        if odd[4] == _MISSING:
            data.pop(odd[3], None)
        else:
            data[odd[3]] = odd[4]
    build, columns = _LIBRARIES[case["library"]]
    try:
        built: list[Any] = [build(graph, case["directed"]) for graph in graphs]
    except Exception as error:  # the library does not take it
        raise Void(str(error)) from None
    if odd and odd[1] == "graph":
        built[odd[0]] = odd[4]
    from grafik import as_graphs

    how: dict[str, Any] = {"directed": case["directed"]}
    if columns:
        how |= {"node_label": "label", "edge_label": "kind"}
        how |= {"node_attribute": "x", "edge_attribute": "weight"}
    right = odd is None
    place = r"graph \d+|takes no \w+=" if odd else "$right"
    found = attempt(lambda: as_graphs(built, **how), place, _KINDS)
    if right or odd[1] != "graph":
        _compare_converted(found, graphs, case, columns)


def _compare_converted(found: Graphs, graphs: list[Any], case: Any, columns: bool) -> None:
    """Refuse a batch that is not what was written down."""
    for number, (graph, wanted) in enumerate(zip(found, graphs, strict=True)):
        edges = {}
        for i, j, data in wanted["edges"]:
            if i != j:
                edges[(i, j) if case["directed"] else (min(i, j), max(i, j))] = data
        edges = dict(sorted(edges.items()))
        mine = list(map(tuple, graph.edges.tolist()))
        if graph.n_nodes != len(wanted["vertices"]) or mine != list(edges):
            raise Wrong(f"graph {number} has the edges {mine}, not {list(edges)}")
        if not columns:
            continue
        for column, key, rows in (
            ("node_labels", "label", [data for _, data in wanted["vertices"]]),
            ("node_attributes", "x", [data for _, data in wanted["vertices"]]),
            ("edge_labels", "kind", list(edges.values())),
            ("edge_attributes", "weight", list(edges.values())),
        ):
            values = getattr(graph, column)
            if values is None or not rows:
                continue
            expected = [data.get(key, _MISSING) for data in rows]
            if column.endswith("labels"):
                same = list(map(spelled, values)) == list(map(spelled, expected))
            else:
                rows = [one if isinstance(one, (list, tuple)) else [one] for one in expected]
                same = values.tolist() == [list(map(float, row)) for row in rows]
            if not same:
                raise Wrong(f"graph {number}: {column} are {list(values)}, not {expected}")


def _networkx(graph: dict[str, Any], directed: bool) -> Any:
    import networkx as nx

    made = nx.DiGraph() if directed else nx.Graph()
    made.add_nodes_from((name, data) for name, data in graph["vertices"])
    names = [name for name, _ in graph["vertices"]]
    made.add_edges_from((names[i], names[j], data) for i, j, data in graph["edges"])
    return made


def _igraph(graph: dict[str, Any], directed: bool) -> Any:
    import igraph

    pairs = [(i, j) for i, j, _ in graph["edges"]]
    made = igraph.Graph(n=len(graph["vertices"]), edges=pairs, directed=directed)
    for sequence, rows in ((made.vs, graph["vertices"]), (made.es, graph["edges"])):
        for key in {key for row in rows for key in row[-1]}:
            sequence[key] = [row[-1].get(key) for row in rows]
    if any(
        data.get(key, 0) is None for *_, data in graph["vertices"] + graph["edges"] for key in data
    ):
        raise ValueError("None is nothing in igraph")
    return made


def _rustworkx(graph: dict[str, Any], directed: bool) -> Any:
    import rustworkx as rx

    made = rx.PyDiGraph() if directed else rx.PyGraph()
    made.add_nodes_from([data for _, data in graph["vertices"]])
    made.add_edges_from([(i, j, data) for i, j, data in graph["edges"]])
    return made


def _matrix(graph: dict[str, Any], directed: bool) -> Any:
    n = len(graph["vertices"])
    made = np.zeros((n, n))
    for i, j, _ in graph["edges"]:
        made[i, j] = 1
        if not directed:
            made[j, i] = 1
    return made


def _sparse(graph: dict[str, Any], directed: bool) -> Any:
    from scipy import sparse

    return sparse.csr_array(_matrix(graph, directed))


def _pairs(graph: dict[str, Any], directed: bool) -> Any:
    n = len(graph["vertices"])
    pairs = [(i, j) for i, j, _ in graph["edges"]]
    if not pairs or max(map(max, pairs)) != n - 1:
        raise ValueError("the last vertex has no edge, so that a list of pairs does not show it")
    return pairs


# How graphs are built, and whether they have columns.
_LIBRARIES: dict[str, tuple[Callable[[dict[str, Any], bool], Any], bool]] = {
    "networkx": (_networkx, True),
    "igraph": (_igraph, True),
    "rustworkx": (_rustworkx, True),
    "numpy": (_matrix, False),
    "scipy": (_sparse, False),
    "pairs": (_pairs, False),
}


# The constructor


def _strategy() -> Any:
    from strategies import raw_batches

    return raw_batches(directed=False)


def make_arrays(random: Random) -> dict[str, Any]:
    """Return columns that Hypothesis draws, and how they are changed."""
    raw = drawer("batches", _strategy)(random)
    columns: dict[str, Any] = {
        "node_ptr": np.cumsum([0, *(graph.n for graph in raw)]).tolist(),
        "edge_ptr": np.cumsum([0, *(len(graph.edges) for graph in raw)]).tolist(),
        "edges": [list(edge) for graph in raw for edge in graph.edges],
    }
    for name in ("node_labels", "edge_labels", "node_attributes", "edge_attributes"):
        parts = [getattr(graph, name) for graph in raw]
        rows = [row for part in parts if part is not None for row in part]
        if parts and parts[0] is not None and (rows or name.endswith("labels")):
            columns[name] = rows
    edits = value_edits(random, columns, random.choice((0, 1, 1, 1, 2)))
    return {
        "columns": columns,
        "edits": edits,
        "directed": random.random() < 0.2,
        "dtype": random.choice((None, None, "i8", "i4", "u8", "i2")),
    }


def check_arrays(case: dict[str, Any], folder: Path) -> None:
    """Build a batch, and compare it with one that is built in loops."""
    columns = with_value_edits(case["columns"], case["edits"])
    if not isinstance(columns, dict) or not {"node_ptr", "edge_ptr", "edges"} <= set(columns):
        raise Void("a column is missing")
    if set(columns) - set(case["columns"]):
        raise Void("there is no such column")
    given = dict(columns)
    if case["dtype"]:
        try:
            for name in ("node_ptr", "edge_ptr", "edges"):
                given[name] = np.array(given[name]).astype(case["dtype"], casting="same_value")
        except (ValueError, TypeError, OverflowError):
            given = dict(columns)
    expected = _loops(columns, case["directed"])
    place = r"(node|edge)_(ptr|labels|attributes)|edges|graph \d+"
    found = attempt(
        lambda: Graphs(**given, directed=case["directed"]), "$right" if expected else place
    )
    if expected is None:
        return
    if expected is False:
        raise Wrong("taken, though it is wrong")
    for number, (graph, wanted) in enumerate(zip(found, expected, strict=True)):
        n, edges, labels, kinds, points, lengths = wanted
        mine = (
            graph.n_nodes,
            list(map(tuple, graph.edges.tolist())),
            None if graph.node_labels is None else list(map(spelled, graph.node_labels)),
            None if graph.edge_labels is None else list(map(spelled, graph.edge_labels)),
            None if graph.node_attributes is None else graph.node_attributes.tolist(),
            None if graph.edge_attributes is None else graph.edge_attributes.tolist(),
        )
        if mine != (n, edges, labels, kinds, points, lengths):
            raise Wrong(f"graph {number} is {mine}, not {wanted}")


def _loops(columns: dict[str, Any], directed: bool) -> Any:
    """Return graphs built in loops; False if they are wrong, None if that is hard to say."""
    for name in ("node_ptr", "edge_ptr"):
        pointer = columns[name]
        if not isinstance(pointer, list) or not pointer or not all(type(x) is int for x in pointer):
            return None
        rises = all(a <= b for a, b in pairwise(pointer))
        if pointer[0] != 0 or not rises or pointer[-1] >= 2**63:
            return False
    edges = columns["edges"]
    if not isinstance(edges, list) or not all(isinstance(edge, list) for edge in edges):
        return None
    if not all(type(end) is int for edge in edges for end in edge):
        return None
    sizes = len(columns["node_ptr"]), columns["node_ptr"][-1], len(edges)
    if sizes[0] != len(columns["edge_ptr"]) or columns["edge_ptr"][-1] != len(edges):
        return False
    if any(len(edge) != 2 for edge in edges):
        return False
    if sizes[1] > 10**6:
        return None
    for name, n in (("node", sizes[1]), ("edge", sizes[2])):
        labels, values = columns.get(f"{name}_labels"), columns.get(f"{name}_attributes")
        for column in (labels, values):
            if column is not None and not isinstance(column, list):
                return None
            if column is not None and len(column) != n:
                return False
        if labels is not None and not all(map(_is_label, labels)):
            return False
        if values is not None:
            flat = (
                [x for row in values for x in row] if all(_listed(row) for row in values) else None
            )
            if flat is None or not all(type(x) is float for x in flat):
                return None
            if len(set(map(len, values))) != 1 or not all(map(math.isfinite, flat)):
                return False if values else None
            if not values[0]:
                return False
    return _built(columns, directed)


def _listed(row: Any) -> bool:
    return isinstance(row, list)


def _built(columns: dict[str, Any], directed: bool) -> Any:
    def part(name: str, start: int, stop: int) -> Any:
        return None if columns.get(name) is None else columns[name][start:stop]

    result = []
    nodes, starts = columns["node_ptr"], columns["edge_ptr"]
    for g in range(len(nodes) - 1):
        n = nodes[g + 1] - nodes[g]
        first: dict[tuple[int, int], tuple[Any, Any]] = {}
        for row in range(starts[g], starts[g + 1]):
            u, v = columns["edges"][row]
            if not (0 <= u < n and 0 <= v < n):
                return False
            if u == v:
                continue
            pair = (u, v) if directed else (min(u, v), max(u, v))
            kind = part("edge_labels", row, row + 1)
            data = kind and spelled(kind[0]), part("edge_attributes", row, row + 1)
            if first.setdefault(pair, data) != data:
                return False
        kept = sorted(first)
        labels = part("node_labels", nodes[g], nodes[g + 1])
        result.append(
            (
                n,
                kept,
                None if labels is None else list(map(spelled, labels)),
                None if columns.get("edge_labels") is None else [first[e][0] for e in kept],
                part("node_attributes", nodes[g], nodes[g + 1]),
                None if columns.get("edge_attributes") is None else [first[e][1][0] for e in kept],
            )
        )
    return result


TARGETS = [
    Target("converters", "input", make_converted, check_converted),
    Target("constructor", "input", make_arrays, check_arrays),
]
