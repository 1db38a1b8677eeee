"""What scikit-learn must know of estimators that take graphs."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator


class TakesGraphs(BaseEstimator):
    """An estimator of graphs: its input is no table of numbers.

    Examples
    --------
    >>> from grafik import FiltrationKernel
    >>> from sklearn.utils import get_tags
    >>> tags = get_tags(FiltrationKernel()).input_tags
    >>> tags.one_d_array, tags.two_d_array
    (True, False)
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array, tags.input_tags.two_d_array = True, False
        return tags
