"""Folds of graphs: stratified by class, and such that no group of graphs is torn apart."""

from __future__ import annotations

import hashlib
import warnings
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from ..graphs.convert.smiles import is_missing
from ..models.selection import inner_folds

Fold: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]


def fewer(n_splits: int = 0) -> str:
    """Return the advice to take fewer folds, at most so many if that is known to be enough."""
    values = f"n_splits={n_splits}" if n_splits else "n_splits=2, inner_splits=2"
    return (
        f"use fewer folds (protocol=evaluation.PROTOCOLS[...].with_values({values}), "
        f"or --folds {n_splits or 2})"
    )


def needed(n_graphs: int, n_splits: int, inner_splits: int) -> int:
    """Return how many graphs a class needs that has `n_graphs`, so that all inner folds have it."""
    return max(n_splits, inner_splits + -(-n_graphs // n_splits))


def most_folds(y: NDArray[Any], n_splits: int, inner_splits: int) -> int:
    """Return how many outer folds the rarest class allows, at most `n_splits`; 0 if none.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.evaluation.folds import most_folds
    >>> most_folds(np.repeat([0, 1], [30, 6]), 10, 3)
    6
    """
    rarest = int(np.unique(y, return_counts=True)[1].min(initial=len(y)))
    fit = (n for n in range(2, n_splits + 1) if rarest >= needed(rarest, n, inner_splits))
    return max(fit, default=0)


def group_codes(groups: Any, n_graphs: int) -> NDArray[np.int64]:
    """Return the number of each graph's group, in the order in which groups first occur."""
    given = np.asarray(groups, dtype=object)
    if given.shape != (n_graphs,):
        raise ValueError(
            f"groups must have one entry for each of {n_graphs} graphs, got shape {given.shape}"
        )
    seen: dict[Any, int] = {}
    for position, group in enumerate(given):
        if is_missing(group):
            raise ValueError(f"graph {position} has no group, but {group!r}; give it one")
        seen.setdefault(group, len(seen))
    return np.array([seen[group] for group in given], np.int64)


def groups_digest(codes: NDArray[np.int64]) -> str:
    """Return the SHA-256 of which graphs are together, whatever their groups are called."""
    return hashlib.sha256(codes.astype("<i8").tobytes()).hexdigest()


def outer_folds(
    y: NDArray[np.int64], groups: NDArray[np.int64] | None, n_splits: int, seed: int
) -> list[Fold]:
    """Return training and test positions of shuffled folds."""
    rows = np.zeros(len(y))
    if groups is None:
        plain = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
        return list(plain.split(rows, y))
    n_groups, most = len(np.unique(groups)), np.bincount(y).max(initial=0)
    if min(n_groups, most) < n_splits:
        found = f"{n_groups} groups" if n_groups < n_splits else f"{most} graphs of a class"
        raise ValueError(f"{n_splits} folds need more than {found}; {fewer()}, or smaller groups")
    with warnings.catch_warnings():
        # Of classes with fewer graphs than folds: groups may well leave some folds without one.
        warnings.simplefilter("ignore", UserWarning)
        cut = StratifiedGroupKFold(n_splits, shuffle=True, random_state=seed)
        folds = list(cut.split(rows, y, groups))
    _check_grouped(y, folds)
    return folds


def chosen_by(
    y: NDArray[np.int64],
    groups: NDArray[np.int64] | None,
    train: NDArray[np.intp],
    n_splits: int,
    seed: int,
) -> list[Fold]:
    """Return the folds of a training part by which parameters are chosen."""
    if groups is None:
        return inner_folds(y, train, n_splits, seed)
    inside = outer_folds(y[train], groups[train], n_splits, seed)
    return [(train[a], train[b]) for a, b in inside]


def _check_grouped(y: NDArray[np.int64], folds: list[Fold]) -> None:
    """Refuse folds that cannot be trained or tested on, because a group is too large."""
    for number, (train, test) in enumerate(folds):
        if len(test) == 0 or len(np.unique(y[train])) < 2:
            what = "has nothing to test" if len(test) == 0 else "has one class to learn from"
            raise ValueError(
                f"fold {number} of {len(folds)} {what}, because some group holds too many of the "
                f"{len(y)} graphs; {fewer()}, or smaller groups"
            )
