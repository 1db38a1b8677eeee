"""What grafik does about memory, in a process of its own."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from grafik.system import memory

_FAULTS = """
import resource, sys
import numpy as np
if sys.argv[1] == "with":
    from grafik import FiltrationKernel, datasets
    FiltrationKernel().fit(datasets.csl(copies=1)[0])

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

counts = []
for _ in range(8):
    before = faults()
    together = [np.full(3 << 20, 1, np.uint8) for _ in range(4)]
    del together
    counts.append(faults() - before)
print(min(counts))  # a busy system may take away pages in between, which cost faults then
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is so eager")
def test_freed_memory_is_used_again():
    """Without, every page of every array is asked of the system again."""

    def faults(what):
        command = [sys.executable, "-c", _FAULTS, what]
        # A Dask cluster in this process leaves settings of its own behind.
        plain = {name: value for name, value in os.environ.items() if "MALLOC" not in name}
        run = subprocess.run(command, check=True, capture_output=True, text=True, env=plain)
        return int(run.stdout)

    assert faults("with") < 50
    assert faults("without") > 1000


@pytest.mark.parametrize(
    ("text", "size"),
    [("2048K\n", 2 << 20), ("1M", 1 << 20), ("524288", 1 << 19), ("0K", 1 << 17), ("?", 1 << 20)],
)
def test_the_size_of_the_cache_is_read(text, size, tmp_path, monkeypatch):
    (tmp_path / "size").write_text(text)
    monkeypatch.setattr(memory, "_CACHE", tmp_path / "size")
    assert memory.cache_size.__wrapped__() == size
    monkeypatch.setattr(memory, "_CACHE", tmp_path / "none")
    assert memory.cache_size.__wrapped__() == 1 << 20


@pytest.fixture
def little(monkeypatch):
    """A system with 1 kB of free memory, and nothing that is too small to be looked at."""
    monkeypatch.setattr(memory, "available", lambda: 1e3)
    monkeypatch.setattr(memory, "_SURELY_FREE", 0)


def test_what_grows_is_refused_before_it_is_too_much(little, monkeypatch):
    monkeypatch.setattr(memory, "_STEP", 100)
    growth = memory.Growth("joining", "take fewer")
    for _ in range(11):
        growth.add(100)
    message = r"^joining takes 1\.2 kB, but only 1\.0 kB .* free; take fewer$"
    with pytest.raises(MemoryError, match=message):
        growth.add(100)


def test_what_grows_little_is_not_looked_at(little):
    growth = memory.Growth("joining", "take fewer")
    growth.add(memory._STEP)
    with pytest.raises(MemoryError, match="joining takes"):
        growth.add(1)


def test_who_has_said_what_to_do_is_not_interrupted():
    with (
        pytest.raises(MemoryError, match=r"^it takes 9 GB; take less$"),
        memory.memory_for("all", "do nothing"),
    ):
        raise MemoryError("it takes 9 GB; take less")


def test_numpy_is_told_what_it_was_for():
    @memory.memory_for("a vector", "make a shorter one")
    def made():
        return np.empty(1 << 59)

    with pytest.raises(
        MemoryError,
        match=r"^a vector takes more memory than is free \(Unable to .*\); make a shorter one$",
    ) as told:
        made()
    assert type(told.value) is MemoryError


_LITTLE = """
import resource, sys
from grafik import *
from grafik import datasets
from grafik.features import ShortestPaths

graphs = datasets.random_graphs(8000, random_state=2)[0]
mean = MeanKernel([FiltrationKernel(weight="degree"), FiltrationKernel()])
all_work = {
    "labels": lambda graphs: FiltrationKernel(depth=100).fit(graphs),
    "paths": lambda graphs: FiltrationKernel(features=ShortestPaths()).fit(graphs),
    "gram": lambda graphs: FiltrationKernel(depth=1).fit_transform(graphs),
    "mean": lambda graphs: mean.fit_transform(graphs),
    "vectors": lambda graphs: FiltrationEmbedding(depth=50).fit_transform(graphs),
    "batch": lambda graphs: Graphs.concat([graphs] * (len(graphs) // 10)),
}
for work in all_work.values():
    work(graphs[:10])  # compiles, and loads what is needed
for name, work in all_work.items():
    pages = int(open("/proc/self/statm").read().split()[0])
    most = pages * resource.getpagesize() + int(float(sys.argv[1]) * 1e6)
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    try:
        work(graphs)
        print(name, "fits")
    except MemoryError as error:
        print(name, error)
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
@pytest.mark.parametrize(("millions", "may_fit"), [(5, ()), (60, ("paths", "vectors"))])
def test_where_the_system_gives_no_memory_our_sentence_comes(millions, may_fit):
    command = [sys.executable, "-c", _LITTLE, str(millions)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    assert len(lines) == 6
    for line in lines:
        name, said = line.split(" ", 1)
        told = re.search(r"takes (more memory than is free|.* memory are free).*; \w+", said)
        assert told or (said == "fits" and name in may_fit), line
