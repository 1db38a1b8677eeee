"""The kernels that are compared, by name, each with the parameters that are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .. import baselines, weights
from ..arrays.checks import checked_gram
from ..graphs.batch import Graphs
from ..kernels.kernel import FiltrationKernel
from ..large.fingerprint import described
from ..models.gram_grid import filtration_grams, simplest
from .header import MethodRecord
from .protocols import Protocol

# Parameters, and the Gram matrix of all graphs; the next one may overwrite it.
Grams: TypeAlias = Iterator[tuple[dict[str, Any], NDArray[np.float64]]]
Sweep: TypeAlias = Callable[[Any, Graphs, NDArray[np.int64] | None, Protocol], Grams]


@dataclass(frozen=True)
class Method:
    """A kernel, and the grid of parameters that it is swept over.

    Attributes
    ----------
    name : str
        As on the command line and in result files.
    title : str
        As in tables and pictures.
    kernel : estimator
        With all options but those of the grid.
    sweep : callable
        Function of the kernel, the graphs, the positions of those to learn from (None: all) and a
        protocol, which yields parameters and Gram matrices.
    parameters : tuple of str
        The values of the protocol that are tried.
    simplest : callable or None
        Orders parameters of which equal accuracies leave a choice; by default the first are taken.
    values : mapping
        Values that are tried in place of those of the protocol.
    """

    name: str
    title: str
    kernel: Any
    sweep: Sweep
    parameters: tuple[str, ...] = ()
    simplest: Callable[[dict[str, Any]], Any] | None = None
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def grams(self, graphs: Graphs, train: NDArray[np.int64] | None, protocol: Protocol) -> Grams:
        """Yield parameters and Gram matrices of all graphs, learned from `train` alone."""
        return self.sweep(self.kernel, graphs, train, protocol.with_values(**self.values))

    def normalized(self, wanted: bool) -> Method:
        """Return the method with or without cosine normalisation, if its kernel has a say."""
        if not hasattr(self.kernel, "normalize") or self.sweep is as_it_is:
            return self
        return replace(self, kernel=clone(self.kernel).set_params(normalize=wanted))

    def record(self, protocol: Protocol) -> MethodRecord:
        """Return what a result file says of the method."""
        tried = protocol.with_values(**self.values)
        grid = {name: list(getattr(tried, name)) for name in self.parameters}
        return MethodRecord(self.title, described(self.kernel), grid)


def swept(kernel: FiltrationKernel, name: str | None = None) -> Method:
    """Make a method of a filtration kernel: its levels, depth and gamma are chosen by the grid.

    Parameters
    ----------
    kernel : FiltrationKernel
        With any weight, features and thresholds.
    name : str, optional
        By default that of the class.

    Examples
    --------
    >>> from grafik import FiltrationKernel
    >>> from grafik.evaluation import swept
    >>> swept(FiltrationKernel(weight="triangles"), "triangles").parameters
    ('levels', 'depths', 'gammas')
    """
    title = name or type(kernel).__name__
    varied = ("levels", "depths", "gammas") if _has_depth(kernel) else ("levels", "gammas")
    return Method(title, title, kernel, _filtrations, varied, simplest)


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
        found = swept(FiltrationKernel(weight=weight), key)
        return replace(found, title=key.replace("fwl", "FWL"))
    raise ValueError(
        f"there is no method {name!r}; there are {', '.join(known)}, and fwl-<weight> for the "
        f"weights {', '.join(weights.NAMES)}"
    )


def as_it_is(
    kernel: Any, graphs: Graphs, train: NDArray[np.int64] | None, protocol: Protocol
) -> Grams:
    """Yield one matrix, of a kernel with the parameters that it has."""
    fresh = clone(kernel, safe=False)
    if train is None:
        yield {}, checked_gram(kernel, fresh.fit_transform(graphs), (len(graphs), len(graphs)))
        return
    if not hasattr(fresh, "transform"):
        raise TypeError(
            f"{type(kernel).__name__} must have fit and transform to be learned from the training "
            "part; or learn it from all graphs: thresholds_from='all'"
        )
    # Machines are trained on columns of training graphs; nobody ever asks for the others.
    matrix = np.zeros((len(graphs), len(graphs)))
    found = fresh.fit(graphs[train]).transform(graphs)
    matrix[:, train] = checked_gram(kernel, found, (len(graphs), len(train)))
    yield {}, matrix


# The kernels below learn nothing from the graphs, so all of them may be compared at once.


def _alone(kernel: Any, graphs: Graphs, train: object, protocol: Protocol) -> Grams:
    yield {}, clone(kernel).fit_transform(graphs)


def _labels(kernel: Any, graphs: Graphs, train: object, protocol: Protocol) -> Grams:
    """Sweep over depths, and gammas where the kernel has one, from one pass over the graphs."""
    gammas = protocol.gammas if "gamma" in kernel.get_params() else None
    out = np.empty((len(graphs), len(graphs)))
    for depth, gamma, matrix in clone(kernel).gram_grid(graphs, protocol.depths, gammas, out=out):
        yield {"depth": depth} if gamma is None else {"depth": depth, "gamma": gamma}, matrix


def _sizes(kernel: Any, graphs: Graphs, train: object, protocol: Protocol) -> Grams:
    for size in protocol.sizes:
        yield {"size": size}, clone(kernel).set_params(size=size).fit_transform(graphs)


def _gaussians(kernel: Any, graphs: Graphs, train: object, protocol: Protocol) -> Grams:
    """Sweep over Gaussian kernels of the counts that a kernel multiplies."""
    products = clone(kernel).set_params(normalize=False).fit_transform(graphs)
    own = products.diagonal()
    squares = own[:, None] + own - 2 * products
    for gamma in protocol.gammas:
        yield {"gamma": gamma}, np.exp(-gamma * squares)


def _filtrations(
    kernel: FiltrationKernel, graphs: Graphs, train: NDArray[np.int64] | None, protocol: Protocol
) -> Grams:
    depths = protocol.depths if _has_depth(kernel) else None
    return iter(
        filtration_grams(
            kernel, graphs, train, protocol.levels, depths, protocol.gammas, kernel.normalize
        )
    )


def _has_depth(kernel: FiltrationKernel) -> bool:
    return kernel.features is None or hasattr(kernel.features, "depth")


def _table(methods: Iterable[Method]) -> dict[str, Method]:
    return {method.name: method for method in methods}


# In the order of the paper's figure. Its text does not say how long the walks of FWL-RW are; 7 is
# the least length that tells all circular skip link graphs apart.
METHODS = _table(
    [
        Method("ve-hist", "VE-Hist", baselines.VEHist(), _alone),
        Method("gs", "GS", baselines.GraphletSampling(), _sizes, ("sizes",)),
        Method("sp", "SP", baselines.ShortestPath(), _alone),
        Method("wl", "WL", baselines.WL(), _labels, ("depths",)),
        Method("wl-oa", "WL-OA", baselines.WLOptimalAssignment(), _labels, ("depths",)),
        Method("w-wl", "W-WL", baselines.WassersteinWL(), _labels, ("depths", "gammas"), simplest),
        Method("p-wl", "P-WL", baselines.PersistentWL(), _labels, ("depths",)),
        Method("core-wl", "Core-WL", baselines.CoreWL(), _labels, ("depths",)),
        replace(swept(FiltrationKernel(weight="degree"), "fwl-d"), title="FWL-D"),
        replace(swept(FiltrationKernel(weight=weights.Walks(7)), "fwl-rw"), title="FWL-RW"),
    ]
)

# The paper's text clusters the weights of all edges; the authors' code counts each weight once per
# graph. And of VE-Hist the text says but that it is simple.
READINGS = _table(
    [
        Method(
            "ve-hist-gaussian",
            "VE-Hist (Gaussian)",
            baselines.VEHist(),
            _gaussians,
            ("gammas",),
            simplest,
        ),
        replace(
            swept(FiltrationKernel(thresholds="kmeans-distinct"), "fwl-d-distinct"),
            title="FWL-D (distinct weights)",
        ),
    ]
)
READING_OF = {"ve-hist-gaussian": "ve-hist", "fwl-d-distinct": "fwl-d"}
