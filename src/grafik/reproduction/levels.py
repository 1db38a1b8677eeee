"""The paper's figure of how the number of levels matters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..evaluation import METHODS, Summary
from ..evaluation.methods import Method
from .evaluated import Evaluated, compared
from .paper import LEVELS as PAPER
from .pictures import draw_levels
from .plan import LEVELS as PLANS
from .plan import Plan


def _methods(plan: Plan) -> list[Method]:
    """Return each method once for each number of levels."""
    return [
        replace(METHODS[name], name=f"k={k}", title=f"{k}", values={"levels": (k,)})
        for name in plan.methods
        for k in range(1, 11)
    ]


def _rows(name: str, summary: Summary | None) -> list[dict[str, Any]]:
    return [
        {"data": name, "levels": k, **compared(summary, f"k={k}", mean, deviation)}
        for k, (mean, deviation) in enumerate(PAPER[name], 1)
    ]


experiment = Evaluated(
    "levels", PLANS, _methods, tuple(PLANS), _rows, ("levels", "levels"), draw_levels
)
