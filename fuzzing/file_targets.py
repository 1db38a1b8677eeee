"""Files that grafik writes: models, indexes, results and vectors.

Damaged bytes must be seen, or change nothing. Forged files, whose checksums are right, must be
refused or do no harm when they are used.
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

import numpy as np

import grafik
from grafik import Graphs
from grafik.system.archive import read_archive, write_archive
from grafik.system.journal import canonical

from .cases import Refused, Target, Vague, Void, Wrong, attempt
from .mutations import byte_edits, value_edits, with_edits, with_value_edits
from .parquet_targets import batch, written

# Models


@cache
def _model(kind: str) -> Any:
    """Return a small fitted model."""
    graphs, y = grafik.datasets.csl(n=9, skips=(2, 3), copies=3)
    labelled = Graphs(
        graphs.node_ptr,
        graphs.edge_ptr,
        graphs.edges,
        node_labels=[int(i) % 3 for i in range(int(graphs.node_ptr[-1]))],
        node_attributes=[[float(i % 5), 1.0] for i in range(int(graphs.node_ptr[-1]))],
        ids=[f"g{i}" for i in range(len(graphs))],
    )
    grid = {"depths": [1], "levels": [2], "Cs": [1.0]}
    exact = grafik.features.WeisfeilerLehman(1, exact=True)
    made: dict[str, Callable[[], Any]] = {
        "kernel": lambda: grafik.FiltrationKernel(weight="triangles", depth=1).fit(labelled),
        "exact": lambda: grafik.FiltrationKernel(exact, weight="walks").fit(labelled),
        "marked": lambda: grafik.FiltrationKernel(weight="marked", depth=1).fit(graphs),
        "mean": lambda: grafik.MeanKernel("degree+core").fit(graphs),
        "gaussian": lambda: grafik.GaussianKernel(grafik.FiltrationKernel(depth=1), 2.0).fit(
            graphs
        ),
        "classifier": lambda: grafik.FiltrationClassifier(weight="walks", **grid).fit(graphs, y),
        "regressor": lambda: grafik.FiltrationRegressor(weight="walks", **grid).fit(
            graphs, 1.5 * y
        ),
        "index": lambda: grafik.GraphIndex(grafik.FiltrationKernel(depth=1, normalize=True)).add(
            labelled
        ),
        "labels": lambda: grafik.AttributeLabels().fit(labelled),
    }
    return made[kind](), labelled if kind in ("kernel", "exact", "index", "labels") else graphs


MODELS = (
    "kernel",
    "exact",
    "marked",
    "mean",
    "gaussian",
    "classifier",
    "regressor",
    "index",
    "labels",
)


def _use(model: Any, graphs: Graphs) -> list[Any]:
    """Return all that a model says of some graphs."""
    few = graphs[:3]
    if isinstance(model, grafik.GraphIndex):
        exact = model.search(few, top=2)
        rough = model.search(few, top=2, approximate=True)
        return [*map(repr, (*exact, *rough))]
    if isinstance(model, grafik.FiltrationClassifier):
        return [model.predict(few).tolist(), model.decision_function(few).tolist()]
    if isinstance(model, grafik.FiltrationRegressor):
        return [model.predict(few).tolist()]
    found = model.transform(few)
    return [list(found.node_labels or ())] if isinstance(found, Graphs) else [found.tolist()]


@cache
def _model_file(kind: str) -> bytes:
    return written(_model(kind)[0].save)


@cache
def _answers(kind: str) -> list[Any]:
    return _use(*_model(kind))


def make_model_bytes(random: Random) -> dict[str, Any]:
    """Return which file is damaged, and where."""
    kind = random.choice(MODELS)
    return {
        "model": kind,
        "edits": byte_edits(random, _model_file(kind), random.choice((0, 1, 1, 1, 1, 1, 1, 2, 2))),
    }


def check_model_bytes(case: dict[str, Any], folder: Path) -> None:
    """Load a damaged file; it must say what the model says."""
    path = folder / "x.grafik"
    path.write_bytes(with_edits(_model_file(case["model"]), case["edits"]))
    model = attempt(lambda: grafik.load(path), re.escape(str(path)), (ValueError, ImportError))
    if _use(model, _model(case["model"])[1]) != _answers(case["model"]):
        raise Wrong("the model says something else than the one that was saved")


@cache
def _parts(kind: str) -> dict[str, Any]:
    """Return what a model's file holds, as dicts and lists."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "x").write_bytes(_model_file(kind))
        archive = read_archive(Path(folder) / "x")
    arrays = {
        name: {
            "dtype": array.dtype.str,
            "shape": list(array.shape),
            "values": array.ravel().tolist(),
        }
        for name, array in archive.arrays.items()
    }
    return {"kind": archive.kind, "content": archive.content, "arrays": arrays}


