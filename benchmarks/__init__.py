"""How fast grafik is beside others: ``python -m benchmarks`` from the root, or ``./run bench``."""

from pathlib import Path

# Processes that measure are started here, so that they find this package.
ROOT = Path(__file__).parents[1]
