"""Saving and loading of fitted models, without pickle."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import is_integer
from ..features.histograms import Histograms
from ..filtration.filtration import Filtration
from ..graphs.attribute_labels import AttributeLabels
from ..graphs.batch import Graphs
from ..graphs.chosen_columns import positions
from ..graphs.validation import checked_ids
from ..kernels.combined import CombinedKernel
from ..kernels.counting import FeatureCounter
from ..kernels.kernel import FiltrationKernel
from ..kernels.mean import MeanKernel
from ..search.index import GraphIndex
from ..system.archive import Archive, is_safetensors, read_archive, write_archive
from ..system.files import check_source
from ..system.optional import require
from .classifier import FiltrationClassifier
from .decision import SupportVectors
from .regressor import FiltrationRegressor
from .saved_filtration import (
    filtration_parts,
    labelling_parts,
    restore_filtration,
    saved_labelling,
)
from .saved_parameters import EXTRACTORS, KERNELS, NONSENSE, decoded, encoded
from .selection import parameter_columns

_COLUMNS = {
    "graph_ptr": np.int64,
    "depths": np.int32,
    "features": np.uint64,
    "run_ptr": np.int64,
    "run_levels": np.int32,
    "run_counts": np.int64,
}
_MACHINE = {"coefficients": np.float64, "intercepts": np.float64, "n_support": np.int64}
_NUMBERS: dict[str, type] = {
    "best_score_": float,
    "n_fits_": int,
    "n_skipped_": int,
    "n_unconverged_": int,
    "converged_": bool,
    "search_complete_": bool,
}
_POSITIVE = ("slope_", "scale_")


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted kernel, classifier or regressor, an index or labels to a file."""
    if isinstance(model, AttributeLabels):
        content, arrays = _label_parts(model)
    elif isinstance(model, (FiltrationKernel, CombinedKernel, GraphIndex)):
        content, arrays = _kernel_parts(model._fitted() if isinstance(model, GraphIndex) else model)
        if isinstance(model, GraphIndex) and model._ids is not None:
            content["ids"] = encoded("ids", model._ids)
    else:
        kernel, arrays = _kernel_parts(model.kernel_)
        scores = {name: one for name, one in model.cv_results_.items() if name[:5] != "param"}
        content = {
            "parameters": encoded("", model.get_params(deep=False)),
            "kernel": kernel,
            "best_params": encoded("best_params_", model.best_params_),
            "tried": encoded("cv_results_", model.cv_results_["params"]),
            "numbers": {name: kind(getattr(model, name)) for name, kind in _NUMBERS.items()},
        }
        arrays |= {f"scores/{name}": column for name, column in scores.items()}
        arrays["support"] = model.support_
        arrays |= {f"machine/{name}": getattr(model.machine_, name) for name in _MACHINE}
        if isinstance(model, FiltrationClassifier):
            content["numbers"]["slope_"] = model.slope_
            arrays["classes"] = model.classes_
        else:
            content["numbers"] |= {"mean_": model.mean_, "scale_": model.scale_}
    write_archive(path, type(model).__name__, content, arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that was saved by its method ``save``.

    All that predictions rely on is checked. A damaged file, or one of another program, is refused.

    Parameters
    ----------
    path : path of the file

    Returns
    -------
    FiltrationClassifier, FiltrationRegressor, kernel, GraphIndex, AttributeLabels or \
FiltrationNetworkClassifier
        It predicts, or finds, what the saved one does, to the bit.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import grafik
    >>> graphs, y = grafik.datasets.csl(skips=(2, 3), copies=5)
    >>> model = grafik.FiltrationClassifier(weight="walks").fit(graphs, y)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.grafik"
    >>> model.save(path)
    >>> (grafik.load(path).predict(graphs) == y).all()
    np.True_
    """
    path = check_source(path)
    if is_safetensors(path):
        require("torch", f"the network in {path}", "grafik[neural]")
        require("safetensors", f"the network in {path}", "grafik[neural]")
        from ..neural.saving import load as load_network

        return load_network(path)
    archive = read_archive(path)
    readers: dict[str, Callable[[Archive], Any]] = {
        **dict.fromkeys(KERNELS, lambda archive: _kernel(archive.content, archive.arrays)),
        "FiltrationClassifier": _classifier,
        "FiltrationRegressor": _regressor,
        "GraphIndex": _index,
        "AttributeLabels": _attribute_labels,
    }
    if archive.kind not in readers:
        raise ValueError(f"{path} holds a {archive.kind}, which is not a model")
    try:
        return readers[archive.kind](archive)
    except NONSENSE as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"{path} does not hold a valid {archive.kind}: {what}") from error


def _kernel_parts(kernel: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    if isinstance(kernel, CombinedKernel):
        return _combined_parts(kernel)
    name = type(kernel).__name__
    if KERNELS.get(name) is not type(kernel):
        raise ValueError(
            f"a {name} cannot be saved: only kernels that count features can, such as "
            "FiltrationKernel, and means and Gaussians of these"
        )
    found = kernel.histograms_
    filtered, alphas = filtration_parts(kernel.filtration_)
    labelled, labels = labelling_parts(kernel.labelling_)
    content = {
        **({} if name == "FiltrationKernel" else {"class": name}),
        "parameters": encoded("", kernel.get_params(deep=False)),
        "extractor": encoded("features", kernel.extractor_),
        **filtered,
        "names": [[feature, encoded("names", name)] for feature, name in found.names.items()],
        # The other half of the dictionary is the inverse of this one.
        "dictionary": [
            [encoded("dictionary", meaning), label]
            for meaning, label in found.dictionary.items()
            if isinstance(label, int)
        ],
        **labelled,
    }
    arrays = {f"histograms/{name}": getattr(found, name) for name in _COLUMNS}
    return content, {**alphas, **arrays, **labels}


def _combined_parts(kernel: CombinedKernel) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    kernel._refuse_others("file")
    content: dict[str, Any] = {
        "class": type(kernel).__name__,
        "parameters": encoded("", kernel.get_params(deep=False)),
        "part_names": [name for name, _ in kernel._kept()],
        "parts": [],
    }
    arrays: dict[str, NDArray[Any]] = {}
    for number, (_, part) in enumerate(kernel._kept()):
        inside, more = _kernel_parts(part)
        content["parts"].append(inside)
        arrays |= {f"parts/{number}/{name}": array for name, array in more.items()}
    return content, arrays


def _kernel(content: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
    kernel = KERNELS[content.get("class", "FiltrationKernel")](**decoded(content["parameters"]))
    if isinstance(kernel, CombinedKernel):
        return _combined(kernel, content, arrays)
    counter = _counter(kernel, content)
    restore_filtration(counter.filtration, content, arrays)
    names = {int(feature): decoded(name) for feature, name in content["names"]}
    columns = _columns(arrays, "histograms", _COLUMNS)
    if any(column.ndim != 1 for column in columns.values()):
        raise ValueError("the histograms have arrays of several dimensions")
    dictionary = _dictionary(content["dictionary"])
    histograms = Histograms(
        counter.filtration.n_levels_, **columns, names=names, dictionary=dictionary
    )
    counter.set_labelling(saved_labelling(content, arrays))
    kernel = kernel.learned(counter, histograms)
    kernel.transform(Graphs([0], [0], []))  # checks all parameters, as predictions do
    return kernel


def _counter(kernel: Any, content: dict[str, Any]) -> FeatureCounter:
    """Return what a kernel was fitted with; its parameters may have been changed since."""
    if "extractor" not in content:  # files of version 0.1, which have only the parameters
        return FeatureCounter.of(kernel, kernel.new_extractor())
    extractor = decoded(content["extractor"])
    if not isinstance(extractor, EXTRACTORS):
        raise ValueError(f"its features are {extractor!r}")
    return FeatureCounter(Filtration(**decoded(content["filtration"])), extractor, kernel.n_jobs)


def _combined(
    kernel: Any, content: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> CombinedKernel:
    """Return a mean or a Gaussian of the kernels that a file holds."""
    found = []
    for number, part in enumerate(content["parts"]):
        start = f"parts/{number}/"
        mine = {name.removeprefix(start): a for name, a in arrays.items() if name.startswith(start)}
        found.append(_kernel(part, mine))
    names = content.get("part_names")
    if names is None:  # files of version 0.1, whose parts are those of the parameters
        given = [part for _, part in kernel._named()]
        if list(map(type, given)) != list(map(type, found)):
            raise ValueError(f"its parameters name the parts {given}, but it holds {found}")
        names = [name for name, _ in kernel._named()]
    right = all(isinstance(name, str) for name in names)
    if not right or len(set(names)) < len(names) or len(names) != len(found):
        raise ValueError(f"its {len(found)} parts are called {names!r}")
    if not names or (len(names) != 1 and not isinstance(kernel, MeanKernel)):
        raise ValueError(f"a {type(kernel).__name__} cannot have {len(names)} parts")
    built: CombinedKernel = kernel._learned(list(zip(names, found, strict=True)))
    built.transform(Graphs([0], [0], []))  # checks all parameters, as predictions do
    return built


def _index(archive: Archive) -> GraphIndex:
    kernel = _kernel(archive.content, archive.arrays)
    if "ids" not in archive.content:
        return GraphIndex._of(kernel, None)
    ids = checked_ids(decoded(archive.content["ids"]), len(kernel.histograms_))
    return GraphIndex._of(kernel, list(ids or ()))


def _columns(arrays: dict[str, NDArray[Any]], part: str, kinds: dict[str, Any]) -> dict[str, Any]:
    """Return the arrays of a part; refuse those of a wrong dtype."""
    found = {name: arrays[f"{part}/{name}"] for name in kinds}
    for name, column in found.items():
        if column.dtype != kinds[name]:
            wanted = np.dtype(kinds[name])
            raise ValueError(f"{name} must be an array of {wanted}, got {column.dtype}")
    return found


def _dictionary(pairs: list[Any]) -> dict[Any, Any]:
    """Return a dictionary from exact labels to what they stand for, and back."""
    dictionary: dict[Any, Any] = {}
    for written, label in pairs:
        meaning = decoded(written)
        named = isinstance(meaning, tuple) and len(meaning) > 0
        if not named or not is_integer(label) or not 0 <= label < 2**64:
            raise ValueError(f"the dictionary of exact labels has the entry {label!r}")
        dictionary[meaning] = label
        dictionary[meaning[0], label] = meaning
    return dictionary


def _classifier(archive: Archive) -> FiltrationClassifier:
    model = FiltrationClassifier(**decoded(archive.content["parameters"]))
    model.classes_ = archive.arrays["classes"]
    _restore(model, archive, "slope_")
    sizes = len(model.machine_.n_support), len(model.classes_)
    if model.classes_.ndim != 1 or sizes[0] != sizes[1] or sizes[1] < 2:
        raise ValueError(f"there are {sizes[1]} classes, but a machine for {sizes[0]}")
    return model


def _regressor(archive: Archive) -> FiltrationRegressor:
    model = FiltrationRegressor(**decoded(archive.content["parameters"]))
    _restore(model, archive, "mean_", "scale_")
    return model


def _restore(model: Any, archive: Archive, *more: str) -> None:
    """Set what classifier and regressor learned, and `more` numbers."""
    content, arrays = archive.content, archive.arrays
    model.kernel_ = _kernel(content["kernel"], arrays)
    model.machine_ = SupportVectors(**_columns(arrays, "machine", _MACHINE))
    n_support = model.machine_.coefficients.shape[1]
    model.support_ = arrays["support"]
    if model.support_.shape != (n_support,) or model.support_.dtype != np.int64:
        raise ValueError(f"there are {n_support} coefficients, but support is {model.support_}")
    if len(model.kernel_.histograms_) != max(n_support, 1):
        raise ValueError(
            f"there are {n_support} coefficients for {len(model.kernel_.histograms_)} graphs"
        )
    model.best_params_ = decoded(content["best_params"])
    scores = {name: array for name, array in arrays.items() if name.startswith("scores/")}
    tried = decoded(content["tried"])
    model.cv_results_ = {"params": tried, **parameter_columns(tried)}
    model.cv_results_ |= {name.removeprefix("scores/"): array for name, array in scores.items()}
    for name, kind in {**_NUMBERS, **dict.fromkeys(more, float)}.items():
        # Files of version 0.1 do not say whether a search was complete; all were.
        value = {"search_complete_": True, **content["numbers"]}[name]
        finite = isinstance(value, (int, float)) and abs(value) < np.inf
        fine = finite and (value > 0 or name not in _POSITIVE)
        if not fine or type(value) is not kind:
            raise ValueError(f"{name} is {value!r}")
        setattr(model, name, value)


def _label_parts(labels: AttributeLabels) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    content = {
        "parameters": encoded("", labels.get_params()),
        "n_attributes": labels.n_attributes_,
        "names": encoded("attribute_names_", labels.attribute_names_),
        "labelled": labels.has_labels_,
        # By what it was fitted with: parameters may have been changed since.
        "columns": labels.columns_,
        "keeps_labels": labels.keeps_labels_,
    }
    return content, {f"cuts/{i}": edges[1:-1] for i, edges in enumerate(labels.bin_edges_)}


def _attribute_labels(archive: Archive) -> AttributeLabels:
    content = archive.content
    labels = AttributeLabels(**decoded(content["parameters"]))
    labels._check()
    n, names, labelled = content["n_attributes"], decoded(content["names"]), content["labelled"]
    named = isinstance(names, tuple) and len(set(names)) == len(names) == n
    if not is_integer(n) or not (names is None or named) or not isinstance(labelled, bool):
        raise ValueError(f"there are {n!r} node attributes with the names {names!r}")
    cuts = [archive.arrays[f"cuts/{i}"] for i in range(len(archive.arrays))]
    for cut in cuts:
        right = cut.dtype == np.float64 and cut.ndim == 1 and np.isfinite(cut).all()
        if not right or not (cut[1:] > cut[:-1]).all():
            raise ValueError(f"bounds of bins must be finite and increase, got {cut}")
    # Files of version 0.1 have only the parameters.
    columns = content.get("columns")
    if columns is None:
        columns = positions(labels.columns, n, names)
    keeps = content.get("keeps_labels", labels.keep_labels)
    if not all(is_integer(one) and 0 <= one < n for one in columns) or not isinstance(keeps, bool):
        raise ValueError(f"bins are for the columns {columns!r} of {n} node attributes")
    if len(cuts) != len(columns):
        raise ValueError(f"there are bins for {len(cuts)} of {len(columns)} columns")
    return labels._learned(cuts, (n, names), columns, (keeps, labelled))
