"""The figures of docs/speed.md, made from the result files; what was not measured is left out."""

from collections.abc import Callable, Mapping
from pathlib import Path

from . import scale_advice
from .machine import named
from .table import NONE, markdown, megabytes, number, rows_of, seconds, times, wrapped

PAGE = Path(__file__).parents[1] / "docs" / "speed.md"


def block(results: Mapping[str, dict | None], others: list[dict]) -> str:
    """Return all sections; `others` are results of ``kernels`` on other kinds of processors."""
    parts = [
        _section(title, results[name], write)
        for name, (title, write) in SECTIONS.items()
        if results.get(name)
    ]
    if others:
        parts.append(f"## Other processors\n\n{other_processors(others)}")
    return "\n\n".join(parts)


def _section(title: str, result: dict, write: Callable[[dict], list[str]]) -> str:
    trial = "" if result["complete"] else "**These are figures of a trial run.**"
    parts = [f"## {title}", trial, *write(result), wrapped(_source(result))]
    return "\n\n".join(part for part in parts if part)


def _source(result: dict) -> str:
    versions = result["packages"]
    return (
        f"{result['cores']} cores, {named(result)}; Python {result['python']}, numba "
        f"{versions['numba']}, scikit-learn {versions['scikit-learn']}, GraKeL "
        f"{versions['grakel']}; {result['date']}. {_busy(result)}"
    ).rstrip()


def _busy(result: dict) -> str:
    """Say how busy the machine was before, and what follows if there was more than it can do."""
    if result["load"] is None:
        return ""
    load, cores = f"{result['load']:.1f}", result["cores"]
    if result["load"] <= cores:
        return f"Load of the machine before: {load}."
    turns = "; how many times less is fairer, as both states took turns"
    turns = turns if "revision" in result else ""
    return (
        f"**The machine was busy** with other programs (load {load} on {cores} cores): seconds, "
        f"even those of processors, may be more than on an idle one{turns}."
    )


def start(result: dict) -> list[str]:
    """Write what a new process waits for."""
    rows = []
    for part, what in (
        ("gram", f"first `fit_transform` on {result['data']}"),
        ("fit", "what the first `FiltrationClassifier().fit` compiles beyond it"),
        ("fit_again", "the same `fit` again"),
    ):
        before, now = (result["cold"][state][part] for state in ("before", "now"))
        functions = f"{before['functions']} / {now['functions']}"
        rows.append([what, *_pair(before, now), *_walls(before, now), functions])
    heads = ["an empty cache", "before, CPU s", "now, CPU s", "times less", "before, s", "now, s"]
    warm = result["warm"]
    imports = warm["imports"]["processor_seconds"]
    lines = [
        [name, number(one["processor_seconds"]), f"{one['processor_seconds'] / imports:.2f}"]
        for name, one in (
            ("`import sklearn, numba`", warm["imports"]),
            # Older result files lack it.
            (
                "the same, and a compiled function that does nothing",
                warm.get("imports_with_function"),
            ),
            ("the same, with `sklearn.svm` and `model_selection`", warm["imports_with_machines"]),
            ("new process, before", warm["before"]),
            ("new process, now", warm["now"]),
        )
        if one is not None
    ]
    return [
        wrapped(
            f"A Gram matrix of {result['data']} (degrees, three levels), and a model, where "
            "nothing is compiled yet: seconds of processors, and of a clock; functions that numba "
            "compiles."
        ),
        markdown([*heads, "functions"], rows),
        wrapped(
            "A new process where all is compiled: it imports grafik, reads the data and computes "
            "the matrix."
        ),
        markdown(["process", "CPU s", "times the imports"], lines),
    ]


def _pair(before: dict, now: dict) -> list[str]:
    """Return the seconds of processors before and now, and their ratio."""
    used = [_processor(one) for one in (before, now)]
    return [seconds(used[0]), seconds(used[1]), times(*used)]


def _processor(one: dict) -> dict:
    """Return a result with the seconds of processors as its seconds; failures stay."""
    if "processor_seconds" not in one:
        return one
    return {"seconds": max(one["processor_seconds"], 1e-9)}


def _walls(before: dict, now: dict) -> list[str]:
    return [seconds(before), seconds(now)]


def fit(result: dict) -> list[str]:
    """Write how long it takes to choose and fit a model."""
    rows = []
    for row in result["rows"]:
        before, now, peer = row["before"], row["now"], row.get("peer")
        cells = [row["data"], row["model"], *_pair(before, now), *_walls(before, now)]
        cells.append(seconds(_processor(peer)) if peer else NONE)
        cells.append(" / ".join(_counted(one) for one in (before, now)))
        cells.append(" / ".join(_score(one) for one in (before, now, peer) if one))
        rows.append([*cells, _yes(row["same_choice"])])
    heads = ["data", "model", "before, CPU s", "now, CPU s", "times less", "before, s", "now, s"]
    more = ["GraKeL, CPU s", "machines", "score", "same choice"]
    return [
        wrapped(
            "*grid*: `FiltrationClassifier` with five levels, three depths, three gammas and five "
            "C, all given; *default*: without arguments, which is a search. GraKeL: its "
            "Weisfeiler-Lehman kernel with three depths and five C. Machines: fitted and, in "
            "brackets, left out, before / now. Score: the best in cross-validation, before / now "
            "/ GraKeL."
        ),
        markdown([*heads, *more], rows),
    ]


def _counted(one: dict) -> str:
    found = one.get("found", {})
    fits, skipped = (found.get(name) for name in ("n_fits", "n_skipped"))
    return f"{NONE if fits is None else fits} ({NONE if skipped is None else skipped})"


