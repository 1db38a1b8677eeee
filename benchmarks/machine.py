"""What every result file says about where its numbers come from."""

import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def machine() -> dict:
    """Describe this machine and the versions of the packages that matter."""
    packages = ("grafik", "numpy", "networkx")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": platform.machine(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
    }


def write_result(name: str, result: dict) -> Path:
    """Write a result file; the folder is under version control."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    part = path.with_suffix(".part")
    part.write_text(json.dumps({**machine(), **result}, indent=1) + "\n")
    part.replace(path)
    return path
