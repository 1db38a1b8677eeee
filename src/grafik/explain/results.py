"""What an explanation holds, and how it is shown: contributions that add up."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..features.barcodes import Barcode
from ..features.histograms import Lifespan
from ..system.optional import require
from .graph import FeatureContribution


class GraphContribution(NamedTuple):
    """What one training graph contributes to a prediction.

    Attributes
    ----------
    graph : int
        Its number among the training graphs.
    target : object
        Its class; None for regression.
    similarity : float
        The kernel of the two graphs.
    coefficient : float
        Its weight in the machine.
    contribution : float
        The product of these.
    """

    graph: int
    target: Any
    similarity: float
    coefficient: float
    contribution: float


@dataclass(frozen=True, eq=False, repr=False)
class _Explanation(ABC):
    """What both kinds of explanations hold."""

    value: float
    total: float
    base: float
    features: tuple[FeatureContribution, ...]
    alphas: NDArray[np.float64]
    barcodes: tuple[Barcode | None, ...]
    n_nodes: tuple[int, ...]

    _SIDES: ClassVar[tuple[str, ...]] = ("g",)

    def to_pandas(self) -> Any:
        """Return a pandas frame with one line per feature, the largest contribution first."""
        pandas = require("pandas", "to_pandas", "pandas")
        return pandas.DataFrame([self._line(f) for f in self.features], columns=self._columns())

    def table(self, top: int = 10) -> str:
        """Return the largest contributions as text.

        Parameters
        ----------
        top : int
            Number of lines.
        """
        rows = [self._shown(found) for found in self.features[:top]]
        lines = _aligned([self._header(), *rows])
        if len(self.features) > top:
            rest = math.fsum(found.contribution for found in self.features[top:])
            lines.append(f"{rest:>12.6g}  {len(self.features) - top} other features")
        return "\n".join([*self._about(), "", *lines])

    def __str__(self) -> str:
        return self.table()

    def _columns(self) -> list[str]:
        several = ("mass", "lifespans", "vertices")
        plain = ["depth", "feature", "name", "contribution"]
        plain += ["distance"] if len(self._SIDES) > 1 else []
        return [*plain, *(f"{name}_{side}" for name in several for side in self._SIDES)]

    def _line(self, found: FeatureContribution) -> list[Any]:
        line = [found.depth, found.feature, found.name, found.contribution]
        line += [found.distance] if len(self._SIDES) > 1 else []
        return [*line, *found.masses, *found.lifespans, *found.vertices]

    def _described(self, top: int | None) -> list[dict[str, Any]]:
        """Return features as JSON knows them; hashes as text, for whoever rounds large numbers."""
        return [
            {
                **dict(zip(self._columns(), self._line(found), strict=True)),
                "feature": f"{found.feature:#018x}",
                "contribution": finite(found.contribution),
            }
            for found in self.features[:top]
        ]

    def _header(self) -> list[str]:
        apart = ["W1"] if len(self._SIDES) > 1 else []
        several = (f"{name} {side}" for name in ("mass", "levels") for side in self._SIDES)
        return ["contribution", "depth", *apart, *several, "feature"]

    def _shown(self, found: FeatureContribution) -> list[str]:
        apart = [] if found.distance is None else [f"{found.distance:.4g}"]
        lives = [_levels(spans) for spans in found.lifespans]
        masses = map(str, found.masses)
        first = [f"{found.contribution + 0.0:.6g}", str(found.depth)]  # no minus before 0
        return [*first, *apart, *masses, *lives, found.name]

    @abstractmethod
    def _about(self) -> list[str]:
        """Return the lines above the table."""


@dataclass(frozen=True, eq=False, repr=False)
class PairExplanation(_Explanation):
    """Why two graphs are as similar as they are; see :func:`grafik.explain_pair`.

    Attributes
    ----------
    value : float
        The kernel of the two graphs.
    total : float
        What the contributions add up to: the value, for product kernels its logarithm (which is
        finite even where the value is too small for a float).
    features : tuple of FeatureContribution
        By decreasing size of the contribution. For sums those that both graphs have, for products
        those that either has.
    combine : {"sum", "product"}
    normalize : bool
    alphas : ndarray
        Thresholds of the filtration.
    fitted : bool
        Whether the thresholds are those of the kernel; else they were learned from the two graphs.
    barcodes : tuple of Barcode, or None
        Of the two graphs, for features that sit at vertices.
    n_nodes : tuple of int
        Of the two graphs.
    base : float
        0.
    """

    combine: str
    normalize: bool
    fitted: bool

    _SIDES: ClassVar[tuple[str, ...]] = ("g", "h")

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return all of it as JSON knows it, with at most `top` features."""
        return {
            "value": self.value,
            "total": finite(self.total),
            "combine": self.combine,
            "normalize": self.normalize,
            "alphas": self.alphas.tolist(),
            "thresholds_from": "kernel" if self.fitted else "the two graphs",
            "n_features": len(self.features),
            "features": self._described(top),
        }

    def _about(self) -> list[str]:
        what = f"K(g, h) = {self.value:.10g}"
        if self.combine == "product":
            what += f", log K(g, h) = {self.total + 0.0:.10g}"
        kind = f"{'normalised ' if self.normalize else ''}{self.combine} kernel"
        source = "" if self.fitted else ", learned from the two graphs"
        shared = "shared" if self.combine == "sum" else "in either graph"
        levels = len(self.alphas)
        return [
            f"{what} ({kind})",
            f"{len(self.features)} features {shared}; "
            f"{levels} {'level' if levels == 1 else 'levels'}{source}",
        ]

    def __repr__(self) -> str:
        return f"PairExplanation(value={self.value:.6g}, {len(self.features)} features)"


