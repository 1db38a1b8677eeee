"""What the wheel and the source archive hold, beside what they should."""

import subprocess
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

from .oldest import PROJECT, ROOT

# Without these a source archive is not the project.
NEEDED = ("LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "run", "tests/conftest.py")


def version() -> str:
    """Return the version that the sources name."""
    text = (ROOT / "src" / "grafik" / "__init__.py").read_text()
    (line,) = (line for line in text.splitlines() if line.startswith("__version__"))
    return line.partition('"')[2].partition('"')[0]


def tracked(folder: str) -> set[str]:
    """Return the files of a folder that are under version control."""
    run = subprocess.run(
        ["git", "ls-files", folder], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return set(run.stdout.splitlines())


def check_wheel(path: Path) -> None:
    """Refuse a wheel that is not the package, all of it and nothing else."""
    with zipfile.ZipFile(path) as wheel:
        files = set(wheel.namelist())
        about = f"grafik-{version()}.dist-info/"
        metadata = wheel.read(f"{about}METADATA").decode()
    package = {name for name in files if not name.startswith(about)}
    wanted = {name.removeprefix("src/") for name in tracked("src/grafik")}
    refuse_difference(path, package, wanted)
    if f"{about}licenses/LICENSE" not in files:
        raise SystemExit(f"{path.name} lacks the licence")
    check_metadata(path, metadata)


def refuse_difference(path: Path, found: set[str], wanted: set[str]) -> None:
    """Refuse files that should not be there, and missing ones."""
    if found != wanted:
        raise SystemExit(
            f"{path.name} lacks {sorted(wanted - found)} and has besides {sorted(found - wanted)}; "
            "commit new files, and see [tool.hatch.build] in pyproject.toml"
        )


def check_metadata(path: Path, text: str) -> None:
    """Refuse metadata that differ from pyproject.toml."""
    found = message_from_string(text)
    wanted = {
        "Name": PROJECT["name"],
        "Version": version(),
        "Requires-Python": PROJECT["requires-python"],
        "License-Expression": PROJECT["license"],
        "Summary": PROJECT["description"],
    }
    for name, value in wanted.items():
        if found[name] != value:
            raise SystemExit(f"{path.name} says {name}: {found[name]}, not {value}")
    needed = [n for n in found.get_all("Requires-Dist", []) if "extra ==" not in n]
    if sorted(needed) != sorted(PROJECT["dependencies"]):
        raise SystemExit(f"{path.name} requires {needed}, not {PROJECT['dependencies']}")


def check_source(path: Path) -> None:
    """Refuse a source archive without a file that those who build from it need."""
    with tarfile.open(path) as archive:
        top = f"grafik-{version()}/"
        found = {name.removeprefix(top) for name in archive.getnames()}
    lacking = ({*NEEDED} | tracked("src") | tracked("tests")) - found
    if lacking:
        raise SystemExit(f"{path.name} lacks {sorted(lacking)}")
