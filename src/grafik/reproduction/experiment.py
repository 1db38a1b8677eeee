"""Experiments that evaluate methods on data sets: running, tables, pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import datasets
from ..datasets.tu_files import find_tu
from ..evaluation import PROTOCOLS, Results, Summary, evaluate, read_results
from ..evaluation.protocols import as_protocol
from ..evaluation.results import is_begun
from ..evaluation.summary import Score, Setting, percent
from .plan import Plan
from .tables import difference, markdown_table, missing_line, signed, write_tables

_NUMBERS = ("accuracy", "deviation", "paper", "paper_deviation")
_REPEATS = 10  # of the paper
_APART = (
    "The last column is the difference from the paper in standard errors: divided by the root of "
    "the sum of both squared standard errors of the mean. Ours is that over repeats (over folds, "
    "if there is one repeat), and rough where there are few; the paper's is its deviation divided "
    "by the root of its 10 repeats. Repeats cut the same graphs anew, and folds share training "
    "graphs, so that these errors are too small, and more differences than one in twenty are "
    "larger than two of them."
)


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
    titles : mapping
        The paper's methods and their titles; those that were not run are listed.
    by_design : tuple of str
        Parameters of the grid that the methods differ in.
    """

    name: str
    plans: Mapping[str, Plan]
    methods: Callable[[Plan], Any]
    order: tuple[str, ...]
    rows: Callable[[str, Summary | None], list[dict[str, Any]]]
    first_column: tuple[str, str]
    draw: Callable[[list[dict[str, Any]], Path], None]
    titles: Mapping[str, str] = field(default_factory=dict)
    by_design: tuple[str, ...] = ()

    def run(
        self,
        out: Path,
        data: Path | None,
        protocol: str,
        only: Collection[str],
        n_jobs: int | None,
        progress: bool | None,
        repeats: int | None = None,
    ) -> None:
        """Evaluate all data sets found, resuming an earlier run, and write the table."""
        for name, plan in self.plans.items():
            place = find_tu(name, data)
            if place is None or (only and name not in only):
                continue
            graphs, y = datasets.read_tu(place)
            followed, folder = as_protocol(protocol), out / self.name / name
            if protocol == "paper":
                wanted = max(plan.at_most(repeats), repeats_begun(folder))
                followed = followed.with_values(repeats=wanted, **plan.grid)
            evaluate(
                self.methods(plan),
                graphs,
                y,
                protocol=followed,
                name=name,
                out=folder,
                n_jobs=n_jobs,
                progress=progress,
            )
            self.write(out)  # so that a long run can be watched
        self.write(out)

    def write(self, out: Path) -> None:
        """Write the table and the picture of all results in a folder."""
        folder = out / self.name
        results = {
            name: read_results(folder / name) for name in self.order if is_begun(folder / name)
        }
        found = {name: results[name].summary() if name in results else None for name in self.order}
        rows = {name: self.rows(name, summary) for name, summary in found.items()}
        flat = [row for several in rows.values() for row in several]
        about = {name: one.setting.to_json() for name, one in found.items() if one is not None}
        parts = [
            f"### {name}\n\n{self._table(rows[name])}\n\n{_note(summary)}"
            f"{self._not_run(results[name], summary)}"
            for name, summary in found.items()
            if summary is not None
        ]
        parts += [_APART] if results else []
        parts += missing_line([name for name, summary in found.items() if summary is None])
        write_tables(folder, self.name, "\n\n".join(parts) + "\n", flat, {"settings": about})
        drawn = [row for row in flat if row["accuracy"] is not None]
        if drawn:
            self.draw(drawn, folder / f"{self.name}.png")

    def _table(self, rows: list[dict[str, Any]]) -> str:
        title, key = self.first_column
        header = [title, "accuracy, %", "+-", "the paper's", "+-", "difference"]
        cells = [
            [
                f"{r[key]}",
                *(percent(r[name]) for name in _NUMBERS),
                signed(r["difference"]),
                "-" if r["standard_errors"] is None else f"{r['standard_errors']:+.1f}",
            ]
            for r in rows
        ]
        return markdown_table([*header, "in standard errors"], cells)

    def _not_run(self, results: Results, summary: Summary) -> str:
        """Return a sentence on what the paper has and these results do not."""
        found = [title for name, title in self.titles.items() if name not in results.methods]
        less = [f"no {', no '.join(found)}"] if found else []
        done = summary.setting.repeats_done
        less += [f"{done} of 10 repeats"] if done < _REPEATS else []
        less += thinner(results, self.by_design)
        return f" Less than in the paper: {'; '.join(less)}." if less else ""


