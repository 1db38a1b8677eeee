"""Counting: a filtration and an extractor turn graphs into histograms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..arrays.checks import checked_depths
from ..features import CyclicPatterns, Graphlets, WeisfeilerLehman, as_extractor
from ..features.histograms import Histograms
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from ..graphs.labelling import ANY, Labelling
from ..system.memory import keep_freed, memory_for
from ..system.words import counted
from ..weights.unused import warn_of_unused


@dataclass
class FeatureCounter:
    """A filtration and an extractor: graphs in, histograms out.

    :class:`grafik.FiltrationKernel`, embedding, search, explanation, model files and reports all
    use it.

    Parameters
    ----------
    filtration : Filtration
        Fitted, or to be fitted by :meth:`fit`.
    extractor : extractor of :mod:`grafik.features`
    n_jobs : int or None
        Number of threads for Weisfeiler-Lehman labels, graphlets and cyclic patterns.
    labelling : Labelling
        The labels that it was fitted on, which those of other graphs must match.

    Examples
    --------
    >>> from grafik import Filtration, datasets
    >>> from grafik.features import WeisfeilerLehman
    >>> from grafik.kernels.counting import FeatureCounter
    >>> graphs, y = datasets.triangle_pair()
    >>> counter = FeatureCounter(Filtration("triangles", "distinct"), WeisfeilerLehman(depth=2))
    >>> counter.fit(graphs)
    Histograms(2 graphs, 2 levels, 7 features)
    >>> counter.count(graphs[:1])
    Histograms(1 graphs, 2 levels, 5 features)
    """

    filtration: Filtration
    extractor: Any
    n_jobs: int | None = None
    labelling: Labelling = ANY

    @classmethod
    def of(cls, estimator: Any, extractor: Any) -> FeatureCounter:
        """Return a counter with the parameters of a kernel or an embedding, not yet fitted."""
        weight = clone(estimator.weight, safe=False)
        filtration = Filtration(weight, estimator.thresholds, estimator.n_levels)
        return cls(filtration, extractor, estimator.n_jobs)

    def fit(self, graphs: Graphs) -> Histograms:
        """Learn the thresholds and the labels, and return the histograms of the same graphs."""
        self.learn_labels(graphs)
        self.warn_of_unused(graphs)
        return self._counted(graphs, None, self.filtration.fit_levels(graphs))

    def warn_of_unused(self, graphs: Graphs) -> None:
        """Warn of edge weights that are not used, unless thresholds or one level were chosen."""
        if isinstance(self.filtration.thresholds, str) and self.filtration.n_levels != 1:
            warn_of_unused([self.filtration.weight], graphs)

    def learn_labels(self, graphs: Graphs) -> None:
        """Remember the labels of training graphs, and decide by these whether edge labels count."""
        self.set_labelling(labelling_of(self.extractor, graphs))

    def set_labelling(self, labelling: Labelling) -> None:
        """Take over labels that were learned before."""
        self.labelling, self.extractor = labelling, decided(self.extractor, labelling)

    def count(
        self,
        graphs: Graphs,
        known: Histograms | None = None,
        levels: NDArray[np.int32] | None = None,
    ) -> Histograms:
        """Return the histograms of graphs.

        Parameters
        ----------
        graphs : Graphs
        known : Histograms, optional
            For exact labels: earlier histograms, whose label numbers are reused.
        levels : ndarray of int32, optional
            The level at which each edge enters, if known.
        """
        self.labelling.check(graphs)
        return self._counted(graphs, known, levels)

    def _counted(
        self, graphs: Graphs, known: Histograms | None, levels: NDArray[np.int32] | None
    ) -> Histograms:
        keep_freed()
        if isinstance(self.extractor, WeisfeilerLehman):
            return self.extractor.histograms(
                graphs, self.filtration, n_jobs=self.n_jobs, known=known, levels=levels
            )
        filtration = self.filtration if levels is None else _Entered.of(self, graphs, levels)
        threads = (
            {"n_jobs": self.n_jobs}
            if isinstance(self.extractor, (Graphlets, CyclicPatterns))
            else {}
        )
        what = f"counting features of {counted(len(graphs), 'graph')}"
        with memory_for(what, "take fewer graphs at a time"):
            found = self.extractor.histograms(graphs, filtration, **threads)
        if not isinstance(found, Histograms):
            raise TypeError(f"{self.extractor} must return Histograms, got {type(found).__name__}")
        n_levels = self.filtration.n_levels_
        if (len(found), found.n_levels) != (len(graphs), n_levels):
            raise ValueError(
                f"{self.extractor} must return histograms of {len(graphs)} graphs and "
                f"{n_levels} levels, got {len(found)} and {found.n_levels}"
            )
        return found


class _Entered(Filtration):
    """A fitted filtration that knows the levels of one batch, so that weights are computed once."""

    @classmethod
    def of(cls, counter: FeatureCounter, graphs: Graphs, levels: NDArray[np.int32]) -> _Entered:
        twin = cls(**counter.filtration.get_params(deep=False))
        twin.take_over(counter.filtration)
        twin._batch, twin._entry = graphs, levels
        return twin

    def levels(self, graphs: Any) -> NDArray[np.int32]:
        return self._entry if graphs is self._batch else super().levels(graphs)


def as_own_extractor(features: Any, depth: int | None = None) -> Any:
    """Return a copy of an extractor, or one for a function; by default Weisfeiler-Lehman labels.

    The depth is that of the default.
    """
    if features is None:
        return WeisfeilerLehman() if depth is None else WeisfeilerLehman(depth)
    if depth is not None:
        raise ValueError(
            f"depth={depth!r} is that of the default features, but features={features!r} is given; "
            f"leave one out: features have their own depth, as in WeisfeilerLehman(depth={depth!r})"
        )
    return clone(as_extractor(features), safe=False)


def labelling_of(extractor: Any, graphs: Graphs) -> Labelling:
    """Return the labels of training graphs, as far as an extractor looks at them."""
    vertices = getattr(extractor, "reads_vertex_labels", True)
    return Labelling.of(graphs, vertices, getattr(extractor, "reads_edge_labels", True))


def decided(extractor: Any, labelling: Labelling) -> Any:
    """Return an extractor that no longer decides by each batch whether edge labels count."""
    if not isinstance(extractor, WeisfeilerLehman) or extractor.edge_labels != "auto":
        return extractor
    counted = labelling.edges is not None and labelling.edges.labelled
    return clone(extractor).set_params(edge_labels=counted)


def deepest(extractor: Any, depths: Iterable[int] | None) -> tuple[Any, Sequence[int | None]]:
    """Set an extractor to the greatest of several depths; return it and the depths, increasing.

    Without depths, the extractor keeps its own, and the depths are ``[None]``.
    """
    if depths is None:
        return extractor, [None]
    if not hasattr(extractor, "depth"):
        raise ValueError(f"{extractor} has no depth, so depths must be None")
    several = checked_depths(depths)
    return extractor.set_params(depth=max(several, default=0)), several
