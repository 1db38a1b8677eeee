"""How much each graph counts: weights of graphs and of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_number

_LARGEST = 1e100  # times a C, such weights stay finite


@dataclass(frozen=True)
class GraphWeights:
    """Weights of graphs and of their classes, as scikit-learn's machines take them.

    Attributes
    ----------
    samples : ndarray of shape (n_graphs,), or None
        Positive for all graphs that are used. None is 1 for all.
    classes : ndarray of shape (n_classes,), "balanced", or None
        With "balanced", classes count the same, however many graphs each has. None is 1 for all.
    """

    samples: NDArray[np.float64] | None = None
    classes: NDArray[np.float64] | str | None = None

    def of(self, rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
        """Return how much some graphs count when they are scored; None if all do the same."""
        return None if self.samples is None else self.samples[rows]

    def costs(self, rows: NDArray[np.intp], y: NDArray[Any]) -> NDArray[np.float64] | None:
        """Return the factor of C of each training graph; None if it is 1 for all.

        Parameters
        ----------
        rows : ndarray of int
            The training graphs.
        y : ndarray of shape (n_graphs,)
            For class weights: the number of the class of each graph, not only of these.
        """
        samples = self.of(rows)
        if self.classes is None:
            return samples
        found: NDArray[np.float64]
        if isinstance(self.classes, str):
            _, codes, counts = np.unique(y[rows], return_inverse=True, return_counts=True)
            found = (len(rows) / (len(counts) * counts))[codes]
        else:
            found = self.classes[y[rows]]
        return found if samples is None else samples * found


EVEN = GraphWeights()


def checked_sample_weight(sample_weight: Any, n_graphs: int) -> NDArray[np.float64] | None:
    """Return weights of graphs as an array; None if none were given.

    Examples
    --------
    >>> from grafik.models.graph_weights import checked_sample_weight
    >>> checked_sample_weight([1, 2, -1], 3)
    Traceback (most recent call last):
    ValueError: graph 2: the sample weight must be a finite number of at least 0, got -1.0
    """
    if sample_weight is None:
        return None
    try:
        found = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"sample_weight must be one number for each graph, got {sample_weight!r}"
        ) from None
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.shape != (n_graphs,):
        raise ValueError(
            f"sample_weight must be one number for each of the {n_graphs} graphs, "
            f"got an array of shape {found.shape}"
        )
    wrong = ~(np.isfinite(found) & (found >= 0))
    if wrong.any():
        place = int(wrong.argmax())
        raise ValueError(
            f"graph {place}: the sample weight must be a finite number of at least 0, "
            f"got {found[place]}"
        )
    if found.max() > _LARGEST:
        place = int(found.argmax())
        raise ValueError(
            f"graph {place}: the sample weight must be at most {_LARGEST:g}, got {found[place]}; "
            "divide all of them by the same number"
        )
    if not found.any():
        raise ValueError("sample_weight is 0 for all graphs; at least two graphs must count")
    return found


def checked_class_weight(
    class_weight: Any, classes: NDArray[Any]
) -> NDArray[np.float64] | str | None:
    """Return the weight of each class, or "balanced", or None if none were given.

    As in scikit-learn, classes that are not named weigh 1. Names that are not among the classes
    are refused only if some class is not named, because training graphs may lack a rare class.
    """
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return class_weight
    names = classes.tolist()
    if not isinstance(class_weight, dict):
        raise ValueError(
            "class_weight must be None, 'balanced', or a dict from classes to numbers, such as "
            f"{{{names[0]!r}: 2.0}}, got {class_weight!r}"
        )
    for name, weight in class_weight.items():
        if checked_number(f"the weight of class {name!r}", weight) == 0:
            raise ValueError(f"the weight of class {name!r} must be positive; leave its graphs out")
    unknown = [name for name in class_weight if name not in names]
    if unknown and any(name not in class_weight for name in names):
        raise ValueError(f"class_weight has the class {unknown[0]!r}, but the classes are {names}")
    return np.array([float(class_weight.get(name, 1.0)) for name in names])
