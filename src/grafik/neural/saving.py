"""Saving and loading of networks: safetensors files, which hold numbers and JSON, and no code."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import torch
from numpy.typing import NDArray
from safetensors.numpy import save as packed

from .. import __version__
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from ..models.saved_filtration import (
    filtration_parts,
    labelling_parts,
    restore_filtration,
    saved_labelling,
)
from ..models.saved_parameters import NONSENSE, decoded, encoded
from ..system.files import replacing
from .batches import n_columns_of
from .classifier import FiltrationNetworkClassifier
from .gin import FiltrationGIN
from .training import History

FORMAT, VERSION = "grafik network", 1

_ABOUT = "grafik"  # the entry of the file's own metadata
_NETWORK = "network."  # before the names of the network's tensors
_SIZES = ("in_channels", "out_channels", "n_levels", "hidden_channels", "n_layers")
_FLAGS = ("dropout", "directed")
_KINDS = {np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.uint64)}


def save(model: FiltrationNetworkClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier; the file appears, or replaces another, when it is complete."""
    network = model.network_
    filtered, arrays = filtration_parts(model.filtration_)
    labelled, labels = labelling_parts(model.labelling_)
    state = {f"{_NETWORK}{k}": v.detach().cpu().numpy() for k, v in network.state_dict().items()}
    content = {
        "format": FORMAT,
        "version": VERSION,
        "grafik": __version__,
        "parameters": encoded("", model.get_params(deep=False)),
        "classes": encoded("classes_", model.classes_.tolist()),
        "classes_type": model.classes_.dtype.name if model.classes_.dtype.kind in "biuf" else None,
        "network": {name: getattr(network, name) for name in (*_SIZES, *_FLAGS)},
        "history": {
            # A loss that is no finite number has no place in JSON.
            name: [value if math.isfinite(value) else None for value in column]
            for name, column in model.history_._asdict().items()
        },
        **filtered,
        **labelled,
    }
    tensors = {**arrays, **labels, **state}
    text = json.dumps(content, allow_nan=False)
    # One entry, because several come in any order, and the same content makes the same bytes.
    about = {_ABOUT: f"{_digest(text, tensors)}\n{text}"}
    data = packed({k: np.asarray(v, order="C") for k, v in tensors.items()}, about)
    with replacing(path) as part:
        part.write_bytes(data)


def load(path: str | os.PathLike[str]) -> FiltrationNetworkClassifier:
    """Read a classifier that was saved; refuse a file that is damaged or something else."""
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {file}")
    try:
        with safetensors.safe_open(file, framework="numpy") as opened:
            about = opened.metadata() or {}
            if _ABOUT not in about:
                raise _Refused(
                    f"{file} was not saved by grafik: it is a safetensors file of others"
                )
            digest, _, text = about[_ABOUT].partition("\n")
            with _named(file):
                content = json.loads(text)
                _refuse_other_versions(content)
            # What may be large is read last, from files that are ours and of this version.
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    except _Refused:
        raise
    except (safetensors.SafetensorError, OSError, *NONSENSE) as error:
        raise ValueError(f"{file} is damaged, or no safetensors file: {error}") from error
    if _digest(text, tensors) != digest:
        raise ValueError(f"{file} is damaged: its checksum is wrong; save it again")
    with _named(file):
        return _classifier(content, tensors)


