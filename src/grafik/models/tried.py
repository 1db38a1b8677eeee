"""What a model tries, by its parameters: a grid of the user's own, or a search."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.checks import (
    checked_bool,
    checked_choice,
    checked_depths,
    checked_list,
    checked_number,
)
from ..filtration.thresholds import given_alphas
from ..graphs.batch import Graphs
from ..kernels.counting import decided, deepest, labelling_of
from ..kernels.gram import KernelOnHistograms
from ..kernels.kernel import FiltrationKernel
from ..kernels.normalised import checked_sigma
from ..system.progress import progress_line, with_progress
from ..weights.names import is_ordered
from ..weights.several import several_weights
from .choice import Choice, weights_of
from .gram_grid import CS, DEPTHS, GAMMAS, LEVELS, WEIGHTS, Grid, filtration_grams
from .search import EFFORTS, MASSES, Effort, Search, Space, usable
from .selection import Contest
from .tried_grams import TriedGrams


@dataclass(frozen=True)
class WholeGrid:
    """All combinations of the values that a user gave.

    Attributes
    ----------
    template : FiltrationKernel
        With the parameters that are not varied.
    grid : Grid
    normalize : bool
    Cs : sequence of float
    otherwise : Choice
        What the chosen kernel has besides what was varied.
    seconds : float or None
        After this time no further kernel is tried.
    """

    template: FiltrationKernel
    grid: Grid
    normalize: bool
    Cs: Iterable[float]
    otherwise: Choice
    seconds: float | None

    @property
    def n_matrices(self) -> int:
        """Peak memory, in matrices.

        The current one, the sums it is made of, the best one, and parts for folds; for several
        filtrations together, the means of all depths.
        """
        together = any(len(weights_of(weight)) > 1 for weight in self.grid.weights or ())
        means = len(checked_depths(self.grid.depths or ())) + 3 if together else 0
        return 4 + bool(self.grid.sigmas) + means

    def weights(self, batch: Graphs) -> list[Any]:
        """Return the weights that are tried."""
        several = [self.template.weight] if self.grid.weights is None else self.grid.weights
        return [one for weight in several for one in weights_of(weight)]

    def enter(
        self, contest: Contest, batch: Graphs, progress: bool | None
    ) -> tuple[bool, TriedGrams]:
        """Let kernels compete; return whether there was enough time for all, and the matrices."""
        end = np.inf if self.seconds is None else time.monotonic() + self.seconds
        grams = filtration_grams(self.template, batch, None, self.grid, self.normalize)
        n_tried = 0
        for parameters, gram in with_progress(grams, "choosing a kernel", progress):
            if n_tried and time.monotonic() > end:
                break
            contest.enter(parameters, gram)
            n_tried += 1
        return n_tried == len(grams), grams.grams


@dataclass(frozen=True)
class Searched:
    """A search, see :class:`grafik.models.search.Search`.

    Attributes
    ----------
    template, normalize, Cs, otherwise, seconds
        As of a grid.
    space : Space
    """

    template: FiltrationKernel
    space: Space
    normalize: bool
    Cs: Iterable[float]
    otherwise: Choice
    seconds: float | None

    @property
    def n_matrices(self) -> int:
        """Peak memory, in matrices: one for each depth, and some more."""
        return len(self.space.depths) + 6

    def weights(self, batch: Graphs) -> list[Any]:
        """Return the weights that are tried."""
        if self.space.groups is None:
            return list(usable(self.space.effort.weights, batch))
        return [weight for group in self.space.groups for weight in group]

    def enter(
        self, contest: Contest, batch: Graphs, progress: bool | None
    ) -> tuple[bool, TriedGrams]:
        """Let kernels compete; return whether there was enough time for all, and the matrices."""
        deep = [depth for depth in self.space.ladders["depth"] if depth is not None]
        extractor, _ = deepest(self.template.new_extractor(), deep or None)
        extractor = decided(extractor, labelling_of(extractor, batch))
        kernel = KernelOnHistograms.of(self.template)
        grams = TriedGrams(kernel, extractor, batch)
        with progress_line("choosing a kernel", progress) as say:
            return Search(grams, contest, self.space, self.seconds, say).run(), grams


def tried_by(model: Any) -> WholeGrid | Searched:
    """Return what a classifier or a regressor tries; refuse parameters that do not fit."""
    checked_choice("effort", model.effort, tuple(EFFORTS))
    normalize = checked_bool("normalize", model.normalize)
    seconds = model.max_seconds
    if seconds is not None:
        seconds = checked_number("max_seconds", seconds)
    weights = _weights(model.weight)
    rules = _rules(model.thresholds, weights)
    masses = _masses(model.mass, model.combine)
    sigmas = _sigmas(model.sigmas)
    effort = EFFORTS[model.effort]
    template = FiltrationKernel(
        model.features,
        weight="degree" if weights is None else weights_of(weights[0])[0],
        thresholds="kmeans" if rules is None else rules[0],
        scale=model.scale,
        combine=model.combine,
        beta=model.beta,
        normalize=normalize,
        n_jobs=model.n_jobs,
        mass="linear" if masses is None else masses[0],
    )
    otherwise = Choice(
        weights=weights_of("degree" if weights is None else weights[0]),
        thresholds=template.thresholds,
        mass=template.mass,
    )
    if has_own_grid(model):
        grid = Grid(
            LEVELS if model.levels is None else model.levels,
            _depths(model),
            GAMMAS if model.gammas is None else model.gammas,
            weights if _is_list(model.weight) or len(otherwise.weights) > 1 else None,
            rules if _is_list_of_text(model.thresholds) else None,
            masses if _is_list(model.mass) else None,
            sigmas,
        )
        Cs = CS if model.Cs is None else model.Cs
        return WholeGrid(template, grid, normalize, Cs, otherwise, seconds)
    space = _space(model, effort, weights, rules, masses, sigmas)
    Cs = effort.Cs if model.Cs is None else model.Cs
    return Searched(template, space, normalize, Cs, otherwise, seconds)


def _depths(model: Any) -> Any:
    """Return the depths of a grid, which may be gone through once only."""
    if model.depths is None and model.features is None:
        return DEPTHS
    return list(model.depths) if isinstance(model.depths, Iterator) else model.depths


def has_own_grid(model: Any) -> bool:
    """Tell whether a user gave levels, depths or gammas, of which all are then tried."""
    return any(one is not None for one in (model.levels, model.depths, model.gammas))


def _space(
    model: Any,
    effort: Effort,
    weights: list[Any] | None,
    rules: list[Any] | None,
    masses: list[str] | None,
    sigmas: list[float | None] | None,
) -> Space:
    """Return what is searched: the ladders of the effort, with the user's values in their place."""
    ladders, depths = dict(effort.ladders), list[int | None](effort.depths)
    if model.features is not None:
        depths, ladders["depth"] = [None], (None,)
    if rules is not None:
        ladders["thresholds"] = tuple(rules)
    if masses is not None:
        ladders["mass"] = tuple(masses)
    if sigmas is not None:
        ladders["sigma"] = tuple(sigmas)
    elif not model.normalize:
        ladders["sigma"] = (None,)
    groups = None if weights is None else [weights_of(weight) for weight in weights]
    more_Cs = effort.more_Cs if model.Cs is None else ()
    return Space(groups, not model.normalize, depths, ladders, more_Cs, effort)


