"""What every result file says about where its numbers come from."""

import json
import os
import platform
import re
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from grafik.system.versions import processor

RESULTS = Path(__file__).parent / "results"
_CPUINFO, _CACHES = Path("/proc/cpuinfo"), Path("/sys/devices/system/cpu/cpu0/cache")
# Instructions on vectors, the widest first.
_VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2", "asimd": "NEON"}
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
        "kind": kind(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES if _installed(name)},
    }


def _installed(name: str) -> bool:
    """Whether there is a package; GraKeL has no wheels for the newest Python."""
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def kind(cpuinfo: Path = _CPUINFO, caches: Path = _CACHES) -> dict | None:
    """Say which kind of processor this is, as its name alone does not; None if unknown."""
    try:
        lines = cpuinfo.read_text().split("\n\n")[0].splitlines()
    except OSError:  # not Linux
        return None
    found = {key.strip(): value.strip() for key, _, value in (x.partition(":") for x in lines)}
    flags = (found.get("flags") or found.get("Features") or "").split()
    return {
        "vendor": found.get("vendor_id") or found.get("CPU implementer"),
        "family": found.get("cpu family") or found.get("CPU architecture"),
        "model": found.get("model") or found.get("CPU part"),
        "vectors": next((name for flag, name in _VECTORS.items() if flag in flags), None),
        "caches": _caches(caches),
    }


def _caches(folder: Path) -> dict[str, str]:
    """Return the sizes of the caches that the first core has, by their names."""
    found = {}
    for index in sorted(folder.glob("index*")):
        level, what, size = ((index / n).read_text().strip() for n in ("level", "type", "size"))
        if what != "Instruction":
            found[f"L{level}"] = size
    return found


def named(result: dict) -> str:
    """Write the processor of a result, with its kind if the file has it."""
    name, details = result["processor"] or result["machine"], result.get("kind")
    if not details:
        return name
    sizes = [f"{_bytes(size)} of {level}" for level, size in details["caches"].items()]
    number = f"family {details['family']}, model {details['model']}"
    return f"{name} ({', '.join(filter(None, [number, details['vectors'], *sizes]))})"


def _bytes(size: str) -> str:
    """Write a size such as 2048K."""
    kilobytes = int(size.removesuffix("K"))
    return f"{kilobytes / 1024:g} MB" if kilobytes >= 1024 else f"{kilobytes} kB"


def folder_of(result: dict) -> str:
    """Return the name of the folder for results of a kind of processor."""
    details = result["kind"] or {}
    parts = [details.get(key) for key in ("vendor", "family", "model", "vectors")]
    text = "-".join(part for part in parts if part) or result["machine"]
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def same_kind(one: dict, other: dict) -> bool:
    """Whether two results are from the same kind of processor; caches of others may be shared."""
    if one.get("kind") is None or other.get("kind") is None:
        return one["processor"] == other["processor"]
    return folder_of(one) == folder_of(other)


def load() -> float | None:
    """Return how busy the machine is, to be asked before measuring; None if it does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def write_result(name: str, result: dict) -> Path:
    """Write a result file; the folder is under version control.

    A result from another kind of processor than the one that is there is written beside it, to a
    folder named after its kind.
    """
    here, path = machine(), RESULTS / f"{name}.json"
    if path.is_file() and not same_kind(json.loads(path.read_text()), here):
        path = RESULTS / folder_of(here) / path.name
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps({**here, **result}, indent=1) + "\n")
    part.replace(path)
    return path


def read_result(name: str) -> dict:
    """Read a result file."""
    found = read_if_there(name)
    if found is None:
        path = RESULTS / f"{name}.json"
        raise FileNotFoundError(f"there is no {path}; measure first: ./run bench {name}")
    return found


def read_if_there(name: str) -> dict | None:
    """Read a result file; None if that part was not measured yet."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text()) if path.is_file() else None


def read_others(name: str) -> list[dict]:
    """Read the result files of other kinds of processors."""
    return [json.loads(path.read_text()) for path in sorted(RESULTS.glob(f"*/{name}.json"))]
