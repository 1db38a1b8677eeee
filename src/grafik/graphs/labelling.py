"""Which labels the graphs have that a model learns from, and whether new graphs fit to them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.offsets import part_of
from .batch import Graphs
from .labels import Labels

# Graphs and labels that a message names at most.
_NAMED = 3


class Seen(NamedTuple):
    """The labels that vertices or edges had in training.

    Attributes
    ----------
    labelled : bool
        Whether they had any.
    hashes : ndarray of uint64
        Hashes of these labels, increasing; none if they had no labels.
    """

    labelled: bool
    hashes: NDArray[np.uint64]

    @classmethod
    def of(cls, labels: Labels | None) -> Seen:
        """Return what a column of labels holds."""
        return cls(labels is not None, _hashes(labels) if labels else np.empty(0, np.uint64))

    def with_more(self, other: Seen) -> Seen:
        """Return the same with the labels of others."""
        return Seen(self.labelled, np.union1d(self.hashes, other.hashes))


class Labelling(NamedTuple):
    """The labels of training graphs, which new graphs are compared by.

    Attributes
    ----------
    vertices, edges : Seen or None
        None if their labels do not count, or if nothing says whether they have labels: there were
        none of them, and no column of labels.
    reading : str or None
        How molecules were read; None if they were no molecules.

    Examples
    --------
    >>> from grafik import Graphs
    >>> from grafik.graphs.labelling import Labelling
    >>> labelled = Graphs.from_edge_lists([[(0, 1)]], node_labels=[["C", "O"]])
    >>> plain = Graphs.from_edge_lists([[(0, 1)]])
    >>> Labelling.of(labelled).check(plain)
    Traceback (most recent call last):
    ValueError: these graphs have no vertex labels, but those the model was fitted on have; ...
    """

    vertices: Seen | None
    edges: Seen | None
    reading: str | None = None

    @classmethod
    def of(cls, graphs: Graphs, vertices: bool = True, edges: bool = True) -> Labelling:
        """Return the labels of training graphs.

        Parameters
        ----------
        graphs : Graphs
        vertices, edges : bool
            Whether their labels count.
        """
        return cls(
            _seen(graphs.node_labels, int(graphs.node_ptr[-1])) if vertices else None,
            _seen(graphs.edge_labels, len(graphs.edges)) if edges else None,
            graphs.reading if graphs.node_ptr[-1] else None,
        )

    def check(self, graphs: Graphs) -> None:
        """Refuse new graphs whose labels cannot be compared; warn if no label of one is known."""
        if graphs.node_ptr[-1]:
            _refuse_other_readings(self.reading, graphs.reading)
        self._check_column("vertex", self.vertices, graphs.node_labels, graphs.node_ptr)
        self._check_column("edge", self.edges, graphs.edge_labels, graphs.edge_ptr)

    def with_more(self, more: Labelling) -> Labelling:
        """Return the same with the labels of further graphs, which must be of the same kinds."""
        _refuse_other_readings(self.reading, more.reading)
        found: list[Seen | None] = []
        for kind, mine, theirs in zip(("vertex", "edge"), self[:2], more[:2], strict=True):
            # An empty column of labels goes with graphs that have none.
            if (
                mine is not None
                and theirs is not None
                and (len(theirs.hashes) or not theirs.labelled)
            ):
                _refuse_other_kinds(kind, mine.labelled, theirs.labelled)
                found.append(mine.with_more(theirs))
            else:
                found.append(theirs if mine is None else mine)
        return Labelling(found[0], found[1], self.reading or more.reading)

    def _check_column(
        self, kind: str, seen: Seen | None, labels: Labels | None, ptr: NDArray[np.int64]
    ) -> None:
        if seen is None or not ptr[-1]:
            return
        _refuse_other_kinds(kind, seen.labelled, labels is not None)
        if labels is None or not len(seen.hashes):
            return
        known = np.isin(_hashes(labels), seen.hashes)
        if not known.all():
            _warn_of_strangers(kind, np.isin(labels.hashes, seen.hashes), labels, ptr)


# Nothing is known yet: all graphs fit.
ANY = Labelling(None, None)


def _seen(labels: Labels | None, n: int) -> Seen | None:
    return None if labels is None and n == 0 else Seen.of(labels)


def _hashes(labels: Labels) -> NDArray[np.uint64]:
    """Return the hashes of the labels that occur, increasing."""
    place = np.full(len(labels.values), -1)
    place[labels.codes] = np.arange(len(labels))
    return np.sort(labels.hashes[place[place >= 0]])


def _refuse_other_readings(trained: str | None, given: str | None) -> None:
    """Refuse molecules that were read in another way; other graphs have no reading."""
    if trained is not None and given is not None and trained != given:
        raise ValueError(
            f"these molecules were read with {given}, but those the model was fitted on with "
            f"{trained}; read them with Graphs.from_smiles(smiles, {trained})"
        )


def _refuse_other_kinds(kind: str, trained: bool, given: bool) -> None:
    if trained and not given:
        raise ValueError(
            f"these graphs have no {kind} labels, but those the model was fitted on have; read "
            "both in the same way"
        )
    if given and not trained:
        raise ValueError(
            f"these graphs have {kind} labels, but those the model was fitted on have none; read "
            "both in the same way"
        )


def _warn_of_strangers(
    kind: str, known: NDArray[np.bool_], labels: Labels, ptr: NDArray[np.int64]
) -> None:
    """Warn if there are graphs of which no label was seen in training."""
    n_known = np.bincount(part_of(ptr), known, len(ptr) - 1)
    strangers = np.flatnonzero((n_known == 0) & (np.diff(ptr) > 0))
    if not len(strangers):
        return
    first = int(strangers[0])
    own = list(dict.fromkeys(map(repr, labels[int(ptr[first]) : int(ptr[first + 1])])))
    warnings.warn(
        f"no {kind} label of {_listed('graph', strangers.tolist())} was seen in training (graph "
        f"{first} has {_listed('', own)}), so there is little to compare; check that labels mean "
        "the same",
        UserWarning,
        stacklevel=2,
    )


def _listed(word: str, items: Sequence[object]) -> str:
    """Name the first items, and say how many more there are."""
    text = ", ".join(map(str, items[:_NAMED]))
    more = f" and {len(items) - _NAMED} more" if len(items) > _NAMED else ""
    return f"{word}{'s' if word and len(items) > 1 else ''} {text}{more}".strip()