def _weights(given: Any) -> list[Any] | None:
    """Return the weights to choose from; None if the model chooses."""
    if given is None:
        return None
    several = checked_list("weight", given, WEIGHTS) if _is_list(given) else [given]
    for weight in several:
        if weight is None:
            raise ValueError(
                f"weight={given!r} has None among its weights; leave it out, as kernels without a "
                "filtration are always tried"
            )
        if isinstance(weight, str) and len(weights_of(weight)) > 1:
            several_weights(weight)
    return several


def _rules(given: Any, weights: list[Any] | None) -> list[Any] | None:
    if given is None:
        several = [one for weight in weights or () for one in weights_of(weight)]
        # Weights whose order means nothing are not put together in levels.
        return None if not several or any(map(is_ordered, several)) else ["distinct"]
    if _is_list_of_text(given):
        return list(given)
    return [given if isinstance(given, str) else tuple(given_alphas(given).tolist())]


def _masses(given: Any, combine: str) -> list[str] | None:
    if given is None:
        return ["linear"] if combine == "product" else None
    several = checked_list("mass", given, MASSES) if _is_list(given) else [given]
    for mass in several:
        checked_choice("mass", mass, MASSES)
    if combine == "product" and "min" in several:
        raise ValueError("mass='min' is for sums; set combine='sum' or mass='linear'")
    return several


def _sigmas(given: Any) -> list[float | None] | None:
    if given is None:
        return None
    several = checked_list("sigmas", given, (None, 4.0))
    numbers = sorted({checked_sigma(sigma) for sigma in several if sigma is not None})
    return [*([None] if None in several else []), *numbers]


def _is_list(given: Any) -> bool:
    return isinstance(given, (list, tuple))


def _is_list_of_text(given: Any) -> bool:
    return _is_list(given) and len(given) > 0 and all(isinstance(one, str) for one in given)
