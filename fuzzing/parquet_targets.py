"""Parquet files of graphs.

Damaged bytes must be seen, or change nothing. Forged files, whose checksums are right, must be
refused, or be read as what they say.
"""

import hashlib
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from grafik import Graphs

from .cases import Target, Void, Wrong, attempt
from .compact import integers, joined, split
from .mutations import EXTREMES, byte_edits, value_edits, with_edits, with_value_edits

_N_BATCHES = 6
_SEAL = b"grafik description sha256"  # the checksum of the description stands behind it


def written(action: Callable[[Path], object], name: str = "file") -> bytes:
    """Return the bytes that an action writes to a path."""
    with TemporaryDirectory() as folder:
        action(Path(folder) / name)
        return (Path(folder) / name).read_bytes()


@cache
def batch(number: int) -> Graphs:
    """Return a small batch; each has other columns."""
    random = Random(number)
    sizes = [random.randrange(5) for _ in range(4)]
    pairs = [[(u, v) for v in range(n) for u in range(v) if random.random() < 0.6] for n in sizes]
    labels = [None, True, 1, 1.5, "C", ("a", 1)]
    columns: dict[str, Any] = {}
    if number % 2:
        columns["node_labels"] = [[random.choice(labels) for _ in range(n)] for n in sizes]
        columns["edge_attributes"] = [[[random.random()] for _ in part] for part in pairs]
    if number % 3 == 1:
        columns["edge_labels"] = [[random.choice("ab") for _ in part] for part in pairs]
        columns["node_attributes"] = [[[random.random(), 1.0] for _ in range(n)] for n in sizes]
        columns["ids"] = [f"g{i}" for i in range(len(sizes))]
    if number % 3 == 2:
        columns["node_names"] = [[f"v{i}" for i in range(n)] for n in sizes]
        columns["directed"] = True
    return Graphs.from_edge_lists(pairs, sizes, **columns)


@cache
def _parquet_file(number: int) -> bytes:
    return written(lambda path: batch(number).to_parquet(path, graphs_per_group=2))


def make_parquet_bytes(random: Random) -> dict[str, Any]:
    """Return which file is damaged, and where."""
    number = random.randrange(_N_BATCHES)
    edits = byte_edits(random, _parquet_file(number), random.choice((0, 1, 1, 1, 2)))
    return {"batch": number, "edits": edits, "blocks": random.random() < 0.5}


def check_parquet_bytes(case: dict[str, Any], folder: Path) -> None:
    """Read a damaged file; it must hold what it held."""
    path = folder / "x.parquet"
    path.write_bytes(with_edits(_parquet_file(case["batch"]), case["edits"]))

    if _read(path, case["blocks"]) != batch(case["batch"]):
        raise Wrong("other graphs were read than were written")


def _read(path: Path, blocks: bool) -> Graphs:
    """Read a file, at once or in blocks; what refuses it must name it."""

    def read() -> Graphs:
        if blocks:
            return Graphs.concat(Graphs.iter_parquet(path))
        return Graphs.from_parquet(path)

    return attempt(read, re.escape(str(path)))


@cache
def _columns(number: int) -> dict[str, Any]:
    """Return the columns of a Parquet file as lists, and what its schema says."""
    from grafik.graphs.arrow import to_table

    table = to_table(batch(number))
    return {
        "columns": table.to_pydict(),
        "types": {field.name: str(field.type) for field in table.schema},
        "about": json.loads(table.schema.metadata[b"grafik.about"]),
        "version": "2",
    }


def make_parquet(random: Random) -> dict[str, Any]:
    """Return which file is forged, and how."""
    number = random.randrange(_N_BATCHES)
    return {
        "batch": number,
        "edits": value_edits(random, _columns(number), random.choice((1, 1, 2))),
    }


