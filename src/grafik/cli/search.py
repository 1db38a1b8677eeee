"""`grafik index` and `grafik search`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..graphs.batch import Graphs
from . import columns as col
from . import model_options as mod
from . import options as opt
from .data import check_number, is_table, load
from .kernels import KernelOptions, set_threads
from .messages import remark
from .outputs import INDEX, TABLE, check_output, write_table

_KERNEL = KernelOptions()
_SMILES = "smiles:"


def index(
    data: opt.Data,
    out: mod.IndexOut,
    weight: opt.Weight = _KERNEL.weight,
    levels: opt.Levels = _KERNEL.levels,
    depth: opt.Depth = _KERNEL.depth,
    gamma: opt.Gamma = _KERNEL.gamma,
    mass: opt.Mass = _KERNEL.mass,
    sigma: opt.Sigma = None,
    normalize: opt.Normalize = True,
    smiles: col.Smiles = None,
    ids: col.Id = None,
    errors: col.Errors = col.BadRows.fail,
    atoms: col.Atoms = None,
    hydrogens: col.Hydrogens = False,
    chirality: col.Chirality = False,
    jobs: opt.Jobs = 1,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Make an index of graphs, and save it, so that 'grafik search' finds similar ones in it.

    For example: grafik index mols.csv --smiles smiles --id name --out mols.index
    """
    check_output(out, INDEX, "an index")
    options = KernelOptions(weight, levels, depth, gamma, mass, sigma, normalize)
    kernel = options.kernel(jobs)
    molecules = col.Molecules(atoms, hydrogens, chirality)
    columns = col.Columns(smiles, None, ids, errors, molecules)
    columns.check_ids()
    graphs, _ = load(data, columns=columns)
    from .. import GraphIndex

    made = GraphIndex(kernel).add(graphs)
    made.save(out)
    if as_json:
        print(json.dumps({"index": str(out), "n_graphs": len(made)}))
    elif not quiet:
        print(f"the index of {len(made)} graphs is in {out}")


