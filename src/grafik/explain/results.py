"""What an explanation holds, and how it is shown: contributions that add up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..features.barcodes import Barcode
from ..features.histograms import Lifespan
from ..graphs.labels import Label
from ..graphs.vertex_names import as_text
from ..system.optional import require
from .importance import by_name, shares
from .text_tables import aligned, level_text, ranges_text

_SHOWN_VERTICES = 5  # of each graph, in tables


class GraphContribution(NamedTuple):
    """What one training graph contributes to a prediction.

    Attributes
    ----------
    graph : int
        Its number among the training graphs.
    target : object
        Its class; None for regression, and for linear models, which forget it.
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


class FeatureContribution(NamedTuple):
    """What one feature contributes.

    Masses, lifespans and vertices have one entry per graph: two for a pair, one for a prediction.

    Attributes
    ----------
    depth, feature : int
        As in the keys of :class:`grafik.Histograms`; for a label that is the same at several
        depths, those of the least.
    name : str
        What the feature is: for Weisfeiler-Lehman labels the tree
        (:mod:`grafik.features.wl_trees`), else what the extractor calls it. ``C before its edges``
        is a vertex that has no neighbours yet, ``C without edges`` one that may never have any. A
        feature of training graphs alone is known by its hash only.
    contribution : float
        Of all its depths together.
    distance : float or None
        For a pair, the Wasserstein distance of the two histograms on the kernel's scale.
    masses : tuple of int
        Occurrences, added up over all levels; 0 if the graph lacks the feature.
    lifespans : tuple of lists of Lifespan
        When and how often it lives.
    vertices : tuple of lists of int, or None
        Where it occurs at any level; None for features that do not sit at single vertices.
    keys : tuple of (int, int)
        Depth and hash of each feature that this is, by depth. A label of vertices without
        neighbours is the same at all depths but 0; other features have a depth of their own.
    """

    depth: int
    feature: int
    name: str
    contribution: float
    distance: float | None
    masses: tuple[int, ...]
    lifespans: tuple[list[Lifespan], ...]
    vertices: tuple[list[int] | None, ...]
    keys: tuple[tuple[int, int], ...]

    @property
    def depths(self) -> list[int]:
        """The depths at which the feature is the same."""
        return [depth for depth, _ in self.keys]


