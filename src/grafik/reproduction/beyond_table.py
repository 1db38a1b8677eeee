"""The table of the default model beside the best of the paper's methods, in pairs of folds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evaluation import METHODS, read_results
from ..evaluation.paired_tests import corrected_t_test
from ..evaluation.results import is_begun
from ..evaluation.summary import percent
from .experiment import thinner
from .pictures import draw_beyond
from .plan import BEYOND, EXPRESSIVE, FIXED, Plan
from .tables import markdown_table, missing_line, signed, write_tables

NAME = "beyond"
START, END = "<!-- beyond:start -->", "<!-- beyond:end -->"
_VERDICTS = ("below", "within one standard error", "above")
_SIGNIFICANT = 0.05
_ABOUT = (
    "Nested 10-fold cross-validation. A method and the best of the paper's ten, as measured here, "
    "are compared in pairs, on the folds of the repeats that both have; the standard error is that "
    "of these differences. Folds share training graphs, and repeats cut the same graphs anew, so "
    "that it is too small; p is that of the corrected resampled t-test, which allows for this. The "
    "best is the one with the highest mean on the test folds themselves, which favours it. The "
    "default model counts edge labels, and tries an edge attribute, where graphs have them; the "
    "paper's methods do neither."
)


@dataclass(frozen=True)
class Measured:
    """The accuracies of one method, by the repeats that are complete.

    `folds` has for each repeat the fold in which each graph is tested; `sha256` is of the data.
    """

    title: str
    sha256: str
    folds: list[list[int]]
    repeats: dict[int, NDArray[np.float64]]

    def shared(self, other: Measured) -> list[int]:
        """Return the repeats that both have, on the same folds of the same graphs."""
        if self.sha256 != other.sha256:
            return []
        return [r for r in self.repeats if r in other.repeats and self.folds[r] == other.folds[r]]

    def at(self, repeats: list[int]) -> NDArray[np.float64]:
        """Return the accuracies of some repeats, a row for each."""
        return np.array([self.repeats[repeat] for repeat in repeats])


def write(out: Path) -> None:
    """Write the table and the picture of all results in a folder."""
    folder = out / NAME
    rows = [row for name in BEYOND for row in rows_of(out, name)]
    missing = [name for name in BEYOND if not any(row["data"] == name for row in rows)]
    parts = [_main_table(rows), sentence(rows), _fixed_table(rows)] if rows else []
    run = [name for name in BEYOND if name not in missing]
    parts += [_ABOUT, _not_run(out, run)] if rows else []
    parts += missing_line(missing)
    write_tables(folder, NAME, "\n\n".join(filter(None, parts)) + "\n", rows, {})
    drawn = [row for row in rows if row["method"] == "default" and row["best"] is not None]
    if drawn:
        draw_beyond(drawn, folder / f"{NAME}.png")


def rows_of(out: Path, name: str) -> list[dict[str, Any]]:
    """Return a row for the default model on a data set, and one for each fixed kernel."""
    folder = out / NAME / name
    mine = dict[str, Measured]()
    for part in ("default", "fixed", "expressive"):
        mine |= _measured(folder / part)
    if "default" not in mine:
        return []
    best = _best(
        mine["default"], [_measured(out / "accuracy" / name), _measured(folder / "compared")]
    )
    found = [method for method in ("default", *FIXED, *EXPRESSIVE) if method in mine]
    return [_row(name, method, mine[method], best) for method in found]


def _measured(folder: Path) -> dict[str, Measured]:
    """Return the methods of a folder that have complete repeats."""
    if not is_begun(folder):
        return {}
    results = read_results(folder)
    header, found = results.header, {}
    for name, record in header.methods.items():
        table = results.accuracies(name)
        complete = {r: row for r, row in enumerate(table) if not np.isnan(row).any()}
        if complete:
            found[name] = Measured(record.title, header.data.sha256, header.folds, complete)
    return found


def _best(default: Measured, sources: list[dict[str, Measured]]) -> Measured | None:
    """Return the best of the paper's methods on the repeats that it shares with the default model.

    Of two measurements of one method, the one with more shared repeats counts.
    """
    means = []
    for name in METHODS:
        both = [source[name] for source in sources if name in source]
        one = max(both, key=lambda found: len(found.shared(default)), default=None)
        if one is not None and (shared := one.shared(default)):
            means.append((float(one.at(shared).mean()), one))
    return max(means, key=lambda pair: pair[0])[1] if means else None


def _row(data: str, method: str, found: Measured, best: Measured | None) -> dict[str, Any]:
    shared = found.shared(best) if best is not None else []
    repeats = shared or list(found.repeats)
    own = found.at(repeats)
    row: dict[str, Any] = {
        "data": data,
        "method": method,
        "title": found.title,
        "repeats": len(repeats),
        "accuracy": _percent(own.mean()),
        "error": _percent(_error(own)),
        **dict.fromkeys(("best", "best_accuracy", "best_error")),
        **dict.fromkeys(("difference", "standard_error", "t_test", "verdict")),
    }
    if best is not None and shared:
        theirs = best.at(shared)
        gap, error = float((own - theirs).mean()), _error(own - theirs)
        row |= {
            "best": best.title,
            "best_accuracy": _percent(theirs.mean()),
            "best_error": _percent(_error(theirs)),
            "difference": _percent(gap),
            "standard_error": _percent(error),
            "t_test": float(f"{corrected_t_test(own, theirs):.3g}"),
            "verdict": verdict(gap, error),
        }
    return row


def verdict(difference: float, error: float) -> str:
    """Tell whether a difference is above, within or below one standard error.

    Examples
    --------
    >>> from grafik.reproduction.beyond_table import verdict
    >>> verdict(1.5, 1.0), verdict(-0.5, 1.0), verdict(-1.5, 1.0)
    ('above', 'within one standard error', 'below')
    """
    # If one fold differs from the others, both numbers are the same but for rounding.
    place = 0 if abs(difference) <= error * (1 + 1e-9) else int(math.copysign(1, difference))
    return _VERDICTS[place + 1]


def sentence(rows: list[dict[str, Any]]) -> str:
    """Return how often the default model is above, within and below the best of the ten."""
    mine = [row for row in rows if row["method"] == "default" and row["best"] is not None]
    count = {one: sum(row["verdict"] == one for row in mine) for one in _VERDICTS}
    higher = sum(row["difference"] > 0 for row in mine)
    sure = [row["data"] for row in mine if row["t_test"] < _SIGNIFICANT]
    return (
        f"Of {len(mine)} data sets, the default model is above the best of the ten on {higher}, by "
        f"more than one standard error on {count['above']}; it is below by as much on "
        f"{count['below']}. Significant by the corrected t-test (p < {_SIGNIFICANT}): "
        f"{', '.join(sure) or 'none'}."
    )


def block(out: Path) -> str:
    """Return the part of the project's README that is made from the results in a folder."""
    rows = [row for name in BEYOND for row in rows_of(out, name)]
    text = f"{_short_table(rows)}\n\n{sentence(rows)}" if rows else "Not measured yet."
    return f"{START}\n{text}\n{END}"


