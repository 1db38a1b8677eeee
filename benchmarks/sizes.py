"""How much a plain install takes on disk, and what each extra adds.

Run with ``./run bench sizes``; writes ``benchmarks/results/sizes.json``. It adds up the files of
the packages that are installed here, so it needs no network.
"""

import re
import tomllib
from importlib.metadata import distribution

from packaging.requirements import Requirement

from . import ROOT
from .machine import named, write_result
from .measure import tell
from .table import markdown, wrapped

PAGE = ROOT / "docs" / "installing.md"
# Extras for users, and what each is for.
EXTRAS = {
    "molecules": "SMILES, SDF files and RDKit molecules",
    "parquet": "graphs and vectors in Parquet files, streams of graphs",
    "plot": "pictures",
    "report": "pictures, pages and data frames",
    "canonical": "the weight `canonical`",
    "transport": "`WassersteinWL(solver='emd')`",
    "distributed": "Dask clusters",
}
# What could have been an extra too, and the packages that it needs.
CONSIDERED = {"the command line": ("typer", "rich"), "downloads": ("pooch",)}
# Smaller packages are summed up.
_SMALL = 5e6


def main(to: str = "sizes") -> None:
    """Measure, and write the result file."""
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = closure(needs["dependencies"])
    result = {
        "complete": True,
        "plain": sizes(required),
        "extras": {name: sizes(closure([f"grafik[{name}]"]) - required) for name in EXTRAS},
        "saved": {
            what: sizes(required - closure(_without(needs["dependencies"], packages)))
            for what, packages in CONSIDERED.items()
        },
    }
    tell(f"written to {write_result(to, result)}")


def _without(needs: list[str], packages: tuple[str, ...]) -> list[str]:
    return [need for need in needs if Requirement(need).name not in packages]


def closure(needs: list[str]) -> set[str]:
    """Return the packages that some requirements bring, on this machine, without grafik."""
    found: set[str] = set()
    seen, todo = set(), [Requirement(need) for need in needs]
    while todo:
        need = todo.pop()
        name, extras = normal(need.name), need.extras or {""}
        if (name, frozenset(extras)) in seen:
            continue
        seen.add((name, frozenset(extras)))
        found.add(name)
        todo += [
            other
            for other in map(Requirement, distribution(name).requires or [])
            if other.marker is None or any(other.marker.evaluate({"extra": e}) for e in extras)
        ]
    return found - {"grafik"}


def normal(name: str) -> str:
    """Write the name of a package as indexes do."""
    return re.sub(r"[-_.]+", "-", name).lower()


def sizes(packages: set[str]) -> dict[str, int]:
    """Return the bytes of each package on disk, the largest first; compiled Python not counted."""
    found = {name: size(name) for name in packages}
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def size(name: str) -> int:
    """Return the bytes of the files of a package."""
    package = distribution(name)
    files = (package.locate_file(file) for file in package.files or ())
    return sum(file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc")


def block(result: dict) -> str:
    """Return all that stands between the markers of the page."""
    plain = result["plain"]
    large = [f"{name} {megabytes(size)}" for name, size in plain.items() if size >= _SMALL]
    rest = sum(size for size in plain.values() if size < _SMALL)
    extras = [
        [f"`{name}`", EXTRAS[name], megabytes(sum(added.values())), main_part(added)]
        for name, added in result["extras"].items()
    ]
    saved = [
        f"without {what} ({' and '.join(CONSIDERED[what])}) {megabytes(sum(part.values()))}"
        for what, part in result["saved"].items()
    ]
    return "\n\n".join(
        [
            wrapped(
                f"A plain install takes {megabytes(sum(plain.values()))}: {', '.join(large)}, all "
                f"others {megabytes(rest)}. Measured on {result['system']} ({named(result)}), "
                f"Python {result['python']}, {result['date']}; `./run bench sizes` measures again."
            ),
            markdown(["extra", "is for", "adds", "most of it"], extras),
            wrapped(f"A plain install would be smaller by: {'; '.join(saved)}."),
        ]
    )


def main_part(added: dict[str, int]) -> str:
    """Name the largest package of an extra."""
    name, bytes_ = next(iter(added.items()))
    return f"{name}, {megabytes(bytes_)}"


def megabytes(bytes_: float) -> str:
    """Write a size."""
    return f"{bytes_ / 1e6:.0f} MB" if bytes_ >= 1e7 else f"{bytes_ / 1e6:.1f} MB"
