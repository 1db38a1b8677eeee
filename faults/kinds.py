"""The kinds of faults: each disturbs one operation, and says how.

What a fault does follows from its seed and number. Those that strike at a moment of the clock are
not the same twice, but nearly.
"""

import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from . import caches, disks
from .processes import End
from .scene import Scene
from .watching import Counting, jumping, killed_before, telling, ticking, told


class Disturbed(NamedTuple):
    """What became of a disturbed operation.

    Attributes
    ----------
    how : str
        What was done.
    ends : list of End
        Of all processes that wrote.
    struck : bool
        Whether the fault met the operation at all.
    again : callable or None
        Makes the same call again; None if that is done as usual.
    codes : tuple of int
        Codes with which a process may end without a message.
    silent : bool
        Whether the system's own message is enough, because no file is to blame.
    """

    how: str
    ends: list[End]
    struck: bool
    again: Callable[[], End] | None = None
    codes: tuple[int, ...] = ()
    silent: bool = False


def kill(scene: Scene, name: str, random: Random) -> Disturbed:
    """End the process without notice, at a moment, or before a call that reaches the disk."""
    if random.random() < 0.5:
        return _signalled(scene, name, random, signal.SIGKILL)
    before = random.randrange(max(scene.known[name].calls, 1)) + 1
    end = scene.fork(name, within=killed_before(before)).finish()
    how = f"killed before its call {before} of {scene.known[name].calls} to the disk"
    return Disturbed(how, [end], end.code == -signal.SIGKILL, codes=(-signal.SIGKILL,))


def interrupt(scene: Scene, name: str, random: Random) -> Disturbed:
    """Press Ctrl-C."""
    return _signalled(scene, name, random, signal.SIGINT)


def terminate(scene: Scene, name: str, random: Random) -> Disturbed:
    """Ask the process to end, as a batch system does."""
    return _signalled(scene, name, random, signal.SIGTERM)


def kill_import(scene: Scene, name: str, random: Random) -> Disturbed:
    """End a new process without notice, while it imports or loads its loops."""
    loops = scene.loops(name)
    moment = random.uniform(0.0, loops.seconds)
    process = scene.start(name, loops.folder)
    code = process.wait(moment)
    process.send(signal.SIGKILL)
    end = process.finish(code)
    return Disturbed(
        f"a new process killed after {moment:.3f} s",
        [end],
        end.code == -signal.SIGKILL,
        codes=(-signal.SIGKILL,),
    )


def kill_compile(scene: Scene, name: str, random: Random) -> Disturbed:
    """End a new process without notice, while it compiles some loops."""
    loops = scene.loops(name)
    cache = caches.copied(loops.folder, scene.base)
    missing = caches.forget(cache, random)
    moment = random.uniform(0.5, 1.5) * loops.seconds + 0.3 * missing
    process = scene.start(name, cache)
    code = process.wait(moment)
    process.send(signal.SIGKILL)
    end = process.finish(code)
    return Disturbed(
        f"a new process with {missing} loops to compile killed after {moment:.3f} s",
        [end],
        end.code == -signal.SIGKILL,
        lambda: scene.start(name, cache).finish(),
        codes=(-signal.SIGKILL,),
    )


def damaged_cache(scene: Scene, name: str, random: Random) -> Disturbed:
    """Damage compiled loops that numba has kept."""
    cache = caches.copied(scene.loops(name).folder, scene.base)
    how = caches.damage(cache, random)
    end = scene.start(name, cache).finish()
    return Disturbed(how, [end], True, lambda: scene.start(name, cache).finish())


def full_disk(scene: Scene, name: str, random: Random) -> Disturbed:
    """Leave less room on the disk than the files take."""
    free = random.randrange(scene.known[name].size + 1)
    with disks.nearly_full(scene.folder, free):
        end = scene.fork(name).finish()
    return Disturbed(f"a disk with {free} bytes left", [end], end.code != 0)


def read_only(scene: Scene, name: str, random: Random) -> Disturbed:
    """Allow nobody to write to the folder."""
    with disks.read_only(scene.folder, scene.mounted):
        end = scene.fork(name).finish()
    return Disturbed("a folder that is read-only", [end], True)


def file_size(scene: Scene, name: str, random: Random) -> Disturbed:
    """Limit the size of files."""
    most = random.randrange(scene.known[name].largest)

    @contextmanager
    def limited() -> Iterator[None]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        yield

    end = scene.fork(name, within=limited).finish()
    return Disturbed(f"files of at most {most} bytes", [end], end.code != 0)


