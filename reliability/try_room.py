"""Try the mutants of one room that come from the standard input, and keep the results."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from .mutants import Mutant
from .mutate import KEPT, state
from .rooms import ROOMS, ROOT
from .warm import OPTIONS, Server


def main() -> int:
    """Return the exit code of pytest, which here runs no tests itself."""
    room, jobs, asked = json.load(sys.stdin)
    todo = [Mutant(**one) for one in asked]
    sources, tests = state(room)
    server = Server(todo, ROOMS[room].files(), KEPT / f"{room}-tests.jsonl", jobs)
    counts = {"killed": 0, "stopped": 0, "survived": 0}

    def tell(result: dict[str, Any]) -> None:
        kept = {**result, "source": sources[result["file"]], "tests": tests}
        with (KEPT / f"{room}.jsonl").open("a") as file:
            file.write(json.dumps(kept) + "\n")
        counts[result["status"]] += 1
        if sum(counts.values()) % 25 == 0:
            print(f"{room}: {counts}", file=sys.stderr, flush=True)

    server.told = tell
    paths = [*ROOMS[room].files(), *ROOMS[room].tests]
    found = [str(one) for path in paths for one in sorted(ROOT.glob(path))]
    code = pytest.main([*OPTIONS, *found], plugins=[server])
    print(f"{room}: {counts}, {len(server.left_out)} tests left out", file=sys.stderr, flush=True)
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
