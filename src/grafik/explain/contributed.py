"""What one feature, one training graph or one part of a kernel contributes."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..features.histograms import Lifespan


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
    part : str
        For a mean of kernels, the part that counts the feature.
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
    part: str = ""

    @property
    def depths(self) -> list[int]:
        """The depths at which the feature is the same."""
        return [depth for depth, _ in self.keys]


class PartContribution(NamedTuple):
    """What one part of a combined kernel contributes.

    Attributes
    ----------
    name : str
        As in :class:`grafik.MeanKernel`; with a slash for parts of parts.
    weight : float
        Its share in the mean.
    similarity : float or None
        For a pair, its kernel of the two graphs, normalised.
    contribution : float
        For a pair, the product of these. For a prediction, its share of the decision.
    scale : float
        What contributions of features in `explanation` are multiplied with, to count in the whole;
        0 where they do not add up to it, so that the part counts as one.
    explanation : PairExplanation, PredictionExplanation or None
        Of the part alone; None for kernels that compare whole graphs.
    """

    name: str
    weight: float
    similarity: float | None
    contribution: float
    scale: float
    explanation: Any
