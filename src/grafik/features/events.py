"""From events, each a change of a number of occurrences at some level, to histograms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.hash_table import empty_table, place_of
from ..system.threads import uninterrupted
from .histograms import Histograms, Rows


class Events(NamedTuple):
    """Changes of the number of occurrences, graph after graph, by increasing level within each."""

    event_ptr: NDArray[np.int64]
    depths: NDArray[np.int32]
    features: NDArray[np.uint64]
    levels: NDArray[np.int32]
    changes: NDArray[np.int64]


def from_events(
    n_graphs: int,
    n_levels: int,
    graphs: NDArray[Any],
    features: NDArray[np.uint64],
    levels: NDArray[Any],
    changes: NDArray[Any],
    *,
    names: Mapping[int, Any] | None = None,
) -> Histograms:
    """Build histograms from events in any order.

    Parameters
    ----------
    n_graphs, n_levels : int
    graphs, features, levels, changes : ndarray, shape (n_events,)
        In graph ``graphs[i]`` feature ``features[i]`` occurs ``changes[i]`` times more (or fewer)
        from level ``levels[i]`` on than before.
    names : dict, optional
        What each feature is.
    """
    order = np.lexsort((levels, graphs))
    events = Events(
        np.searchsorted(np.asarray(graphs)[order], np.arange(n_graphs + 1)).astype(np.int64),
        np.zeros(len(order), np.int32),
        np.asarray(features, np.uint64)[order],
        np.asarray(levels, np.int32)[order],
        np.asarray(changes, np.int64)[order],
    )
    return Histograms.joined(n_levels, [collect(events)], names)


def collect(events: Events) -> Rows:
    """Add up the events of each feature in each graph, in linear time."""
    if len(events.features) >= 1 << 32:  # rows are numbered by 32 bits
        raise ValueError(
            f"{len(events.features)} changes of features are too many to count at once; count "
            "fewer graphs at a time"
        )
    largest = int(np.diff(events.event_ptr).max(initial=1))
    table = empty_table(largest)
    keys = events.event_ptr, events.depths, events.features
    row_of, n_rows = uninterrupted(_find_rows, *keys, table)
    added = uninterrupted(_add_up, row_of, int(n_rows.sum()), *events[1:])
    depths, features, n_runs, *runs = added
    alive = n_runs > 0
    if not alive.all():  # born and gone at the same level
        graphs = np.repeat(np.arange(len(n_rows)), n_rows)[alive]
        n_rows = np.bincount(graphs, minlength=len(n_rows))
        depths, features, n_runs = depths[alive], features[alive], n_runs[alive]
    return Rows(n_rows, depths, features, n_runs, *runs)


@njit(cache=True, nogil=True)
def _find_rows(event_ptr, depths, features, table):
    """Give each event the number of its row, and count the rows of each graph."""
    row_of = np.empty(len(features), np.int64)
    n_rows = np.zeros(len(event_ptr) - 1, np.int64)
    rows = np.int64(0)
    for graph in range(len(n_rows)):
        first = rows
        for event in range(event_ptr[graph], event_ptr[graph + 1]):
            slot = table[place_of(table, features[event], depths[event], first)]
            if slot.number <= first:
                rows += 1
                slot.key, slot.tag, slot.number = features[event], depths[event], rows
            row_of[event] = slot.number - 1
        n_rows[graph] = rows - first
    return row_of, n_rows


@njit(cache=True, nogil=True)
def _add_up(row_of, n_rows, depths, features, levels, changes):
    """Turn the events of each row, which come by increasing level, into runs."""
    starts = np.zeros(n_rows + 1, np.int64)
    for event in range(len(row_of)):
        starts[row_of[event] + 1] += 1
    for row in range(n_rows):
        starts[row + 1] += starts[row]
    order = np.empty(len(row_of), np.int64)
    filled = starts[:-1].copy()
    for event in range(len(row_of)):
        order[filled[row_of[event]]] = event
        filled[row_of[event]] += 1
    row_depths, row_features = np.empty(n_rows, np.int32), np.empty(n_rows, np.uint64)
    n_runs = np.zeros(n_rows, np.int64)
    run_levels, run_counts = np.empty(len(row_of), np.int32), np.empty(len(row_of), np.int64)
    runs = 0
    for row in range(n_rows):
        row_depths[row] = depths[order[starts[row]]]
        row_features[row] = features[order[starts[row]]]
        count, shown = 0, 0
        for at in range(starts[row], starts[row + 1]):
            event = order[at]
            count += changes[event]
            last = at + 1 == starts[row + 1] or levels[order[at + 1]] != levels[event]
            if last and count != shown:
                run_levels[runs], run_counts[runs] = levels[event], count
                n_runs[row] += 1
                runs += 1
                shown = count
    return row_depths, row_features, n_runs, run_levels[:runs].copy(), run_counts[:runs].copy()