def thinner(results: Results, by_design: Collection[str] = ()) -> list[str]:
    """Return which values of the paper's grid were not tried, and for which methods if not all."""
    header, paper = results.header, PROTOCOLS["paper"]
    found = [_share("Cs", len(header.protocol.Cs), len(paper.Cs))]
    for name in ("levels", "depths", "gammas", "sizes"):
        if name in by_design:
            continue
        whole = len(getattr(paper, name))
        tried = {m.title: len(m.grid[name]) for m in header.methods.values() if name in m.grid}
        for count in sorted(set(tried.values())):
            with_it = [title for title, n in tried.items() if n == count]
            whom = "" if len(with_it) == len(tried) else f" for {', '.join(with_it)}"
            found.append(_share(name, count, whole, whom))
    return list(filter(None, found))


def _share(name: str, count: int, whole: int, whom: str = "") -> str:
    return f"{count} of {whole} {name}{whom}" if count < whole else ""


def repeats_begun(folder: Path) -> int:
    """Return the number of repeats of the results in a folder, finished or not; 0 if none."""
    return read_results(folder).header.protocol.repeats if is_begun(folder) else 0


def compared(
    summary: Summary | None, method: str, mean: float | None, deviation: float | None
) -> dict[str, Any]:
    """Return the row of a method, with the paper's mean and deviation."""
    scores: list[Score] = summary.scores if summary else []
    score = next((s for s in scores if s.method == method), None)
    accuracy = score.accuracy if score else None
    gap = difference(accuracy, mean)
    setting = summary.setting if summary else None
    own = None if score is None or setting is None else standard_error(score, setting)
    theirs = None if deviation is None else deviation / math.sqrt(_REPEATS)
    return {
        "accuracy": accuracy,
        "deviation": score.deviation if score else None,
        "paper": mean,
        "paper_deviation": deviation,
        "difference": gap,
        "standard_error": None if own is None else round(own, 4),
        "paper_standard_error": None if theirs is None else round(theirs, 4),
        "standard_errors": _apart(gap, own, theirs),
        "repeats": setting and setting.repeats_done,
        "protocol": setting and setting.protocol,
        "thresholds_from": setting and setting.thresholds_from,
        "n_units": score.n_units if score else 0,
        "n_unconverged": score.n_unconverged if score else None,
    }


def standard_error(score: Score, setting: Setting) -> float | None:
    """Return the standard error of a mean over repeats; over folds, if there is one repeat."""
    count = setting.repeats_done if setting.repeats_done > 1 else setting.n_splits
    # Deviations are divided by the count, not by one less.
    return None if score.deviation is None else score.deviation / math.sqrt(count - 1)


def _apart(gap: float | None, own: float | None, theirs: float | None) -> float | None:
    """Return a difference in standard errors."""
    if gap is None or own is None or theirs is None or own == theirs == 0:
        return None
    return round(gap / math.hypot(own, theirs), 2)


def _note(summary: Summary) -> str:
    unconverged = sum(score.n_unconverged for score in summary.scores)
    fits = sum(score.n_fits for score in summary.scores)
    return f"{summary.note()} {unconverged} of {fits} fits did not converge."
