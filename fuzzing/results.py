"""Result files: what became of all cases, added up over runs."""

import hashlib
import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from grafik.system.files import replacing
from grafik.system.versions import processor

from . import ROOT
from .cases import FOUND, OUTCOMES, Target
from .guarded import Tally

_PACKAGES = ("grafik", "numpy", "scipy", "numba", "pyarrow", "networkx", "igraph", "rustworkx")
_PACKAGES = (*_PACKAGES, "rdkit", "grakel", "hypothesis")


def about() -> dict[str, Any]:
    """Return what the outcome of a case depends on, besides target, seed and number."""
    found = {"python": platform.python_version(), "system": platform.system()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    files = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "fuzzing").glob("*.py")])
    sources = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    return {"versions": found, "sources": sources, "processor": processor()}


class Results:
    """A file of results; without a path they are only kept in memory."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        self.about = about()
        self.records: list[dict[str, Any]] = []
        if self.path is not None and self.path.exists():
            self.records = json.loads(self.path.read_text())

    def record(self, target: Target, seed: int) -> dict[str, Any]:
        """Return the record of a target and a seed with these sources; make it if need be."""
        own = {"target": target.name, "kind": target.kind, "seed": seed, **self.about}
        for record in self.records:
            if own.items() <= record.items():
                return record
        outcomes = dict.fromkeys(OUTCOMES, 0)
        self.records.append({**own, "cases": 0, "seconds": 0.0, "outcomes": outcomes})
        return self.records[-1]

    def add(self, target: Target, seed: int, tally: Tally) -> None:
        """Add what became of more cases, and write the file."""
        record = self.record(target, seed)
        record["cases"] += tally.cases
        record["seconds"] = round(record["seconds"] + tally.seconds, 1)
        for outcome, number in tally.outcomes.items():
            record["outcomes"][outcome] += number
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self.path) as part:
                part.write_text(json.dumps(self.records, indent=1) + "\n")


def counts(outcomes: dict[str, int]) -> str:
    """Return how many cases ended how, in a line."""
    shown = [*OUTCOMES[:3], *(name for name in FOUND if outcomes[name])]
    return ", ".join(f"{outcomes[name]:,} {name}" for name in shown)