@dataclass(frozen=True, eq=False, repr=False)
class _Explanation:
    """What both kinds of explanations hold."""

    value: float
    total: float
    base: float
    features: tuple[FeatureContribution, ...]
    alphas: NDArray[np.float64]
    barcodes: tuple[Barcode | None, ...]
    n_nodes: tuple[int, ...]
    node_names: tuple[list[Label] | None, ...]

    # Names of the columns of `_row`, for frames and JSON, and of `_words`, for text.
    _COLUMNS: ClassVar[tuple[str, ...]]
    _HEADER: ClassVar[tuple[str, ...]]

    def to_pandas(self) -> Any:
        """Return a pandas frame with one line per feature, the largest contribution first."""
        pandas = require("pandas", "to_pandas", "pandas")
        return pandas.DataFrame(list(map(self._row, self.features)), columns=list(self._COLUMNS))

    def _as_json(self, top: int | None) -> list[dict[str, Any]]:
        """Return features for JSON; hashes are text, as some readers round large numbers."""
        return [
            {
                **dict(zip(self._COLUMNS, self._row(found), strict=True)),
                "feature": f"{found.feature:#018x}",
                "contribution": _finite(found.contribution),
            }
            for found in self.features[:top]
        ]

    def _row(self, found: FeatureContribution) -> list[Any]:
        """Return the cells of a feature; only pairs have a distance."""
        apart = [] if found.distance is None else [found.distance]
        first = [found.depth, found.feature, found.name, found.contribution]
        where = [
            vertices
            if names is None or vertices is None
            else [_json_value(names[v]) for v in vertices]
            for vertices, names in zip(found.vertices, self.node_names, strict=True)
        ]
        return [*first, *apart, *found.masses, *found.lifespans, *where, found.depths]

    @property
    def about(self) -> list[str]:
        """What is explained, in two lines."""
        raise NotImplementedError

    def cells(self, top: int = 10) -> tuple[tuple[str, ...], list[list[str]]]:
        """Return the names of the columns of the table, and the cells of its first lines."""
        return self._HEADER, [_words(found) for found in self.features[:top]]

    def rest(self, top: int = 10) -> tuple[int, float]:
        """Return how many features are not in the table, and what they contribute together."""
        others = self.features[top:]
        return len(others), sum(found.contribution for found in others)

    def important(self) -> list[str]:
        """Return a line on the most important vertices of each graph whose vertices have names."""
        lines = []
        for graph, (names, bars) in enumerate(zip(self.node_names, self.barcodes, strict=True)):
            if names is not None and bars is not None:
                found = by_name(shares(self.features, bars, self.n_nodes[graph], graph), names)
                parts = [f"{as_text(name)} {value + 0.0:.4g}" for name, value in found.items()]
                more = ["..."] if len(parts) > _SHOWN_VERTICES else []
                told = ", ".join([*parts[:_SHOWN_VERTICES], *more])
                lines.append(f"most important vertices of {'gh'[graph]}: {told}")
        return lines

    def table(self, top: int = 10) -> str:
        """Return the `top` largest contributions as text."""
        head, rows = self.cells(top)
        lines = aligned([head, *rows])
        n_others, rest = self.rest(top)
        if n_others:
            lines.append(f"{rest:>12.6g}  {n_others} other features")
        named = self.important()
        return "\n".join([*self.about, "", *lines, *([""] if named else []), *named])

    def plot(self, top: int = 10, *, ax: Any = None) -> Any:
        """Draw the `top` largest contributions; see :func:`grafik.plots.contributions`."""
        from ..plots import contributions

        return contributions(self, top, ax=ax)  # type: ignore[arg-type]

    def _repr_html_(self) -> str:
        from ..plots.notebook import explanation_html

        return explanation_html(self)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return self.table()


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
        By decreasing size of the contribution. For sum kernels the features that both graphs have,
        for product kernels those that either has.
    combine : {"sum", "product"}
    mass : {"linear", "min"}
        Whether masses are multiplied, or the smaller one counts.
    normalize : bool
    alphas : ndarray
        Thresholds of the filtration.
    fitted : bool
        Whether the thresholds are those of the kernel; else they were learned from the two graphs.
    barcodes : tuple of Barcode, or None
        Of the two graphs, for features that sit at vertices.
    n_nodes : tuple of int
        Of the two graphs.
    node_names : tuple of list, or None
        What the vertices of each graph are called. Frames and JSON call them so; `vertices` of a
        feature are always numbers.
    base : float
        0.
    """

    combine: str
    mass: str
    normalize: bool
    fitted: bool

    _COLUMNS = (
        *("depth", "feature", "name", "contribution", "distance"),
        *("mass_g", "mass_h", "lifespans_g", "lifespans_h", "vertices_g", "vertices_h", "depths"),
    )
    _HEADER = ("contribution", "depth", "W1", "mass g", "mass h", "levels g", "levels h", "feature")

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return the explanation for JSON, with at most `top` features."""
        return {
            "value": self.value,
            "total": _finite(self.total),
            "combine": self.combine,
            "mass": self.mass,
            "normalize": self.normalize,
            "alphas": self.alphas.tolist(),
            "thresholds_from": "kernel" if self.fitted else "the two graphs",
            "n_features": len(self.features),
            "features": self._as_json(top),
        }

    @property
    def about(self) -> list[str]:
        """What is explained, in two lines."""
        what = f"K(g, h) = {self.value:.10g}"
        if self.combine == "product":
            what += f", log K(g, h) = {self.total + 0.0:.10g}"
        kind = f"{'normalised ' if self.normalize else ''}{self.combine} kernel"
        kind += ", smaller masses" if self.mass == "min" else ""
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
        The support vectors, by decreasing size of the contribution; for a linear model on a kernel
        all training graphs, for one on an embedding none.
    alphas, barcodes, n_nodes, node_names
        As in :class:`PairExplanation`, for the one graph.
    """

    intercept: float
    toward: Any
    against: Any
    graphs: tuple[GraphContribution, ...]

    _COLUMNS = (
        *("depth", "feature", "name", "contribution"),
        *("mass_g", "lifespans_g", "vertices_g", "depths"),
    )
    _HEADER = ("contribution", "depth", "mass g", "levels g", "feature")

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return the explanation for JSON, with at most `top` features and training graphs."""
        return {
            "value": self.value,
            "base": self.base,
            "intercept": self.intercept,
            "toward": _json_value(self.toward),
            "against": _json_value(self.against),
            "alphas": self.alphas.tolist(),
            "n_features": len(self.features),
            "features": self._as_json(top),
            "n_graphs": len(self.graphs),
            "graphs": [
                {**found._asdict(), "target": _json_value(found.target)}
                for found in self.graphs[:top]
            ],
        }

    @property
    def about(self) -> list[str]:
        """What is explained, in two lines."""
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
        parts = [f"base {self.base:.6g}", f"{len(self.features)} features"]
        if first:
            parts.append(f"{len(self.graphs)} training graphs: {', '.join(first)}{more}")
        return [what, "; ".join(parts)]

    def __repr__(self) -> str:
        sizes = f"{len(self.features)} features, {len(self.graphs)} graphs"
        return f"PredictionExplanation(value={self.value:.6g}, {sizes})"


def _words(found: FeatureContribution) -> list[str]:
    """Return the cells of a feature in a table of text."""
    apart = [] if found.distance is None else [f"{found.distance:.4g}"]
    lives = map(level_text, found.lifespans)
    depths = ranges_text((depth, depth + 1) for depth in found.depths)
    first = [f"{found.contribution + 0.0:.6g}", depths]  # no minus before 0
    return [*first, *apart, *map(str, found.masses), *lives, found.name]


def _finite(value: float) -> float | None:
    """Return a number that JSON can write, or None."""
    return value if math.isfinite(value) else None


def _json_value(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)
