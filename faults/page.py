"""The results as a section of a page."""

from collections import Counter
from typing import Any

from .faults import BAD, GOOD

_ABOUT = {
    "kill": "SIGKILL, at a moment or before a call that reaches the disk",
    "kill-import": "SIGKILL while a new process imports and loads loops",
    "kill-compile": "SIGKILL while a new process compiles loops",
    "interrupt": "Ctrl-C",
    "terminate": "SIGTERM",
    "full-disk": "a disk with less room than the files take",
    "read-only": "a folder that nobody may write to",
    "file-size": "a limit on the size of files",
    "memory": "a limit on memory",
    "two-writers": "two processes that write the same file at the same time",
    "signals": "a signal every millisecond, which ends calls of the system early (EINTR)",
    "clock": "clocks of Python that jump",
    "damaged-cache": "compiled loops that are damaged",
    "lost-worker": "a Dask worker that is killed",
    "lost-scheduler": "a Dask scheduler that is killed",
}


def section(result: dict[str, Any]) -> str:
    """Return the results in Markdown: counts by kind, and what was found."""
    rows = [row for row in result["faults"] if row["outcome"] != "missed"]
    kinds = [kind for kind in _ABOUT if any(row["kind"] == kind for row in rows)]
    good = [word for word in GOOD if word != "missed"]
    found = [row for row in rows if row["outcome"] in BAD]
    operations = len({row["operation"] for row in rows})
    lines = [
        "## Faults",
        "",
        f"{len(rows):,} faults of {len(kinds)} kinds struck {operations} operations that write "
        "files. After each, the same call was made again, and the files compared with those of an "
        f"undisturbed run, byte by byte: {_n(rows, 'LOST')} were lost, {_n(rows, 'DIFFERENT')} "
        f"different, {_n(rows, 'CRASH')} crashes, {_n(rows, 'HANG')} did not end, and "
        f"{_n(rows, 'VAGUE')} had a message without a place or a remedy.",
        "",
        f"| fault | what | {' | '.join([*good, 'findings'])} |",
        f"| --- | --- |{' ---: |' * (len(good) + 1)}",
    ]
    for kind in kinds:
        counts = Counter(row["outcome"] for row in rows if row["kind"] == kind)
        bad = sum(counts[word] for word in BAD)
        cells = [kind, _ABOUT[kind], *(str(counts[word]) for word in good), str(bad)]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"- {word}: {GOOD[word]}." for word in good)]
    lines += [
        "",
        "Where there was no memory, no file is to blame, and any message that speaks of memory was "
        "counted as good, also those of Python, NumPy and Arrow, which name no remedy.",
    ]
    if found:
        lines += ["", "Findings:", ""]
    for row in found:
        lines.append(
            f"- {row['outcome']}: {row['operation']}, {row['kind']} (`./run faults --seed "
            f"{row['seed']} --number {row['number']}`)"
        )
    about = result["runs"][-1]
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    seeds = sorted({row["seed"] for row in rows})
    lines += [
        "",
        f"Seeds {', '.join(map(str, seeds))}; {about['date']}, {about['processor']}, {versions}.",
    ]
    return "\n".join(lines) + "\n"


def _n(rows: list[dict[str, Any]], word: str) -> int:
    return sum(row["outcome"] == word for row in rows)
