"""Where faults happen: a folder, what undisturbed operations write there, loops and a cluster."""

import io
import logging
import os
import signal
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from . import clusters, disks, files
from .files import Tree
from .operations import ON_CLUSTER, OPERATIONS, Operation, give
from .processes import End, Process, end_all, end_if_asked, ended, environment, started, stop
from .watching import Within, counting, telling, told

_PAGE = 4096
_COMPILING = 1200.0  # seconds that all loops may take to be compiled, on a busy machine


class Known(NamedTuple):
    """What is known of an undisturbed operation.

    Attributes
    ----------
    wanted, before : Tree
        What it writes, and what it writes from other data.
    seconds : float
    calls : int
        Number of its calls that reach the disk.
    """

    wanted: Tree
    before: Tree
    seconds: float
    calls: int

    @property
    def size(self) -> int:
        """Bytes of all files, each of which takes whole pages of the disk."""
        sizes = [len(content) for content in self.wanted.values() if content]
        return sum(-(-one // _PAGE) * _PAGE for one in sizes)

    @property
    def largest(self) -> int:
        """Bytes of the largest file."""
        return max(len(content) for content in self.wanted.values() if content)


class Loops(NamedTuple):
    """Compiled loops of an operation, and how long a new process takes that only loads them."""

    folder: Path
    seconds: float


class Scene:
    """A folder in which operations are disturbed, one at a time.

    Parameters
    ----------
    base : Path
        An empty folder.
    operations : dict
        By their names.
    """

    def __init__(self, base: Path, operations: dict[str, Operation] = OPERATIONS) -> None:
        self.base, self.folder = base, base / "work"
        self.operations = operations
        self.folder.mkdir()
        self.known: dict[str, Known] = {}
        self._loops: dict[str, Loops] = {}
        self._cluster: clusters.Cluster | None = None
        self._on_cluster: dict[str, float] = {}
        self.mounted = disks.mount(self.folder)
        try:
            give(base / "given")
        except BaseException:
            self.close()
            raise

    def learn(self, name: str) -> Known:
        """Run an operation undisturbed, unless that is done."""
        if name not in self.known:
            editions, trees = (1, 0) if self.operations[name].replaces else (0,), {}
            for edition in editions:
                self.set({})
                self._load(name, edition)
                self.set({})
                end = checked(name, self.fork(name, edition).finish())
                trees[edition] = files.tree_of(self.folder)
            self.set({})
            counted = checked(name, self.fork(name, within=telling(counting)).finish())
            calls = told(counted.text)
            self.known[name] = Known(trees[0], trees.get(1, {}), end.seconds, calls)
            self.set({})
        return self.known[name]

    def set(self, tree: Tree) -> None:
        """Let the folder have these files, and no others."""
        files.clear(self.folder)
        files.put(tree, self.folder)

    def fork(self, name: str, edition: int = 0, within: Within = nullcontext) -> Process:
        """Begin an operation in a process that has all it needs."""

        def work() -> None:
            with within():
                self.operations[name].write(edition)

        return Process(self.folder, work)

    def start(self, name: str, loops: Path) -> Process:
        """Begin an operation in a new process, which finds compiled loops in a folder."""
        found = environment(NUMBA_CACHE_DIR=str(loops))
        return Process(self.folder, command=started(name, 0), environment=found)

    def loops(self, name: str) -> Loops:
        """Return the loops of an operation; they are compiled for the first time it is asked."""
        if name not in self._loops:
            folder = self.base / f"loops of {name}"
            folder.mkdir()
            for _ in range(2):
                self.set({})
                end = checked(name, self.start(name, folder).finish(longest=_COMPILING))
            self._loops[name] = Loops(folder, end.seconds)
            self.set({})
        return self._loops[name]

    def cluster(self) -> clusters.Cluster:
        """Return a cluster with all its workers, which is started if there is none."""
        if self._cluster is None:
            self._cluster = clusters.Cluster()
        return self._cluster

    def end_cluster(self) -> None:
        """End the cluster, if there is one."""
        if self._cluster is not None:
            self._cluster.end()
            self._cluster = None

    def fork_on_cluster(self, name: str) -> Process:
        """Begin an operation whose work the cluster does."""
        address = self.cluster().address

        def work() -> None:
            from grafik.distributed import connected

            # Dask logs what it tries to do about a lost connection, with traces of its own.
            logging.disable()
            with connected(address) as client:
                ON_CLUSTER[name](0, client)

        return Process(self.folder, work)

    def cluster_seconds(self, name: str) -> float:
        """Return how long an undisturbed operation takes with the cluster."""
        if name not in self._on_cluster:
            for _ in range(2):  # workers have to compile or load loops at first
                self.set({})
                end = checked(name, self.fork_on_cluster(name).finish())
            self._on_cluster[name] = end.seconds
            self.set({})
        return self._on_cluster[name]

    def close(self) -> None:
        """End what was started, and give the disk back."""
        self.end_cluster()
        end_all()
        if self.mounted:
            disks.unmount(self.folder)

    def _load(self, name: str, edition: int) -> None:
        """Run an operation here, so that forked processes have modules, loops and models."""
        place, handler, arguments = Path.cwd(), signal.getsignal(signal.SIGTERM), sys.argv
        hook = sys.unraisablehook
        os.chdir(self.folder)
        try:
            # The command line has a handler of its own, which does not remember that it was asked,
            # and a hook.
            with redirect_stdout(io.StringIO()), patch("grafik.cli.signals._stop", stop):
                code = ended(lambda: self.operations[name].write(edition))
            if code == 128 + signal.SIGINT:  # not the operation was asked to end, but this process
                raise KeyboardInterrupt
            end_if_asked()
            if code != 0:
                raise RuntimeError(f"{name} fails undisturbed, with {code}")
        finally:
            os.chdir(place)
            signal.signal(signal.SIGTERM, handler)
            sys.argv, sys.unraisablehook = arguments, hook


def checked(name: str, end: End) -> End:
    """Refuse that an operation fails undisturbed."""
    if end.code != 0:
        raise RuntimeError(f"{name} fails undisturbed, with {end.code}: {end.text}")
    return end