def make_model(random: Random) -> dict[str, Any]:
    """Return which file is forged, and how."""
    kind = random.choice(MODELS)
    return {"model": kind, "edits": value_edits(random, _parts(kind), random.choice((1, 1, 1, 2)))}


def check_model(case: dict[str, Any], folder: Path) -> None:
    """Load a file with right checksums, and use it if it is taken for a model."""
    forged = with_value_edits(_parts(case["model"]), case["edits"])
    path = folder / "x.grafik"
    try:
        arrays = {
            name: np.array(one["values"], one["dtype"]).reshape(one["shape"])
            for name, one in forged["arrays"].items()
        }
        write_archive(path, forged["kind"], forged["content"], arrays)
    except Exception as error:  # no such file can be written
        raise Void(str(error)) from None
    model = attempt(lambda: grafik.load(path), re.escape(str(path)))
    # What it says is up to whoever made it, but it must be said or refused.
    try:
        attempt(lambda: _use(model, _model(case["model"])[1]), "")
    except Vague as vague:
        raise Refused(str(vague)) from None
    again = folder / "again.grafik"
    model.save(again)
    if again.read_bytes() != path.read_bytes() and repr(
        _use(grafik.load(again), batch(0)[:0])
    ) != repr(_use(model, batch(0)[:0])):
        raise Wrong("saved and loaded again, it says something else")


# Results and vectors


def line_of(entry: Any) -> bytes:
    """Return a line of a result file, with its checksum, as `system/journal.py` writes it."""
    text = canonical(entry)
    check = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f'{text[:-1]}{"," if entry else ""}"sha256":"{check}"}}\n'.encode()


@cache
def _results_file() -> bytes:
    """Return a result file, of an evaluation without its computations."""
    from grafik.evaluation import PROTOCOLS, evaluate

    graphs, y = grafik.datasets.csl(n=9, skips=(2, 3), copies=6)
    quick = PROTOCOLS["quick"].with_values(n_splits=2)
    with TemporaryDirectory() as folder:
        evaluate(["wl", "sp"], graphs, y, protocol=quick, out=folder, progress=False)
        return (Path(folder) / "results.jsonl").read_bytes()


@cache
def _lines() -> list[Any]:
    lines = [json.loads(line) for line in _results_file().splitlines()]
    return [{name: value for name, value in line.items() if name != "sha256"} for line in lines]


def _read_results(folder: Path) -> Any:
    from grafik.evaluation import read_results

    return attempt(lambda: read_results(folder), re.escape(str(folder / "results.jsonl")))


def make_results_bytes(random: Random) -> dict[str, Any]:
    """Return where a result file is damaged."""
    return {
        "edits": byte_edits(random, _results_file(), random.choice((0, 1, 1, 1, 1, 1, 1, 2, 2)))
    }


def check_results_bytes(case: dict[str, Any], folder: Path) -> None:
    """Read a damaged file; it must hold what it held, but may have lost its end."""
    data = with_edits(_results_file(), case["edits"])
    (folder / "results.jsonl").write_bytes(data)
    found = _read_results(folder)
    if found.units != _lines()[1:][: len(found.units)]:
        raise Wrong("other results were read than were written")
    if len(found.units) < len(_lines()) - 1 and data.endswith(_results_file()[-40:]):
        raise Wrong("results were passed over")


def make_results(random: Random) -> dict[str, Any]:
    """Return how a result file is forged."""
    return {"edits": value_edits(random, _lines(), random.choice((1, 1, 2, 3)))}


