"""The kernel that the options of a command ask for."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..graphs.batch import Graphs
from . import options as opt


class KernelOptions(NamedTuple):
    """The options of a kernel; see `grafik gram --help`."""

    weight: str = "degree"
    levels: int = 3
    depth: int = 3
    gamma: float = 1.0
    mass: opt.Masses = opt.Masses.linear
    sigma: float | None = None
    normalize: bool = True
    edge_labels: bool | None = None
    product: bool = False
    beta: float = 1.0

    @property
    def weights(self) -> list[str]:
        """The names of the weights, which are used together."""
        from ..weights.names import SIGN
        from ..weights.several import several_weights

        return several_weights(self.weight) if SIGN in self.weight else [self.weight]

    @property
    def combined(self) -> bool:
        """Whether the kernel is a mean or a Gaussian."""
        return len(self.weights) > 1 or self.sigma is not None

    def kernel(self, jobs: int | None = None) -> Any:
        """Return the kernel, not fitted; refuse options that do not go together.

        Examples
        --------
        >>> from grafik.cli.kernels import KernelOptions
        >>> KernelOptions("degree+core", sigma=4.0, normalize=False).kernel()
        Traceback (most recent call last):
        ValueError: --sigma is for normalised kernels; leave out --no-normalize
        """
        from .. import FiltrationKernel
        from ..features import WeisfeilerLehman

        if self.product and self.mass is opt.Masses.min:
            raise ValueError("--mass min is for sums; leave out --product")
        if self.combined and not self.normalize:
            which = "--sigma is for" if self.sigma is not None else "several weights are a mean of"
            raise ValueError(f"{which} normalised kernels; leave out --no-normalize")
        one = FiltrationKernel(
            WeisfeilerLehman(self.depth, "auto" if self.edge_labels is None else self.edge_labels),
            n_levels=self.levels,
            gamma=self.gamma,
            mass=self.mass.value,
            combine="product" if self.product else "sum",
            beta=self.beta,
            normalize=self.normalize,
            n_jobs=jobs,
        )
        return combined(one, self.weights, self.sigma)

    def parameters(self) -> dict[str, Any]:
        """Return what files say of the kernel."""
        return {
            "weight": "+".join(self.weights),
            "n_levels": self.levels,
            "depth": self.depth,
            "gamma": self.gamma,
            "mass": self.mass.value,
            "sigma": self.sigma,
            "normalize": self.normalize,
        }

    def by_weight(self, name: str, values: list[Any]) -> dict[str, Any]:
        """Return a value for each weight, under names that say the weight if there are several.

        Examples
        --------
        >>> from grafik.cli.kernels import KernelOptions
        >>> KernelOptions("degree+core").by_weight("alphas", [[2.0], [1.0]])
        {'alphas_degree': [2.0], 'alphas_core': [1.0]}
        >>> KernelOptions("degree").by_weight("alphas", [[2.0]])
        {'alphas': [2.0]}
        """
        if len(self.weights) == 1:
            return {name: values[0]}
        return {f"{name}_{one}": v for one, v in zip(self.weights, values, strict=True)}


def combined(one: Any, weights: list[str], sigma: float | None) -> Any:
    """Return a kernel like a filtration kernel, with these weights, and a Gaussian on top.

    Parameters
    ----------
    one : FiltrationKernel
    weights : list of str
        With several, the kernel is the mean of theirs.
    sigma : float or None
        None is no Gaussian.
    """
    from .. import GaussianKernel, MeanKernel

    kernel = one.set_params(weight=weights[0])
    if len(weights) > 1:
        options = one.get_params(deep=False)
        del options["weight"]
        kernel = MeanKernel.of_weights("+".join(weights), **options)
    return kernel if sigma is None else GaussianKernel(kernel, sigma)


def set_thresholds(kernel: Any, graphs: Graphs) -> None:
    """Give a kernel that is not fitted the thresholds that these graphs have."""
    from .. import Filtration

    for part in _parts(kernel, ""):
        set_thresholds(part, graphs)
    if hasattr(kernel, "thresholds"):
        learned = Filtration(kernel.weight, n_levels=kernel.n_levels).fit(graphs)
        kernel.weight, kernel.thresholds = learned.settled()


def set_threads(kernel: Any, jobs: int) -> None:
    """Set the number of threads of a fitted kernel."""
    for part in _parts(kernel, "_"):
        set_threads(part, jobs)
    if hasattr(kernel, "n_jobs"):
        kernel.n_jobs = jobs


def _parts(kernel: Any, fitted: str) -> list[Any]:
    """Return the kernels that a mean or a Gaussian is made of: as given, or as fitted ("_")."""
    from .. import GaussianKernel, MeanKernel

    if isinstance(kernel, GaussianKernel):
        return [getattr(kernel, f"kernel{fitted}")]
    if isinstance(kernel, MeanKernel):
        return [part for _, part in getattr(kernel, f"parts{fitted}")]
    return []
