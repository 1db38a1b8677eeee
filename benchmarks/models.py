"""What is measured of models and evaluations: each function prepares, and returns the call.

They run with the earlier state of grafik too, so they use only what both have.
"""

import json
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC

from grafik import FiltrationClassifier, Graphs
from grafik.evaluation import METHODS, PROTOCOLS

from .peers import grakel_form

# The grid that was the default once: 45 kernels, of which 33 differ, and five values of C.
GRID = {
    "levels": [1, 2, 3, 5, 8],
    "depths": [1, 3, 5],
    "gammas": [1 / 8, 1, 8],
    "Cs": [1 / 2, 2, 8, 32, 256],
}
PEER_DEPTHS, FOLDS = (1, 3, 5), 3
# What an evaluation writes down of a unit besides the work that it was.
RESULT = ("params", "inner_accuracy", "n_correct", "n_test")


def grid(graphs: Graphs, y: np.ndarray) -> Callable[[], dict]:
    """Prepare the choice from a grid."""
    return _fit(FiltrationClassifier(**GRID), graphs, y)


def default(graphs: Graphs, y: np.ndarray) -> Callable[[], dict]:
    """Prepare the search of a model without any arguments."""
    return _fit(FiltrationClassifier(), graphs, y)


def _fit(model: FiltrationClassifier, graphs: Graphs, y: np.ndarray) -> Callable[[], dict]:
    def call() -> dict:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # A new view each time: a batch remembers its neighbour lists.
            model.fit(graphs[:], y)
        return {
            "best_params": _plain(model.best_params_),
            "best_score": float(model.best_score_),
            "n_fits": _count(model, "n_fits_"),
            "n_skipped": _count(model, "n_skipped_"),
        }

    return call


def grakel_search(graphs: Graphs, y: np.ndarray) -> Callable[[], dict]:
    """Prepare GraKeL's Weisfeiler-Lehman kernel with three depths and five C, on three folds."""
    from grakel import VertexHistogram, WeisfeilerLehman

    given = grakel_form(graphs)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)

    def call() -> dict:
        best = (-1.0, 0, 0.0)
        for depth in PEER_DEPTHS:
            gram = WeisfeilerLehman(
                n_iter=depth, base_graph_kernel=VertexHistogram, normalize=True
            ).fit_transform(given)
            for c in GRID["Cs"]:
                machine = SVC(kernel="precomputed", C=c)
                score = float(cross_val_score(machine, gram, y, cv=folds).mean())
                best = max(best, (score, -depth, -c))
        score, depth, c = best
        chosen = {"depth": -depth, "C": -c}
        n_fits = len(PEER_DEPTHS) * len(GRID["Cs"]) * FOLDS
        return {"best_params": chosen, "best_score": score, "n_fits": n_fits}

    return call


def units(graphs: Graphs, y: np.ndarray, method: str, n_folds: int) -> Callable[[], dict]:
    """Prepare outer folds of a method of the paper, by the paper's protocol."""
    from grafik.evaluation.unit import Unit, Work

    classes = np.unique(y, return_inverse=True)[1]
    protocol = PROTOCOLS["paper"]
    named = {method: METHODS[method].normalized(protocol.normalize)}

    def call() -> dict:
        work = Work(graphs[:], classes, named, protocol)
        found = [work(Unit(method, 0, fold))[0] for fold in range(n_folds)]
        return {"results": [{name: _plain(one)[name] for name in RESULT} for one in found]}

    return call


def _count(model: FiltrationClassifier, name: str) -> int | None:
    found = getattr(model, name, None)
    return None if found is None else int(found)


def _plain(found: dict) -> dict:
    """Return what JSON can write; weights and the like as text."""
    return json.loads(json.dumps(found, default=_plain_value))


def _plain_value(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else str(value)