def memory(scene: Scene, name: str, random: Random) -> Disturbed:
    """Limit the memory."""
    more = int(2 ** random.uniform(10, 22))

    @contextmanager
    def limited() -> Iterator[None]:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        yield

    end = scene.fork(name, within=limited).finish()
    aborted = (-signal.SIGABRT,) if "memory" in end.text.lower() else ()
    how = f"at most {more} bytes of memory more than at the start"
    return Disturbed(how, [end], end.code != 0, codes=aborted, silent=True)


def two_writers(scene: Scene, name: str, random: Random) -> Disturbed:
    """Let two processes write the same at the same time, one of them perhaps from other data."""
    edition = random.randrange(2) if scene.operations[name].replaces else 0
    later = random.uniform(0.0, 0.6) * scene.known[name].seconds
    first = scene.fork(name)
    code = first.wait(later)
    second = scene.fork(name, edition)
    ends = [first.finish(code), second.finish()]
    what = "other data" if edition else "the same"
    return Disturbed(f"a second process writes {what} after {later:.3f} s", ends, True)


def signals(scene: Scene, name: str, random: Random) -> Disturbed:
    """Interrupt every call of the system, a thousand times a second."""
    return _unnoticed(scene, name, ticking, "signals every millisecond")


def clock(scene: Scene, name: str, random: Random) -> Disturbed:
    """Let Python's clocks jump: that of the day by years, also back, the others forward."""
    return _unnoticed(scene, name, partial(jumping, random), "clocks that jump")


def lost_worker(scene: Scene, name: str, random: Random) -> Disturbed:
    """End a worker of the cluster that does the work."""
    cluster = scene.cluster()
    worker = random.choice(cluster.workers())
    return _on_cluster(scene, name, random, worker, "a worker of two is killed")


def lost_scheduler(scene: Scene, name: str, random: Random) -> Disturbed:
    """End the scheduler of the cluster that does the work."""
    cluster = scene.cluster()
    try:
        return _on_cluster(scene, name, random, cluster.pid, "the scheduler is killed")
    finally:
        scene.end_cluster()


class Kind(NamedTuple):
    """A kind of fault, how often it comes up, and which operations it disturbs."""

    disturb: Callable[[Scene, str, Random], Disturbed]
    share: int
    operations: tuple[str, ...] = ()


# Those of new processes and of clusters take seconds each, and are for few operations.
_NEW = ("save kernel", "gram_to")
CLUSTER = ("gram_to", "write_parts", "evaluate")
KINDS = {
    "kill": Kind(kill, 24),
    "kill-import": Kind(kill_import, 4, _NEW),
    "kill-compile": Kind(kill_compile, 4, _NEW),
    "interrupt": Kind(interrupt, 8),
    "terminate": Kind(terminate, 6),
    "full-disk": Kind(full_disk, 10),
    "read-only": Kind(read_only, 6),
    "file-size": Kind(file_size, 8),
    "memory": Kind(memory, 8),
    "two-writers": Kind(two_writers, 8),
    "signals": Kind(signals, 5),
    "clock": Kind(clock, 5),
    "damaged-cache": Kind(damaged_cache, 4, _NEW),
    "lost-worker": Kind(lost_worker, 3, CLUSTER),
    "lost-scheduler": Kind(lost_scheduler, 2, CLUSTER),
}


def _signalled(scene: Scene, name: str, random: Random, number: int) -> Disturbed:
    moment = random.uniform(0.0, 1.1) * scene.known[name].seconds
    process = scene.fork(name)
    code = process.wait(moment)
    process.send(number)
    end = process.finish(code)
    codes = (-number, 128 + number)
    struck = end.code in (*codes, None)
    return Disturbed(
        f"{signal.Signals(number).name} after {moment:.3f} s", [end], struck, codes=codes
    )


def _unnoticed(scene: Scene, name: str, within: Counting, how: str) -> Disturbed:
    """Disturb an operation that is not to notice it; it says how often that happened."""
    end = scene.fork(name, within=telling(within)).finish()
    times = told(end.text)
    return Disturbed(f"{how}, {times} times", [end], times > 0 or end.code != 0)


def _on_cluster(scene: Scene, name: str, random: Random, victim: int, how: str) -> Disturbed:
    moment = random.uniform(0.1, 1.0) * scene.cluster_seconds(name)
    process = scene.fork_on_cluster(name)
    code = process.wait(moment)
    struck = code is None
    if struck:
        os.kill(victim, signal.SIGKILL)
    end = process.finish(code)
    return Disturbed(f"{how} after {moment:.3f} s", [end], struck)
