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
    (``ulimit -v``), and what the limits of the control groups leave, as those of containers. What
    cannot be understood limits nothing.
    """
    return min((float(free) for free in _all_limits()), default=None)


def _all_limits() -> Iterator[float]:
    yield from _of_machine()
    yield from _of_process()
    yield from _of_groups()


def _of_machine() -> Iterator[float]:
    for free in _numbers(_PROC / "meminfo", "MemAvailable:"):
        yield free * 1024


def _of_process() -> Iterator[float]:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = "".join(_lines(_PROC / "self" / "statm")).split()
    if limit != resource.RLIM_INFINITY and pages and _are_numbers(pages[:1]):
        yield max(0.0, limit - float(pages[0]) * os.sysconf("SC_PAGE_SIZE"))


def _of_groups() -> Iterator[float]:
    """Yield what each control group leaves, from that of this process up to the root."""
    for line in _lines(_PROC / "self" / "cgroup"):
        if line.count(":") < 2:
            continue
        number, controllers, path = line.split(":", 2)
        if number == "0":
            root, names = _CGROUPS, _SECOND
        elif "memory" in controllers.split(","):
            root, names = _CGROUPS / "memory", _FIRST
        else:
            continue
        own = root / path.strip("/")
        # Within a container, the path may be one of the machine outside; then the root is ours.
        around = [own, *own.parents]
        for folder in around[: around.index(root) + 1]:
            yield from _left(folder, *names)


def _left(folder: Path, limit: str, taken: str, spare: str) -> Iterator[float]:
    bounds = [line for name in (limit, taken) for line in _lines(folder / name)]
    if len(bounds) != 2 or not _are_numbers(bounds):
        return  # there is no such group, or no limit: "max"
    given_up = sum(_numbers(folder / "memory.stat", spare))
    yield max(0.0, float(bounds[0]) - float(bounds[1]) + given_up)


def _numbers(path: Path, name: str) -> Iterator[float]:
    """Yield the numbers behind a name in a file, of which there should be one."""
    for line in _lines(path):
        words = line.split()
        if words[:1] == [name] and len(words) > 1 and _are_numbers(words[1:2]):
            yield float(words[1])


def _are_numbers(words: list[str]) -> bool:
    return all(word.isdecimal() and word.isascii() for word in words)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(errors="replace").splitlines()
    except OSError:
        return []
