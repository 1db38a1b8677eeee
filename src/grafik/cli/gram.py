"""`grafik gram`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..system.files import check_target, replacing
from . import options as opt
from .data import load, name_of
from .long_work import cluster, resumable


def gram(
    data: opt.Data,
    out: opt.MatrixOut,
    weight: opt.Weight = "degree",
    levels: opt.Levels = 3,
    depth: opt.Depth = 5,
    gamma: opt.Gamma = 1.0,
    normalize: opt.Normalize = True,
    edge_labels: opt.EdgeLabels = None,
    labels: opt.LabelFile = None,
    jobs: opt.Jobs = 1,
    memory: opt.Memory = 1.0,
    scheduler: opt.Scheduler = None,
    as_json: opt.Json = False,
) -> None:
    """Compute the Gram matrix of a filtration kernel, and write it to a NumPy file.

    K.npz holds the matrix K, the classes y (if there are any), the thresholds alphas, and all
    parameters as JSON. K.npy is the matrix alone, written block by block, so that it may be larger
    than memory; the rest is in K.json. If it is killed, the same command goes on where it was.
    """
    check_target(out)
    in_blocks = out.suffix == ".npy"
    graphs, y = load(data, labels)
    from .. import FiltrationKernel, __version__
    from ..features import WeisfeilerLehman

    kernel = FiltrationKernel(
        WeisfeilerLehman(depth, "auto" if edge_labels is None else edge_labels),
        weight=weight,
        n_levels=levels,
        gamma=gamma,
        normalize=normalize,
        n_jobs=jobs,
    )
    with cluster(scheduler) as client:
        if in_blocks:
            with resumable(out.with_name(f"{out.name}.part")):
                kernel.gram_to(out, graphs, memory=memory * 1e9, client=client)
        else:
            matrix = kernel.fit_transform(graphs, client=client)
    parameters = {
        "data": name_of(data),
        "weight": weight,
        "n_levels": levels,
        "depth": depth,
        "gamma": gamma,
        "normalize": normalize,
        "edge_labels": kernel.extractor_.edge_labels,
        "scale": kernel.scale,
        "thresholds": kernel.thresholds,
        "grafik": __version__,
    }
    arrays: dict[str, Any] = {"alphas": kernel.alphas_}
    if y is not None:
        arrays["y"] = y
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
    else:
        print(f"the kernel of {len(graphs)} x {len(graphs)} graphs is in {out}")
