"""The paper's figure of the influence of the number of levels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ..evaluation import Summary
from ..evaluation.methods import Method, as_methods
from .experiment import Evaluated, compared
from .paper import LEVELS as PAPER
from .pictures import draw_levels
from .plan import LEVELS as PLANS
from .plan import Plan

# Two readings of thresholds: that of the paper's text, and that of its authors' code.
_READINGS = {"fwl-d": "", "fwl-d-distinct": ", distinct weights"}


def _methods(plan: Plan) -> list[Method]:
    """Return each method once for each number of levels."""
    return [
        replace(method, name=name, title=name, values={"levels": (k,)})
        for method in as_methods(plan.methods)
        if isinstance(method, Method)
        for k in range(1, 11)
        for name in [f"k={k}{_READINGS[method.name]}"]
    ]


def _rows(name: str, summary: Summary | None) -> list[dict[str, Any]]:
    return [
        {
            "data": name,
            "method": method,
            "title": f"{k}{reading}",
            "levels": k,
            **compared(summary, f"k={k}{reading}", mean, deviation),
        }
        for method, reading in _READINGS.items()
        for k, (mean, deviation) in enumerate(PAPER[name], 1)
    ]


def _draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw one line for each reading, and the paper's once."""
    draw_levels([_line_of(row) for row in rows], path)


def _line_of(row: dict[str, Any]) -> dict[str, Any]:
    reading = _READINGS[row["method"]]
    return {**row, "data": row["data"] + reading, "paper": None if reading else row["paper"]}


experiment = Evaluated(
    "levels", PLANS, _methods, tuple(PLANS), _rows, ("levels", "title"), _draw, {}, ("levels",)
)
