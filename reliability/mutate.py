"""Put small mistakes into the core of grafik, and count those that tests find: ``./run mutate``.

Every room has its turn until there are as many mutants as were asked for, in an order that the seed
gives. A mutant meets the tests of its room that run its line, the fastest first, for some seconds;
slow tests are left out, so more mutants survive here than the whole suite would leave.

Results are kept in the folder ``.reliability`` as they come, so that a run that is stopped goes on
where it was; the result file lists those that tests have found, so that they need not be tried
again elsewhere. Survivors are tried again once tests have changed. What survives is either
explained in ``reliability/survivors.toml`` or a test that is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .mutants import Mutant, mutants
from .rooms import ROOMS, ROOT, digest

RESULT = ROOT / "experiments" / "reliability" / "mutants.json"
EXPLAINED = ROOT / "reliability" / "survivors.toml"
KEPT = ROOT / ".reliability"
_FOUND = ("killed", "stopped")


def main(arguments: list[str] | None = None) -> int:
    """Try mutants, write the result, and return 1 if some survive that nobody has explained."""
    parser = argparse.ArgumentParser(prog="./run mutate", description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=", ".join(ROOMS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--n", type=int, default=1500, help="how many mutants (1500)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (2)")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.rooms) - set(ROOMS)
    if unknown:
        parser.error(f"there are no rooms {', '.join(sorted(unknown))}")
    picked = pick(
        {room: room_mutants(room) for room in chosen.rooms or ROOMS}, chosen.seed, chosen.n
    )
    KEPT.mkdir(exist_ok=True)
    with suppress(KeyboardInterrupt):  # what is known by then is written
        for room, ones in picked.items():
            try_room(room, ones, chosen.jobs)
    result = summary(picked, {room: known(room) for room in picked}, explained(), chosen.seed)
    if not chosen.rooms:
        write(RESULT, result)
    print(section(result))
    return int(any(not one["reason"] for one in result["survivors"]))


def room_mutants(room: str) -> list[Mutant]:
    """Return all mutants of a room."""
    files = ROOMS[room].files()
    return [one for file in files for one in mutants((ROOT / file).read_text(), file)]


def pick(all_of: dict[str, list[Mutant]], seed: int, n: int) -> dict[str, list[Mutant]]:
    """Choose mutants: the rooms take turns, so that small ones are tried as a whole.

    A larger n adds to what a smaller one chooses, and so does code that is added.
    """
    waiting = {
        room: sorted(ones, key=lambda one: one.order(seed), reverse=True)
        for room, ones in all_of.items()
    }
    found: dict[str, list[Mutant]] = {room: [] for room in all_of}
    left = n
    while left and any(waiting.values()):
        for room, ones in waiting.items():
            if ones and left:
                found[room].append(ones.pop())
                left -= 1
    return found


def state(room: str) -> tuple[dict[str, str], str]:
    """Return digests of the sources of a room, by file, and of all tests."""
    sources = {file: digest([ROOT / file]) for file in ROOMS[room].files()}
    return sources, digest(list((ROOT / "tests").rglob("*.py")))


def known(room: str) -> dict[str, dict[str, Any]]:
    """Return the results that still hold: of the same source, and of the same tests if it lived."""
    path = KEPT / f"{room}.jsonl"
    sources, tests = state(room)
    found = _written(room, sources)
    for line in path.read_text().splitlines() if path.exists() else []:
        one = json.loads(line)
        same = one["source"] == sources.get(one["file"])
        if same and (one["status"] in _FOUND or one["tests"] == tests):
            found[_mutant(one).name] = one
    return found


def _mutant(result: dict[str, Any]) -> Mutant:
    return Mutant(**{name: result[name] for name in Mutant.__dataclass_fields__})


def _written(room: str, sources: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Return the mutants of the same sources that tests have found by the result file."""
    files = json.loads(RESULT.read_text())["found"] if RESULT.exists() else {}
    result = {}
    for one in room_mutants(room):
        file = files.get(one.file)
        if file is None or file["source"] != sources[one.file]:
            continue
        for status in _FOUND:
            if one.short in file[status]:
                result[one.name] = {**one.__dict__, "status": status, "source": file["source"]}
    return result


