"""What is run on which data set, so that everything takes hours and not weeks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..evaluation.methods import METHODS, Method
from .paper import DATA

# The paper's simple baseline has two readings.
ALL = (*METHODS, "ve-hist-gaussian")


@dataclass(frozen=True)
class Plan:
    """How a data set is evaluated; the same for all methods on it.

    Attributes
    ----------
    methods : tuple of str
    repeats : int
        Number of repeats, of ten folds each.
    grid : mapping
        Values that are tried instead of the paper's.
    values : mapping
        Values that single methods are tried with, by their names.
    """

    methods: tuple[str, ...] = ALL
    repeats: int = 10
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, tuple[Any, ...]]] = field(default_factory=dict)

    def at_most(self, repeats: int | None) -> int:
        """Return the number of repeats if at most so many are wanted."""
        return self.repeats if repeats is None else min(self.repeats, repeats)

    @property
    def evaluated(self) -> tuple[str | Method, ...]:
        """The methods, as :func:`grafik.evaluation.evaluate` takes them."""
        return tuple(
            replace(METHODS[name], values=self.values[name]) if name in self.values else name
            for name in self.methods
        )


# With many different weights, the thresholds of the authors' code differ from those of the text.
_BOTH = Plan(methods=(*ALL, "fwl-d-distinct"))
# Every second value of the paper's grid.
_THIN = tuple(2.0**i for i in (-8, -3, 0, 3, 8))
_THIN_GRID = {"gammas": _THIN, "Cs": _THIN}

# The paper's full grid and its ten repeats, but for NCI1, where that would take days.
PLANS = {
    "MUTAG": Plan(),
    "PTC_MR": Plan(),
    "EGO-1": _BOTH,
    "EGO-2": _BOTH,
    "DHFR": Plan(),
    "IMDB-BINARY": Plan(),
    "NCI1": Plan(
        methods=(
            *("ve-hist", "wl", "wl-oa", "fwl-d", "ve-hist-gaussian"),
            *("gs", "sp", "w-wl", "p-wl", "core-wl", "fwl-rw"),
        ),
        repeats=3,
        grid=_THIN_GRID,
        values={"fwl-rw": {"levels": (1, 3, 10), "depths": (1, 3, 5)}},
    ),
    "EGO-3": _BOTH,
    "EGO-4": _BOTH,
}

# For the influence of the number of levels.
LEVELS = {
    name: Plan(methods=("fwl-d", "fwl-d-distinct"), repeats=3 if name == "EGO-2" else 5)
    for name in DATA
    if name.startswith("EGO")
}

# Beyond the paper: the default model, kernels of the paper, and fixed kernels on a thin grid. Each
# part has a folder of its own, and the folds of all are the same. Where the accuracy experiment has
# all planned repeats, nothing of the paper's is run again.
_OFTEN_BEST = ("wl", "wl-oa", "w-wl", "core-wl")
FIXED = ("fwl-seven-min-gaussian", "fwl-seven-gaussian", "wl-oa-gaussian")
# Whether weights that tell more graphs apart help to learn; curvature stands for the others. Hashes
# of marked graphs make a level of nearly every edge, which takes too long on dense graphs.
_NUMBERS = ("fwl-curvature", "fwl-resistance", "fwl-cycles", "fwl-cliques")
EXPRESSIVE = (*_NUMBERS, "fwl-marked")
_FEW_GRID = {
    "levels": (4,),
    "depths": (1, 3),
    "gammas": (0.5, 8.0),
    "Cs": (0.5, 8.0, 256.0),
}
_FIXED_GRID = {
    "levels": (1, 4),
    "depths": (1, 3, 5),
    "gammas": (0.5, 8.0, 256.0),
    "sigmas": (1.0, 4.0, 16.0),
    "Cs": (0.5, 2.0, 8.0, 32.0, 256.0),
}


# For data sets that the accuracy experiment does not have.
_EVERY_OTHER = {"levels": (1, 3, 10), "depths": (1, 3, 5)}
_ALL_TEN = Plan(tuple(METHODS), 10, values={"fwl-d": _EVERY_OTHER, "fwl-rw": _EVERY_OTHER})


def _beyond(compared: Plan | None, expressive: tuple[str, ...] = EXPRESSIVE) -> dict[str, Plan]:
    repeats = 10 if compared is None else compared.repeats
    parts = {
        "default": Plan(("default",), repeats),
        "compared": compared,
        "fixed": Plan(FIXED, repeats, _FIXED_GRID),
        "expressive": Plan(expressive, 1, _FEW_GRID),
    }
    return {name: plan for name, plan in parts.items() if plan is not None}


# Ten repeats of up to 1,000 graphs, else three.
BEYOND = {
    "MUTAG": _beyond(Plan(_OFTEN_BEST)),
    "PTC_MR": _beyond(Plan(_OFTEN_BEST)),
    "EGO-1": _beyond(None, _NUMBERS),
    "EGO-2": _beyond(Plan((*_OFTEN_BEST, "sp", "gs", "p-wl", "fwl-d")), _NUMBERS),
    "BZR_MD": _beyond(_ALL_TEN),
    "ENZYMES": _beyond(_ALL_TEN),
    # The best there by the accuracy experiment, which has one or two repeats of the others.
    "DHFR": _beyond(Plan(("w-wl",))),
    "IMDB-BINARY": _beyond(Plan(("core-wl",))),
    "NCI1": _beyond(Plan(("w-wl",), 3, _THIN_GRID)),
    "REDDIT-BINARY": {"default": Plan(("default",), 1)},
}
