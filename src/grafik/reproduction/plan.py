"""What is run on which data set, so that all of it takes hours and not weeks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..evaluation.methods import METHODS
from .paper import DATA

ALL = tuple(METHODS)


@dataclass(frozen=True)
class Plan:
    """How a data set is evaluated; the same for all methods on it.

    Attributes
    ----------
    methods : tuple of str
    repeats : int
        Of ten folds each.
    grid : mapping
        Values that are tried in place of the paper's.
    """

    methods: tuple[str, ...] = ALL
    repeats: int = 10
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


# The paper's full grid everywhere, and its ten repeats where these take about an hour on two cores;
# all of it is estimated at about six.
PLANS = {
    "PTC_MR": Plan(),
    "MUTAG": Plan(),
    "EGO-1": Plan(),
    "DHFR": Plan(repeats=5),
    "IMDB-BINARY": Plan(repeats=5),
    "NCI1": Plan(methods=("ve-hist", "wl", "wl-oa", "fwl-d"), repeats=1),
    "EGO-2": Plan(),
    "EGO-3": Plan(),
    "EGO-4": Plan(),
}

# For the influence of the number of levels.
LEVELS = {name: Plan(methods=("fwl-d",)) for name in DATA if name.startswith("EGO")}
