"""Build the packages and try them as a user would: ``./run release-check``.

The wheel and the source archive are left in ``dist``. Everything else happens in a temporary
folder: environments that are new, without extras, and with nothing of this repository on the path.
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from . import contents
from .oldest import ROOT
from .todo import left_to_do

DIST = ROOT / "dist"
_AUDIT_MINUTES = 3


def main() -> int:
    """Run all checks; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="grafik-release-") as folder:
        place = Path(folder)
        tools = new_environment(place / "tools", "build", "twine", "pip-audit")
        wheel, source = build(tools)
        call(tools, "-m", "twine", "check", "--strict", wheel, source)
        contents.check_wheel(wheel)
        contents.check_source(source)
        for package in (source, wheel):
            tell(f"installing {package.name} in a new environment")
            user = new_environment(place / package.suffix[1:], package)
            try_out(user, place)
        check_types(user, place)
        audit(tools, user)
    tell("all checks passed; before a release:")
    for line in left_to_do():
        tell(f"- {line}")
    return 0


def new_environment(folder: Path, *packages: str | Path) -> Path:
    """Make a virtual environment with some packages, and return its interpreter."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    install(python, *packages)
    return python


def install(python: Path, *packages: str | Path) -> None:
    """Install packages into the environment of an interpreter."""
    call(python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *packages)


def build(tools: Path) -> tuple[Path, Path]:
    """Build the source archive, and from it the wheel."""
    DIST.mkdir(exist_ok=True)
    for old in [*DIST.glob("*.whl"), *DIST.glob("*.tar.gz")]:
        old.unlink()
    call(tools, "-m", "build", "--outdir", DIST, ROOT)
    (wheel,), (source,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    return wheel, source


def try_out(python: Path, place: Path) -> None:
    """Run the commands and the smoke test of a plain install, outside of the repository."""
    call(python, "-m", "pip", "--disable-pip-version-check", "check")
    for arguments in (["--version"], ["--help"], ["demo"]):
        call(python, "-m", "grafik", *arguments, cwd=place)
    # Warnings are errors, as in the suite.
    call(python, "-W", "error", ROOT / "release" / "smoke.py", cwd=place)


def check_types(python: Path, place: Path) -> None:
    """Check a user's program with the types that the package brings."""
    install(python, "mypy")
    program = ROOT / "release" / "typed_user.py"
    call(python, "-m", "mypy", "--strict", "--cache-dir", place / "types", program, cwd=place)


def audit(tools: Path, user: Path) -> None:
    """Look for known weaknesses in what a plain install brings, where their list can be had."""
    pip = [str(user), "-m", "pip", "list", "--format", "freeze", "--exclude", "grafik"]
    listed = subprocess.run(pip, stdout=subprocess.PIPE, text=True, check=True).stdout
    needed = user.parent / "installed.txt"
    needed.write_text(listed)
    command = [tools, "-m", "pip_audit", "--no-deps", "--disable-pip", "-r", needed]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=60 * _AUDIT_MINUTES, check=False
        )
    except subprocess.TimeoutExpired:
        tell("skipped: pip-audit got no answer from the list of known weaknesses")
        return
    if "No known vulnerabilities" in run.stderr:
        tell("pip-audit knows no weakness of what was installed")
    elif "Found" in run.stderr:
        sys.exit(f"pip-audit found weaknesses:\n{run.stdout}")
    else:
        reason = (run.stderr.strip() or "no answer").splitlines()[-1]
        tell(f"skipped: pip-audit could not reach the list of known weaknesses ({reason[:200]})")


def call(python: Path, *arguments: str | Path, cwd: Path | None = None) -> None:
    """Run an interpreter without the paths of this one, and stop if it fails."""
    command = [str(python), *map(str, arguments)]
    tell(" ".join(command[1:]))
    code = subprocess.call(command, cwd=cwd, env=clean_environment())
    if code != 0:
        sys.exit(f"./run release-check: failed with code {code}: {' '.join(command)}")


def clean_environment() -> dict[str, str]:
    """Return the variables of this process, without those that would lead back here."""
    lead_back = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "MYPYPATH")
    return {name: value for name, value in os.environ.items() if name not in lead_back}


def tell(text: str) -> None:
    """Say what is being done."""
    print(f"release-check: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
