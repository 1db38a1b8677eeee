"""What every result file says about where its numbers come from."""

import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from grafik.system.versions import processor

RESULTS = Path(__file__).parent / "results"
PACKAGES = (
    "grafik",
    "numpy",
    "numba",
    "scipy",
    "scikit-learn",
    "networkx",
    "grakel",
    "POT",
    "pyarrow",
    "dask",
)


def machine() -> dict:
    """Describe this machine and the versions of the packages that matter."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": platform.machine(),
        "processor": processor(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def load() -> float | None:
    """Return how busy the machine is, to be asked before measuring; None if it does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def write_result(name: str, result: dict) -> Path:
    """Write a result file; the folder is under version control."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    part = path.with_suffix(".part")
    part.write_text(json.dumps({**machine(), **result}, indent=1) + "\n")
    part.replace(path)
    return path


def read_result(name: str) -> dict:
    """Read a result file."""
    path = RESULTS / f"{name}.json"
    if not path.is_file():
        raise FileNotFoundError(f"there is no {path}; measure first: ./run bench {name}")
    return json.loads(path.read_text())
