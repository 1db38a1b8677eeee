"""What a file says about a fitted filtration, and about the labels of the training graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.keys import distinct_rows
from ..filtration.filtration import Filtration
from ..filtration.thresholds import given_alphas
from ..graphs.labelling import Labelling, Seen
from ..graphs.validation import checked_reading
from .saved_parameters import encoded

Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]

_LABELLED = ("vertices", "edges")


def filtration_parts(filtration: Filtration) -> Parts:
    """Return what JSON can say about a fitted filtration, and its arrays.

    Its parameters are those that it was fitted with: the estimator's may have been changed since.
    """
    arrays: dict[str, NDArray[Any]] = {"alphas": filtration.alphas_}
    if filtration.keys_ is not None:
        arrays["keys"] = filtration.keys_
    content = {
        "filtration": encoded("", filtration.get_params(deep=False)),
        "directed": filtration.directed_,
        "attributes": filtration.attributes_,
    }
    return content, arrays


def restore_filtration(
    filtration: Filtration, content: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> None:
    """Set what a filtration has learned, from a file, or refuse what does not fit together."""
    alphas = given_alphas(arrays["alphas"].tolist())
    directed = content["directed"]
    if directed is not None and not isinstance(directed, bool):
        raise ValueError(f"directed is {directed!r}")
    attributes = content["attributes"]
    if attributes is not None and not all(isinstance(name, str) for name in attributes):
        raise ValueError(f"attributes are {attributes!r}")
    filtration.alphas_, filtration.directed_ = alphas, directed
    filtration.attributes_ = None if attributes is None else tuple(attributes)
    filtration.keys_ = _keys(arrays["keys"]) if "keys" in arrays else None
    ranked = "keys" in arrays and isinstance(filtration.thresholds, str) and directed is not None
    if ranked and not 0 <= alphas[-1] <= alphas[0] < len(arrays["keys"]):
        raise ValueError("thresholds are no ranks of the keys")


def labelling_parts(labelling: Labelling) -> Parts:
    """Return what JSON can say about the labels of training graphs, and their hashes."""
    labelled: dict[str, bool | None] = {}
    arrays = {}
    for name in _LABELLED:
        seen = getattr(labelling, name)
        labelled[name] = seen and seen.labelled
        if seen is not None:
            arrays[f"labels/{name}"] = seen.hashes
    return {"labelled": labelled, "reading": labelling.reading}, arrays


def _keys(found: NDArray[Any]) -> NDArray[np.int64]:
    """Return the keys of edges that a file holds, checked."""
    if found.dtype != np.int64 or found.ndim != 2 or found.shape[1] == 0:
        raise ValueError(f"keys are an array of {found.dtype} of shape {found.shape}")
    if not np.array_equal(distinct_rows(found), found):
        raise ValueError("keys do not increase")
    return found


def saved_labelling(content: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Labelling:
    """Return which labels the training graphs had, and how molecules were read."""
    labelled, found = content["labelled"], dict[str, Seen | None]()
    for name in _LABELLED:
        if labelled[name] is None:
            found[name] = None
            continue
        hashes = arrays[f"labels/{name}"]
        if not isinstance(labelled[name], bool) or hashes.ndim != 1 or hashes.dtype != np.uint64:
            raise ValueError(f"it does not say which labels the {name} of the training graphs had")
        if (hashes[1:] <= hashes[:-1]).any():  # they are searched
            raise ValueError(f"the labels of {name} do not increase")
        found[name] = Seen(labelled[name], hashes)
    return Labelling(**found, reading=checked_reading(content.get("reading")))
