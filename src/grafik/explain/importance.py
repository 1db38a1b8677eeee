"""How important vertices are: their shares of what features contribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..features.barcodes import Barcode
from ..graphs.labels import Label
from .contributions import keys

if TYPE_CHECKING:
    from .contributed import FeatureContribution


def shares(
    features: Sequence[FeatureContribution], bars: Barcode, n_nodes: int, graph: int
) -> NDArray[np.float64]:
    """Return the share of each vertex of the first or second graph in all contributions."""
    per_level = {
        (found.depth, found.feature): found.contribution / found.masses[graph]
        for found in features
        if found.masses[graph]
    }
    rates = [per_level.get(key, 0.0) for key in keys(bars.depths, bars.features)]
    found = np.array(rates) * (bars.deaths - bars.births)
    # Without any bars, bincount returns integers.
    return np.bincount(bars.vertices, found, minlength=n_nodes).astype(np.float64)


def by_name(values: NDArray[np.float64], names: Sequence[Label] | None) -> dict[Label, float]:
    """Return the number of each vertex by its name, the largest in size first."""
    order = np.argsort(-np.abs(values), kind="stable").tolist()
    return {v if names is None else names[v]: float(values[v]) for v in order}
