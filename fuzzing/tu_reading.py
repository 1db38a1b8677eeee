"""The TU format, read in dicts and loops; imports nothing of grafik.

It returns all places at which the files are at fault, because a reader may name any of them.
"""

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

_PATTERNS: dict[type, str] = {
    int: r"-?[0-9]+",
    float: r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?",
}
PARTS = ("graph_indicator", "A", "graph_labels", "graph_attributes", "node_labels", "edge_labels")
PARTS = (*PARTS, "node_attributes", "edge_attributes")


class Reading(NamedTuple):
    """What files say: for each graph its vertices and its edges, and the targets; or the faults.

    Attributes
    ----------
    graphs : list of (list of (label, attributes), dict of (label, attributes) by edge)
    targets : list of tuples, or None
    faults : set of (part, line or None)
    """

    graphs: list[Any]
    targets: list[Any] | None
    faults: set[tuple[str, int | None]]


def read(files: dict[str, bytes], directed: bool = False, strict: bool = False) -> Reading:
    """Read the files of a data set, given by the parts of their names."""
    faults: set[tuple[str, int | None]] = set()
    tables = {}
    # A file of targets that is not needed is not read.
    unread = {"graph_attributes"} if "graph_labels" in files else set()
    for part in PARTS:
        if part in files and part not in unread:
            whole = part.endswith("attributes")
            columns = {"graph_indicator": 1, "A": 2}.get(part)
            tables[part] = _table(files[part], float if whole else int, columns, part, faults)
    for needed in ("graph_indicator", "A"):
        if needed not in files:
            faults.add((needed, None))
    # Without these nothing else can be said.
    if {part for part, _ in faults} & {"graph_indicator", "A", "graph_labels", "graph_attributes"}:
        return Reading([], None, faults)

    graph_of = [row[0] for row in tables["graph_indicator"]]
    targets = tables.get("graph_labels", tables.get("graph_attributes"))
    n_graphs = max(graph_of, default=0) if targets is None else len(targets)
    faults |= {
        ("graph_indicator", line)
        for line, g in enumerate(graph_of, 1)
        if not 1 <= g <= n_graphs or (targets is None and g > 1_000_000)
    }
    for line, (u, v) in enumerate(tables["A"], 1):
        there = [1 <= end <= len(graph_of) for end in (u, v)]
        if not all(there) or graph_of[u - 1] != graph_of[v - 1]:
            faults.add(("A", line))
    for part, like in (("node", "graph_indicator"), ("edge", "A")):
        for name in (f"{part}_labels", f"{part}_attributes"):
            if name in tables and len(tables[name]) != len(tables[like]):
                faults.add((name, None))
    if faults:
        return Reading([], None, faults)

    numbers, graphs = [], [([], {}) for _ in range(n_graphs)]
    for vertex, g in enumerate(graph_of):
        numbers.append(len(graphs[g - 1][0]))
        graphs[g - 1][0].append(_data(tables, "node", vertex))
    lines: dict[Any, list[int]] = {}
    for line, (u, v) in enumerate(tables["A"], 1):
        pair = numbers[u - 1], numbers[v - 1]
        key = graph_of[u - 1], *(pair if directed else sorted(pair))
        if u == v:
            if strict:
                faults.add(("A", line))
            continue
        data = _data(tables, "edge", line - 1)
        if key in lines and data != graphs[key[0] - 1][1][key[1:]]:
            faults.update(("A", one) for one in [*lines[key], line])
        graphs[key[0] - 1][1].setdefault(key[1:], data)
        lines.setdefault(key, []).append(line)
    if strict:
        ways = [(graph_of[u - 1], u, v) for u, v in tables["A"]]
        faults |= {("A", at + 1) for at, way in enumerate(ways) if way in ways[:at]}
    for _, edges in graphs:
        ordered = dict(sorted(edges.items()))
        edges.clear()
        edges.update(ordered)
    return Reading(graphs, targets, faults)


def _data(tables: dict[str, Any], kind: str, row: int) -> tuple[Any, Any]:
    """Return the label and the attributes of a vertex or an edge, None where there are none."""
    labels, values = tables.get(f"{kind}_labels"), tables.get(f"{kind}_attributes")
    label = None if labels is None else labels[row]
    if label is not None and len(label) == 1:
        label = label[0]
    return label, None if values is None else list(values[row])


def _table(
    data: bytes, kind: Callable[[str], Any], columns: int | None, part: str, faults: set[Any]
) -> list[tuple[Any, ...]]:
    """Return the rows of a file, and add its bad lines to the faults."""
    text = data.removeprefix(b"\xef\xbb\xbf").rstrip(b" \t\r\n").decode("utf-8", "replace")
    if not text:
        return []
    rows = []
    for number, line in enumerate(re.split("\r\n|\n|\r", text), 1):
        fields = [field.strip(" \t") for field in line.split(",")]
        columns = columns or len(fields)
        row = []
        for field in fields:
            right = bool(re.fullmatch(_PATTERNS[kind], field, re.ASCII))
            if kind is int:
                right = right and len(field) <= 20 and -(2**63) <= int(field) < 2**63
            else:
                right = right and math.isfinite(float(field))
            if not right:
                faults.add((part, number))
            else:
                row.append(kind(field))
        if len(fields) != columns:
            faults.add((part, number))
        rows.append(tuple(row))
    return rows
