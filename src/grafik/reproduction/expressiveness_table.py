"""The table and the picture of what each weight tells apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..evaluation.results import FILE, is_begun
from ..system.journal import read_journal
from .expressiveness_plan import FAMILIES, PLAIN
from .tables import markdown_table, missing_line, write_tables

NAME = "expressiveness"
THREE_WL = "3-WL"
_TITLES = {
    "BREC": "BREC: pairs that plain WL cannot tell apart",
    "strongly-regular": "Strongly regular graphs of the same parameters",
    "cfi": "Cai-Fuerer-Immerman pairs, by their base",
    "atlas": "All graphs of up to 7 vertices",
}
_KEYS = ("pairs", "apart", "copies", "changed", "seconds")


def write(out: Path) -> None:
    """Write the tables and the picture of all results in a folder."""
    folder = out / NAME
    found = {
        name: read_journal(folder / name / FILE) for name in FAMILIES if is_begun(folder / name)
    }
    entries = {name: lines for name, (_, lines) in found.items() if lines}
    rows = [
        {
            "family": name,
            "weight": entry["weight"],
            "is": entry["is"],
            "category": entry["category"],
            **{key: entry[key] for key in _KEYS},
        }
        for name, lines in entries.items()
        for entry in lines
    ]
    parts = [
        f"### {_TITLES[name]}\n\n{_table(lines)}\n\n{_note(found[name][0], lines)}"
        for name, lines in entries.items()
    ]
    if entries:
        parts.append(_about())
    parts += missing_line([name for name in FAMILIES if name not in entries])
    about = {"settings": {name: header for name, (header, _) in found.items()}}
    write_tables(folder, NAME, "\n\n".join(parts) + "\n", rows, about)
    complete = _totals(entries.get("BREC", []))
    if complete:
        from .pictures import draw_expressiveness

        draw_expressiveness(complete, _categories(entries["BREC"]), folder / f"{NAME}.png")


def _categories(entries: list[dict[str, Any]]) -> dict[str, int]:
    """Return the categories in the order of the data, and their numbers of pairs."""
    return {entry["category"]: entry["pairs"] for entry in entries}


def _totals(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each weight that was run on all categories, the strongest first."""
    categories = _categories(entries)
    rows = []
    for weight in dict.fromkeys(entry["weight"] for entry in entries):
        mine = {entry["category"]: entry for entry in entries if entry["weight"] == weight}
        if mine.keys() == categories.keys():
            rows.append(
                {
                    "weight": weight,
                    "apart": {name: mine[name]["apart"] for name in categories},
                    **{key: sum(one[key] for one in mine.values()) for key in _KEYS[2:]},
                }
            )
    return sorted(rows, key=lambda row: (-sum(row["apart"].values()), row["seconds"]))


def _table(entries: list[dict[str, Any]]) -> str:
    categories = _categories(entries)
    several = categories if len(categories) > 1 else {}
    header = ["weight", f"all {sum(categories.values()):,}"]
    header += [f"{name}: {pairs}" for name, pairs in several.items()]
    cells = [
        [
            f"**{row['weight']}**" if row["weight"] == THREE_WL else _name(row["weight"]),
            f"{sum(row['apart'].values()):,}",
            *(f"{row['apart'][name]}" for name in several),
            f"{row['changed']} of {row['copies']:,}" if row["copies"] else "-",
            f"{row['seconds']:.3g}",
        ]
        for row in _totals(entries)
    ]
    return markdown_table([*header, "copies changed", "seconds"], cells)


def _name(weight: str) -> str:
    return "none (plain WL)" if weight == PLAIN else weight


def _note(header: dict[str, Any], entries: list[dict[str, Any]]) -> str:
    machines = ", ".join(sorted({f"{entry['processor']}" for entry in entries}))
    return f"{header['n_graphs']:,} graphs; Weisfeiler-Lehman depth {header['depth']}; {machines}."


def _about() -> str:
    return (
        "Numbers of pairs of graphs, none of them isomorphic, whose filtration histograms differ, "
        "with every distinct weight as a threshold. Copies with permuted vertices must have the "
        "histograms of their graph; a pair of which a copy changed does not count. 3-WL is "
        "computed exactly. Seconds are those of weights and histograms of all graphs without "
        "copies, on one thread."
    )
