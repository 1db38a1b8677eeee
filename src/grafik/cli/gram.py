"""`grafik gram`."""

from __future__ import annotations

import json

import numpy as np

from ..system.files import replacing
from . import columns as col
from . import options as opt
from .data import load, name_of
from .kernels import KernelOptions
from .long_work import cluster, resumable
from .outputs import MATRIX, as_array, check_output


def gram(
    data: opt.Data,
    out: opt.MatrixOut,
    weight: opt.Weight = "degree",
    levels: opt.Levels = 3,
    depth: opt.Depth = 5,
    gamma: opt.Gamma = 1.0,
    mass: opt.Mass = opt.Masses.linear,
    sigma: opt.Sigma = None,
    normalize: opt.Normalize = True,
    edge_labels: opt.EdgeLabels = None,
    labels: opt.LabelFile = None,
    smiles: col.Smiles = None,
    target: col.Target = None,
    ids: col.Id = None,
    errors: col.Errors = col.BadRows.fail,
    atoms: col.Atoms = None,
    hydrogens: col.Hydrogens = False,
    chirality: col.Chirality = False,
    jobs: opt.Jobs = 1,
    memory: opt.Memory = 1.0,
    scheduler: opt.Scheduler = None,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Compute the Gram matrix of a filtration kernel, and write it to a NumPy file.

    K.npz holds the matrix K, classes y and ids (if there are any), the thresholds alphas, and all
    parameters as JSON. K.npy is the matrix alone, written block by block, so that it may be larger
    than memory; the rest is in K.json. If it is killed, the same command goes on where it was. For
    example: grafik gram MUTAG --out K.npz --weight walks, or with several filtrations and a
    Gaussian on top: --weight degree+curvature --sigma 4
    """
    check_output(out, MATRIX, "a matrix")
    options = KernelOptions(weight, levels, depth, gamma, mass, sigma, normalize, edge_labels)
    kernel = options.kernel(jobs)
    in_blocks = out.suffix.lower() == ".npy"
    molecules = col.Molecules(atoms, hydrogens, chirality)
    columns = col.Columns(smiles, target, ids, errors, molecules)
    columns.check_ids()
    graphs, y = load(data, labels, columns)
    from .. import __version__
    from ..models.summary import filtration_kernels

    with cluster(scheduler) as client:
        if in_blocks:
            with resumable(out.with_name(f"{out.name}.part")):
                kernel.gram_to(out, graphs, memory=memory * 1e9, client=client)
        else:
            matrix = kernel.fit_transform(graphs, client=client)
    parts = filtration_kernels(kernel)
    parameters = {
        "data": name_of(data),
        **options.parameters(),
        "edge_labels": parts[0].extractor_.edge_labels,
        "scale": parts[0].scale,
        "thresholds": parts[0].thresholds,
        "grafik": __version__,
    }
    arrays = options.by_weight("alphas", [part.alphas_ for part in parts])
    if y is not None:
        arrays["y"] = y
    if graphs.ids is not None:
        arrays["ids"] = as_array(graphs.ids)
    if in_blocks:
        beside = {name: array.tolist() for name, array in arrays.items()}
        with replacing(out.with_suffix(".json")) as part:
            part.write_text(json.dumps({"parameters": parameters, **beside}) + "\n")
    else:
        arrays |= {"K": matrix, "parameters": np.array(json.dumps(parameters))}
        with replacing(out) as part, part.open("wb") as file:
            np.savez(file, **arrays)
    if as_json:
        print(json.dumps({"file": str(out), "n_graphs": len(graphs), "parameters": parameters}))
    elif not quiet:
        print(f"the kernel of {len(graphs)} x {len(graphs)} graphs is in {out}")
