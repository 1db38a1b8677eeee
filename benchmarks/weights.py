"""Weights that count or hash larger parts of a graph, beside networkx, which does it plainly."""

import time
from collections.abc import Callable, Iterable, Sequence

import networkx as nx

from grafik import Graphs, datasets, weights

from . import inputs
from .machine import load, write_result
from .measure import in_turns, measured, shown, tell
from .table import markdown, number

DATA = ("NCI1", "EGO-1", "BREC")
BUDGET = 5.0  # seconds for networkx, which then takes no further graph

WEIGHTS: dict[str, weights.Weight] = {
    "Marked()": weights.Marked(),
    "Marked(extra=1)": weights.Marked(extra=1),
    "Cliques(4)": weights.Cliques(4),
    "Cycles(6)": weights.Cycles(6),
    "Resistance()": weights.Resistance(),
}
# One more mark takes hours on data sets that need it less.
_ONLY_ON = {"Marked(extra=1)": "BREC"}


def _marked(graph: nx.Graph) -> None:
    for edge in graph.edges:
        nx.set_node_attributes(graph, {v: v in edge for v in graph}, "mark")
        nx.weisfeiler_lehman_graph_hash(graph, node_attr="mark", iterations=16)


def _marked_more(graph: nx.Graph) -> None:
    for edge in graph.edges:
        for third in graph:
            marks = {v: (v in edge, v == third) for v in graph}
            nx.set_node_attributes(graph, marks, "mark")
            nx.weisfeiler_lehman_graph_hash(graph, node_attr="mark", iterations=16)


def _cliques(graph: nx.Graph) -> None:
    for clique in nx.enumerate_all_cliques(graph):
        if len(clique) > 4:
            break


def _cycles(graph: nx.Graph) -> None:
    for _ in nx.simple_cycles(graph, length_bound=6):
        pass


def _resistance(graph: nx.Graph) -> None:
    for part in nx.connected_components(graph):
        if len(part) > 1:
            nx.resistance_distance(graph.subgraph(part))


PLAIN: dict[str, Callable[[nx.Graph], None]] = {
    "Marked()": _marked,
    "Marked(extra=1)": _marked_more,
    "Cliques(4)": _cliques,
    "Cycles(6)": _cycles,
    "Resistance()": _resistance,
}


def read(name: str) -> Graphs:
    """Read a data set; of BREC, the graphs of all pairs."""
    if name != "BREC":
        return inputs.read(name)
    return datasets.brec(inputs.folder() / name / "pairs.tsv")[0]


def main(only: Sequence[str] = (), repeats: int | None = None, to: str = "weights") -> None:
    """Measure all weights on the data sets, by default all, and write the result file."""
    result: dict = {"complete": not only, "load": load(), "budget_seconds": BUDGET, "rows": []}
    for name in only or DATA:
        if problem := inputs.missing(name):
            tell(f"{name}: left out, {problem}")
            result["complete"] = False
            continue
        graphs = read(name)
        result["rows"] += [
            measure(name, graphs, weight, repeats)
            for weight in WEIGHTS
            if _ONLY_ON.get(weight, name) == name
        ]
    tell(f"written to {write_result(to, result)}")
    print(block(result))


def measure(name: str, graphs: Graphs, weight: str, repeats: int | None = None) -> dict:
    """Time a weight on a data set, and on as many of its graphs as networkx has time for."""
    compute = WEIGHTS[weight]
    compute(inputs.sample(graphs))  # compiles the loops
    # Small graphs first: one large graph may take networkx an hour.
    order = sorted(
        range(0, len(graphs), max(1, len(graphs) // 100)), key=graphs.n_edges.__getitem__
    )
    n_plain, seconds = _plain(graphs[order].to_networkx(), PLAIN[weight])
    few = graphs[order[:n_plain]]
    # A new view each time: a batch remembers its neighbour lists.
    ours = in_turns(
        {
            "all": lambda: measured(lambda: compute(graphs[:])),
            "same": lambda: measured(lambda: compute(few[:])),
        },
        repeats,
    )
    tell(
        f"{weight} on {name}: {shown(ours['all'])}; {n_plain} graphs with networkx {seconds:.4g} s"
    )
    return {
        "data": name,
        "weight": weight,
        "graphs": len(graphs),
        "edges": len(graphs.edges),
        **ours["all"],
        "plain_graphs": n_plain,
        "plain_seconds": seconds,
        "same_seconds": ours["same"]["seconds"],
        "times_faster": seconds / ours["same"]["seconds"],
    }


def _plain(graphs: Iterable[nx.Graph], work: Callable[[nx.Graph], None]) -> tuple[int, float]:
    """Return how many graphs the budget was enough for, and the seconds."""
    done, seconds = 0, 0.0
    for graph in graphs:
        start = time.perf_counter()
        work(graph)
        seconds += time.perf_counter() - start
        done += 1
        if seconds > BUDGET:
            break
    return done, seconds


def block(result: dict) -> str:
    """Return the table of what was measured."""
    heads = ["weight", "data", "graphs", "edges", "s", "by networkx", "s there", "s here", "faster"]
    return markdown(
        heads,
        [
            [
                f"`{row['weight']}`",
                row["data"],
                str(row["graphs"]),
                str(row["edges"]),
                number(row["seconds"]),
                f"{row['plain_graphs']} graphs",
                number(row["plain_seconds"]),
                number(row["same_seconds"]),
                f"{row['times_faster']:.0f}x",
            ]
            for row in result["rows"]
        ],
    )
