"""Make README.md of this folder from the result files that are in it.

    python experiments/reliability/page.py

Each section is a function that takes the content of one result file; a file that is not there has
no section.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from faults import page as faults  # noqa: E402
from reliability import covered, mutate  # noqa: E402

# What the cases of a kind show, and how many were asked for.
_KINDS = {
    "input": ("Inputs of all readers and converters", 1_000_000),
    "hostile": ("Hostile files: forged checksums, lying sizes, bombs", 5_000),
    "definition": ("Kernels, vectors, search and explanations beside definitions in loops", 50_000),
}
_BAD = ("vague", "wrong", "error", "memory", "crash", "hang")


def table(rows: list[list[Any]]) -> str:
    """Return rows as a table in Markdown; the first one holds titles, the first column is text."""
    lines = [" | ".join(f"{x:,}" if isinstance(x, int) else str(x) for x in row) for row in rows]
    rule = " | ".join(["---", *["---:"] * (len(rows[0]) - 1)])
    return "\n".join(f"| {line} |" for line in (lines[0], rule, *lines[1:]))


def fuzz(records: list[dict[str, Any]]) -> str:
    """Return the section about fuzzing."""
    sums: dict[str, dict[str, int]] = {}
    kinds: dict[str, str] = {}
    # The same seed makes the same cases: run again after a repair, they count once.
    last = {(record["target"], record["seed"]): record for record in records}
    for record in last.values():
        kinds[record["target"]] = record["kind"]
        mine = sums.setdefault(record["target"], {})
        for outcome, number in record["outcomes"].items():
            mine[outcome] = mine.get(outcome, 0) + number
    parts = ["## Fuzzing", "", _INTRODUCTION, ""]
    for kind, (title, wanted) in _KINDS.items():
        names = [name for name in sums if kinds[name] == kind]
        if not names:
            continue
        rows: list[list[Any]] = [["target", "cases", "accepted", "refused", *_BAD]]
        total = [0] * (3 + len(_BAD))
        for name in names:
            found = sums[name]
            numbers = [found["accepted"], found["refused"], *(found[bad] for bad in _BAD)]
            numbers = [sum(numbers), *numbers]
            rows.append([name, *numbers])
            total = [a + b for a, b in zip(total, numbers, strict=True)]
        rows.append(["all", *total])
        parts += [f"### {title}", "", f"{total[0]:,} cases; the aim is {wanted:,}.", ""]
        parts += [table(rows), ""]
    earlier = [one for one in records if not any(one is kept for kept in last.values())]
    bad = sum(one["outcomes"][name] for one in earlier for name in _BAD)
    n_sources = len({one["sources"] for one in last.values()})
    repeated = {(one["target"], one["seed"]) for one in earlier}
    once = [one for place, one in last.items() if place not in repeated]
    n_once = sum(sum(one["outcomes"].values()) - one["outcomes"]["void"] for one in once)
    parts += [
        f"Seeds that were run again after a repair count once, with the last sources. The "
        f"{len(earlier)} runs before, which are in the file but not in the tables, had {bad} cases "
        "that ended badly: where a seed was run again, zeros say that what it had found is "
        f"repaired. {n_once:,} cases are of targets and seeds that were run once. The rows come "
        f"from {n_sources} states of the sources. One run is not in the file: of 7,595 cases of "
        "kernel with seed 4, 12 depended on the order of vertices, before canonical weights were "
        "repaired.",
        "",
    ]
    versions = sorted({json.dumps(record["versions"], sort_keys=True) for record in records})
    seeds = sorted({record["seed"] for record in records})
    parts += [f"Seeds {', '.join(map(str, seeds))}."]
    for one in versions:
        parts += ["Versions: " + ", ".join(f"{k} {v}" for k, v in json.loads(one).items()) + "."]
    return "\n".join(parts)


_INTRODUCTION = """\
`./run fuzz --seconds 3600 --seed 1 --out experiments/reliability/fuzz.json` goes on where the file
stops, and adds to it. A case is made by the target's name, the seed and a number, and done in a
process with limits on memory and time. What is accepted must be what a slow reading in dicts and
loops says, or what was written; a refusal must name the file and line, the graph, or the column.
Kernels must agree with the definitions to twelve digits, and to the bit in every order of vertices
and graphs, with threads, and in chunks.

*vague*: refused without a place. *wrong*: read as something else, or refused though it is right.
*error*: an exception that no reader should raise. *memory*: more was asked for than there is.
*crash*: the process died. *hang*: more seconds of a processor than the target allows."""

# The sections in their order: the result file, and the function that writes about it.
SECTIONS: dict[str, Callable[[Any], str]] = {
    "fuzz.json": fuzz,
    "faults.json": faults.section,
    "mutants.json": mutate.section,
    "coverage.json": covered.section,
}


def page(folder: Path = HERE) -> str:
    """Return the page."""
    parts = [
        "# Reliability",
        "What happens when inputs are damaged, forged or odd, and when machines fail. This page is "
        "made from the result files in this folder by `page.py`; do not edit it.",
    ]
    for name, section in SECTIONS.items():
        if (folder / name).exists():
            parts.append(section(json.loads((folder / name).read_text())))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    (HERE / "README.md").write_text(page())
