"""Gram matrices beside other libraries, for the README and docs/speed.md, from result files."""

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

from .machine import named

README = Path(__file__).parents[1] / "README.md"
START, END = "<!-- benchmark:start -->", "<!-- benchmark:end -->"

NONE = "-"
_NUMBER = re.compile(r"(over )?[+-]?\d")


def seconds(result: dict) -> str:
    """Write the time of a result, or why there is none."""
    if "crashed" in result:
        # A | would end the cell.
        return f"crashed: {result['crashed']}".replace("|", "\\|")
    if "over_seconds" in result:
        return f"over {result['over_seconds']:g}"
    return number(result["seconds"])


def number(value: float) -> str:
    """Write a number with three digits that count, and without exponent."""
    if value >= 100:
        return f"{value:.0f}"
    text = f"{value:#.3g}"
    return f"{value:.6f}" if "e" in text else text.rstrip(".")


def times(slow: dict, quick: dict) -> str:
    """Write how many times longer one took; at least, if it was given up."""
    if "seconds" not in quick or "crashed" in slow:
        return NONE
    if "over_seconds" in slow:
        return f"over {_few(slow['over_seconds'] / quick['seconds'])}"
    return _few(slow["seconds"] / quick["seconds"])


def megabytes(result: dict) -> str:
    """Write by how much memory grew."""
    growth = result.get("peak_growth_bytes")
    return NONE if growth is None else _few(growth / 1e6)


