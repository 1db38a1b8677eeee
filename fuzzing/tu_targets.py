"""Data sets in TU format, as folders and as zips, beside a reading of them in loops."""

import io
import re
import struct
import zipfile
from pathlib import Path
from random import Random
from typing import Any

from grafik import datasets

from . import tu_reading
from .cases import Target, Wrong, attempt
from .mutations import EXTREMES, byte_edits, edited_text, with_edits

_KINDS = (ValueError, FileNotFoundError)
# What others call the parts; a reader that leaves such a file out loses it.
_CALLED = {
    "node_labels": ("node_lbl.txt", "n_labels.txt", "atom_class.csv", "node_labels.npy"),
    "edge_labels": ("bond_label.txt", "e_lbls.txt", "edge_labels.txt.gz"),
    "node_attributes": ("node_feat.txt", "features.txt", "vertex_attrs.csv"),
    "edge_attributes": ("edge_weight.txt", "weights.txt", "edge_attributes.zip"),
    "graph_labels": ("graph_lbl.txt", "classes.txt", "g_class.txt"),
    "graph_attributes": ("graph_attr.txt", "graph_features.tsv"),
}


def data_set(random: Random) -> dict[str, bytes]:
    """Return the files of a small data set, by parts of their names."""
    sizes = [random.randrange(5) for _ in range(random.randint(1, 4))]
    graph_of = [g for g, n in enumerate(sizes, 1) for _ in range(n)]
    if random.random() < 0.3:
        random.shuffle(graph_of)
    members: dict[int, list[int]] = {}
    for vertex, g in enumerate(graph_of, 1):
        members.setdefault(g, []).append(vertex)
    edges = []
    for vertices in members.values():
        for _ in range(random.randrange(5)):
            u, v = random.choice(vertices), random.choice(vertices)
            if u != v or random.random() < 0.1:
                edges.append((u, v))
                if random.random() < 0.7:
                    edges.append((v, u))
    like = {edge: random.randrange(3) for edge in edges for edge in (edge, edge[::-1])}
    wide, separator = random.choice((1, 1, 2, 3)), random.choice((", ", ",", " ,\t"))

    def rows(values: list[Any], width: int = 1) -> list[str]:
        return [separator.join([str(value)] * width) for value in values]

    lines = {
        "A": [f"{u}{separator}{v}" for u, v in edges],
        "graph_indicator": rows(graph_of),
    }
    optional = {
        "graph_labels": rows([random.randint(-1, 1) for _ in sizes]),
        "graph_attributes": rows([random.random() for _ in sizes], wide),
        "node_labels": rows([random.randrange(4) for _ in graph_of], wide),
        "edge_labels": rows([like[edge] for edge in edges], wide),
        "node_attributes": rows([random.gauss(0, 9) for _ in graph_of], wide),
        "edge_attributes": rows([like[edge] / 7 for edge in edges], wide),
    }
    lines |= {part: found for part, found in optional.items() if random.random() < 0.5}
    end = random.choice(("\n", "\n", "\r\n", "\r"))
    return {
        part: random.choice(("", "", "", "\ufeff")).encode()
        + end.join([*found, ""] if random.random() < 0.8 else found).encode()
        for part, found in lines.items()
    }


def _options(random: Random) -> dict[str, bool]:
    return {"directed": random.random() < 0.2, "strict": random.random() < 0.2}


def make_folder(random: Random) -> dict[str, Any]:
    """Return files of which some may be damaged, missing or misnamed."""
    files = data_set(random)
    for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
        part = random.choice(sorted(files))
        if random.random() < 0.05 and len(files) > 1:
            del files[part]
        else:
            files[part] = edited_text(random, files[part])
    case: dict[str, Any] = {"files": files, **_options(random)}
    if random.random() < 0.05:
        part = case["misnamed"] = random.choice(sorted(files))
        case["called"] = random.choice((f"{part[:-1]}x.txt", *_CALLED.get(part, ())))
    return case


def check_folder(case: dict[str, Any], folder: Path) -> None:
    """Compare what is read from a folder."""
    place = folder / "SMALL"
    place.mkdir()
    for part, data in case["files"].items():
        name = case.get("called", f"{part[:-1]}x.txt")
        name = name if part == case.get("misnamed") else f"{part}.txt"
        (place / f"SMALL_{name}").write_bytes(data)
    _compare(place, case["files"], case, case.get("misnamed"))


def _compare(path: Path, files: dict[str, bytes], case: dict[str, Any], misnamed: Any) -> None:
    """Read a data set, and compare it with the reading in loops."""
    strict, directed = case["strict"], case["directed"]
    expected = tu_reading.read(files, directed, strict)
    faults = set(expected.faults)
    if misnamed is not None:
        faults.add((misnamed, None))
    places = [re.escape(str(path))] if misnamed or any(line is None for _, line in faults) else []
    for part, line in faults:
        places.append(f"SMALL_{part}.txt" + ("" if line is None else f", line {line}\\b"))
    how = {"directed": directed, "on_invalid": "raise" if strict else "drop"}
    # What is right must not be refused: no place can be named then.
    found = attempt(
        lambda: datasets.read_tu(path, **how), "|".join(places) or "$nothing is wrong", _KINDS
    )
    if faults:
        raise Wrong(f"read, though there are faults at {sorted(map(str, faults))[:3]}")
    same_content(found, expected)