def search(
    source: mod.IndexOrData,
    query: mod.Query,
    top: mod.TopGraphs = 10,
    min_similarity: mod.MinSimilarity = 0.0,
    approximate: mod.Approximate = False,
    out: mod.FoundOut = None,
    weight: opt.Weight = _KERNEL.weight,
    levels: opt.Levels = _KERNEL.levels,
    depth: opt.Depth = _KERNEL.depth,
    gamma: opt.Gamma = _KERNEL.gamma,
    mass: opt.Mass = _KERNEL.mass,
    sigma: opt.Sigma = None,
    normalize: opt.Normalize = True,
    smiles: col.Smiles = None,
    ids: col.Id = None,
    errors: col.Errors = col.BadRows.fail,
    atoms: col.Atoms = None,
    hydrogens: col.Hydrogens = False,
    chirality: col.Chirality = False,
    jobs: opt.Jobs = 1,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Find the graphs of an index, or of data, that are most similar to each query.

    Graph numbers count from 0. For example: grafik search MUTAG 17 --top 5, or with an index:
    grafik search mols.index new.csv --smiles smiles --id name --min-similarity 0.8 --out found.csv
    """
    if out is not None:
        if as_json:
            raise ValueError("choose one of --out, for a table, and --json")
        check_output(out, TABLE, "a table")
    molecules = col.Molecules(atoms, hydrogens, chirality)
    columns = col.Columns(smiles, None, ids, errors, molecules)
    columns.check_ids()
    if not any(is_table(one, columns) for one in (source, query)):
        alone = query.startswith(_SMILES)  # has no columns, but is read in some way
        asked_for = columns._replace(molecules=col.Molecules()) if alone else columns
        asked_for.refuse_without_table(f"{source} with {query}")
    options = KernelOptions(weight, levels, depth, gamma, mass, sigma, normalize)
    if Path(source).suffix.lower() in INDEX:
        if options != _KERNEL:
            raise ValueError(
                "--weight, --levels, --depth, --gamma, --mass, --sigma and --no-normalize are for "
                f"data, but {source} has a kernel of its own; leave them out"
            )
        found_in = _loaded(source, jobs)
        reading = found_in.kernel_.labelling_.reading
        numbers, asked = _asked(query, columns.like(reading), source, None)
    else:
        kernel = options.kernel(jobs)
        graphs, _ = load(source, columns=columns.for_table(is_table(source, columns)))
        numbers, asked = _asked(query, columns.like(graphs.reading), source, graphs)
        from .. import GraphIndex

        found_in = GraphIndex(kernel).add(graphs)
    matches = found_in.search(asked, top, min_similarity=min_similarity, approximate=approximate)
    hits = list(_hits(matches, numbers, asked.ids))
    if as_json:
        answer = {"n_graphs": len(found_in), "queries": _by_query(hits, numbers, asked.ids)}
        print(json.dumps(answer))
        return
    header = [name for name in Hit._fields if any(getattr(hit, name) is not None for hit in hits)]
    rows = [[getattr(hit, name) for name in header] for hit in hits]
    if out is not None:
        write_table(out, header or Hit._fields, rows)
        if not quiet:
            print(f"{len(hits)} similar graphs are in {out}")
    elif hits:
        _print(header, rows)
    else:
        remark("no graph is so similar")


class Hit(NamedTuple):
    """A graph that was found; ids are None if graphs have none."""

    query: int
    query_id: Any
    rank: int
    graph: int
    id: Any
    similarity: float


def _hits(matches: Any, numbers: list[int], query_ids: Any) -> Iterator[Hit]:
    """Yield what was found, query by query, the best first."""
    for i, number in enumerate(numbers):
        name = None if query_ids is None else query_ids[i]
        for rank in range(matches.counts[i]):
            known = None if matches.ids is None else matches.ids[i, rank]
            value = float(matches.similarities[i, rank])
            yield Hit(number, name, rank + 1, int(matches.graphs[i, rank]), known, value)


def _by_query(hits: list[Hit], numbers: list[int], query_ids: Any) -> list[dict[str, Any]]:
    """Return the answer to each query, those without any graph included."""
    found: dict[int, list[dict[str, Any]]] = {number: [] for number in numbers}
    for hit in hits:
        one = {"graph": hit.graph, "id": hit.id, "similarity": hit.similarity}
        found[hit.query].append(one)
    names = [None] * len(numbers) if query_ids is None else query_ids
    return [
        {"query": number, "id": name, "found": found[number]}
        for number, name in zip(numbers, names, strict=True)
    ]


def _loaded(path: str, jobs: int) -> Any:
    """Return an index that was saved."""
    from .. import GraphIndex
    from .. import load as load_index

    found = load_index(path)
    if not isinstance(found, GraphIndex):
        raise ValueError(
            f"{path} must hold an index, got a {type(found).__name__}; make one: grafik index "
            "DATA --out my.index"
        )
    set_threads(found.kernel_, jobs)
    return found


def _asked(
    query: str, columns: col.Columns, source: str, graphs: Graphs | None
) -> tuple[list[int], Graphs]:
    """Return the graphs to search for, and their numbers."""
    if query.isdecimal():
        if graphs is None:
            raise ValueError(
                f"{source} does not hold graphs, only what is counted of them, so that there is "
                f"no graph {query} to search for; name data, or smiles:CCO for a molecule"
            )
        check_number(int(query), graphs, source)
        return [int(query)], graphs[[int(query)]]
    if query.startswith(_SMILES):
        return [0], Graphs.from_smiles([query.removeprefix(_SMILES)], **columns.molecules.options)
    asked, _ = load(query, columns=columns.for_table(is_table(query, columns)))
    return list(range(len(asked))), asked


def _print(header: list[str], rows: list[list[Any]]) -> None:
    table = Table(*(name.replace("_", " ") for name in header))
    for *cells, similarity in rows:
        shown = ("" if cell is None else str(cell) for cell in cells)
        table.add_row(*map(Text, shown), f"{similarity:.4f}")  # rich might see markup in an id
    Console(highlight=False).print(table)
