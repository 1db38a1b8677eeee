"""Calls of functions on the workers of a cluster: a few at a time, and cancelled at the end."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any
from uuid import uuid4

from ..system.optional import require
from ..system.versions import versions

EXTRA = "grafik[distributed]"
# Data that the cluster keeps is sent only once, but Dask would warn about more than 10 MB.
_UNWARNED = {"distributed.admin.large-graph-warning-threshold": "1 TiB"}

_LOST = (
    "the connection to the scheduler was lost, or the work was cancelled; connect again: the same "
    "call goes on where it was, if it writes to a disk"
)


def checked_client(client: Any) -> Any:
    """Return a Dask client that can be used here; refuse anything else."""
    distributed = require("distributed", "client=", EXTRA)
    if not isinstance(client, distributed.Client):
        raise TypeError(
            "client must be a dask.distributed.Client, such as Client('tcp://scheduler:8786'), "
            f"got {client!r}"
        )
    if client.asynchronous:
        raise ValueError("client must not be asynchronous; make it with asynchronous=False")
    if client.status != "running":
        raise ConnectionError(f"client is {client.status}; connect it to a scheduler first")
    return client


@contextlib.contextmanager
def connected(address: str, timeout: str = "10s") -> Iterator[Any]:
    """Connect to a scheduler, and close the connection at the end.

    Parameters
    ----------
    address : str
        As the scheduler prints it when it starts, such as ``tcp://127.0.0.1:8786``.
    timeout : str
        How long to try.
    """
    distributed = require("distributed", "a scheduler", EXTRA)
    try:
        client = distributed.Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"there is no Dask scheduler at {address}: {error}; start one with 'dask scheduler', "
            "or give the address that it prints"
        ) from error
    with client:
        yield client


def held(client: Any, value: Any) -> Any:
    """Give a value to the cluster, and return a future of it.

    It travels once to the scheduler, and from there to the worker that needs it first. Unlike
    scattered data, it is not lost with a worker: the scheduler sends it to another one.
    """
    dask = require("dask", "client=", EXTRA)
    with dask.config.set(_UNWARNED), _connection():
        return client.submit(_itself, value, key=f"held-{uuid4().hex}")


def results_on(
    client: Any, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]
) -> Generator[tuple[int, Any], None, None]:
    """Call a function on workers; yield the number of each call and its result, when it is ready.

    Only a few calls are under way at a time, so that what is computed does not pile up before it is
    used. When the iteration ends, by an error or otherwise, calls under way are cancelled.

    Parameters
    ----------
    client : dask.distributed.Client
    function : callable
        Importable on the workers, and safe to call twice with the same arguments.
    calls : iterable of tuple
        Arguments of each call: small values, and futures of large ones (:func:`held`).

    Examples
    --------
    >>> from dask.distributed import Client
    >>> from grafik.distributed import results_on
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     dict(results_on(client, divmod, [(7, 2), (9, 4)]))[1]
    (2, 1)
    """
    distributed = require("distributed", "client=", EXTRA)
    here, waiting = _versions(), enumerate(calls)
    numbers: dict[Any, int] = {}
    ready = distributed.as_completed(loop=client.loop, with_results=True)

    def submit() -> None:
        # Twice as many as can run, so that no worker waits; workers that joined later count too.
        with _connection():
            most = 2 * sum(client.nthreads().values()) + 2
        for number, arguments in islice(waiting, max(most - len(numbers), 0)):
            key = f"{function.__name__}-{uuid4().hex}"
            with _connection():
                future = client.submit(_checked, here, function, *arguments, key=key)
            numbers[future] = number
            ready.add(future)

    try:
        submit()
        while numbers:
            future, result = next(ready)
            if future.cancelled():
                raise ConnectionError(_LOST)
            number = numbers.pop(future)
            del future  # so that the cluster need not keep it
            submit()
            yield number, result
    except distributed.KilledWorker as error:
        raise ChildProcessError(
            "several workers died over the same task, perhaps because they ran out of memory; "
            "give them more, or make blocks smaller"
        ) from error
    finally:
        with contextlib.suppress(Exception):  # the connection may be gone
            client.cancel(list(numbers), force=True)


@contextlib.contextmanager
def _connection() -> Iterator[None]:
    """Turn the errors of Dask when it cannot reach the scheduler into one that says what to do."""
    module = require("distributed.client", "client=", EXTRA)
    closed = getattr(module, "ClosedClientError", RuntimeError)  # older releases lack it
    try:
        yield
    except (OSError, RuntimeError, closed) as error:
        raise ConnectionError(_LOST) from error


def _itself(value: Any) -> Any:
    return value


def _checked(expected: dict[str, str], function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function on a worker; refuse a worker with other versions than the client's."""
    found = _versions()
    if found != expected:
        differing = ", ".join(
            f"{name} {found.get(name)} there and {version} here"
            for name, version in expected.items()
            if found.get(name) != version
        )
        raise ValueError(
            f"a worker has other versions than the client: {differing}; install the same ones, as "
            "results could differ"
        )
    return function(*arguments)


@cache
def _versions() -> dict[str, str]:
    return versions()
