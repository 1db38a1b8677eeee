"""What an explanation holds, and how it is shown: contributions that add up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..features.barcodes import Barcode
from ..graphs.labels import Label
from ..graphs.vertex_names import as_text
from ..system.optional import require
from ..system.words import counted
from .contributed import FeatureContribution, GraphContribution, PartContribution
from .importance import by_name, shares
from .text_tables import aligned, level_text, ranges_text

_SHOWN_VERTICES = 5  # of each graph, in tables


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
        """Return a pandas frame with one line per feature, the largest contribution first.

        Of a Gaussian, ``attrs`` of the frame says what is explained, and what is left out.
        """
        pandas = require("pandas", "to_pandas", "pandas")
        rows = list(map(self._row, self.features))
        frame = pandas.DataFrame(rows, columns=list(self._columns))
        frame.attrs.update(
            {name: value for name, value in self._combined_json(0).items() if name != "parts"}
        )
        return frame

    def _as_json(self, top: int | None) -> list[dict[str, Any]]:
        """Return features for JSON; hashes are text, as some readers round large numbers."""
        return [
            {
                **dict(zip(self._columns, self._row(found), strict=True)),
                "feature": f"{found.feature:#018x}",
                "contribution": _finite(found.contribution),
            }
            for found in self.features[:top]
        ]

    @property
    def by_part(self) -> tuple[PartContribution, ...]:
        """What each part of a combined kernel contributes; nothing for other kernels."""
        raise NotImplementedError

    def _combined_json(self, top: int | None) -> dict[str, Any]:
        """Return what is to be said of a combined kernel, for JSON."""
        raise NotImplementedError

    @property
    def _columns(self) -> tuple[str, ...]:
        return ("part", *self._COLUMNS) if self.by_part else self._COLUMNS

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
        part = [found.part] if self.by_part else []
        return [*part, *first, *apart, *found.masses, *found.lifespans, *where, found.depths]

    @property
    def about(self) -> list[str]:
        """What is explained, in two lines."""
        raise NotImplementedError

    def cells(self, top: int = 10) -> tuple[tuple[str, ...], list[list[str]]]:
        """Return the names of the columns of the table, and the cells of its first lines."""
        if not self.by_part:
            return self._HEADER, [_words(found) for found in self.features[:top]]
        first, *others = self._HEADER
        rows = []
        for found in self.features[:top]:
            contribution, *words = _words(found)
            rows.append([contribution, found.part, *words])
        return (first, "part", *others), rows

    def rest(self, top: int = 10) -> tuple[int, float]:
        """Return how many features are not in the table, and what they contribute together."""
        others = self.features[top:]
        return len(others), sum(found.contribution for found in others)

    def vertex_shares(self, graph: int) -> NDArray[np.float64] | None:
        """Return how important each vertex is; None if no feature sits at single vertices."""
        if not self.by_part:
            bars = self.barcodes[graph]
            return None if bars is None else shares(self.features, bars, self.n_nodes[graph], graph)
        found = [
            part.scale * values
            for part in self.by_part
            if part.scale and (values := part.explanation.vertex_shares(graph)) is not None
        ]
        return np.sum(found, axis=0) if found else None

    def important(self) -> list[str]:
        """Return a line on the most important vertices of each graph whose vertices have names."""
        lines = []
        for graph, names in enumerate(self.node_names):
            values = self.vertex_shares(graph)
            if names is not None and values is not None:
                found = by_name(values, names)
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
        What `base` and the contributions add up to: the value, for product kernels its logarithm
        (which is finite even where the value is too small for a float). For a Gaussian, the same of
        the similarity within.
    features : tuple of FeatureContribution
        By decreasing size of the contribution. For sum kernels the features that both graphs have,
        for product kernels those that either has.
    combine : {"sum", "product", "mean"}
        For a Gaussian, that of the similarity within.
    mass : {"linear", "min"}
        Whether masses are multiplied, or the smaller one counts; of a mean, its parts know.
    normalize : bool
    alphas : ndarray
        Thresholds of the filtration; none for a mean, whose parts have their own.
    fitted : bool
        Whether the thresholds are those of the kernel; else they were learned from the two graphs.
    barcodes : tuple of Barcode, or None
        Of the two graphs, for features that sit at vertices.
    n_nodes : tuple of int
        Of the two graphs.
    node_names : tuple of list, or None
        What the vertices of each graph are called. Frames and JSON call them so; `vertices` of a
        feature are always numbers.
    ids : tuple
        What each graph is called; None where it has no id.
    base : float
        What is not due to single features: of a mean, the contributions of parts that cannot be
        split; else 0.
    parts : tuple of PartContribution
        Of a mean.
    sigma : float or None
        Of a Gaussian, whose value is ``exp(-sigma (1 - K))``. Contributions explain `K`.
    """

    combine: str
    mass: str
    normalize: bool
    fitted: bool
    ids: tuple[Label | None, Label | None] = (None, None)
    parts: tuple[PartContribution, ...] = ()
    sigma: float | None = None

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
            "ids": [_json_value(one) for one in self.ids],
            **self._combined_json(top),
            "n_features": len(self.features),
            "features": self._as_json(top),
        }

    @property
    def by_part(self) -> tuple[PartContribution, ...]:
        """What each part of a combined kernel contributes; nothing for other kernels."""
        return self.parts

    @property
    def similarity(self) -> float:
        """The value; of a Gaussian, the similarity within, which contributions explain."""
        if self.sigma is None:
            return self.value
        return math.exp(self.total) if self.combine == "product" else self.total

    def _combined_json(self, top: int | None) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.sigma is not None:
            found |= {
                "sigma": self.sigma,
                "similarity": self.similarity,
                "explained": "similarity; value = exp(-sigma (1 - similarity))",
            }
        if self.parts:
            found |= {"base": self.base, "parts": [_part_json(part, top) for part in self.parts]}
        return found

    @property
    def about(self) -> list[str]:
        """What is explained, in two lines, and which graphs these are if they have ids."""
        named = [pair for pair in zip("gh", self.ids, strict=True) if pair[1] is not None]
        who = ", ".join(f"{name} is {as_text(one)}" for name, one in named)
        return [*self._told(), *filter(None, [who])]

    def _told(self) -> list[str]:
        what = f"K(g, h) = {self.similarity:.10g}"
        if self.combine == "product":
            what += f", log K(g, h) = {self.total + 0.0:.10g}"
        kind = f"{'normalised ' if self.normalize else ''}{self.combine} kernel"
        kind += ", smaller masses" if self.mass == "min" else ""
        if self.sigma is not None:
            kind += (
                f", explained here; its Gaussian exp(-{self.sigma:g} (1 - K)) is {self.value:.10g}"
            )
        if self.parts:
            return [f"{what} ({kind})", self._told_parts()]
        source = "" if self.fitted else ", learned from the two graphs"
        shared = "shared" if self.combine == "sum" else "in either graph"
        features = counted(len(self.features), "feature")
        levels = counted(len(self.alphas), "level")
        return [f"{what} ({kind})", f"{features} {shared}; {levels}{source}"]

    def _told_parts(self) -> str:
        told = [
            f"{part.name} {part.contribution:.6g} ({part.weight:.4g} x {part.similarity:.6g})"
            for part in self.parts
        ]
        whole = f"; {self.base:.6g} of this not split by features" if self.base else ""
        return f"parts: {', '.join(told)}{whole}; {len(self.features)} features"

    def __repr__(self) -> str:
        return f"PairExplanation(value={self.value:.6g}, {len(self.features)} features)"