def try_room(room: str, ones: list[Mutant], jobs: int) -> None:
    """Try the mutants of a room that have no result yet, in a process with loops as they are."""
    done = known(room)
    todo = [one for one in ones if one.name not in done]
    print(f"{room}: {len(todo)} of {len(ones)} mutants to try", file=sys.stderr, flush=True)
    if todo:
        asked = json.dumps([room, jobs, [one.__dict__ for one in todo]])
        paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
        env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(paths)}
        command = [sys.executable, "-m", "reliability.try_room"]
        subprocess.run(command, input=asked, text=True, check=True, cwd=ROOT, env=env)


def explained() -> dict[str, str]:
    """Return the reasons why mutants survive, by their names."""
    found = {}
    for one in tomllib.loads(EXPLAINED.read_text()).get("survivor", []):
        place = one["file"], 0, 0, one["function"], one["before"], one["after"]
        found[Mutant(*place, one.get("number", 0)).name] = one["reason"]
    return found


def summary(
    picked: dict[str, list[Mutant]],
    results: dict[str, dict[str, dict[str, Any]]],
    reasons: dict[str, str],
    seed: int,
) -> dict[str, Any]:
    """Return what is to be kept of a run: counts, and all survivors."""
    rooms, survivors = {}, []
    found: dict[str, dict[str, Any]] = {}
    for room, ones in picked.items():
        tried = [results[room][one.name] for one in ones if one.name in results[room]]
        for one in tried:
            if one["status"] in _FOUND:
                nothing = {"source": one["source"], **{status: [] for status in _FOUND}}
                found.setdefault(one["file"], nothing)[one["status"]].append(_mutant(one).short)
        lived = [one for one in tried if one["status"] not in _FOUND]
        for one in lived:
            place = {name: one[name] for name in Mutant.__dataclass_fields__ if name != "last"}
            reason = reasons.get(_mutant(one).name, "")
            survivors.append({**place, "tests": one["n_tests"], "reason": reason})
        rooms[room] = {
            "mutants": len(ones),
            "tried": len(tried),
            "killed": sum(one["status"] == "killed" for one in tried),
            "stopped": sum(one["status"] == "stopped" for one in tried),
            "survived": len(lived),
        }
    about = {"seed": seed, "versions": versions(), "rooms": rooms, "survivors": survivors}
    return {**about, "found": found}


def versions() -> dict[str, str]:
    """Return the versions that results depend on."""
    packages = ("coverage", "grafik", "hypothesis", "numba", "numpy", "pytest")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def score(counts: Iterable[dict[str, int]], left_out: int = 0) -> str:
    """Return the part of the mutants that were found, as a percentage, perhaps without some."""
    tried, found = -left_out, 0
    for one in counts:
        tried, found = tried + one["tried"], found + one["killed"] + one["stopped"]
    return f"{100 * found / tried:.1f} %" if tried else "-"


def section(result: dict[str, Any]) -> str:
    """Return a result as a section of a page in Markdown."""
    rooms = result["rooms"]
    total = {name: sum(one[name] for one in rooms.values()) for name in next(iter(rooms.values()))}
    reasons = sum(bool(one["reason"]) for one in result["survivors"])
    lines = [
        "## Mutants",
        "",
        f"Seed {result['seed']}: {total['tried']} small mistakes in {len(rooms)} of {len(ROOMS)} "
        "rooms of the core, one at a time. Where tests did not find one, some were written for it, "
        "and it was tried again, so this is not what they would find of others; now they "
        f"find {score(rooms.values())}. Of {total['survived']} that they do not find, {reasons} "
        "are explained one by one in `reliability/survivors.toml`, mostly because they change no "
        f"result; without these, tests find {score([total], reasons)}.",
        "",
        "| room | tried | a test fails | takes too long | survived | found |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for room, one in [*rooms.items(), ("all", total)]:
        counts = (one[name] for name in ("tried", "killed", "stopped", "survived"))
        lines.append(f"| {room} | {' | '.join(map(str, counts))} | {score([one])} |")
    return "\n".join(lines) + "\n"


def write(path: Path, result: dict[str, Any]) -> None:
    """Write a result under a temporary name, and move it into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(result, indent=1) + "\n")
    part.replace(path)


if __name__ == "__main__":
    sys.exit(main())
