"""What results depend on: versions of packages, and the processor."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

from .. import __version__

# Packages whose releases may change a result.
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "ckmeans")


def versions() -> dict[str, str]:
    """Return the versions of Python, grafik and the packages that results depend on."""
    found = {name: version(name) for name in _PACKAGES}
    return {"python": platform.python_version(), "grafik": __version__, **found}


def processor() -> str | None:
    """Return the model of the processor; None if the machine does not say."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # not Linux
        return platform.processor() or None
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, None)
