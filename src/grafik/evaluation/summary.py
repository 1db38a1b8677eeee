"""Means, deviations, and whether two methods really differ."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .paired_tests import corrected_t_test, signed_rank_test
from .results import Results

# Printed below the tests of all pairs of methods.
TESTS = (
    "On the same folds for all methods. The t-test is corrected for folds that share training "
    "graphs (Nadeau and Bengio 2003); the Wilcoxon test is not, so believe the first where they "
    "disagree. No correction for the number of pairs."
)
_NO_GROUPS = ("n_groups", None)


@dataclass(frozen=True)
class Score:
    """How good one method is, in the repeats that are complete.

    Attributes
    ----------
    method, title : str
    accuracy, deviation : float or None
        In percent; None if no repeat is complete yet.
    n_units : int
        Number of outer folds.
    n_fits, n_unconverged : int
        Number of support vector machines that were trained, and of those that reached the bound
        on iterations.
    params : dict
        The parameters chosen most often.
    """

    method: str
    title: str
    accuracy: float | None
    deviation: float | None
    n_units: int
    n_fits: int
    n_unconverged: int
    params: dict[str, Any]


@dataclass(frozen=True)
class MethodComparison:
    """Whether two methods differ on the folds that they share.

    Attributes
    ----------
    first, second : str
        Titles.
    difference : float
        Mean accuracy of the first minus that of the second, in percent.
    t_test : float
        p-value of the corrected resampled t-test.
    wilcoxon : float
        p-value of the signed rank test. The test assumes independent folds, so the value is too
        small when there are several repeats.
    """

    first: str
    second: str
    difference: float
    t_test: float
    wilcoxon: float


@dataclass(frozen=True)
class Setting:
    """How an evaluation was done: what tables say of its header.

    `data` and `protocol` are names; `repeats_done` counts the repeats that are complete.
    """

    data: str | None
    sha256: str
    n_graphs: int
    protocol: str
    repeats: int
    repeats_done: int
    n_splits: int
    inner_splits: int
    changed: list[str]
    random_state: int
    thresholds_from: str
    normalize: bool
    n_groups: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the setting for JSON; groups are named only if there are."""
        return {name: one for name, one in asdict(self).items() if (name, one) != _NO_GROUPS}


@dataclass(frozen=True)
class Summary:
    """The outcome of an evaluation, and how it was done.

    Attributes
    ----------
    setting : Setting
        Data, protocol, thresholds and normalisation.
    deviation_over : str
        What the deviations are taken over: the repeats (their means over folds), as in the paper,
        or the folds if there is only one repeat.
    scores : list of Score
    comparisons : list of MethodComparison
        All pairs of methods, on the repeats that are complete.
    n_missing : int
        Number of units that have not been computed yet.
    """

    setting: Setting
    deviation_over: str
    scores: list[Score]
    comparisons: list[MethodComparison]
    n_missing: int

    def to_markdown(self) -> str:
        """Return both tables, each with a note on what its numbers mean."""
        lines = ["| method | accuracy, % | +- | most often chosen | fits | not converged |"]
        lines += ["| --- | ---: | ---: | --- | ---: | ---: |"]
        lines += [
            f"| {s.title} | {percent(s.accuracy)} | {percent(s.deviation)} "
            f"| {params_text(s.params)} | {s.n_fits} | {s.n_unconverged} |"
            for s in self.scores
        ]
        lines += ["", self.note()]
        if self.comparisons:
            lines += ["", "| | difference, % | p, corrected t-test | p, Wilcoxon |"]
            lines += ["| --- | ---: | ---: | ---: |"]
            lines += [
                f"| {c.first} - {c.second} | {c.difference:+.2f} | {c.t_test:.3g} "
                f"| {c.wilcoxon:.3g} |"
                for c in self.comparisons
            ]
            lines += ["", TESTS]
        return "\n".join(lines) + "\n"

    def note(self) -> str:
        """Return a few sentences on how the numbers were computed."""
        s = self.setting
        learned = (
            "thresholds learned on each training part"
            if s.thresholds_from == "train"
            else "thresholds learned on ALL graphs, test parts included, as in the paper"
        )
        kernels = "cosine-normalised kernels" if s.normalize else "kernels as they are"
        together = "" if s.n_groups is None else f" in {s.n_groups} groups that stay together"
        text = (
            f"{s.n_graphs} graphs{together}; {s.repeats_done} x {s.n_splits}-fold stratified "
            f"cross-validation, parameters chosen by {s.inner_splits} folds inside each training "
            f"part; grid of protocol {s.protocol}{_changes(s.changed)}; {kernels}; {learned}; "
            f"random_state {s.random_state}."
        )
        if s.repeats_done:
            text += f" Deviation over {self.deviation_over}."
        if self.n_missing:
            text += (
                f" NOT FINISHED: {s.repeats_done} of {s.repeats} repeats are complete, "
                f"{self.n_missing} units of work are missing."
            )
        return text

    def to_csv(self) -> str:
        """Return the scores as CSV, one line for each method, with how they were computed."""
        names = "data", "protocol", "repeats_done", "n_splits", "thresholds_from", "normalize"
        about = {name: getattr(self.setting, name) for name in names}
        about["deviation_over"] = self.deviation_over
        return as_csv(
            [{**asdict(one), "params": params_text(one.params), **about} for one in self.scores]
        )

    def to_json(self) -> str:
        """Return the whole summary as JSON."""
        return json.dumps({**asdict(self), "setting": self.setting.to_json()}, indent=1) + "\n"


