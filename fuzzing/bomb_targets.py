"""Small files that stand for very much: deep, wide, long, or with sizes that are not true."""

import gzip
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import grafik
from grafik import Graphs, datasets

from .cases import Target, attempt

_KINDS = (ValueError, FileNotFoundError)


def make(random: Random) -> dict[str, Any]:
    """Return what kind of file it is, how large, and of what it is made."""
    name = random.choice(sorted(_BOMBS))
    size = int(10 ** random.uniform(2, 6.5))
    return {
        "bomb": name,
        "size": size,
        "piece": random.choice(("0", "\n", "1,", "[", "C", "~", " ")),
    }


def check(case: dict[str, Any], folder: Path) -> None:
    """Write the file, and read it."""
    _BOMBS[case["bomb"]](case["size"], case["piece"], folder)


def _gz_graph6(size: int, piece: str, folder: Path) -> None:
    path = folder / "x.g6.gz"
    path.write_bytes(gzip.compress(piece.encode() * (10 * size), 1))
    attempt(lambda: datasets.read_graph6(path, max_bytes=10**7), r"x\.g6\.gz")


def _gz_table(size: int, piece: str, folder: Path) -> None:
    path = folder / "x.csv.gz"
    path.write_bytes(gzip.compress(b"smiles\n" + piece.encode() * (10 * size), 1))
    attempt(lambda: datasets.read_csv(path, max_bytes=10**7), r"x\.csv\.gz")


def _graph6(size: int, piece: str, folder: Path) -> None:
    path = folder / "x.g6"
    number = [size**2 % 2**36 >> shift & 63 for shift in range(30, -1, -6)]
    letters = "~~" + "".join(chr(63 + value) for value in number)
    path.write_text(letters + piece * (size % 1000) + "\n")
    attempt(lambda: datasets.read_graph6(path), r"x\.g6, line 1")


def _tu(size: int, piece: str, folder: Path) -> None:
    files = {"A": "1, 2\n", "graph_indicator": "1\n1\n"}
    part = {"0": "graph_indicator", "\n": "A", "1,": "A", "[": "node_labels"}.get(
        piece, "graph_labels"
    )
    files[part] = str(size**3) if piece == "0" else f"1{piece * size}1"
    place = folder / "X"
    place.mkdir()
    for name, text in files.items():
        (place / f"X_{name}.txt").write_text(text)
    attempt(lambda: datasets.read_tu(place), r"X_\w+\.txt", _KINDS)


def _parquet_rows(size: int, piece: str, folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "x.parquet"
    empty = pa.LargeListArray.from_arrays(np.zeros(size + 1, np.int64), pa.array([], pa.int32()))
    about = {"directed": False, "node_attribute_names": None, "edge_attribute_names": None}
    sizes = np.full(size, 2**31 - 1 if piece == "[" else 0, np.int32)
    table = pa.table({"n_nodes": sizes, "u": empty, "v": empty}).replace_schema_metadata(
        {"grafik.about": json.dumps(about), "grafik.schema_version": "2"}
    )
    pq.write_table(table, path)
    attempt(lambda: Graphs.from_parquet(path), re.escape(str(path)))


def _parquet_label(size: int, piece: str, folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "x.parquet"
    about = {"directed": False, "node_attribute_names": None, "edge_attribute_names": None}
    none = pa.array([[]], pa.large_list(pa.int32()))
    label = "[" * size + "]" * size if piece == "[" else f'"{piece.strip() * size}"'
    columns = {
        "n_nodes": pa.array([1], pa.int32()),
        "u": none,
        "v": none,
        "node_labels": pa.array([[label]], pa.large_list(pa.string())),
    }
    metadata = {"grafik.about": json.dumps(about), "grafik.schema_version": "2"}
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), path)
    attempt(lambda: Graphs.from_parquet(path), re.escape(str(path)))


def _nested(size: int, piece: str) -> str:
    """Return JSON that is deep, or long."""
    if piece in "[~":
        return "[" * size + "]" * size
    if piece == "C":
        return '{"a":' * size + "1" + "}" * size
    return "9" * size if piece == "0" else "[" + "1," * size + "1]"


def _model(size: int, piece: str, folder: Path) -> None:
    path = folder / "x.grafik"
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({size**3},), }}"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
    digest = hashlib.sha256(array).hexdigest()
    manifest = (
        '{"format":"grafik archive","version":2,"grafik":"0","kind":"FiltrationKernel",'
        f'"sha256":{{"x.npy":"{digest}"}},"content":{{"parameters":{_nested(size, piece)}}}}}'
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("manifest.json", manifest)
        file.writestr("x.npy", array)
    path.write_bytes(buffer.getvalue())
    attempt(lambda: grafik.load(path), re.escape(str(path)))


def _results(size: int, piece: str, folder: Path) -> None:
    from grafik.evaluation import read_results

    text = f'{{"format":"grafik results 1","x":{_nested(size, piece)}}}'
    check_sum = hashlib.sha256(text.encode()).hexdigest()[:16]
    line = f'{text[:-1]},"sha256":"{check_sum}"}}\n'
    (folder / "results.jsonl").write_text(line)
    attempt(lambda: read_results(folder), re.escape(str(folder / "results.jsonl")))


_BOMBS: dict[str, Callable[[int, str, Path], None]] = {
    "gz-graph6": _gz_graph6,
    "gz-table": _gz_table,
    "graph6": _graph6,
    "tu": _tu,
    "parquet-rows": _parquet_rows,
    "parquet-label": _parquet_label,
    "model": _model,
    "results": _results,
}

TARGETS = [Target("bombs", "hostile", make, check, 20)]