def check_results(case: dict[str, Any], folder: Path) -> None:
    """Read a file with right checksums, and use it if it is taken for results."""
    try:
        lines = with_value_edits(_lines(), case["edits"])
        (folder / "results.jsonl").write_bytes(b"".join(map(line_of, lines)))
    except Exception as error:  # no such file can be written
        raise Void(str(error)) from None
    found = _read_results(folder)
    found.summary().to_markdown()
    repr(found)


@cache
def _vector_files() -> dict[str, bytes]:
    """Return the files of a folder of vectors."""
    from grafik.large.vector_files import write_parts

    kernel = grafik.FiltrationKernel(depth=1).fit(batch(0))
    with TemporaryDirectory() as folder:
        write_parts(folder, kernel, batch(0), graphs_per_part=2, progress=False)
        files = sorted(
            path for path in Path(folder).iterdir() if path.suffix in (".jsonl", ".parquet")
        )
        return {path.name: path.read_bytes() for path in files}


@cache
def _vectors() -> Any:
    return grafik.FiltrationKernel(depth=1).fit(batch(0)).transform(batch(0)).tolist()


def _read_vectors(files: dict[str, bytes], folder: Path) -> Any:
    from grafik.large.vector_files import read_parts

    for name, data in files.items():
        (folder / name).write_bytes(data)
    kinds = (ValueError, FileNotFoundError)
    return attempt(lambda: read_parts(folder), re.escape(str(folder)), kinds)


def make_vectors_bytes(random: Random) -> dict[str, Any]:
    """Return which file of vectors is damaged, and where."""
    name = random.choice(sorted(_vector_files()))
    return {
        "file": name,
        "edits": byte_edits(random, _vector_files()[name], random.choice((1, 1, 2))),
    }


def check_vectors_bytes(case: dict[str, Any], folder: Path) -> None:
    """Read damaged vectors; they must be what they were."""
    files = dict(_vector_files())
    files[case["file"]] = with_edits(files[case["file"]], case["edits"])
    if _read_vectors(files, folder).toarray().tolist() != _vectors():
        raise Wrong("other vectors were read than were written")


def make_vectors(random: Random) -> dict[str, Any]:
    """Return how vectors are forged: their list, or a file whose checksum is repaired."""
    name = random.choice(sorted(_vector_files()))
    if name.endswith(".parquet"):
        edits = byte_edits(random, _vector_files()[name], random.choice((1, 2)))
    else:
        edits = value_edits(random, _vector_lines(), random.choice((1, 1, 2)))
    return {"file": name, "edits": edits}


@cache
def _vector_lines() -> list[Any]:
    (name,) = (name for name in _vector_files() if name.endswith(".jsonl"))
    lines = [json.loads(line) for line in _vector_files()[name].splitlines()]
    return [{key: value for key, value in line.items() if key != "sha256"} for line in lines]


def check_vectors(case: dict[str, Any], folder: Path) -> None:
    """Read vectors with right checksums."""
    files, lines = dict(_vector_files()), _vector_lines()
    try:
        if case["file"].endswith(".parquet"):
            data = with_edits(files[case["file"]], case["edits"])
            before = hashlib.sha256(files[case["file"]]).hexdigest()
            files[case["file"]] = data
            digest = hashlib.sha256(data).hexdigest()
            lines = [
                {**line, "digest": digest} if line.get("digest") == before else line
                for line in lines
            ]
        else:
            lines = with_value_edits(lines, case["edits"])
        (name,) = (name for name in files if name.endswith(".jsonl"))
        files[name] = b"".join(map(line_of, lines))
    except Exception as error:  # no such file can be written
        raise Void(str(error)) from None
    _read_vectors(files, folder)


TARGETS = [
    Target("model-bytes", "input", make_model_bytes, check_model_bytes, 30),
    Target("model-forged", "hostile", make_model, check_model, 30),
    Target("results-bytes", "input", make_results_bytes, check_results_bytes, 30),
    Target("results-forged", "hostile", make_results, check_results, 30),
    Target("vectors-bytes", "input", make_vectors_bytes, check_vectors_bytes, 30),
    Target("vectors-forged", "hostile", make_vectors, check_vectors, 30),
]
