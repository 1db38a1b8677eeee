"""The options by which commands choose a filtration kernel."""

from __future__ import annotations

from typing import Annotated

import typer

Weight = Annotated[
    str,
    typer.Option(
        help="Edge weight by which graphs are built up: degree, walks, triangles, core, jaccard, "
        "betweenness, curvature, attribute, ..."
    ),
]
Levels = Annotated[int, typer.Option(help="Number of levels.")]
Depth = Annotated[int, typer.Option(help="Rounds of Weisfeiler-Lehman labels.")]
Gamma = Annotated[float, typer.Option(help="How much it matters when a feature lives.")]
Normalize = Annotated[bool, typer.Option(help="Cosine-normalise the kernel, or take it as it is.")]
