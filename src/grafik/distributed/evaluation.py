"""Units of an evaluation, done by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from .dask import held, results_on

if TYPE_CHECKING:
    from ..evaluation.unit import Unit, Work


def units_on(client: Any, work: Work, units: Sequence[Unit]) -> Generator[Any, None, None]:
    """Yield the result of each unit as soon as it is ready; graphs go to the cluster once."""
    if not units:
        return
    kept = held(client, work)
    with closing(results_on(client, do_unit, ((kept, unit) for unit in units))) as results:
        for _, result in results:
            yield result


def do_unit(work: Work, unit: Unit) -> Any:
    """Do one unit on a worker."""
    return work(unit)
