"""The paper's figure of how the number of levels matters."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..evaluation import METHODS, Summary
from ..evaluation.methods import Method
from ..evaluation.summary import percent
from .accuracy import NUMBERS, run_plan, summaries
from .paper import LEVELS as PAPER
from .plan import LEVELS as PLANS
from .tables import difference, markdown_table, missing_line, signed, write_tables

NAME = "levels"


def run(
    out: Path,
    data: Path | None = None,
    protocol: str = "paper",
    only: Collection[str] = (),
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> None:
    """Evaluate FWL-D with 1 to 10 levels on what there is, and write the table."""
    for name, plan in PLANS.items():
        if not only or name in only:
            run_plan(name, plan, methods(), out / NAME / name, data, protocol, n_jobs, progress)
    write(out)


def methods() -> list[Method]:
    """Return FWL-D once for each number of levels."""
    return [
        replace(METHODS["fwl-d"], name=f"k={k}", title=f"{k}", values={"levels": (k,)})
        for k in range(1, 11)
    ]


def write(out: Path) -> None:
    """Write the table and the picture of all results in a folder."""
    found = summaries(out / NAME, PLANS)
    rows = [row for name, summary in found.items() for row in _rows(name, summary)]
    about = {name: summary.setting for name, summary in found.items() if summary is not None}
    write_tables(out / NAME, NAME, _markdown(found, rows), rows, {"settings": about})
    shown = [row for row in rows if row["accuracy"] is not None]
    if shown:
        from .pictures import draw_levels

        draw_levels(shown, out / NAME / f"{NAME}.png")


def _rows(name: str, summary: Summary | None) -> list[dict[str, Any]]:
    rows = []
    for k, (mean, deviation) in enumerate(PAPER[name], 1):
        score = next((s for s in summary.scores if s.method == f"k={k}"), None) if summary else None
        accuracy = score.accuracy if score else None
        rows.append(
            {
                "data": name,
                "levels": k,
                "accuracy": accuracy,
                "deviation": score.deviation if score else None,
                "paper": mean,
                "paper_deviation": deviation,
                "difference": difference(accuracy, mean),
                "repeats": summary.setting["repeats_done"] if summary else None,
                "protocol": summary.setting["protocol"] if summary else None,
                "thresholds_from": summary.setting["thresholds_from"] if summary else None,
            }
        )
    return rows


def _markdown(found: dict[str, Summary | None], rows: list[dict[str, Any]]) -> str:
    parts = []
    for name, summary in found.items():
        if summary is None:
            continue
        cells = [
            [f"{r['levels']}", *(percent(r[key]) for key in NUMBERS), signed(r["difference"])]
            for r in rows
            if r["data"] == name
        ]
        header = ["levels", "accuracy, %", "+-", "the paper's", "+-", "difference"]
        parts.append(f"### {name}\n\n{markdown_table(header, cells)}\n\n{summary.note()}")
    parts += missing_line([name for name, summary in found.items() if summary is None])
    return "\n\n".join(parts) + "\n"
