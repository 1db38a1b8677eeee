"""GaussianKernel: the Gaussian of another kernel, which is normalised first."""

from __future__ import annotations

from typing import Any

from .combined import CombinedKernel, check_part
from .combined_gram import Compared, GaussianOnHistograms
from .normalised import checked_sigma


class GaussianKernel(CombinedKernel):
    r"""Gaussian of a normalised kernel: near graphs count much more than far ones.

    .. math:: e^{-\sigma (1 - \hat K(G, G'))} = e^{-\frac{\sigma}{2} \|\hat\phi(G) -
              \hat\phi(G')\|^2}, \qquad
              \hat K(G, G') = \frac{K(G, G')}{\sqrt{K(G, G) \, K(G', G')}}

    where :math:`\hat\phi` is the feature map of :math:`\hat K`. It is positive semi-definite if `K`
    is. Equal graphs have exactly 1. A graph that has kernel 0 with itself has 0 everywhere.

    Parameters
    ----------
    kernel : kernel
        A :class:`grafik.FiltrationKernel`, a :class:`grafik.MeanKernel`, a kernel of
        :mod:`grafik.baselines`, or an estimator of scikit-learn's form with `fit`, `transform` and
        `diagonal`. It counts as normalised, whatever its parameter `normalize` says.
    sigma : float
        How fast the similarity falls with the distance; above 0.

    Attributes
    ----------
    kernel_ : kernel
        The kernel, fitted.

    Examples
    --------
    >>> from grafik import FiltrationKernel, GaussianKernel, datasets
    >>> graphs, y = datasets.triangle_pair()
    >>> GaussianKernel(FiltrationKernel(weight="triangles"), sigma=4.0).fit_transform(graphs)
    array([[1.        , 0.23965104],
           [0.23965104, 1.        ]])
    """

    def __init__(self, kernel: Any, sigma: float = 1.0) -> None:
        self.kernel = kernel
        self.sigma = sigma

    def learned(self, kernel: Any) -> GaussianKernel:
        """Return a fitted copy of the Gaussian; for code that builds on it.

        Parameters
        ----------
        kernel : kernel
            The same as the parameter `kernel`, fitted.
        """
        twin: GaussianKernel = self._learned([("kernel", kernel)])
        return twin

    def _named(self) -> list[tuple[str, Any]]:
        check_part("kernel", self.kernel)
        return [("kernel", self.kernel)]

    def _take(self, fitted: list[tuple[str, Any]]) -> None:
        ((_, self.kernel_),) = fitted

    def _kept(self) -> list[tuple[str, Any]]:
        return [("kernel", self.kernel_)]

    def _compared(self, parts: tuple[Compared, ...]) -> GaussianOnHistograms:
        (part,) = parts
        return GaussianOnHistograms(part, checked_sigma(self.sigma), getattr(part, "n_jobs", None))
