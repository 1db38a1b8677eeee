"""The kernels that are compared, by name, each with the parameters that are tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .. import baselines, weights
from ..features import WeisfeilerLehman
from ..graphs.batch import Graphs
from ..kernels.kernel import FiltrationKernel
from ..large.fingerprint import described
from ..models.gram_grid import simplest
from .header import MethodRecord
from .protocols import Protocol
from .sweeps import (
    Grams,
    Sweep,
    as_it_is,
    has_depth,
    once,
    over_depths,
    over_filtrations,
    over_gaussians,
    over_sizes,
)

# The features of the methods that are named after the paper: edge labels do not count there.
PAPER_LABELS = WeisfeilerLehman(edge_labels=False)


@dataclass(frozen=True)
class Method:
    """A kernel, and the grid of parameters that it is swept over.

    Attributes
    ----------
    name : str
        Name on the command line and in result files.
    title : str
        Name in tables and pictures.
    kernel : estimator
        With all options except those of the grid.
    sweep : callable
        Function that yields parameters and Gram matrices, one of :mod:`.sweeps`. It takes the
        kernel, the graphs, the positions of the graphs to learn from (None: all) and a protocol.
    parameters : tuple of str
        The attributes of the protocol whose values are tried.
    values : mapping
        Values that are tried in place of those of the protocol.
    """

    name: str
    title: str
    kernel: Any
    sweep: Sweep
    parameters: tuple[str, ...] = ()
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    @property
    def simplest(self) -> Callable[[dict[str, Any]], Any] | None:
        """The key that orders parameters of equal accuracy; None: the first ones are taken."""
        return simplest if "gammas" in self.parameters else None

    def grams(self, graphs: Graphs, train: NDArray[np.int64] | None, protocol: Protocol) -> Grams:
        """Yield parameters and Gram matrices of all graphs, learned from `train` alone."""
        return self.sweep(self.kernel, graphs, train, protocol.with_values(**self.values))

    def normalized(self, wanted: bool) -> Method:
        """Return the method with or without cosine normalisation, if its kernel has that option."""
        if not hasattr(self.kernel, "normalize") or self.sweep is as_it_is:
            return self
        return replace(self, kernel=clone(self.kernel).set_params(normalize=wanted))

    def record(self, protocol: Protocol) -> MethodRecord:
        """Return what a result file says about the method."""
        tried = protocol.with_values(**self.values)
        grid = {name: list(getattr(tried, name)) for name in self.parameters}
        return MethodRecord(self.title, self.text, grid)

    @property
    def text(self) -> str:
        """The kernel with all its options, as result files write it."""
        # The paper's features were the default once, and files go on to write them as None; and
        # masses were always multiplied.
        paper = f"depth=None, features={described(PAPER_LABELS)}"
        text = described(self.kernel).replace(paper, "features=None")
        return text.replace("mass='linear', ", "")


def swept(kernel: FiltrationKernel, name: str | None = None, title: str | None = None) -> Method:
    """Make a method of a filtration kernel: its levels, depth and gamma are chosen from the grid.

    Parameters
    ----------
    kernel : FiltrationKernel
        With any weight, features and thresholds.
    name : str, optional
        By default the name of the class.
    title : str, optional
        Name in tables; by default `name`.

    Examples
    --------
    >>> from grafik import FiltrationKernel
    >>> from grafik.evaluation import swept
    >>> swept(FiltrationKernel(weight="triangles"), "triangles").parameters
    ('levels', 'depths', 'gammas')
    """
    name = name or type(kernel).__name__
    tried = ("levels", "depths", "gammas") if has_depth(kernel) else ("levels", "gammas")
    return Method(name, title or name, kernel, over_filtrations, tried)


def as_methods(given: Any, normalize: bool = True) -> list[Method]:
    """Make methods of names, kernels, pairs of both, and methods.

    Examples
    --------
    >>> from grafik.baselines import WL
    >>> from grafik.evaluation.methods import as_methods
    >>> [method.title for method in as_methods(["wl", "fwl-d", ("mine", WL(depth=2))])]
    ['WL', 'FWL-D', 'mine']
    >>> as_methods("wl,dance")
    Traceback (most recent call last):
    ValueError: there is no method 'dance'; there are ve-hist, gs, sp, wl, ..., and fwl-<weight> ...
    """
    if isinstance(given, str):
        given = [name.strip() for name in given.split(",") if name.strip()]
    elif isinstance(given, Mapping):
        given = list(given.items())
    elif isinstance(given, Method) or hasattr(given, "fit_transform"):
        given = [given]
    methods = [_as_method(one).normalized(normalize) for one in given]
    names = [method.name for method in methods]
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"the name of a method must be text, got {name!r}")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"methods must have different names, got {twice[0]!r} more than once")
    if not methods:
        raise ValueError("at least one method is needed, got none")
    return methods


def _as_method(given: Any) -> Method:
    if isinstance(given, Method):
        return given
    if isinstance(given, str):
        return _by_name(given)
    name, kernel = given if isinstance(given, tuple) else (type(given).__name__, given)
    if isinstance(kernel, Method):
        return replace(kernel, name=name, title=name)
    if isinstance(kernel, str):
        return replace(_by_name(kernel), name=name, title=name)
    if not hasattr(kernel, "fit_transform"):
        raise TypeError(
            "a method must be a name, a kernel with fit_transform or a pair of both, "
            f"got {type(kernel).__name__}"
        )
    return Method(name, name, kernel, as_it_is)


def _by_name(name: str) -> Method:
    key = name.lower()
    known = {**METHODS, **READINGS}
    if key in known:
        return known[key]
    weight = key.removeprefix("fwl-")
    if key.startswith("fwl-") and weight in weights.NAMES:
        return swept(_paper_kernel(weight=weight), key, key.replace("fwl", "FWL"))
    raise ValueError(
        f"there is no method {name!r}; there are {', '.join(known)}, and fwl-<weight> for the "
        f"weights {', '.join(weights.NAMES)}"
    )


def _paper_kernel(**options: Any) -> FiltrationKernel:
    """Return a filtration kernel of the paper's features."""
    return FiltrationKernel(clone(PAPER_LABELS), **options)


