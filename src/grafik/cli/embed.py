"""`grafik embed`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..graphs.arrow import arrow_file, require_arrow
from ..system.files import replacing
from . import columns as col
from . import model_options as mod
from . import options as opt
from .data import load, name_of
from .kernels import KernelOptions
from .outputs import VECTORS, as_array, check_output

_COLUMNS, _RANDOM_COLUMNS = 2**16, 2**10
# What an embedding of a single kernel has of it.
_SAME = "features", "weight", "n_levels", "gamma", "mass", "normalize"


def embed(
    data: opt.Data,
    out: mod.VectorsOut,
    weight: opt.Weight = "degree",
    levels: opt.Levels = 3,
    depth: opt.Depth = 3,
    gamma: opt.Gamma = 1.0,
    mass: opt.Mass = opt.Masses.linear,
    sigma: opt.Sigma = None,
    normalize: opt.Normalize = True,
    method: mod.MethodOption = mod.Method.exact,
    min_graphs: mod.MinGraphs = 1,
    components: mod.Components = None,
    labels: opt.LabelFile = None,
    smiles: col.Smiles = None,
    target: col.Target = None,
    ids: col.Id = None,
    errors: col.Errors = col.BadRows.fail,
    atoms: col.Atoms = None,
    hydrogens: col.Hydrogens = False,
    chirality: col.Chirality = False,
    jobs: opt.Jobs = 1,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Turn graphs into sparse vectors whose products are the filtration kernel.

    With --sigma they are random features, whose products are the kernel on average.

    Thresholds and columns are learned from these graphs: embed together what you want to compare.
    vectors.npz is read by scipy.sparse.load_npz, and holds ids and y beside the matrix;
    vectors.parquet has a row for each graph, with a list of columns and one of values. For example:
    grafik embed MUTAG --out vectors.npz --weight walks
    """
    check_output(out, VECTORS, "a file of vectors")
    write = _write_npz
    if out.suffix.lower() == ".parquet":
        require_arrow()  # before the work, not after it
        write = _write_parquet
    options = KernelOptions(weight, levels, depth, gamma, mass, sigma, normalize)
    if options.combined and method is mod.Method.hashed:
        raise ValueError(
            "--method hashed is for one weight without --sigma; leave it out: vectors of several "
            "weights stand side by side, and those of a Gaussian have --components columns"
        )
    if components is None:
        components = _COLUMNS if sigma is None else _RANDOM_COLUMNS
    kernel = options.kernel(jobs)
    molecules = col.Molecules(atoms, hydrogens, chirality)
    columns = col.Columns(smiles, target, ids, errors, molecules)
    columns.check_ids()
    graphs, y = load(data, labels, columns)
    from .. import FiltrationEmbedding, KernelEmbedding, __version__

    how: dict[str, Any] = {"min_graphs": min_graphs, "n_components": components, "n_jobs": jobs}
    embedding: Any
    if options.combined:
        embedding = KernelEmbedding(kernel, **how)
    else:
        same = {name: getattr(kernel, name) for name in _SAME}
        embedding = FiltrationEmbedding(**same, method=method.value, **how)
    rows = embedding.fit_transform(graphs).tocsr()
    fitted = embedding.map_.embeddings() if options.combined else [embedding]
    parameters = {
        "data": name_of(data),
        **options.parameters(),
        "method": method.value if sigma is None else "random Fourier features",
        "min_graphs": min_graphs,
        "n_components": components,
        **options.by_weight("alphas", [one.alphas_.tolist() for one in fitted]),
        "grafik": __version__,
    }
    beside = {} if graphs.ids is None else {"ids": as_array(graphs.ids)}
    if y is not None:
        beside["y"] = y
    write(out, rows, beside, json.dumps(parameters))
    n_graphs, n_columns = rows.shape
    if as_json:
        shape = {"n_graphs": n_graphs, "n_columns": n_columns}
        print(json.dumps({"file": str(out), **shape, "parameters": parameters}))
    elif not quiet:
        print(f"the vectors of {n_graphs} graphs, with {n_columns} columns, are in {out}")


def _write_npz(path: Path, rows: Any, beside: dict[str, Any], parameters: str) -> None:
    """Write what scipy.sparse.load_npz reads, and arrays beside it."""
    with replacing(path) as part, part.open("wb") as file:
        np.savez_compressed(
            file,
            format=b"csr",
            shape=rows.shape,
            data=rows.data,
            indices=rows.indices,
            indptr=rows.indptr,
            parameters=np.array(parameters),
            **beside,
        )


def _write_parquet(path: Path, rows: Any, beside: dict[str, Any], parameters: str) -> None:
    """Write a row for each graph, with sparse vectors as in grafik.large.vector_files."""
    pa, pq = require_arrow()
    pointer = pa.array(rows.indptr.astype(np.int64))
    table = {name: pa.array(values.tolist()) for name, values in beside.items()}
    table |= {
        "columns": pa.LargeListArray.from_arrays(pointer, pa.array(rows.indices)),
        "values": pa.LargeListArray.from_arrays(pointer, pa.array(rows.data)),
    }
    about = {"grafik.n_columns": str(rows.shape[1]), "grafik.parameters": parameters}
    with replacing(path) as part, arrow_file(part, "wb") as file:
        pq.write_table(
            pa.table(table).replace_schema_metadata(about), file, write_page_checksum=True
        )
