"""Operations that write files: small, and each the same in every process.

An operation is called in an empty folder, or in one with files that it wrote earlier from other
data, and names its files relative to that folder, so that no file says where it was made.
"""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from grafik import (
    FiltrationClassifier,
    FiltrationEmbedding,
    FiltrationKernel,
    FiltrationRegressor,
    GaussianKernel,
    GraphIndex,
    Graphs,
    MeanKernel,
    datasets,
    plots,
)
from grafik.graphs.attribute_labels import AttributeLabels
from grafik.graphs.parquet import write_parquet
from grafik.large import blocks
from grafik.large.vector_files import write_parts

# Small blocks, so that a matrix of few graphs has many.
_BLOCK = 5
# Those of the command line's editions of the data.
_WEIGHTS = ("triangles", "degree")


class Operation(NamedTuple):
    """Something that writes files.

    Attributes
    ----------
    write : callable
        Writes the files that belong to an edition of the data: 0, or 1 for an earlier one.
    target : str
        The file or folder that it is asked to write.
    replaces : bool
        Whether it replaces what an earlier call has written; else it goes on there, or refuses.
    once : bool
        Whether it refuses a target that is there and complete.
    """

    write: Callable[[int], Any]
    target: str
    replaces: bool = True
    once: bool = False


@cache
def data(edition: int) -> tuple[Graphs, Any]:
    """Return graphs with labels and attributes, and two classes."""
    made, y = datasets.random_graphs(
        24, n_nodes=(6, 14), density=[0.25, 0.4], n_labels=3, random_state=edition
    )
    columns = np.arange(2.0 * made.node_ptr[-1]).reshape(-1, 2) % 7
    graphs = Graphs(
        made.node_ptr,
        made.edge_ptr,
        made.edges,
        node_labels=made.node_labels,
        node_attributes=columns,
    )
    return graphs, y


@cache
def fitted(model: str, edition: int) -> Any:
    """Return a model that is fitted; what is measured is how it is written."""
    graphs, y = data(edition)
    if model == "classifier":
        return FiltrationClassifier(depths=[1], levels=[2]).fit(graphs, y)
    if model == "regressor":
        return FiltrationRegressor(depths=[1], levels=[2]).fit(graphs, graphs.n_nodes + 0.5)
    if model == "gaussian":
        mean = MeanKernel([FiltrationKernel(weight=w) for w in ("degree", "triangles")])
        return GaussianKernel(mean, 2.0).fit(graphs)
    if model == "index":
        return GraphIndex(FiltrationKernel(normalize=True)).add(graphs)
    if model == "labels":
        return AttributeLabels().fit(graphs)
    if model == "embedding":
        return FiltrationEmbedding(method="hashed", n_components=256).fit(graphs)
    return FiltrationKernel(depth=2).fit(graphs)


def _saved(model: str) -> Operation:
    name = f"{model}.grafik"
    return Operation(lambda edition: fitted(model, edition).save(name), name)


def _small_blocks() -> None:
    blocks.MOST_GRAPHS = _BLOCK


def gram_to(edition: int, client: Any = None) -> None:
    """Write a Gram matrix block by block."""
    _small_blocks()
    FiltrationKernel(depth=2).gram_to("K.npy", data(edition)[0], client=client)


def transform_to(edition: int) -> None:
    """Write the rows of new graphs block by block."""
    _small_blocks()
    fitted("kernel", edition).transform_to("rows.npy", data(edition)[0][:12])


def parts_to(edition: int, client: Any = None) -> None:
    """Write vectors in parts."""
    graphs = data(edition)[0]
    write_parts("vectors", fitted("embedding", 0), graphs, graphs_per_part=3, client=client)


def evaluate_to(edition: int, client: Any = None) -> None:
    """Evaluate methods, with a line for each unit of work."""
    from grafik.evaluation import PROTOCOLS, evaluate

    graphs, y = datasets.csl(skips=(2, 3), copies=6)
    few = PROTOCOLS["quick"].with_values(n_splits=3, levels=[1, 2], depths=[1])
    methods = "wl,fwl-triangles"
    evaluate(methods, graphs, y, out="results", protocol=few, client=client)


def reproduce_to(edition: int) -> None:
    """Compute two rows of the quick table of the paper; it is the same in all editions."""
    from grafik.reproduction import csl, reproduce

    csl.CSL = csl.CSL[:2]
    reproduce(["csl"], "page", progress=False)


