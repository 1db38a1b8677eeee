"""Free memory is the least that any of its limits leaves: machine, address space, containers."""

import subprocess
import sys

import pytest

from grafik.system import memory_limits

MEMINFO = "MemTotal: 9 kB\nMemAvailable:    7000000 kB\n"


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({}, 7e6 * 1024),
        # Version 2, within a container and without, with limits at each level.
        (
            {
                "proc/self/cgroup": "0::/\n",
                "sys/memory.max": "900\n",
                "sys/memory.current": "300\n",
            },
            600,
        ),
        (
            {"proc/self/cgroup": "0::/\n", "sys/memory.max": "max\n", "sys/memory.current": "3\n"},
            7e6 * 1024,
        ),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/a/b/memory.max": "900\n",
                "sys/a/b/memory.current": "300\n",
                "sys/a/memory.max": "500\n",
                "sys/a/memory.current": "310\n",
                "sys/a/memory.stat": "anon 5\ninactive_file 10\n",
            },
            200,
        ),
        # Version 1; the path is one of the machine outside the container.
        (
            {
                "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n",
                "sys/memory/memory.limit_in_bytes": "1000\n",
                "sys/memory/memory.usage_in_bytes": "400\n",
                "sys/memory/memory.stat": "inactive_file 1\ntotal_inactive_file 50\n",
            },
            650,
        ),
        # Lines that nobody expects are passed over.
        (
            {
                "proc/meminfo": "\nMemAvailable:\nMemAvailable: many kB\nMemAvailable: 7000 kB\n",
                "proc/self/statm": "many\n",
                "proc/self/cgroup": "\nno colons\n0:one\n0::/\n",
                "sys/memory.max": "900\n",
                "sys/memory.current": "300\n",
                "sys/memory.stat": "\ninactive_file\ninactive_file x\ninactive_file 10\n",
            },
            610,
        ),
        (
            {
                "proc/self/cgroup": "0::/\n",
                "sys/memory.max": "\u00b2\n",
                "sys/memory.current": "3\n",
            },
            7e6 * 1024,
        ),
        # More is taken than allowed: nothing is free.
        ({"proc/self/cgroup": "0::/\n", "sys/memory.max": "9\n", "sys/memory.current": "30\n"}, 0),
    ],
)
def test_the_least_limit_counts(files, free, tmp_path, monkeypatch):
    write(tmp_path, {"proc/meminfo": MEMINFO, **files})
    monkeypatch.setattr(memory_limits, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(memory_limits, "_CGROUPS", tmp_path / "sys")
    assert memory_limits.available() == free


def test_where_nobody_tells_nothing_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr(memory_limits, "_PROC", tmp_path)
    assert memory_limits.available() is None


def test_a_limit_on_the_address_space_leads_to_our_sentence():
    resource = pytest.importorskip("resource")
    assert resource.RLIMIT_AS >= 0
    code = (
        "import resource\n"
        "from grafik.system.memory import refuse_large_gram\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9, resource.RLIM_INFINITY))\n"
        "refuse_large_gram(20_000, 20_000, 1)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (
        "MemoryError: the Gram matrix of 20000 x 20000 graphs takes 3.2 GB, but only" in run.stderr
    )