def _table(*methods: Method) -> dict[str, Method]:
    return {method.name: method for method in methods}


# In the order of the paper's figure. Its text does not say how long the walks of FWL-RW are; 7 is
# the least length that tells all circular skip link graphs apart.
METHODS = _table(
    Method("ve-hist", "VE-Hist", baselines.VEHist(), once),
    Method("gs", "GS", baselines.GraphletSampling(), over_sizes, ("sizes",)),
    Method("sp", "SP", baselines.ShortestPath(), once),
    Method("wl", "WL", baselines.WL(), over_depths, ("depths",)),
    Method("wl-oa", "WL-OA", baselines.WLOptimalAssignment(), over_depths, ("depths",)),
    Method("w-wl", "W-WL", baselines.WassersteinWL(), over_depths, ("depths", "gammas")),
    Method("p-wl", "P-WL", baselines.PersistentWL(), over_depths, ("depths",)),
    Method("core-wl", "Core-WL", baselines.CoreWL(), over_depths, ("depths",)),
    swept(_paper_kernel(weight="degree"), "fwl-d", "FWL-D"),
    swept(_paper_kernel(weight=weights.Walks(7)), "fwl-rw", "FWL-RW"),
)

# The paper's text clusters the weights of all edges; the authors' code counts each weight once per
# graph. About VE-Hist the text says only that it is simple.
_DISTINCT = _paper_kernel(thresholds="kmeans-distinct")
READINGS = _table(
    Method(
        "ve-hist-gaussian", "VE-Hist (Gaussian)", baselines.VEHist(), over_gaussians, ("gammas",)
    ),
    swept(_DISTINCT, "fwl-d-distinct", "FWL-D (distinct weights)"),
)
READING_OF = {"ve-hist-gaussian": "ve-hist", "fwl-d-distinct": "fwl-d"}
