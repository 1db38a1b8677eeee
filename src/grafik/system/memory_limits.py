"""How much memory this process may still take, by everything that limits it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")
_CGROUPS = Path("/sys/fs/cgroup")
# Names of the files of both versions: the limit, what is taken, and the part of it, in the file of
# statistics, that the system gives up when memory is scarce.
_SECOND = ("memory.max", "memory.current", "inactive_file")
_FIRST = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def available() -> float | None:
    """Return the free memory in bytes, None where the system does not tell.

    This is the least of what the machine has free, what the limit on the address space leaves
    (``ulimit -v``), and what the limits of the control groups leave, as those of containers.
    """
    return min((float(free) for free in _all_limits()), default=None)


def _all_limits() -> Iterator[float]:
    yield from _of_machine()
    yield from _of_process()
    yield from _of_groups()


def _of_machine() -> Iterator[float]:
    for line in _lines(_PROC / "meminfo"):
        if line.startswith("MemAvailable:"):
            yield float(line.split()[1]) * 1024


def _of_process() -> Iterator[float]:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = "".join(_lines(_PROC / "self" / "statm")).split()
    if limit != resource.RLIM_INFINITY and pages:
        yield max(0.0, limit - float(pages[0]) * os.sysconf("SC_PAGE_SIZE"))


def _of_groups() -> Iterator[float]:
    """Yield what each control group leaves, from that of this process up to the root."""
    for line in _lines(_PROC / "self" / "cgroup"):
        number, controllers, path = line.split(":", 2)
        if number == "0":
            root, names = _CGROUPS, _SECOND
        elif "memory" in controllers.split(","):
            root, names = _CGROUPS / "memory", _FIRST
        else:
            continue
        own = root / path.strip("/")
        # Within a container, the path may be one of the machine outside; then the root is ours.
        for folder in (own, *own.parents):
            yield from _left(folder, *names)
            if folder == root:
                break


def _left(folder: Path, limit: str, taken: str, spare: str) -> Iterator[float]:
    bounds = [line for name in (limit, taken) for line in _lines(folder / name)]
    if len(bounds) != 2 or not all(bound.isdigit() for bound in bounds):
        return  # there is no such group, or no limit: "max"
    words = (line.split() for line in _lines(folder / "memory.stat"))
    given_up = sum(float(found[1]) for found in words if found[0] == spare)
    yield max(0.0, float(bounds[0]) - float(bounds[1]) + given_up)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
