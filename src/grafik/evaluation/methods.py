"""The kernels that are compared, by name, each with the parameters that are tried."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .. import baselines, weights
from ..features import WeisfeilerLehman
from ..filtration.thresholds import AUTO, USUAL
from ..graphs.batch import Graphs
from ..kernels.kernel import FiltrationKernel
from ..large.fingerprint import described
from ..models.choice import simplicity
from ..weights.names import is_ordered
from .header import MethodRecord
from .model_methods import MODELS, ModelMethod, is_model, model_method
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
    over_means,
    over_sigmas,
    over_sizes,
)

# The features of the methods that are named after the paper: edge labels do not count there.
PAPER_LABELS = WeisfeilerLehman(edge_labels=False)
# Short names of weights, as in fwl-seven: of the paper's two, and of several together.
_WEIGHTS: dict[str, tuple[Any, ...]] = {
    "d": ("degree",),
    "rw": (weights.Walks(7),),
    "seven": (
        *("degree", weights.Walks(3), "triangles", "core"),
        *("jaccard", "curvature", "betweenness"),
    ),
}


@dataclass(frozen=True)
class Method:
    """A kernel, and the grid of parameters that it is swept over.

    Attributes
    ----------
    name : str
        Name on the command line and in result files.
    title : str
        Name in tables and pictures.
    kernel : estimator, or list of FiltrationKernel
        With all options except those of the grid; of several kernels, the mean is taken.
    sweep : callable
        Function that yields parameters and Gram matrices, one of :mod:`.sweeps`. It takes the
        kernel, the graphs, the positions of the graphs to learn from (None: all) and a protocol.
    parameters : tuple of str
        The attributes of the protocol whose values are tried.
    values : mapping
        Values that are tried in place of those of the protocol.
    learns : bool
        Whether matrices depend on the graphs to learn from. If not, they serve for all folds.
    """

    name: str
    title: str
    kernel: Any
    sweep: Sweep
    parameters: tuple[str, ...] = ()
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    learns: bool = True

    @property
    def simplest(self) -> Callable[[dict[str, Any]], Any] | None:
        """The key that orders parameters of equal accuracy; None: the first ones are taken."""
        return simplicity if "gammas" in self.parameters else None

    def grams(self, graphs: Graphs, train: NDArray[np.int64] | None, protocol: Protocol) -> Grams:
        """Yield parameters and Gram matrices of all graphs, learned from `train` alone."""
        return self.sweep(self.kernel, graphs, train, protocol.with_values(**self.values))

    def n_grams(self, protocol: Protocol) -> int:
        """Return the number of Gram matrices, at most."""
        tried = protocol.with_values(**self.values)
        return math.prod(len(getattr(tried, name)) for name in self.parameters)

    def normalized(self, wanted: bool) -> Method:
        """Return the method with or without cosine normalisation, if its kernel has that option.

        Means and Gaussians are always of normalised kernels.
        """
        if not hasattr(self.kernel, "normalize") or self.sweep is as_it_is:
            return self
        wanted = wanted or "sigmas" in self.parameters
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


def as_methods(given: Any, normalize: bool = True) -> list[Method | ModelMethod]:
    """Make methods of names, kernels, models, pairs of a name and one of these, and methods.

    Examples
    --------
    >>> from grafik.baselines import WL
    >>> from grafik.evaluation.methods import as_methods
    >>> [method.title for method in as_methods(["wl", "fwl-d", ("mine", WL(depth=2))])]
    ['WL', 'FWL-D', 'mine']
    >>> [method.title for method in as_methods("wl-oa-gaussian,fwl-degree+core-min,default")]
    ['WL-OA (Gaussian)', 'FWL-degree+core (min)', 'grafik, default']
    >>> as_methods("wl,dance")
    Traceback (most recent call last):
    ValueError: there is no method 'dance'; there are ve-hist, gs, sp, wl, ..., and fwl-<weight>...
    """
    if isinstance(given, str):
        given = [name.strip() for name in given.split(",") if name.strip()]
    elif isinstance(given, Mapping):
        given = list(given.items())
    elif isinstance(given, (Method, ModelMethod)) or _is_kernel(given) or is_model(given):
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


def _as_method(given: Any) -> Method | ModelMethod:
    if isinstance(given, (Method, ModelMethod)):
        return given
    if isinstance(given, str):
        return _by_name(given)
    name, one = given if isinstance(given, tuple) else (type(given).__name__, given)
    if isinstance(one, str):
        one = _by_name(one)
    if isinstance(one, (Method, ModelMethod)):
        return replace(one, name=name, title=name)
    if _is_kernel(one):
        return Method(name, name, one, as_it_is)
    if is_model(one):
        return ModelMethod(name, name, one)
    raise TypeError(
        "a method must be a name, a kernel with fit_transform, a model with fit and predict, or a "
        f"pair of a name and one of these, got {type(one).__name__}"
    )


def _is_kernel(given: Any) -> bool:
    return hasattr(given, "fit_transform")


def _by_name(name: str) -> Method | ModelMethod:
    key = name.lower()
    known = {**METHODS, **READINGS}
    if key in known:
        return known[key]
    if key in MODELS:
        return model_method(key)
    plain = key.removesuffix("-gaussian")
    if plain != key and plain in ("wl", "wl-oa"):
        return gaussian(METHODS[plain])
    if key.startswith("fwl-") and (found := _filtration_method(key)) is not None:
        return found
    raise ValueError(
        f"there is no method {name!r}; there are {', '.join(known)}, wl-gaussian, wl-oa-gaussian, "
        f"the models {', '.join(MODELS)}, and fwl-<weight>[-min][-gaussian] for the weights "
        f"{', '.join(weights.NAMES)}, several of them joined by +, or seven of them: fwl-seven"
    )


def _filtration_method(key: str) -> Method | None:
    """Return the method of a name such as ``fwl-degree+core-min-gaussian``; None if it is none."""
    plain = key.removesuffix("-gaussian")
    wanted = plain.removesuffix("-min").removeprefix("fwl-")
    parts = wanted.split("+")
    if not all(part in weights.NAMES or part in _WEIGHTS for part in parts):
        return None
    given = [weight for part in parts for weight in _WEIGHTS.get(part, (part,))]
    for weight in given:
        if given.count(weight) > 1:
            raise ValueError(f"method {key!r} has {weight} twice; name each weight once")
    mass = {"mass": "min"} if wanted != plain.removeprefix("fwl-") else {}
    kernels = [_paper_kernel(weight=weight, **mass) for weight in given]
    method = swept(kernels[0], plain, f"FWL-{wanted}{' (min)' if mass else ''}")
    if len(kernels) > 1:
        always = [kernel.set_params(normalize=True) for kernel in kernels]
        method = replace(method, kernel=always, sweep=over_means)
    return method if plain == key else gaussian(method)


def gaussian(method: Method) -> Method:
    """Return the method with a Gaussian on top of its normalised kernel."""
    inside, mark, more = method.title.partition(" (")
    return replace(
        method,
        name=f"{method.name}-gaussian",
        title=f"{inside} ({more.removesuffix(')')}, Gaussian)" if mark else f"{inside} (Gaussian)",
        sweep=partial(over_sigmas, method.sweep),
        parameters=(*method.parameters, "sigmas"),
    )


def _paper_kernel(**options: Any) -> FiltrationKernel:
    """Return a filtration kernel of the paper's features, with thresholds by k-means if it can."""
    rule = USUAL if is_ordered(options.get("weight", "degree")) else AUTO
    return FiltrationKernel(clone(PAPER_LABELS), **{"thresholds": rule, **options})


