"""The paper's accuracy figure: all methods on all data sets."""

from __future__ import annotations

from typing import Any

from ..evaluation import METHODS, Summary
from ..evaluation.methods import READING_OF, READINGS
from .experiment import Evaluated, compared
from .paper import ACCURACY, DATA
from .pictures import draw_accuracy
from .plan import PLANS


def _rows(data: str, summary: Summary | None) -> list[dict[str, Any]]:
    run = METHODS if summary is None else {score.method for score in summary.scores}
    return [_row(data, method, summary) for method in (*METHODS, *READINGS) if method in run]


def _row(data: str, method: str, summary: Summary | None) -> dict[str, Any]:
    paper = ACCURACY[READING_OF.get(method, method)]  # other readings have the same one
    mean, deviation = paper[DATA.index(data)] if data in DATA else (None, None)
    title = (METHODS | READINGS)[method].title
    found = compared(summary, method, mean, deviation)
    return {"data": data, "method": method, "title": title, **found}


experiment = Evaluated(
    "accuracy",
    PLANS,
    lambda plan: plan.evaluated,
    (*DATA, *(name for name in PLANS if name not in DATA)),
    _rows,
    ("method", "title"),
    draw_accuracy,
    {name: method.title for name, method in METHODS.items()},
)
