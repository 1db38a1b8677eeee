"""A classifier that is trained, saved, loaded and applied."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.model_selection import train_test_split

from . import datasets
from .classifier import FiltrationClassifier
from .saving import load


class Trained(NamedTuple):
    """What became of a classifier."""

    n_train: int
    n_test: int
    chosen: dict[str, Any]
    n_bytes: int
    accuracy: float


def train_save_load_apply() -> Trained:
    """Train a classifier on CSL graphs, save it, and let the loaded one classify other copies.

    Examples
    --------
    >>> from grafik.demo import train_save_load_apply
    >>> found = train_save_load_apply()
    >>> found.n_train, found.n_test, found.chosen["weight"], found.accuracy
    (70, 30, 'walks', 100.0)
    """
    graphs, y = datasets.csl()
    train, test, y_train, y_test = train_test_split(
        graphs, y, test_size=30, stratify=y, random_state=0
    )
    model = FiltrationClassifier(weight=["degree", "walks"], thresholds="distinct")
    model.fit(train, y_train)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.grafik"
        model.save(path)
        n_bytes, loaded = path.stat().st_size, load(path)
    accuracy = 100 * float(loaded.score(test, y_test))
    return Trained(len(train), len(test), model.best_params_, n_bytes, accuracy)