# A method whose kernel learns nothing from graphs.
_fixed = partial(Method, learns=False)


def _table(*methods: Method) -> dict[str, Method]:
    return {method.name: method for method in methods}


# In the order of the paper's figure. Its text does not say how long the walks of FWL-RW are; 7 is
# the least length that tells all circular skip link graphs apart.
METHODS = _table(
    _fixed("ve-hist", "VE-Hist", baselines.VEHist(), once),
    _fixed("gs", "GS", baselines.GraphletSampling(), over_sizes, ("sizes",)),
    _fixed("sp", "SP", baselines.ShortestPath(), once),
    _fixed("wl", "WL", baselines.WL(), over_depths, ("depths",)),
    _fixed("wl-oa", "WL-OA", baselines.WLOptimalAssignment(), over_depths, ("depths",)),
    _fixed("w-wl", "W-WL", baselines.WassersteinWL(), over_depths, ("depths", "gammas")),
    _fixed("p-wl", "P-WL", baselines.PersistentWL(), over_depths, ("depths",)),
    _fixed("core-wl", "Core-WL", baselines.CoreWL(), over_depths, ("depths",)),
    swept(_paper_kernel(weight="degree"), "fwl-d", "FWL-D"),
    swept(_paper_kernel(weight=weights.Walks(7)), "fwl-rw", "FWL-RW"),
)

# The paper's text clusters the weights of all edges; the authors' code counts each weight once per
# graph. About VE-Hist the text says only that it is simple.
_DISTINCT = _paper_kernel(thresholds="kmeans-distinct")
READINGS = _table(
    _fixed(
        "ve-hist-gaussian", "VE-Hist (Gaussian)", baselines.VEHist(), over_gaussians, ("gammas",)
    ),
    swept(_DISTINCT, "fwl-d-distinct", "FWL-D (distinct weights)"),
)
READING_OF = {"ve-hist-gaussian": "ve-hist", "fwl-d-distinct": "fwl-d"}
