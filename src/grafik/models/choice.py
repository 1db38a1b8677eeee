"""One kernel that is tried: a filtration or several, or none, and how their features compare."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..filtration.thresholds import AUTO
from ..weights.names import SIGN

# Up to this many weights are named one by one.
_FEW = 3


@dataclass(frozen=True)
class Choice:
    """A kernel to try.

    Attributes
    ----------
    weights : tuple
        The weight of each filtration; with several, the kernel is the mean of theirs, and without
        any, the whole graph is the only level.
    thresholds : str or tuple of float
    n_levels : int
    depth : int or None
        None if features have no depth.
    gamma : float
    mass : {"linear", "min"}
    sigma : float or None
        Of the Gaussian on top; None if there is none.
    """

    weights: tuple[Any, ...] = ()
    thresholds: Any = "kmeans"
    n_levels: int = 1
    depth: int | None = None
    gamma: float = 1.0
    mass: str = "linear"
    sigma: float | None = None

    def but(self, **changed: Any) -> Choice:
        """Return the choice with other values."""
        return replace(self, **changed)

    @property
    def weight(self) -> Any:
        """The weight as users write it; None without a filtration."""
        if len(self.weights) < 2:
            return self.weights[0] if self.weights else None
        return SIGN.join(self.weights)

    @property
    def steps(self) -> tuple[Any, int]:
        """How graphs are built up: a rule or thresholds, and the number of levels."""
        return (self.thresholds, self.n_levels) if self.weights else ("kmeans", 1)

    @property
    def parameters(self) -> dict[str, Any]:
        """What a table of results says of it; parameters that do not matter are left out."""
        found: dict[str, Any] = {"weight": self.weight}
        if self.weights:
            found["thresholds"] = self.thresholds
        found["n_levels"] = self.n_levels
        if self.depth is not None:
            found["depth"] = self.depth
        if self.weights:
            found["gamma"] = self.gamma
        return {**found, "mass": self.mass, "sigma": self.sigma}

    @classmethod
    def of(cls, parameters: dict[str, Any], otherwise: Choice) -> Choice:
        """Return the choice with some parameters, and the others as of another choice."""
        known = {name: one for name, one in parameters.items() if name not in ("weight", "C")}
        if "weight" in parameters:
            known["weights"] = weights_of(parameters["weight"])
        return replace(otherwise, **known)

    def __str__(self) -> str:
        parts = []
        if not self.weights:
            parts.append("no filtration")
        else:
            n = len(self.weights)
            shown = name_of(self.weight) if n <= _FEW else f"{n} filtrations"
            usual = self.thresholds in ("kmeans", AUTO) or not isinstance(self.thresholds, str)
            rule = "" if usual else f" by {self.thresholds}"
            parts.append(f"{shown}, {self.n_levels} levels{rule}, gamma {self.gamma:g}")
        if self.depth is not None:
            parts.append(f"depth {self.depth}")
        if self.mass != "linear":
            parts.append(f"mass {self.mass}")
        if self.sigma is not None:
            parts.append(f"Gaussian {self.sigma:g}")
        return ", ".join(parts)


def weights_of(weight: Any) -> tuple[Any, ...]:
    """Return the weights that a user's weight names: several joined by "+", one, or None."""
    if weight is None:
        return ()
    if isinstance(weight, str) and SIGN in weight:
        return tuple(name.strip() for name in weight.split(SIGN))
    return (weight,)


def simplicity(parameters: dict[str, Any]) -> tuple[Any, ...]:
    """Return a key by which simpler parameters come first.

    No filtration before one, one before several; then no Gaussian, products of masses, few levels,
    little depth, a small gamma.
    """
    several = len(weights_of(parameters["weight"])) if "weight" in parameters else 0
    filtered = parameters.get("n_levels", 1) > 1
    return (
        several if filtered else 0,
        parameters.get("sigma") or 0.0,
        parameters.get("mass", "linear") != "linear",
        *(parameters.get(name) or 0 for name in ("n_levels", "depth", "gamma")),
    )


def name_of(weight: Any) -> str:
    """Return the name of a weight."""
    return str(getattr(weight, "__name__", weight))