@dataclass(frozen=True, eq=False, repr=False)
class PredictionExplanation(_Explanation):
    """Why a model predicts what it does for a graph; see :func:`grafik.explain_prediction`.

    Attributes
    ----------
    value, total : float
        The decision value, or for regression the prediction: `base` and the contributions of all
        features together; also `intercept` and the contributions of all training graphs.
    base : float
        What is not due to any feature: the intercept, and for product kernels the decision for a
        graph that equals every support vector.
    intercept : float
    toward, against : object
        Positive contributions speak for class `toward`. `against` is a class, or None for all
        others together. Both are None for regression.
    features : tuple of FeatureContribution
        By decreasing size of the contribution.
    graphs : tuple of GraphContribution
        The support vectors, by decreasing size of the contribution.
    alphas, barcodes, n_nodes
        As of :class:`PairExplanation`, of the one graph.
    """

    intercept: float
    toward: Any
    against: Any
    graphs: tuple[GraphContribution, ...]

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return all of it as JSON knows it, with at most `top` features and training graphs."""
        return {
            "value": self.value,
            "base": self.base,
            "intercept": self.intercept,
            "toward": _plain(self.toward),
            "against": _plain(self.against),
            "alphas": self.alphas.tolist(),
            "n_features": len(self.features),
            "features": self._described(top),
            "n_graphs": len(self.graphs),
            "graphs": [
                {**found._asdict(), "target": _plain(found.target)} for found in self.graphs[:top]
            ],
        }

    def _about(self) -> list[str]:
        if self.toward is None:
            what = f"prediction = {self.value:.10g}"
        else:
            other = "the other classes" if self.against is None else f"class {self.against}"
            what = f"decision = {self.value:.10g} for class {self.toward} against {other}"
        first = [
            f"{found.contribution:+.4g} from graph {found.graph}"
            + ("" if found.target is None else f" ({found.target})")
            for found in self.graphs[:3]
        ]
        more = ", ..." if len(self.graphs) > 3 else ""
        return [
            what,
            f"base {self.base:.6g}; {len(self.features)} features; "
            f"{len(self.graphs)} training graphs: {', '.join(first) or 'none'}{more}",
        ]

    def __repr__(self) -> str:
        sizes = f"{len(self.features)} features, {len(self.graphs)} graphs"
        return f"PredictionExplanation(value={self.value:.6g}, {sizes})"


def finite(value: float) -> float | None:
    """Return a number that JSON can write, or None."""
    return value if math.isfinite(value) else None


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def _levels(spans: Sequence[Lifespan]) -> str:
    """Say at which levels a feature lives, whatever the number of occurrences."""
    joined: list[list[int]] = []
    for birth, death, _ in spans:
        if joined and joined[-1][1] == birth:
            joined[-1][1] = death
        else:
            joined.append([birth, death])
    parts = [str(a) if b == a + 1 else f"{a}-{b - 1}" for a, b in joined]
    return ",".join([*parts[:2], "..", parts[-1]] if len(parts) > 4 else parts) or "-"


def _aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return rows of text with their columns below each other; only the last is left-aligned."""
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join([*(cell.rjust(w) for cell, w in zip(row[:-1], widths, strict=False)), row[-1]])
        for row in table
    ]