def _few(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def rows_of(section: Sequence[dict], *names: str) -> list[list[str]]:
    """Return the cells of a section: what `names` say, both times, their ratio, both growths."""
    rows = []
    for row in section:
        first = [str(row.get(name) or NONE) for name in names]
        if "missing" in row:
            rows.append([*first, "data missing", *[NONE] * 3])
            continue
        ours, peer = row["ours"], row["peer"]
        both = f"{megabytes(ours)} / {megabytes(peer)}"
        rows.append([*first, seconds(ours), seconds(peer), times(peer, ours), both])
    return rows


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table; columns in which there are numbers to the right, except the first."""
    columns = [[row[i] for row in rows] for i in range(1, len(head))]
    rule = ["---", *("---:" if any(map(_NUMBER.match, cells)) else "---" for cells in columns)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))


def short_block(kernels: dict) -> str:
    """Return all that stands between the markers of the README."""
    rows = rows_of(kernels.get("weisfeiler_lehman", ()), "data", "levels")
    heads = ["data", "levels", "grafik, s", "GraKeL, s", "times faster"]
    parts = [
        "" if kernels["complete"] else _TRIAL,
        markdown(heads, [row[: len(heads)] for row in rows]),
        wrapped(
            "Gram matrices, labels of depth 5. grafik: a filtration kernel with that many levels; "
            f"GraKeL {kernels['packages']['grakel']}: its plain Weisfeiler-Lehman kernel. "
            f"{kernels['cores']} cores, {kernels['processor']}, {kernels['date']}."
        ),
    ]
    return "\n\n".join(part for part in parts if part)


def block(kernels: dict, growth: dict) -> str:
    """Return the section of docs/speed.md on Gram matrices."""
    parts = [
        "## Gram matrices beside other libraries",
        "" if kernels["complete"] and growth["complete"] else _TRIAL,
        markdown(
            ["data", "levels", "grafik, s", "GraKeL WL, s", "times faster", "MB, grafik / GraKeL"],
            rows_of(kernels.get("weisfeiler_lehman", ()), "data", "levels"),
        ),
        wrapped(caption(kernels)),
        markdown(
            ["data", "other kernel", "grafik, s", "other, s", "times faster", "MB, grafik / other"],
            rows_of(_named(kernels, "shortest_paths", "GraKeL shortest paths"), "data", "kernel")
            + rows_of(_named(kernels, "transport", "W-WL with POT"), "data", "kernel"),
        ),
        wrapped(_OTHERS),
        markdown(
            ["data", "baseline", "other", "grafik, s", "other, s", "times faster", "MB, both"],
            rows_of(kernels.get("baselines", ()), "data", "kernel", "peer_name"),
        )
        if kernels.get("baselines")
        else "",
        wrapped(_BASELINES) if kernels.get("baselines") else "",
        "\n".join(wrapped(f"- {point}", "  ") for point in points(kernels)),
        "![How time grows with graphs, vertices, edges, levels, depth and gammas](growth.png)",
        wrapped(exponents(growth)),
    ]
    return "\n\n".join(part for part in parts if part)


_TRIAL = "**These are figures of a quick trial run, not yet to be relied on.**"
_OTHERS = (
    "Shortest paths are compared with ours at one level; W-WL, which solves a transport problem "
    "for every pair of graphs, with our Weisfeiler-Lehman kernel at 3 levels."
)
_BASELINES = (
    "Each baseline beside another implementation of it; `NCI1:1000` are the first 1000 graphs. "
    "`WassersteinWL` comes first with its formula for labels, then asking POT (`solver='emd'`). "
    "GraKeL's histogram is that of vertices alone."
)


def wrapped(text: str, indent: str = "") -> str:
    """Break a paragraph into lines; those after the first are indented."""
    return textwrap.fill(
        text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def caption(kernels: dict) -> str:
    """Say what was measured, and on what."""
    packages = kernels["packages"]
    return (
        "Gram matrices from Weisfeiler-Lehman labels of depth 5, least time of several runs in "
        "turns. grafik: filtration kernel with degree weights and that many levels, `n_jobs=-1`. "
        "GraKeL: its plain subtree kernel, which is one level. MB: by how much a process grows at "
        f"its peak, the matrix included. {kernels['cores']} cores, "
        f"{named(kernels)}; Python {kernels['python']}, numba "
        f"{packages['numba']}, GraKeL {packages['grakel']}, POT {packages['POT']}; "
        f"{kernels['date']}. `./run bench` measures all of it again."
    )


def _named(kernels: dict, section: str, kernel: str) -> list[dict]:
    return [{**row, "kernel": kernel} for row in kernels.get(section, ())]


def points(kernels: dict) -> list[str]:
    """Say in a sentence each what does not fit into the tables; missing data are named, too."""
    said = [
        f"{row['data']}: data missing." if "missing" in row else sentence(row)
        for section, sentence in (("grid", _grid), ("distinct", _distinct), ("jit", _start))
        for row in kernels.get(section, ())
    ]
    rows = [row for row in kernels.get("weisfeiler_lehman", ()) if "missing" not in row]
    gains = [f"{row['data']} {times(row['one_thread'], row['two_threads'])}" for row in rows]
    if gains:
        said.append(f"Two threads against one, times faster: {', '.join(gains)}.")
    return said


def _grid(row: dict) -> str:
    return (
        f"A grid of {row['matrices']} matrices (depth 1 to 5, 11 gammas) on {row['data']}: "
        f"{_time(row['ours'])}; one matrix of GraKeL: {_time(row['peer'])}."
    )


def _distinct(row: dict) -> str:
    every, few = row["all_levels"], row["few_levels"]
    return (
        f"{row['data']} with every distinct weight a level ({row['levels']} of them): "
        f"{_time(every)}, {megabytes(every)} MB; with {row['few']} levels: {_time(few)}, "
        f"{megabytes(few)} MB."
    )


def _start(row: dict) -> str:
    return (
        f"A new process, from its start to the matrix of {row['data']}: "
        f"{_process_time(row['warm'])}; the very first, which compiles: "
        f"{_process_time(row['cold'])}."
    )


def _process_time(result: dict) -> str:
    if "seconds" not in result:
        return _time(result)
    return f"{number(result['process_seconds'])} s"


def _time(result: dict) -> str:
    return seconds(result) if "crashed" in result else f"{seconds(result)} s"


def exponents(growth: dict) -> str:
    """Say the exponent of each line."""
    found = [
        f"{line['label']}: {line['exponent']:.2f} ({line['fitted_from']} to {line['fitted_to']})"
        for line in growth["lines"]
    ]
    return "Fitted exponents, and the range in which: " + "; ".join(found) + "."


def replaced(text: str, new: str, start: str = START, end: str = END) -> str:
    """Return a text with what stands between the markers replaced."""
    if text.count(start) != 1 or text.count(end) != 1 or text.index(start) > text.index(end):
        raise ValueError(f"the page needs {start} and {end} once each, in this order")
    before, after = text.split(start)[0], text.split(end)[1]
    return f"{before}{start}\n\n{new}\n\n{end}{after}"
