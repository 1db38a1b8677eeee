"""Run the quick suite with the oldest versions that pyproject.toml allows: ``./run test-oldest``.

Warnings are not errors here: old packages warn about newer ones, which is not ours to mend.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VENV = ROOT / ".venv-oldest"
# Extras that hold no packages of their own, or tools whose age does not matter to users; and
# PyTorch, which is too large to install here.
_NO_BOUNDS = ("all", "dev", "docs", "neural")


def main(arguments: list[str]) -> int:
    """Make the environment, and run the quick suite or what the arguments say."""
    python = oldest_python()
    shutil.rmtree(VENV, ignore_errors=True)
    subprocess.run([python, "-m", "venv", VENV], check=True)
    constraints = VENV / "constraints.txt"
    constraints.write_text("\n".join(pins(PROJECT)) + "\n")
    print(f"installing {', '.join(pins(PROJECT))}", file=sys.stderr)
    inside = VENV / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [inside, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    # Wheels only: an old version that has to be compiled fails late, and not for a reason of ours.
    wheels = ["--only-binary", ",".join(sorted(names(PROJECT)))]
    subprocess.run([*pip, *wheels, "-c", constraints, "-e", f"{ROOT}[dev]"], check=True)
    chosen = arguments or ["-m", "not slow", "--hypothesis-profile=quick"]
    # Loops that another version of numba compiled must not be mixed with these.
    loops = {"NUMBA_CACHE_DIR": str(VENV / "loops")}
    environment = {**os.environ, **loops, "PYTHONWARNINGS": "ignore"}
    suite = [inside, "-m", "pytest", "-W", "default", "-q", *chosen]
    return subprocess.call(suite, cwd=ROOT, env=environment)


def pins(project: dict) -> list[str]:
    """Return each lower bound of the project as the only version allowed."""
    found = {}
    for needed in bounded(project):
        name, version = re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)", needed).groups()
        if found.setdefault(name, version) != version:
            raise ValueError(f"{name} has two lower bounds: {found[name]} and {version}")
    return [f"{name}=={version}" for name, version in sorted(found.items())]


def names(project: dict) -> set[str]:
    """Return the packages that have a lower bound."""
    return {pin.partition("==")[0] for pin in pins(project)}


def bounded(project: dict) -> list[str]:
    """Return all requirements of users, without extras that name other extras of ours."""
    extras = project["optional-dependencies"]
    optional = [need for extra in extras if extra not in _NO_BOUNDS for need in extras[extra]]
    own = f"{project['name']}["
    return [need for need in [*project["dependencies"], *optional] if not need.startswith(own)]


def oldest_python() -> str:
    """Return the interpreter of the oldest Python that the project supports."""
    version = PROJECT["requires-python"].removeprefix(">=")
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        return getattr(sys, "_base_executable", sys.executable)
    found = shutil.which(f"python{version}")
    if found is None:
        raise FileNotFoundError(f"there is no python{version} on the PATH; install it first")
    return found


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"./run test-oldest: {error}")