def report_to(edition: int) -> None:
    """Write a page on a data set."""
    from grafik.report import write_report

    graphs, y = data(edition)
    write_report("report.html", graphs[:6], y[:6], name="data")


def _picture(suffix: str) -> Operation:
    return Operation(lambda edition: plots.save(drawn(edition), f"p.{suffix}"), f"p.{suffix}")


def drawn(edition: int) -> Any:
    """Return a new picture: Matplotlib moves the parts of one a little whenever it is written."""
    from grafik.plots.style import blank_figure

    kernel, graph = fitted("kernel", edition), data(edition)[0][0]
    return plots.filtration(graph, kernel.filtration_, figure=blank_figure)["graph"].figure


def _command(text: str, target: str, **more: Any) -> Operation:
    """Return an operation of the command line; ``{}`` is the weight, which differs by edition."""

    def write(edition: int) -> None:
        from grafik.cli import main

        sys.argv = ["grafik", *text.format(_WEIGHTS[edition]).split()]
        main()

    return Operation(write, target, **more)


OPERATIONS: dict[str, Operation] = {
    "save kernel": _saved("kernel"),
    "save classifier": _saved("classifier"),
    "save regressor": _saved("regressor"),
    "save gaussian": _saved("gaussian"),
    "save index": _saved("index"),
    "save labels": _saved("labels"),
    "to_parquet": Operation(lambda edition: data(edition)[0].to_parquet("a.parquet"), "a.parquet"),
    "write_parquet": Operation(
        lambda edition: write_parquet("b.parquet", [data(edition)[0][i::4] for i in range(4)]),
        "b.parquet",
    ),
    "write_tu": Operation(
        lambda edition: datasets.write_tu("TU", *data(edition)), "TU", replaces=False, once=True
    ),
    "gram_to": Operation(gram_to, "K.npy"),
    "transform_to": Operation(transform_to, "rows.npy"),
    "write_parts": Operation(parts_to, "vectors", replaces=False),
    "evaluate": Operation(evaluate_to, "results", replaces=False),
    "reproduce": Operation(reproduce_to, "page", replaces=False),
    "report": Operation(report_to, "report.html"),
    **{f"picture {suffix}": _picture(suffix) for suffix in ("svg", "png", "pdf")},
    "grafik train": _command(
        "train csl --out m.model --weight {} --effort quick --quiet", "m.model"
    ),
    "grafik index": _command("index csl --out i.index --weight {} --quiet", "i.index"),
    "grafik predict": _command("predict ../given/{}.model csl --out p.csv --quiet", "p.csv"),
    "grafik search": _command("search csl 7 --out f.csv --weight {} --quiet", "f.csv"),
    "grafik explain": _command("explain csl 0 1 --out x.html --weight {} --quiet", "x.html"),
    "grafik embed npz": _command("embed csl --out v.npz --weight {} --quiet", "v.npz"),
    "grafik embed parquet": _command("embed csl --out v.parquet --weight {} --quiet", "v.parquet"),
    "grafik gram npz": _command("gram csl --out K.npz --weight {} --quiet", "K.npz"),
    "grafik gram npy": _command("gram csl --out K.npy --weight {} --quiet", "K.npy"),
    "grafik show": _command("show csl 0 --out s.svg --weight {} --quiet", "s.svg"),
    "grafik evaluate": _command(
        "evaluate csl -k wl --folds 3 --repeats 1 --depths 1 --levels 1 --out e --quiet",
        "e",
        replaces=False,
    ),
    "grafik report": _command(
        "report csl --out r.html --weight {} --no-accuracy --graphs 5 --quiet", "r.html"
    ),
}

# The same, done by the workers of a cluster.
ON_CLUSTER: dict[str, Callable[[int, Any], None]] = {
    "gram_to": gram_to,
    "write_parts": parts_to,
    "evaluate": evaluate_to,
}


def give(folder: Path) -> None:
    """Write what operations read to a folder beside theirs."""
    folder.mkdir()
    graphs, y = datasets.csl(skips=(2, 3), copies=6)
    for weight in _WEIGHTS:
        model = FiltrationClassifier(weight=weight, depths=[1], levels=[1]).fit(graphs, y)
        model.save(folder / f"{weight}.model")