def _score(one: dict) -> str:
    return f"{one['found']['best_score']:.3f}" if "found" in one else NONE


def _yes(same: bool | None) -> str:
    return NONE if same is None else "yes" if same else "**no**"


def evaluation(result: dict) -> list[str]:
    """Write how long units of the paper's protocol take."""
    rows, totals = [], {}
    for row in result["rows"]:
        both = _pair(row["before"], row["now"])
        rows.append(
            [row["data"], row["method"], f"{row['n_folds']}", *both, _yes(row["same_result"])]
        )
        if row["times_faster"] is not None:
            total = totals.setdefault(row["data"], [0.0, 0.0])
            for i, state in enumerate(("before", "now")):
                total[i] += row[state]["processor_seconds"] / row["n_folds"]
    said = [f"{data} {before / now:.1f}" for data, (before, now) in totals.items()]
    return [
        wrapped(
            "Outer folds of each method of the paper, by its protocol with full grids, in seconds "
            "of processors. Kernels that learn nothing from graphs compute their matrices once for "
            "all folds of a process."
        ),
        markdown(
            ["data", "method", "folds", "before, s", "now, s", "times less", "same result"], rows
        ),
        wrapped(f"All methods together, one fold of each, times less: {', '.join(said)}.")
        if said
        else "",
    ]


def large(result: dict) -> list[str]:
    """Write how large graphs fare."""
    parts, heads = [], ["before, CPU s", "now, CPU s", "times less"]
    if "proteins" in result:
        parts += _proteins(result["proteins"])
    if "network" in result:
        parts += _network(result["network"])
    if "slow" in result:
        parts += [
            wrapped(
                "What takes longest, on all threads where it uses them; the earlier state was "
                f"given up after {result['before_limit_seconds']:g} s of a clock."
            ),
            markdown(
                ["what", "data", *heads, "before, s", "now, s", "same result"],
                [_slow(row) for row in result["slow"]],
            ),
        ]
    return parts


def _slow(row: dict) -> list[str]:
    if "missing" in row:
        return [row["title"], row["data"], "data missing", *[NONE] * 5]
    both = row["before"], row["now"]
    return [row["title"], row["data"], *_pair(*both), *_walls(*both), _yes(row["same_result"])]


def _proteins(found: dict) -> list[str]:
    rows = [
        [name, seconds(one), seconds(_processor(one)), megabytes(one), times(found["peer"], one)]
        for name, one in (
            ("before", found["before"]),
            ("now", found["now"]),
            ("GraKeL WL", found["peer"]),
        )
    ]
    return [
        wrapped(
            f"{found['graphs']:,} made-up graphs like those of DD: neighbours in space, "
            f"{found['vertices']:.0f} vertices on average and up to {found['most']:,}; "
            f"{found['levels']} levels, depth 5, all threads."
        ),
        markdown(["", "s", "CPU s", "MB", "times faster than GraKeL"], rows),
        "On one thread, seconds of a processor by stage:",
        _stages(found["by_stage"]),
    ]


def _stages(by_stage: dict) -> str:
    """Write a table of the stages; a state in which they cannot be told apart says why."""
    rows = []
    for state, one in by_stage.items():
        stages = one.get("found", {}).get("stages")
        if not stages:
            rows.append([state, seconds(one), *[NONE] * 3])
            continue
        rows.append(
            [
                state,
                *(
                    f"{number(max(stages[name]['processor_seconds'], 1e-6))} s, "
                    f"{megabytes(stages[name])} MB"
                    for name in STAGES
                ),
            ]
        )
    return markdown(["", *STAGES], rows)


STAGES = ("features", "grouping", "matching", "sums")


def _network(found: dict) -> list[str]:
    rows = []
    for row in found["rows"]:
        for state in ("before", "now"):
            one = row[state]
            size = one.get("found", {}).get("histogram_bytes")
            growth = one.get("peak_growth_bytes")
            known = bool(size) and growth is not None
            rows.append(
                [
                    f"{row['vertices']:,}, {state}",
                    f"{row['edges']:,}",
                    seconds(one),
                    seconds(_processor(one)),
                    megabytes(one),
                    f"{size / 1e6:.0f}" if size else NONE,
                    f"{growth / size:.1f}" if known else NONE,
                ]
            )
    said = [f"{state} {power:.2f}" for state, power in found["exponents"].items()]
    heads = ["vertices", "edges", "s", "CPU s", "MB at the peak", "MB of histograms", "ratio"]
    return [
        wrapped(
            f"One random graph with {found['levels']} levels and depth 5, all threads; histograms "
            "are what the features of all levels take."
        ),
        markdown(heads, rows),
        wrapped(f"Fitted exponents of seconds of processors: {', '.join(said)}.") if said else "",
        "The largest of them by stage, on one thread:",
        _stages(found["by_stage"]),
    ]


def other_processors(others: list[dict]) -> str:
    """Write Gram matrices beside GraKeL's for each other kind of processor."""
    parts = []
    for result in others:
        rows = rows_of(result.get("weisfeiler_lehman", ()), "data", "levels")
        heads = ["data", "levels", "grafik, s", "GraKeL WL, s", "times faster", "MB, both"]
        title = f"{result['cores']} cores, {named(result)}; {result['date']}:"
        parts += [wrapped(title), markdown(heads, rows)]
    return "\n\n".join(parts)


SECTIONS = {
    "start": ("The first call", start),
    "fit": ("Fitting a model", fit),
    "evaluation": ("Evaluating", evaluation),
    "scale": ("More and more graphs", scale_advice.section),
    "large": ("Large graphs", large),
}
