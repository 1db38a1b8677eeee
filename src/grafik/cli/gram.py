"""`grafik gram`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ..system.files import check_target, replacing
from .data import Data, Jobs, Json, LabelFile, Scheduler, cluster, load, name_of
from .options import Depth, Gamma, Levels, Normalize, Weight
from .resuming import resumable


def gram(
    data: Data,
    out: Annotated[
        Path,
        typer.Option(
            help="File to write: K.npz, or K.npy for a matrix that does not fit in memory.",
            show_default=False,
        ),
    ],
    weight: Weight = "degree",
    levels: Levels = 3,
    depth: Depth = 5,
    gamma: Gamma = 1.0,
    normalize: Normalize = True,
    labels: LabelFile = None,
    jobs: Jobs = 1,
    memory: Annotated[
        float, typer.Option(help="Gigabytes that the blocks of a .npy file may take.")
    ] = 1.0,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Compute the Gram matrix of a filtration kernel, and write it to a file of NumPy.

    K.npz holds the matrix K, the classes y (if there are any), the thresholds alphas, and all
    parameters as JSON. K.npy is the matrix alone, written block by block, so that it may be larger
    than memory; the rest is in K.json. Killed at any moment, the same command goes on where it was.
    """
    check_target(out)
    in_blocks = out.suffix == ".npy"
    graphs, y = load(data, labels)
    from .. import FiltrationKernel, __version__
    from ..features import WeisfeilerLehman

    kernel = FiltrationKernel(
        WeisfeilerLehman(depth=depth),
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