class _Refused(ValueError):
    """A file with a reason that names it."""


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Turn whatever is wrong with the content of a file into an error that names the file."""
    try:
        yield
    except (RuntimeError, *NONSENSE) as error:  # PyTorch raises the former
        what = f"there is no {error}" if isinstance(error, KeyError) else error
        name = FiltrationNetworkClassifier.__name__
        raise _Refused(f"{file} does not hold a valid {name}: {what}") from error


def _refuse_other_versions(content: dict[str, Any]) -> None:
    if (content["format"], content["version"]) != (FORMAT, VERSION):
        raise ValueError(
            f"it is a {content['format']} of version {content['version']}, made by grafik "
            f"{content['grafik']}, but grafik {__version__} reads version {VERSION}; install the "
            "other one, or train and save the model again"
        )


def _digest(text: str, tensors: dict[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of all that a file holds."""
    found = sha256(text.encode())
    for name in sorted(tensors):
        array = tensors[name]
        found.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def _classifier(
    content: dict[str, Any], tensors: dict[str, NDArray[Any]]
) -> FiltrationNetworkClassifier:
    """Build the classifier, with all that predictions rely on checked."""
    for name, array in tensors.items():
        if array.dtype not in _KINDS or not np.isfinite(array).all():
            raise ValueError(f"{name} must hold finite numbers, got {array.dtype}")
    model = FiltrationNetworkClassifier(**decoded(content["parameters"]))
    model.classes_ = _classes(decoded(content["classes"]), content.get("classes_type"))
    model.filtration_ = Filtration(**decoded(content["filtration"]))
    restore_filtration(model.filtration_, content, tensors)
    model.labelling_ = saved_labelling(content, tensors)
    model.history_ = _history(content["history"])
    state = {
        name.removeprefix(_NETWORK): torch.from_numpy(array.copy())
        for name, array in tensors.items()
        if name.startswith(_NETWORK)
    }
    known = {"alphas", "keys", "labels/vertices", "labels/edges"}
    strange = {name for name in tensors if not name.startswith(_NETWORK)} - known
    if strange:
        raise ValueError(f"nothing is known of {sorted(strange)[0]}")
    model.network_ = _network(content["network"], state)
    shape = n_columns_of(model.labelling_), len(model.classes_), model.filtration_.n_levels_
    own = model.network_
    if (own.in_channels, own.out_channels, own.n_levels) != shape:
        raise ValueError(f"labels, classes and levels are {shape}, but the network is for others")
    if own.directed != bool(model.filtration_.directed_):
        raise ValueError("the network and the filtration differ in whether graphs are directed")
    model.predict(Graphs([0], [0], []))  # checks parameters, as predictions do
    return model


def _classes(found: Any, kind: str | None) -> NDArray[Any]:
    """Return classes of the type that they had, increasing as they were found."""
    classes = np.array(found)
    plain = classes.ndim == 1 and classes.dtype.kind in "biufU"
    if not plain or len(classes) < 2 or not np.array_equal(np.unique(classes), classes):
        raise ValueError(f"classes are {found!r}")
    if kind is None:
        return classes
    if not re.fullmatch(r"bool|u?int(8|16|32|64)|float(16|32|64)", str(kind)):
        raise ValueError(f"classes are of type {kind!r}")
    with np.errstate(all="ignore"):
        typed = classes.astype(kind)
    if not np.array_equal(typed, classes):
        raise ValueError(f"classes are {found!r}, which are not all of type {kind}")
    return typed


def _history(found: dict[str, Any]) -> History:
    numbers = {
        name: [math.nan if v is None else v for v in column] for name, column in found.items()
    }
    history = History(**numbers)
    for given, column in zip(found.values(), history, strict=True):
        plain = all(type(value) in (int, float) for value in column)
        if not isinstance(given, list) or not plain:
            raise ValueError("the history must be lists of numbers")
        if not all(value is None or math.isfinite(value) for value in given):
            raise ValueError("the history must be lists of finite numbers")
    n, *held = map(len, history)
    if n == 0 or held[0] != held[1] or held[0] not in (0, n):
        raise ValueError(f"the history has {n} epochs, and those of held-out graphs {held}")
    return history


def _network(sizes: dict[str, Any], state: dict[str, Any]) -> FiltrationGIN:
    """Build a network from its tensors; memory is asked for only if they are there."""
    if set(sizes) != {*_SIZES, *_FLAGS} or not 0 < sizes["n_layers"] <= len(state):
        raise ValueError(f"the network is {sizes!r}")
    with torch.device("meta"):  # shapes without memory
        network = FiltrationGIN(**sizes)
    expected = network.state_dict()
    odd = sorted({*expected} ^ {*state})
    if odd:
        raise ValueError(f"{odd[0]} is {'missing' if odd[0] in expected else 'not known'}")
    for name, mine in expected.items():
        given = state[name]
        if (mine.shape, mine.dtype) != (given.shape, given.dtype):
            raise ValueError(
                f"{name} must be {mine.dtype} of shape {tuple(mine.shape)}, got {given.dtype} of "
                f"shape {tuple(given.shape)}"
            )
        # Square roots of these are taken, or they count.
        if name.endswith(("running_var", "num_batches_tracked")) and bool((given < 0).any()):
            raise ValueError(f"{name} must not be negative, got {given.min().item()}")
    network.load_state_dict(state, assign=True)
    network.eval()
    return network
