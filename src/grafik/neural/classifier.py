"""FiltrationNetworkClassifier: graphs in, classes out, by a network that sees the filtration."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..arrays.checks import checked_integer, checked_number
from ..filtration.filtration import Filtration
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..graphs.labelling import Labelling
from ..graphs.takes_graphs import TakesGraphs
from ..models.classes import as_classes, numbered_classes
from ..models.targets import refuse_pair
from ..system.memory import refuse_what_does_not_fit
from ..system.threads import n_threads
from ..weights.unused import warn_of_unused
from .batches import Encoded, label_columns, n_columns_of
from .gin import FiltrationGIN
from .training import AT_ONCE, History, Settings, held_out, predicted, reproducible, train

# Tensors of a layer that are kept for gradients: sums, outputs of both halves, and their norms.
_KEPT = 8
# Bytes for each level and edge: pairs of levels and edges, in both directions, sorted and not.
_PER_EDGE = 160


class FiltrationNetworkClassifier(ClassifierMixin, TakesGraphs):
    """Classify graphs by a graph neural network that sees the filtration graphs.

    The network is :class:`FiltrationGIN`. A part of the training graphs is held out, the same share
    of each class; training ends when the loss there has not become less for a while, and the
    weights of the best epoch are kept. With ``weight=None`` there is one level, and the network is
    a plain GIN.

    Vertex labels are one-hot features; without labels all vertices are alike. A label that was not
    seen in training is no feature at all. Edge labels and attributes are not used, except by
    weights that read them; :class:`grafik.AttributeLabels` makes labels of numbers at vertices.
    Along directed edges and against them, messages are told apart.

    Parameters
    ----------
    weight : str, callable or None
        Edge weight, see :class:`grafik.Filtration`. None is without a filtration.
    thresholds, n_levels
        As for :class:`grafik.Filtration`.
    hidden_channels, n_layers, dropout
        As for :class:`FiltrationGIN`.
    learning_rate, weight_decay : float
        Of Adam.
    batch_size : int
        Number of graphs in a step.
    max_epochs : int
        How often all graphs are seen at most.
    patience : int
        Training ends when the loss of the held-out graphs has not become less for so many epochs.
    validation_fraction : float
        Share of graphs that are held out; with 0 there are `max_epochs` epochs.
    random_state : int, RandomState or None
        Seed of the first weights, of dropout, of the order of graphs and of what is held out. On
        one machine the same seed gives the same network.
    n_jobs : int or None
        Number of threads that predict; None is one, -1 as many as there are processors. Last bits
        may depend on it. Training takes one, as it would turn last bits into another network.
    progress : bool or None
        Whether to show a bar on standard error; None shows it on a terminal only.

    Attributes
    ----------
    classes_ : ndarray
    network_ : FiltrationGIN
    filtration_ : Filtration
    labelling_ : Labelling
        The labels of the training graphs.
    history_ : History
        Losses of each epoch; ``history_.best`` is the epoch whose weights were kept.

    Examples
    --------
    Circular skip link graphs, which a plain GIN cannot tell apart:

    >>> from grafik import datasets
    >>> from grafik.neural import FiltrationNetworkClassifier
    >>> graphs, y = datasets.csl(skips=(2, 3, 5), copies=8)
    >>> model = FiltrationNetworkClassifier("walks", "distinct").fit(graphs[::2], y[::2])
    >>> model.score(graphs[1::2], y[1::2])
    1.0
    >>> plain = FiltrationNetworkClassifier(None, max_epochs=5).fit(graphs[::2], y[::2])
    >>> round(plain.score(graphs[1::2], y[1::2]), 2)
    0.33
    """

    classes_: NDArray[Any]
    network_: FiltrationGIN
    filtration_: Filtration
    labelling_: Labelling
    history_: History

    def __init__(
        self,
        weight: Any = "degree",
        thresholds: str | Sequence[float] = "auto",
        n_levels: int = 4,
        hidden_channels: int = 32,
        n_layers: int = 3,
        dropout: float = 0.2,
        learning_rate: float = 0.005,
        weight_decay: float = 1e-4,
        batch_size: int = 32,
        max_epochs: int = 150,
        patience: int = 25,
        validation_fraction: float = 0.1,
        random_state: Any = 0,
        n_jobs: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.weight = weight
        self.thresholds = thresholds
        self.n_levels = n_levels
        self.hidden_channels = hidden_channels
        self.n_layers = n_layers
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> FiltrationNetworkClassifier:
        """Learn thresholds, and train the network.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : sequence of str or int
            The class of each graph.

        Returns
        -------
        FiltrationNetworkClassifier
            Itself.
        """
        refuse_pair(X, y)
        batch, given = as_graphs(X), column_or_1d(as_classes(y))
        if len(batch) != len(given):
            raise ValueError(f"there are {len(batch)} graphs, but y has {len(given)} entries")
        classes, codes = numbered_classes(given)
        settings, share = self._settings(), self._share()
        n_threads(self.n_jobs)  # refuses what is no number of threads
        random = check_random_state(self.random_state)
        if self.weight is None:
            filtration = Filtration(n_levels=1)
        else:
            warn_of_unused([self.weight], batch)
            filtration = Filtration(self.weight, self.thresholds, self.n_levels)
        levels, labelling = filtration.fit_levels(batch), Labelling.of(batch, edges=False)
        self._refuse_large(batch, filtration.n_levels_, n_columns_of(labelling))
        with reproducible(int(random.randint(2**31)), 1), torch.enable_grad():
            network = FiltrationGIN(
                n_columns_of(labelling),
                len(classes),
                filtration.n_levels_,
                self.hidden_channels,
                self.n_layers,
                self.dropout,
                directed=bool(filtration.directed_),
            )
            encoded = _encoded(batch, levels, labelling, network)
            parts = held_out(codes, share, random)
            history = train(network, encoded, codes, parts, settings, random, self.progress)
        # All at once, so that a fit that fails leaves the model as it was.
        self.classes_, self.network_, self.history_ = classes, network, history
        self.filtration_, self.labelling_ = filtration, labelling
        return self

    def _settings(self) -> Settings:
        return Settings(
            checked_number("learning_rate", self.learning_rate),
            checked_number("weight_decay", self.weight_decay),
            checked_integer("batch_size", self.batch_size, 1),
            checked_integer("max_epochs", self.max_epochs, 1),
            checked_integer("patience", self.patience, 1),
        )

    def _share(self) -> float:
        share = checked_number("validation_fraction", self.validation_fraction)
        if share >= 1:
            raise ValueError(f"validation_fraction must be less than 1, got {share}")
        return share

    def _refuse_large(self, graphs: Graphs, n_levels: int, n_columns: int) -> None:
        """Refuse to train if the largest graphs in one batch do not fit in memory."""
        vertices = np.sort(graphs.n_nodes)[::-1]
        edges = np.sort(graphs.n_edges)[::-1]
        width = checked_integer("hidden_channels", self.hidden_channels, 1)
        depth = checked_integer("n_layers", self.n_layers, 1)
        learned = 4.0 * _KEPT * depth * width * n_levels * vertices[: self.batch_size].sum()
        at_once = max(self.batch_size, AT_ONCE)
        messages = float(_PER_EDGE * n_levels) * edges[:at_once].sum()
        labels = 4.0 * n_columns * vertices[:at_once].sum()
        refuse_what_does_not_fit(
            learned + messages + labels,
            f"a step of training with {n_levels} levels and {n_columns} labels",
            "use fewer levels (n_levels, with thresholds='quantile'), fewer different labels, or a "
            "smaller batch_size",
        )

    def _outputs(self, X: Any) -> NDArray[np.float64]:
        """Return the output of the network for each graph and class."""
        check_is_fitted(self, "network_")
        batch = as_graphs(X)
        self.labelling_.check(batch)
        levels = self.filtration_.levels(batch)
        encoded = _encoded(batch, levels, self.labelling_, self.network_)
        with reproducible(0, n_threads(self.n_jobs)):
            found = np.asarray(predicted(self.network_, encoded, np.arange(len(batch))).numpy())
        wrong = ~np.isfinite(found).all(axis=1)
        if wrong.any():
            raise ValueError(
                f"graph {int(np.argmax(wrong))}: what the network computes is no finite number; "
                "it is too different from the training graphs. Use fewer layers (n_layers)"
            )
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each graph.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes

        Returns
        -------
        ndarray of shape (n_graphs,)
        """
        outputs = self._outputs(X)
        found: NDArray[Any] = self.classes_[outputs.argmax(axis=1)]
        return found

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, which is largest for the predicted one.

        Returns
        -------
        ndarray of shape (n_graphs, n_classes)
        """
        outputs = self._outputs(X)
        shares = np.exp(outputs - outputs.max(axis=1, keepdims=True, initial=-np.inf))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a safetensors file, to be read by :func:`grafik.load`.

        The file holds numbers and JSON, with a checksum, and no code. It appears only when it is
        complete. A function of your own as weight cannot be saved.

        Parameters
        ----------
        path : path of the file; an existing file is replaced
        """
        from .saving import save

        check_is_fitted(self, "network_")
        save(self, path)


def _encoded(
    graphs: Graphs, levels: NDArray[np.int32], labelling: Labelling, network: FiltrationGIN
) -> Encoded:
    columns = label_columns(graphs, labelling)
    return Encoded(graphs, levels, columns, network.in_channels, network.directed)
