"""Training of a network: Adam, and the weights of the epoch that suited held-out graphs best."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import BatchNorm1d
from torch.nn.functional import cross_entropy

from ..system.progress import progress_bar
from .batches import Encoded
from .gin import is_constant

# Graphs that are predicted at a time, and those that normalisation takes its statistics from.
AT_ONCE = 128
_TYPICAL = 256
# PyTorch has one source of random numbers and one number of threads for all threads of Python.
_ONE_AT_A_TIME = RLock()


class Settings(NamedTuple):
    """How a network is trained; see :class:`grafik.neural.FiltrationNetworkClassifier`."""

    learning_rate: float
    weight_decay: float
    batch_size: int
    max_epochs: int
    patience: int


class History(NamedTuple):
    """What happened in each epoch; the last two are empty if no graphs were held out.

    Attributes
    ----------
    loss : list of float
        Mean cross-entropy of the training graphs, while they were learned from.
    validation_loss, validation_accuracy : list of float
    """

    loss: list[float]
    validation_loss: list[float]
    validation_accuracy: list[float]

    @property
    def best(self) -> int:
        """The epoch, counted from 0, whose weights are kept: the last, if nothing is held out."""
        if not self.validation_loss:
            return len(self.loss) - 1
        # A loss that is not finite is never the least.
        return int(np.argmin(np.nan_to_num(self.validation_loss, nan=np.inf)))


def train(
    network: Any,
    graphs: Encoded,
    y: NDArray[np.intp],
    parts: tuple[NDArray[np.intp], NDArray[np.intp]],
    settings: Settings,
    random: np.random.RandomState,
    progress: bool | None,
) -> History:
    """Train a network in place.

    Parameters
    ----------
    network : FiltrationGIN
    graphs : Encoded
    y : ndarray of int
        Number of the class of each graph.
    parts : pair of ndarray
        Positions of the graphs that are learned from, and of those that are held out.
    settings : Settings
    random : RandomState
        For the order of graphs.
    progress : bool or None
    """
    learned, held = parts
    targets = torch.as_tensor(y, dtype=torch.int64)
    optimizer = torch.optim.Adam(
        network.parameters(),
        settings.learning_rate,
        weight_decay=settings.weight_decay,
        fused=True,
    )
    history = History([], [], [])
    best = None
    # Batches of about the same size: a last one of a single graph would be noise.
    n_batches = -(-len(learned) // settings.batch_size)
    with progress_bar("training", settings.max_epochs, progress) as advance:
        for epoch in range(settings.max_epochs):
            network.train()
            total = 0.0
            order = random.permutation(learned)
            for rows in np.array_split(order, n_batches):
                optimizer.zero_grad()
                loss = cross_entropy(network(*graphs.batch(rows)), targets[rows])
                loss.backward()
                optimizer.step()
                total += loss.item() * len(rows)
            if not np.isfinite(total):
                raise ValueError(
                    f"training diverged in epoch {epoch}: the loss is {total}; lower "
                    "learning_rate, or use fewer layers (n_layers)"
                )
            history.loss.append(total / len(learned))
            _settle(network, graphs, order[:_TYPICAL], settings.batch_size)
            advance(1)
            if not len(held):
                continue
            outputs = predicted(network, graphs, held)
            history.validation_loss.append(cross_entropy(outputs, targets[held]).item())
            right = (outputs.argmax(1) == targets[held]).double().mean()
            history.validation_accuracy.append(right.item())
            if history.best == epoch:
                best = copy.deepcopy(network.state_dict())
            elif epoch - history.best >= settings.patience:
                break
    if best is not None:
        network.load_state_dict(best)
    network.eval()
    return history


def _settle(network: Any, graphs: Encoded, typical: NDArray[np.intp], batch_size: int) -> None:
    """Give normalisation the means and deviations that training graphs have with these weights.

    Those that it gathers on the way are of weights before, from some ten steps. Where these are ten
    epochs, as with few graphs, predictions would be those of another network.
    """
    norms = [module for module in network.modules() if isinstance(module, BatchNorm1d)]
    usual = [norm.momentum for norm in norms]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the plain mean over batches
    with torch.inference_mode():
        for start in range(0, len(typical), batch_size):
            network(*graphs.batch(typical[start : start + batch_size]))
    for norm, momentum in zip(norms, usual, strict=True):
        norm.momentum = momentum
        # What is the same everywhere in training would be blown up in other graphs.
        norm.running_var[is_constant(norm.running_mean, norm.running_var)] = 1.0


def predicted(network: Any, graphs: Encoded, positions: NDArray[np.intp]) -> Any:
    """Return the outputs for some graphs, without gradients, in double precision."""
    network.eval()
    with torch.inference_mode():
        found = [
            network(*graphs.batch(positions[start : start + AT_ONCE])).double()
            for start in range(0, len(positions), AT_ONCE)
        ]
    return torch.cat(found) if found else torch.zeros(0, network.out_channels, dtype=torch.float64)


def held_out(
    y: NDArray[np.intp], share: float, random: np.random.RandomState
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return positions to learn from and to hold out, the same share of each class.

    At least one graph of each class is held out, unless it is the only one, or the share is 0.
    """
    held = []
    for number in range(int(y.max()) + 1):
        own = random.permutation(np.flatnonzero(y == number))
        n = max(round(share * len(own)), 1) if share else 0
        held.append(own[: min(n, len(own) - 1)])
    test = np.sort(np.concatenate(held))
    return np.setdiff1d(np.arange(len(y)), test), test


@contextmanager
def reproducible(seed: int, n_threads: int) -> Iterator[None]:
    """Use a seed and a number of threads for a while, alone; leave PyTorch as it was."""
    with _ONE_AT_A_TIME, torch.random.fork_rng(devices=[]):
        before = torch.get_num_threads()
        torch.manual_seed(seed)
        torch.set_num_threads(n_threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)
