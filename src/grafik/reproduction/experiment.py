"""Experiments that evaluate methods on data sets: running, tables, pictures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import datasets
from ..datasets.tu_files import find_tu
from ..evaluation import Summary, evaluate, read_results
from ..evaluation.protocols import as_protocol
from ..evaluation.results import is_begun
from ..evaluation.summary import Score, percent
from .plan import Plan
from .tables import difference, markdown_table, missing_line, signed, write_tables

_NUMBERS = ("accuracy", "deviation", "paper", "paper_deviation")


@dataclass(frozen=True)
class Evaluated:
    """An experiment that evaluates methods on data sets.

    Attributes
    ----------
    name : str
        Name of its folder and its files.
    plans : mapping
        The plan of each data set, in the order in which they are run.
    methods : callable
        Returns the methods of a plan.
    order : tuple of str
        Data sets in the order of the table.
    rows : callable
        Returns the rows of a data set from its summary, which is None if there are no results.
    first_column : tuple of str
        Title of the first column of the tables for people, and the key of rows that it shows.
    draw : callable
        Draws rows to a file.
    """

    name: str
    plans: Mapping[str, Plan]
    methods: Callable[[Plan], Any]
    order: tuple[str, ...]
    rows: Callable[[str, Summary | None], list[dict[str, Any]]]
    first_column: tuple[str, str]
    draw: Callable[[list[dict[str, Any]], Path], None]

    def run(
        self,
        out: Path,
        data: Path | None,
        protocol: str,
        only: Collection[str],
        n_jobs: int | None,
        progress: bool | None,
    ) -> None:
        """Evaluate all data sets found, resuming an earlier run, and write the table."""
        for name, plan in self.plans.items():
            place = find_tu(name, data)
            if place is None or (only and name not in only):
                continue
            graphs, y = datasets.read_tu(place)
            followed = as_protocol(protocol)
            if protocol == "paper":
                followed = followed.with_values(repeats=plan.repeats, **plan.grid)
            evaluate(
                self.methods(plan),
                graphs,
                y,
                protocol=followed,
                name=name,
                out=out / self.name / name,
                n_jobs=n_jobs,
                progress=progress,
            )
            self.write(out)  # so that a long run can be watched
        self.write(out)

    def write(self, out: Path) -> None:
        """Write the table and the picture of all results in a folder."""
        folder = out / self.name
        found = {
            name: read_results(folder / name).summary() if is_begun(folder / name) else None
            for name in self.order
        }
        rows = {name: self.rows(name, summary) for name, summary in found.items()}
        flat = [row for several in rows.values() for row in several]
        about = {name: one.setting.to_json() for name, one in found.items() if one is not None}
        parts = [
            f"### {name}\n\n{self._table(rows[name])}\n\n{_note(summary)}"
            for name, summary in found.items()
            if summary is not None
        ]
        parts += missing_line([name for name, summary in found.items() if summary is None])
        write_tables(folder, self.name, "\n\n".join(parts) + "\n", flat, {"settings": about})
        drawn = [row for row in flat if row["accuracy"] is not None]
        if drawn:
            self.draw(drawn, folder / f"{self.name}.png")

    def _table(self, rows: list[dict[str, Any]]) -> str:
        title, key = self.first_column
        header = [title, "accuracy, %", "+-", "the paper's", "+-", "difference"]
        verdicts = {None: "-", True: "yes", False: "no"}
        cells = [
            [
                f"{r[key]}",
                *(percent(r[name]) for name in _NUMBERS),
                signed(r["difference"]),
                verdicts[r["within_two_deviations"]],
            ]
            for r in rows
        ]
        return markdown_table([*header, "within two of the paper's deviations"], cells)


def compared(
    summary: Summary | None, method: str, mean: float | None, deviation: float | None
) -> dict[str, Any]:
    """Return the row of a method, with the paper's mean and deviation."""
    scores: list[Score] = summary.scores if summary else []
    score = next((s for s in scores if s.method == method), None)
    accuracy = score.accuracy if score else None
    gap = difference(accuracy, mean)
    setting = summary.setting if summary else None
    return {
        "accuracy": accuracy,
        "deviation": score.deviation if score else None,
        "paper": mean,
        "paper_deviation": deviation,
        "difference": gap,
        "within_two_deviations": (
            None if gap is None or deviation is None else abs(gap) <= 2 * deviation
        ),
        "repeats": setting and setting.repeats_done,
        "protocol": setting and setting.protocol,
        "thresholds_from": setting and setting.thresholds_from,
        "n_units": score.n_units if score else 0,
        "n_unconverged": score.n_unconverged if score else None,
    }


def _note(summary: Summary) -> str:
    unconverged = sum(score.n_unconverged for score in summary.scores)
    fits = sum(score.n_fits for score in summary.scores)
    return f"{summary.note()} {unconverged} of {fits} fits did not converge."
