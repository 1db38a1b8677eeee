"""The axis on which histograms are compared: thresholds between 1 and 0, and their true range."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LARGEST = float(np.finfo(np.float64).max)
# All thresholds and `alpha_delta` may span at most this many times the range of the thresholds.
_FARTHEST = 1e200


class Axis(NamedTuple):
    """Thresholds on an axis of length 1, so that distances are between 0 and 1.

    Attributes
    ----------
    points : ndarray of shape (n_levels,)
        The thresholds, from 1 to 0.
    length : float
        The length that was scaled to 1: multiply a distance by this to get it on the scale asked
        for.
    delta : float
        Where the mass of a missing feature lies (Appendix A of the paper).
    """

    points: NDArray[np.float64]
    length: float
    delta: float = 0.0

    @classmethod
    def of(cls, alphas: NDArray[np.float64], scale: str, alpha_delta: float | None = None) -> Axis:
        """Return the axis of thresholds.

        Parameters
        ----------
        alphas : ndarray of shape (n_levels,)
            Decreasing.
        scale : {"unit", "raw"}
            Whether distances are measured on thresholds between 1 and 0, or on `alphas`.
        alpha_delta : float, optional
            Where the mass of a missing feature lies on this scale; by default at the last
            threshold.

        Examples
        --------
        >>> import numpy as np
        >>> from grafik.filtration.axis import Axis
        >>> Axis.of(np.array([6.0, 5.0, 2.0]), "raw")
        Axis(points=array([1.  , 0.75, 0.  ]), length=4.0, delta=0.0)
        >>> Axis.of(np.array([6.0, 5.0, 2.0]), "raw", alpha_delta=10.0)
        Axis(points=array([0.5  , 0.375, 0.   ]), length=8.0, delta=1.0)
        """
        points, length = unit_axis(alphas)
        if scale == "unit":
            alphas, length = points, 1.0
        if alpha_delta is None:
            return cls(points, length)
        delta = float(alpha_delta)
        together = np.unique([*alphas, delta])[::-1]
        places, whole = unit_axis(together)
        if not whole < _FARTHEST * length:
            raise ValueError(f"alpha_delta={delta} is too far from the thresholds {alphas}")
        place_of = dict(zip(together.tolist(), places.tolist(), strict=True))
        return cls(np.array([place_of[p] for p in alphas.tolist()]), whole, place_of[delta])

    def rate(self, gamma: float) -> float:
        """Return gamma for distances on this axis; never infinite."""
        return min(float(gamma) * self.length, LARGEST)


def unit_axis(alphas: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Map thresholds to the interval from 1 to 0; return them and the length scaled to 1."""
    if len(alphas) == 1:
        return np.zeros(1), 1.0
    with np.errstate(over="ignore"):
        length = float(alphas[0] - alphas[-1])
    if np.isfinite(length):
        return (alphas - alphas[-1]) / length, length
    half = alphas / 2  # the difference of two large numbers has overflowed
    return (half - half[-1]) / (half[0] - half[-1]), LARGEST
