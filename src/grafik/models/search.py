"""The search for the best kernel: a few different ones first, then finer around the best."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..filtration.thresholds import depends_on_n_levels
from ..graphs.batch import Graphs
from ..kernels.normalised import gaussian_of
from .choice import Choice, simplicity
from .selection import Contest
from .tried_grams import Filtered, TriedGrams

MASSES = ("linear", "min")
# Rules for thresholds; the first one is tried first.
RULES = ("kmeans", "kmeans-distinct")


class Effort(NamedTuple):
    """How much is tried.

    Attributes
    ----------
    weights : tuple of str
        Weights whose filtrations are tried together, and one by one.
    depths : tuple of int
        Depths that are tried first.
    ladders : dict
        For each parameter the values that may be tried, in order; the search goes from one to the
        next as long as that helps.
    Cs, more_Cs : tuple of float
        Tried for all kernels, and for the best one only.
    n_folds, n_scored : int
        Number of folds, which are dealt anew until this many graphs have been scored, at most
        three times.
    rounds : int
        How often the search goes through all parameters of the best kernel.
    """

    weights: tuple[str, ...]
    depths: tuple[int, ...]
    ladders: dict[str, tuple[Any, ...]]
    Cs: tuple[float, ...]
    more_Cs: tuple[float, ...]
    n_folds: int
    n_scored: int
    rounds: int


_FIVE = ("degree", "core", "jaccard", "curvature", "betweenness")
_LADDERS: dict[str, tuple[Any, ...]] = {
    "gamma": (0.125, 0.5, 1.0, 8.0, 64.0, 256.0),
    "depth": (1, 2, 3, 4, 5),
    "sigma": (None, 1.0, 4.0, 16.0),
    "mass": MASSES,
    "n_levels": (2, 4, 8),
    "thresholds": RULES,
}
_FINE = {**_LADDERS, "n_levels": (2, 3, 4, 6, 8, 12), "depth": (0, 1, 2, 3, 4, 5, 6, 7, 8)}
_FINE["sigma"] = (None, 0.25, 1.0, 4.0, 16.0, 64.0)
_FINE["gamma"] = (0.125, 0.5, 1.0, 2.0, 8.0, 32.0, 256.0)
EFFORTS = {
    "quick": Effort(
        ("degree", "core", "curvature"),
        (1, 3),
        _LADDERS,
        (1.0, 16.0, 256.0),
        (4.0, 64.0),
        3,
        0,
        0,
    ),
    "standard": Effort(
        _FIVE,
        (1, 3, 5),
        _LADDERS,
        (1.0, 16.0, 256.0),
        (0.25, 4.0, 64.0),
        3,
        400,
        1,
    ),
    "thorough": Effort(
        (*_FIVE, "triangles", "walks:3"),
        (1, 3, 5, 7),
        _FINE,
        (0.5, 2.0, 8.0, 32.0, 256.0),
        (0.125, 1.0, 4.0, 16.0, 64.0, 1024.0),
        5,
        3000,
        4,
    ),
}
# Where a ladder is entered.
_FIRST = {"n_levels": 4, "gamma": 8.0, "sigma": 4.0}


class Space(NamedTuple):
    """What may be tried, after what the user fixed.

    Attributes
    ----------
    groups : list of tuple, or None
        Weights of filtrations to try, each tuple together; None is the weights of the effort,
        all together, one by one, and the best three together.
    alone : bool
        Whether the weights of the effort are tried one by one only.
    depths : list of int or None
    ladders : dict
        Those of the effort, or the user's values.
    more_Cs : tuple of float
        Tried for the best kernel.
    effort : Effort
    """

    groups: list[tuple[Any, ...]] | None
    alone: bool
    depths: Sequence[int | None]
    ladders: dict[str, tuple[Any, ...]]
    more_Cs: tuple[float, ...]
    effort: Effort


class OutOfTime(Exception):
    """The search has taken as long as it may."""


class Search:
    """Tries kernels one after the other, and lets them compete.

    Parameters
    ----------
    grams : TriedGrams
    contest : Contest
    space : Space
    seconds : float or None
        After this time no further kernel is tried.
    say : callable
        Is told in a few words what is tried.
    """

    def __init__(
        self,
        grams: TriedGrams,
        contest: Contest,
        space: Space,
        seconds: float | None = None,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.grams, self.contest, self.space = grams, contest, space
        self.scores = dict[Choice, float]()
        self._say = say
        self._end = np.inf if seconds is None else time.monotonic() + seconds
        self._outs, self._top = list[NDArray[np.float64]](), np.empty((0, 0))

    def run(self) -> bool:
        """Try everything; return whether there was enough time."""
        try:
            self._plain()
            self._filtrations()
            self._finer()
        except OutOfTime:
            return False
        return True

    def _plain(self) -> None:
        """Try features without a filtration."""
        self._coarse(Choice())

    def _filtrations(self) -> None:
        """Try filtrations: all together, or the user's first; then the others in the same way."""
        rule, n_levels = self.space.ladders["thresholds"][0], self._first("n_levels")
        start = Choice(("",), rule, n_levels, gamma=self._first("gamma"))
        weights = self._informative(start) if self.space.groups is None else []
        together = [tuple(weights)] if weights and not self.space.alone else []
        groups = self.space.groups or [*together, *((one,) for one in weights)]
        # Where all edges have the same weight, there is no filtration.
        first, *others = [
            group
            for group in groups
            if any(self._filtration(one, start).filtration.n_levels_ > 1 for one in group)
        ] or [()]
        if not first:
            return
        start = start.but(weights=first)
        self._coarse(start)
        best = self._best(filtered=True)
        if together and (len(weights) == 1 or not self.space.effort.rounds):
            return
        for one in others:
            self._enter(best.but(weights=one), [best.depth], [best.sigma])
        if together and len(weights) > 3:
            singles = sorted(others, key=lambda one: -self.scores[best.but(weights=one)])
            three = {one[0] for one in singles[:3]}
            kept = tuple(weight for weight in weights if weight in three)
            self._enter(best.but(weights=kept), [best.depth], [best.sigma])

    def _coarse(self, start: Choice) -> None:
        """Try both ways to compare masses at some depths, and a Gaussian on the best of each."""
        first, *others = self._sigmas
        for mass in self.space.ladders["mass"]:
            here = start.but(mass=mass, sigma=first)
            self._enter(here, self.space.depths, [first])
            tried = [here.but(depth=depth) for depth in self.space.depths]
            best = min(tried, key=self._order)
            self._enter(best, [best.depth], others)

    def _finer(self) -> None:
        """Go from the best filtration, and from the best without one, to where it gets better."""
        starts = [self._best(filtered=True)] if any(one.weights for one in self.scores) else []
        for start in [*starts, self._best(filtered=False)]:
            here = start
            for _ in range(self.space.effort.rounds):
                before = here
                for name, ladder in self.space.ladders.items():
                    if self._matters(name, here):
                        here = self._climb(here, name, ladder)
                if here == before:
                    break
        best = min(self.scores, key=self._order)
        if self.space.more_Cs:
            for gram in self._grams(best, [best.depth]):
                self._compete(best, self._topped(best, gram), self.space.more_Cs)

    def _matters(self, name: str, choice: Choice) -> bool:
        """Tell whether a parameter changes a kernel."""
        if not choice.weights:
            return name in ("depth", "sigma", "mass")
        return name != "n_levels" or depends_on_n_levels(choice.thresholds)

    def _climb(self, here: Choice, name: str, ladder: tuple[Any, ...]) -> Choice:
        """Try the neighbours of a value, and go on where it gets better."""
        place = ladder.index(getattr(here, name))
        for step in (1, -1):
            at, found = place + step, here
            while 0 <= at < len(ladder):
                there = found.but(**{name: ladder[at]})
                self._enter(there, [there.depth], [there.sigma])
                if self.scores[there] <= self.scores[found]:
                    break
                found, at = there, at + step
            if found != here:
                return found
        return here

    def _enter(
        self, choice: Choice, depths: Iterable[int | None], sigmas: Iterable[float | None]
    ) -> None:
        """Let a kernel compete, for some depths and Gaussians."""
        wanted = [choice.but(depth=depth, sigma=sigma) for depth in depths for sigma in sigmas]
        left = [one for one in wanted if one not in self.scores]
        rounds = sorted({one.depth for one in left}, key=lambda depth: (depth is not None, depth))
        if not left:
            return
        for depth, gram in zip(rounds, self._grams(choice, rounds), strict=True):
            for one in (one for one in left if one.depth == depth):
                self._compete(one, self._topped(one, gram))

    def _topped(self, choice: Choice, gram: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a matrix with the Gaussian on top, if the kernel has one."""
        if choice.sigma is None:
            return gram
        if not len(self._top):
            self._top = np.empty_like(gram)
        own, n_jobs = gram.diagonal().copy(), self.grams.kernel.n_jobs
        return gaussian_of(gram, choice.sigma, own, own, self._top, n_jobs)

    def _compete(
        self, choice: Choice, gram: NDArray[np.float64], Cs: Sequence[float] | None = None
    ) -> None:
        parameters = choice.parameters
        if choice.weights and not depends_on_n_levels(choice.thresholds):
            parts = [self._filtration(weight, choice) for weight in choice.weights]
            parameters["n_levels"] = max(part.filtration.n_levels_ for part in parts)
        score = self.contest.enter(parameters, gram, Cs)
        self.scores[choice] = max(score, self.scores.get(choice, -np.inf))
        self._say(f"best score so far {self.contest.best_score:.3f}; tried {choice}")

    def _grams(self, choice: Choice, depths: Sequence[int | None]) -> Iterable[NDArray[np.float64]]:
        """Return the matrices of a kernel for some depths, before the Gaussian."""
        self._check_time()
        n, several = len(self.grams.graphs), len(choice.weights) > 1
        while len(self._outs) < len(depths) and several:
            self._outs.append(np.empty((n, n)))
        filtered = [self._filtration(weight, choice) for weight in choice.weights or ("degree",)]
        if several:
            outs = self._outs[: len(depths)]
            self.grams.together(filtered, choice.mass, depths, choice.gamma, outs)
            return outs
        return self.grams.one(filtered[0], choice.mass, depths, choice.gamma)

    def _check_time(self) -> None:
        if self.scores and time.monotonic() > self._end:
            raise OutOfTime

    def _filtration(self, weight: Any, choice: Choice) -> Filtered:
        return self.grams.filtered(weight, *choice.steps)

    def _informative(self, start: Choice) -> list[Any]:
        """Return the weights that build graphs up step by step, each in another way."""
        found, seen = [], set[bytes]()
        for weight in usable(self.space.effort.weights, self.grams.graphs):
            self._check_time()
            one = self._filtration(weight, start)
            if one.filtration.n_levels_ > 1 and one.levels.tobytes() not in seen:
                seen.add(one.levels.tobytes())
                found.append(weight)
        return found

    def _first(self, name: str) -> Any:
        """Return the value of a ladder that is tried first: the one nearest to the usual."""
        ladder = self.space.ladders[name]
        if _FIRST[name] in ladder:
            return _FIRST[name]
        return ladder[len(ladder) // 2]

    @property
    def _sigmas(self) -> list[float | None]:
        ladder = self.space.ladders["sigma"]
        return [one for one in (None, self._first("sigma")) if one in ladder] or [ladder[0]]

    def _best(self, *, filtered: bool) -> Choice:
        return min((one for one in self.scores if bool(one.weights) == filtered), key=self._order)

    def _order(self, choice: Choice) -> tuple[Any, ...]:
        return -self.scores[choice], *simplicity(choice.parameters)


def usable(weights: Iterable[str], graphs: Graphs) -> list[str]:
    """Return the weights that these graphs have: of their own attribute, if there is one."""
    found = ["degree"] if graphs.directed else list(weights)
    attributes = graphs.edge_attributes
    # Molecules have the orders of bonds as an attribute that nobody asked for.
    if (
        attributes is not None
        and attributes.shape[1] == 1
        and graphs.edge_attribute_names != ("order",)
    ):
        found += ["attribute", "attribute:small"]
    return found
