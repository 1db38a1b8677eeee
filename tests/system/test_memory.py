"""What grafik does about memory, in a process of its own."""

import os
import platform
import subprocess
import sys

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