def summarise(results: Results) -> Summary:
    """Return means, deviations and tests of results; see :class:`Summary`."""
    header = results.header
    titles = {name: method.title for name, method in header.methods.items()}
    tables = {method: results.accuracies(method) for method in results.methods}
    # Only repeats that all methods have finished, so that they are compared on the same folds.
    complete = np.flatnonzero(~np.isnan(np.hstack(list(tables.values()))).any(axis=1))
    tables = {method: table[complete] for method, table in tables.items()}
    done = len(complete)
    counted = [unit for unit in results.units if unit["repeat"] in complete]
    scores = [
        _score(method, titles[method], table, [u for u in counted if u["method"] == method])
        for method, table in tables.items()
    ]
    comparisons = [
        MethodComparison(
            titles[first],
            titles[second],
            _rounded(100 * float((tables[first] - tables[second]).mean())),
            _rounded(corrected_t_test(tables[first], tables[second])),
            _rounded(signed_rank_test(tables[first], tables[second])),
        )
        for first, second in combinations(tables if done else [], 2)
    ]
    setting = Setting(
        data=header.data.name,
        sha256=header.data.sha256,
        n_graphs=header.data.n_graphs,
        protocol=header.protocol.name,
        repeats=header.protocol.repeats,
        repeats_done=done,
        n_splits=header.protocol.n_splits,
        inner_splits=header.protocol.inner_splits,
        changed=header.protocol.changed,
        random_state=header.random_state,
        thresholds_from=header.thresholds_from,
        normalize=header.normalize,
        n_groups=header.data.n_groups,
    )
    over = f"{done} repeats" if done > 1 else "folds, as there is one repeat"
    return Summary(setting, over, scores, comparisons, results.n_missing)


def _changes(names: list[str]) -> str:
    return f" with other {', '.join(names)}" if names else ""


def _score(
    method: str, title: str, table: NDArray[np.float64], units: list[dict[str, Any]]
) -> Score:
    accuracy = deviation = None
    if len(table):
        accuracy = _rounded(100 * float(table.mean()))
        spread = table.mean(axis=1) if len(table) > 1 else table[0]
        deviation = _rounded(100 * float(spread.std()))
    chosen = Counter(json.dumps(unit["params"], sort_keys=True) for unit in units)
    # Ties go to the first by name, so that the order of units does not matter.
    most = min(chosen, key=lambda text: (-chosen[text], text), default="{}")
    return Score(
        method,
        title,
        accuracy,
        deviation,
        len(units),
        sum(unit["n_fits"] for unit in units),
        sum(unit["n_unconverged"] for unit in units),
        json.loads(most),
    )


def _rounded(value: float) -> float:
    """Round to six digits; further ones mean nothing and may differ between machines."""
    return float(f"{value:.6g}")


def percent(value: float | None) -> str:
    """Return a number for a table; a dash for None."""
    return "-" if value is None else f"{value:.2f}"


def params_text(params: dict[str, Any]) -> str:
    """Return parameters in one line, with powers of two written as such; None is left out."""
    known = [name for name, value in params.items() if value is not None]
    names = sorted(known, key=lambda name: (name == "C", name != "n_levels", name))
    return ", ".join(f"{name} {_power(params[name])}" for name in names)


def _power(value: Any) -> str:
    if isinstance(value, float) and value > 0:
        mantissa, exponent = np.frexp(value)
        if mantissa == 0.5:
            return f"2^{int(exponent) - 1}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def as_csv(rows: list[dict[str, Any]]) -> str:
    """Return rows as CSV with their keys in the first line; None is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