@dataclass(frozen=True, eq=False, repr=False)
class PredictionExplanation(_Explanation):
    """Why a model predicts what it does for a graph; see :func:`grafik.explain_prediction`.

    Attributes
    ----------
    value, total : float
        The decision value, or for regression the prediction: `base`, `remainder` and the
        contributions of all features together; also `intercept` and the contributions of all
        training graphs.
    base : float
        What is not due to any feature: the intercept, and for product kernels the decision for a
        graph that equals every support vector; of a mean, also what parts contribute that cannot be
        split.
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
    parts : tuple of PartContribution
        Of a mean or a Gaussian: what each kernel that it is made of contributes.
    linearised : bool
        Whether a Gaussian is among the kernels. It is no sum over features, so contributions are
        those of its tangent: how much the decision changes with each feature's part of the
        similarity.
    remainder : float
        What the tangent leaves out; 0 if nothing was linearised.
    """

    intercept: float
    toward: Any
    against: Any
    graphs: tuple[GraphContribution, ...]
    parts: tuple[PartContribution, ...] = ()
    linearised: bool = False
    remainder: float = 0.0

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
            **self._combined_json(top),
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
        if self.linearised:
            parts.insert(1, f"remainder {self.remainder:.6g} (the Gaussian is linearised)")
        if self.parts:
            told = ", ".join(f"{part.name} {part.contribution:+.4g}" for part in self.parts)
            parts.append(f"parts: {told}")
        if first:
            parts.append(f"{len(self.graphs)} training graphs: {', '.join(first)}{more}")
        return [what, "; ".join(parts)]

    @property
    def by_part(self) -> tuple[PartContribution, ...]:
        """What each part of a combined kernel contributes; nothing for other kernels."""
        return self.parts

    def _combined_json(self, top: int | None) -> dict[str, Any]:
        if not self.parts:
            return {}
        return {
            "linearised": self.linearised,
            "remainder": self.remainder,
            "parts": [_part_json(part, top) for part in self.parts],
        }

    def __repr__(self) -> str:
        sizes = f"{len(self.features)} features, {len(self.graphs)} graphs"
        return f"PredictionExplanation(value={self.value:.6g}, {sizes})"


def _part_json(part: PartContribution, top: int | None) -> dict[str, Any]:
    """Return a part for JSON; of a pair, with its own explanation."""
    found: dict[str, Any] = {
        "name": part.name,
        "weight": part.weight,
        "contribution": part.contribution,
    }
    if part.similarity is not None:
        found["similarity"] = part.similarity
        found["explanation"] = part.explanation and part.explanation.to_dict(top)
    elif part.explanation is not None:
        found["alphas"] = part.explanation.alphas.tolist()
    return found


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