def same_content(found: tuple[Any, Any], expected: tu_reading.Reading) -> None:
    """Refuse graphs and targets that are not those of the reading in loops."""
    graphs, y = found
    targets = expected.targets
    rows = None if y is None else [tuple(row) if y.ndim > 1 else (row,) for row in y.tolist()]
    if rows != targets:
        raise Wrong(f"targets are {rows}, not {targets}")
    if len(graphs) != len(expected.graphs):
        raise Wrong(f"there are {len(graphs)} graphs, not {len(expected.graphs)}")
    for number, (graph, (vertices, edges)) in enumerate(zip(graphs, expected.graphs, strict=True)):
        mine = list(map(tuple, graph.edges.tolist()))
        if (graph.n_nodes, mine) != (len(vertices), list(edges)):
            raise Wrong(f"graph {number} has edges {mine}, not {list(edges)}")
        for kind, data in (("node", vertices), ("edge", list(edges.values()))):
            for place, column in enumerate(("labels", "attributes")):
                values = getattr(graph, f"{kind}_{column}")
                wanted = [one[place] for one in data]
                listed = values if values is None else list(getattr(values, "tolist", list)())
                if values is not None and column == "labels":
                    listed = list(values)
                if (listed or [None] * len(data)) != wanted:
                    raise Wrong(f"graph {number}: {kind}_{column} are {listed}, not {wanted}")


def make_zip(random: Random) -> dict[str, Any]:
    """Return files that are put into a zip, and how its bytes are damaged."""
    case = {
        "files": data_set(random),
        "prefix": random.choice(("", "SMALL/", "a/b/", "SMALL\\", "./a//b/")),
        "method": random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)),
        **_options(random),
    }
    return {**case, "edits": byte_edits(random, _zipped(case), random.choice((0, 1, 1, 2)))}


def _zipped(case: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for part, data in case["files"].items():
            info = zipfile.ZipInfo(f"{case['prefix']}SMALL_{part}.txt")
            archive.writestr(info, data, case["method"])
    return buffer.getvalue()


def check_zip(case: dict[str, Any], folder: Path) -> None:
    """Compare what is read from a zip with what was written to it: damage must be seen."""
    path = folder / "SMALL.zip"
    path.write_bytes(with_edits(_zipped(case), case["edits"]))
    expected = tu_reading.read(case["files"], case["directed"], case["strict"])
    how = {"directed": case["directed"], "on_invalid": "raise" if case["strict"] else "drop"}
    place = rf"{re.escape(str(path))}|SMALL_\w+\.txt"
    found = attempt(lambda: datasets.read_tu(path, **how), place, _KINDS)
    if expected.faults:
        raise Wrong(f"read, though there are faults at {sorted(map(str, expected.faults))[:3]}")
    same_content(found, expected)


# What a member's record in the list of a zip says of it: offset and size in bytes.
_FIELDS = {
    **{"version": (6, 2), "flags": (8, 2), "method": (10, 2), "sum": (16, 4), "packed": (20, 4)},
    **{"size": (24, 4), "name": (28, 2), "extra": (30, 2), "disk": (34, 2), "mode": (38, 4)},
    "start": (42, 4),
}


def make_hostile_zip(random: Random) -> dict[str, Any]:
    """Return a zip that lies about its members, or unpacks to very much."""
    files = data_set(random)
    names = [f"SMALL/SMALL_{part}.txt" for part in files]
    if random.random() < 0.4:
        at = random.randrange(len(names))
        names[at] = random.choice(
            (
                "../" + names[at],
                "/" + names[at],
                "C:/x",
                "a\\..\\b",
                names[0],
                "\0",
                "",
                "x" * 70000,
                "x/" * random.choice((20, 2000, 30000)),
                "SMALL_" + "n" * random.choice((200, 300, 60000)) + "_node_labels.txt",
                names[at].replace("/", random.choice(("\\", "//", "/./", "\\..\\"))),
            )
        )[:65000]
    bomb = random.choice((None, None, b"0\n", b"1, 2\n", b"\n", b"0", b" ", b"1,"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, data) in enumerate(zip(names, files.values(), strict=True)):
            info = zipfile.ZipInfo("x", (1980, 1, 1, 0, 0, 0))
            info.compress_type, info.filename = zipfile.ZIP_DEFLATED, name
            if bomb and number == 0:
                data = bomb * (random.choice((10**4, 10**5, 10**6, 4 * 10**6)) // len(bomb))
            archive.writestr(info, data)
    data = buffer.getvalue()
    for _ in range(random.choice((0, 1, 2))):
        records = [found.start() for found in re.finditer(b"PK\x01\x02", data)]
        offset, size = random.choice(list(_FIELDS.values()))
        at = random.choice(records) + offset
        number = random.choice((*EXTREMES, 0o120777 << 16)) % 256**size
        data = data[:at] + number.to_bytes(size, "little") + data[at + size :]
    if random.random() < 0.1:
        end = data.rindex(b"PK\x05\x06")
        data = data[: end + 8] + struct.pack("<HH", 65535, 65535) + data[end + 12 :]
    return {"zip": data}


def check_hostile_zip(case: dict[str, Any], folder: Path) -> None:
    """Read a zip; it must be read or refused, and leave nothing behind."""
    path = folder / "SMALL.zip"
    path.write_bytes(case["zip"])
    try:
        attempt(lambda: datasets.read_tu(path), rf"{re.escape(str(path))}|SMALL_\w+\.txt", _KINDS)
    finally:
        if list(folder.iterdir()) != [path] or path.read_bytes() != case["zip"]:
            raise Wrong("reading wrote something")


TARGETS = [
    Target("tu-folder", "input", make_folder, check_folder),
    Target("tu-zip", "input", make_zip, check_zip),
    Target("tu-hostile-zip", "hostile", make_hostile_zip, check_hostile_zip, 20),
]