def table(out: Path) -> str:
    """Return the default model beside the best of the paper's methods, with tests, in full."""
    rows = [row for name in BEYOND for row in rows_of(out, name)]
    return f"{_main_table(rows)}\n\n{sentence(rows)}"


def replaced(text: str, made: str) -> str:
    """Return a text with another block between its marks."""
    if text.count(START) != 1 or text.count(END) != 1:
        raise ValueError(f"the text needs one line {START} and one line {END}")
    before, rest = text.split(START)
    return before + made + rest.split(END)[1]


def _short_table(rows: list[dict[str, Any]]) -> str:
    header = ["accuracy, %", "best of the paper's ten", "default model", "difference"]
    cells = [
        [
            row["data"],
            f"{percent(row['best_accuracy'])} ({row['best']})" if row["best"] else "-",
            percent(row["accuracy"]),
            f"{signed(row['difference'])} ± {percent(row['standard_error'])}"
            if row["best"]
            else "-",
        ]
        for row in rows
        if row["method"] == "default"
    ]
    return markdown_table(header, cells, 1)


def _main_table(rows: list[dict[str, Any]]) -> str:
    header = ["data", "best of the paper's ten", "accuracy, %", "default model", "difference"]
    cells = [
        [
            row["data"],
            row["best"] or "-",
            percent(row["best_accuracy"]),
            percent(row["accuracy"]),
            signed(row["difference"]),
            percent(row["standard_error"]),
            "-" if row["t_test"] is None else f"{row['t_test']:.2g}",
            str(row["repeats"]),
            row["verdict"] or "-",
        ]
        for row in rows
        if row["method"] == "default"
    ]
    return markdown_table([*header, "standard error", "p", "repeats", "verdict"], cells, 2)


def _fixed_table(rows: list[dict[str, Any]]) -> str:
    cells = [
        [
            row["data"],
            row["title"],
            percent(row["accuracy"]),
            f"{signed(row['difference'])} ({row['best']})" if row["best"] else "-",
            percent(row["standard_error"]),
            str(row["repeats"]),
            row["verdict"] or "-",
        ]
        for row in rows
        if row["method"] != "default"
    ]
    header = ["data", "kernel", "accuracy, %", "difference (from)", "standard error"]
    table = markdown_table([*header, "repeats", "verdict"], cells, 2)
    return f"Other kernels, swept over thin grids:\n\n{table}" if cells else ""


def _not_run(out: Path, names: list[str]) -> str:
    """Return what is planned and not run, or run with less than the paper's grid."""
    lines = []
    for name in names:
        parts = BEYOND[name]
        folder, known = out / NAME / name, set[str]()
        less: list[str] = []
        for part, plan in parts.items():
            found = _measured(folder / part)
            known |= set(found)
            less += _less(part, plan, found)
            if part == "compared" and is_begun(folder / part):
                less += [f"{one} in {part}" for one in thinner(read_results(folder / part))]
        known |= set(_measured(out / "accuracy" / name))
        absent = [method.title for key, method in METHODS.items() if key not in known]
        less += [f"no {', no '.join(absent)}"] if absent else []
        lines += [f"- {name}: {'; '.join(less)}."] if less else []
    return "\n".join(["Not run, or run with less than planned:", "", *lines]) if lines else ""


def _less(part: str, plan: Plan, found: dict[str, Measured]) -> list[str]:
    done = min((len(found[name].repeats) if name in found else 0) for name in plan.methods)
    return [f"{done} of {plan.repeats} repeats of {part}"] if done < plan.repeats else []


def _error(values: NDArray[np.float64]) -> float:
    """Return the standard error of the mean of all folds."""
    return float(values.std(ddof=1)) / math.sqrt(values.size)


def _percent(value: float) -> float:
    return round(100 * float(value), 3)
