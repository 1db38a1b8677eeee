"""The kernel of two graphs split into features, and for combined kernels into parts."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..graphs.batch import Graphs
from ..kernels.combined import CombinedKernel
from ..kernels.gaussian import GaussianKernel
from ..kernels.kernel import FiltrationKernel
from ..kernels.normalised import gaussian_of
from .contributed import FeatureContribution, GraphContribution, PartContribution
from .contributions import kernel_terms, term_keys
from .graph import ExplainedGraph, Part, contributions_of
from .results import PairExplanation


class Pair(NamedTuple):
    """Two graphs, each in a batch of its own, and how their comparison is told.

    Attributes
    ----------
    first, second : Graphs
    fitted : bool
        Whether thresholds are those of the kernel that was given.
    tree_size : (int, int)
        Depth and width of the trees that are written.
    """

    first: Graphs
    second: Graphs
    fitted: bool
    tree_size: tuple[int, int]


def explained(kernel: Any, pair: Pair) -> PairExplanation:
    """Split the kernel of two graphs; the kernel is fitted."""
    if isinstance(kernel, GaussianKernel):
        return _gaussian(kernel, pair)
    return _mean(kernel, pair) if isinstance(kernel, CombinedKernel) else _features(kernel, pair)


def _features(kernel: FiltrationKernel, pair: Pair) -> PairExplanation:
    """Split a filtration kernel into its features."""
    x, compared = kernel.count(pair.first), kernel.on_histograms()
    # Exact labels of the second graph extend the dictionary of the first.
    y = kernel.counter().count(pair.second, known=x)
    value = float(compared.gram(x, y)[0, 0])
    terms = kernel_terms(compared, x, y)
    sides = (
        ExplainedGraph(kernel, pair.first, x, y, pair.tree_size),
        ExplainedGraph(kernel, pair.second, y, x, pair.tree_size),
    )
    columns = terms.values.tolist(), terms.distances.tolist()
    parts = map(Part, term_keys(terms, x, y), *columns)
    with np.errstate(over="ignore"):
        total = value if kernel.combine == "sum" else float(np.sum(terms.values))
    return replace(
        _empty(pair),
        value=value,
        total=total,
        features=by_size(contributions_of(parts, sides)),
        alphas=kernel.alphas_,
        barcodes=tuple(side.bars for side in sides),
        combine=kernel.combine,
        mass=kernel.mass,
        normalize=bool(kernel.normalize),
    )


def _mean(kernel: Any, pair: Pair) -> PairExplanation:
    """Split a mean into its parts, and these into features where they are sums of these."""
    weights = kernel.on_parts().weights
    whole, total, base = sum(weights), 0.0, 0.0
    parts, features = list[PartContribution](), list[FeatureContribution]()
    for (name, part), weight in zip(kernel.parts_, weights, strict=True):
        similarity, scale, found = _normalised(name, part, pair)
        share = weight / whole
        total += weight * similarity
        contribution = share * similarity
        if not _adds_up(found):
            base += contribution
            parts.append(PartContribution(name, share, similarity, contribution, 0.0, found))
            continue
        base += share * scale * found.base
        features.extend(in_part(found.features, name, share * scale))
        told = name, share, similarity, contribution, share * scale, found
        parts.append(PartContribution(*told))
    return replace(
        _empty(pair),
        value=total / whole,
        total=total / whole,
        base=base,
        features=by_size(features),
        combine="mean",
        parts=tuple(parts),
    )


def _gaussian(kernel: GaussianKernel, pair: Pair) -> PairExplanation:
    """Split the similarity within a Gaussian."""
    found: PairExplanation | None
    similarity, scale, found = _normalised("kernel", kernel.kernel_, pair)
    rows, columns = kernel.diagonal(pair.first), kernel.diagonal(pair.second)
    value = float(gaussian_of(np.array([[similarity]]), kernel.sigma, rows, columns)[0, 0])
    told: dict[str, Any] = {"value": value, "sigma": float(kernel.sigma), "normalize": True}
    if found is None or found.sigma is not None:  # a kernel of whole graphs, or a Gaussian
        part = PartContribution("kernel", 1.0, similarity, similarity, 0.0, found)
        inner: dict[str, Any] = {
            "total": similarity,
            "base": similarity,
            "combine": "mean",
            "parts": (part,),
        }
        return replace(_empty(pair), **inner, **told)
    if scale == 1:
        return replace(found, **told)
    return replace(
        found,
        total=similarity,
        base=scale * found.base,
        features=in_part(found.features, "", scale),
        parts=tuple(
            part._replace(
                weight=scale * part.weight,
                contribution=scale * part.contribution,
                scale=scale * part.scale,
            )
            for part in found.parts
        ),
        **told,
    )


def _normalised(name: str, part: Any, pair: Pair) -> tuple[float, float, Any]:
    """Return the normalised similarity of a part, what it was multiplied with, and why it is so."""
    if isinstance(part, FiltrationKernel):
        found = _features(copy.copy(part).set_params(normalize=True), pair)
        return found.value, 1.0, found
    if isinstance(part, CombinedKernel):
        found = explained(part, pair)
        product = float(part.diagonal(pair.first)[0] * part.diagonal(pair.second)[0])
        scale = 1 / np.sqrt(product) if product > 0 else 0.0
        return found.value * scale, scale, found
    if not hasattr(part, "compare"):
        raise TypeError(
            f"part {name!r} cannot be explained: {type(part).__name__} compares new graphs with "
            "training graphs only; leave this part out"
        )
    return float(copy.copy(part).set_params(normalize=True).compare(*pair[:2])[0, 0]), 1.0, None


def _adds_up(found: PairExplanation | None) -> bool:
    """Whether contributions of features add up to the kernel value itself."""
    return found is not None and found.sigma is None and found.combine != "product"


def _empty(pair: Pair) -> PairExplanation:
    """Return an explanation of nothing yet."""
    sides = pair.first, pair.second
    return PairExplanation(
        value=0.0,
        total=0.0,
        base=0.0,
        features=(),
        alphas=np.empty(0),
        barcodes=(None, None),
        n_nodes=tuple(int(side.node_ptr[-1]) for side in sides),
        node_names=tuple(side[0].node_names for side in sides),
        combine="sum",
        mass="linear",
        normalize=False,
        fitted=pair.fitted,
        ids=(pair.first[0].id, pair.second[0].id),
    )


def in_part(
    features: Iterable[FeatureContribution], name: str, scale: float
) -> tuple[FeatureContribution, ...]:
    """Return features as they count in a whole of which they are a part."""
    return tuple(
        found._replace(
            contribution=scale * found.contribution,
            part="/".join(filter(None, [name, found.part])),
        )
        for found in features
    )


def by_size(found: Iterable[FeatureContribution]) -> tuple[FeatureContribution, ...]:
    """Return features by decreasing size of contribution; ties go to the simpler feature."""
    return tuple(sorted(found, key=lambda f: (*size(f), f.depth, f.name, f.feature, f.part)))


def size(found: FeatureContribution | GraphContribution) -> tuple[float]:
    """Return what sorts the largest contribution to the front."""
    return (-abs(found.contribution),)
