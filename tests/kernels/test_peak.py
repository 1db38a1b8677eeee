"""Kernels stay within their budget of memory."""

import subprocess
import sys
from pathlib import Path

import pytest

PEAK = """
import sys
from pathlib import Path
import numpy as np
from grafik import FiltrationKernel, Graphs, datasets

def status(field):
    return int(Path("/proc/self/status").read_text().split(field + ":")[1].split()[0]) / 1024

if sys.argv[1] == "star":  # every leaf changes its label at every level
    edges = np.column_stack([np.zeros(4000, int), np.arange(1, 4001)])
    graphs = Graphs([0, 4001], [0, 4000], edges, edge_attributes=np.arange(4000.0))
    options = {"weight": "attribute", "thresholds": "distinct"}
else:
    graphs, _ = datasets.random_graphs(3000, n_nodes=20, density=0.1, n_labels=3)
    options = {"n_jobs": 2}
small = graphs if sys.argv[1] == "star" else graphs[:50]
FiltrationKernel(**options).fit_transform(small[:1])  # loads the compiled loops
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
FiltrationKernel(**options).fit_transform(graphs)
print(status("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak")
@pytest.mark.parametrize(("what", "megabytes"), [("star", 30), ("many", 260)])
def test_memory_stays_within_the_budget(what, megabytes):
    """The star has 4000 levels and few rows; the matrix of the many takes 72 MB."""
    found = subprocess.run(
        [sys.executable, "-c", PEAK, what], capture_output=True, text=True, check=True
    )
    assert float(found.stdout) < megabytes