def check_parquet(case: dict[str, Any], folder: Path) -> None:
    """Read a file with right checksums; what is read must be what its columns say."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from grafik.graphs.arrow import to_table

    forged = with_value_edits(_columns(case["batch"]), case["edits"])
    schema = to_table(batch(case["batch"])).schema
    columns = {}
    try:
        for name, values in forged["columns"].items():
            known = forged["types"].get(name) == str(schema.field(name).type)
            try:
                columns[name] = pa.array(values, schema.field(name).type if known else None)
            except (pa.ArrowException, OverflowError, TypeError, ValueError):
                columns[name] = pa.array(values)
        metadata = {
            "grafik.about": json.dumps(forged["about"]),
            "grafik.schema_version": forged["version"],
        }
        table = pa.table(columns).replace_schema_metadata(metadata)
        path = folder / "x.parquet"
        pq.write_table(table, path, write_page_checksum=True)
    except Exception as error:  # no such file can be written
        raise Void(str(error)) from None
    found = attempt(lambda: Graphs.from_parquet(path), re.escape(str(path)))
    given = table.to_pydict()
    for number, graph in enumerate(found):
        pairs = list(zip(given["u"][number], given["v"][number], strict=True))
        if not found.directed:  # then the ends of an edge have no order
            pairs = [(min(pair), max(pair)) for pair in pairs]
        if sorted(map(tuple, graph.edges.tolist())) != sorted(pairs):
            raise Wrong(f"graph {number} has edges {graph.edges.tolist()}, not {pairs}")
        if graph.n_nodes != given["n_nodes"][number]:
            raise Wrong(f"graph {number} has {graph.n_nodes} vertices")
        for name in ("node_labels", "node_attributes"):
            mine = getattr(graph, name)
            if name in given and mine is not None:
                mine = [json.dumps(one) for one in mine] if name == "node_labels" else mine.tolist()
                wanted = given[name][number]
                if name == "node_labels":
                    wanted = [json.dumps(json.loads(one)) for one in wanted]
                if mine != wanted:
                    raise Wrong(f"graph {number}: {name} are {mine}, not {wanted}")


@cache
def _integers(number: int) -> tuple[list[Any], list[list[Any]]]:
    """Return the description of a file, and the paths to all integers in it."""
    _, description = split(_parquet_file(number))
    return description, integers(description)


def _at(value: Any, path: list[Any]) -> Any:
    for one in path:
        value = value[one]
    return value


def make_description(random: Random) -> dict[str, Any]:
    """Return which integers in the description of a file are others, and about its checksum."""
    number = random.randrange(_N_BATCHES)
    description, paths = _integers(number)
    edits = []
    for _ in range(random.choice((1, 1, 2, 3))):
        path = random.choice(paths)
        old, other = _at(description, path), _at(description, random.choice(paths))
        new = random.choice((old + 1, old - 1, old // 2, old * 2, other, random.choice(EXTREMES)))
        alike = [one for one in paths if _at(description, one) == old]
        which = alike if random.random() < 0.5 else [path]
        edits += [[one, "set", max(-(2**63), min(new, 2**63 - 1))] for one in which]
    return {"batch": number, "edits": edits, "blocks": random.random() < 0.5}


def _with_description(case: dict[str, Any], folder: Path, seal: str) -> Path:
    """Write a file with another description, whose checksum is kept, made again, or left out."""
    pages, _ = split(_parquet_file(case["batch"]))
    try:
        data = joined(pages, with_value_edits(_integers(case["batch"])[0], case["edits"]))
    except Exception as error:  # no such file can be written
        raise Void(str(error)) from None
    if seal != "kept":
        end = data[len(pages) :]
        begin = pages[: pages.rindex(_SEAL)]
        data = begin + (_SEAL + hashlib.sha256(end).digest() if seal == "new" else b"") + end
    path = folder / "x.parquet"
    path.write_bytes(data)
    return path


def check_description(case: dict[str, Any], folder: Path) -> None:
    """Read a file whose description is damaged; it must hold what it held."""
    path = _with_description(case, folder, "kept")
    if _read(path, case["blocks"]) != batch(case["batch"]):
        raise Wrong("other graphs were read than were written")


def make_forged_description(random: Random) -> dict[str, Any]:
    """Return the like, for a file without a checksum or with the right one."""
    return {**make_description(random), "seal": random.choice(("new", "none"))}


def check_forged_description(case: dict[str, Any], folder: Path) -> None:
    """Read a file whose description is forged; all places must say how many graphs there are."""
    import pyarrow.parquet as pq

    path = _with_description(case, folder, case["seal"])
    found = _read(path, case["blocks"])
    about = pq.read_metadata(path)
    for group in map(about.row_group, range(about.num_row_groups)):
        if group.column(0).num_values != group.num_rows:
            raise Wrong(f"{group.column(0).num_values} graphs in a group of {group.num_rows}")
    if len(found) != about.num_rows:
        raise Wrong(f"{len(found)} graphs were read of {about.num_rows}")


TARGETS = [
    Target("parquet-bytes", "input", make_parquet_bytes, check_parquet_bytes),
    Target("parquet-forged", "hostile", make_parquet, check_parquet),
    Target("parquet-description", "input", make_description, check_description),
    Target(
        "parquet-forged-description", "hostile", make_forged_description, check_forged_description
    ),
]
