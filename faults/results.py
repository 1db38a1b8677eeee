"""The result file: all faults so far, to which each run adds."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grafik.system.files import replacing
from grafik.system.versions import processor, versions

from .faults import Fault, Outcome


def read(path: Path) -> dict[str, Any]:
    """Return the results so far; none if there is no file."""
    if not path.is_file():
        return {"runs": [], "faults": []}
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def this_run(mounted: bool) -> dict[str, Any]:
    """Say what the results of this run depend on."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor(),
        "versions": versions(),
        "disk": "a tmpfs of its own" if mounted else "that of temporary files",
    }


def add(result: dict[str, Any], run: dict[str, Any], fault: Fault, outcome: Outcome) -> None:
    """Add a fault; if it is there already, the new outcome counts."""
    if run not in result["runs"]:
        result["runs"].append(run)
    row = {
        **fault._asdict(),
        "outcome": outcome.word,
        "how": outcome.how,
        "run": result["runs"].index(run),
    }
    if outcome.seen:
        row["seen"] = outcome.seen
    place = (fault.seed, fault.number)
    others = [one for one in result["faults"] if (one["seed"], one["number"]) != place]
    result["faults"] = sorted([*others, row], key=lambda one: (one["seed"], one["number"]))


def write(result: dict[str, Any], path: Path) -> None:
    """Write the file, with a line for each fault."""
    head = json.dumps({"runs": result["runs"]}, indent=1)[:-2]
    rows = ",\n".join(f"  {json.dumps(row)}" for row in result["faults"])
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part:
        part.write_text(f'{head},\n "faults": [\n{rows}\n ]\n}}\n')


def done(result: dict[str, Any]) -> set[tuple[int, int]]:
    """Return the seeds and numbers of the faults so far."""
    return {(row["seed"], row["number"]) for row in result["faults"]}
