"""Write the tables of docs/experiments.md from the results of this folder.

python experiments/page.py
"""

import json
import tomllib
from pathlib import Path
from typing import Any

from grafik.evaluation import METHODS, read_results
from grafik.reproduction import beyond_table, paper
from grafik.reproduction.experiment import thinner
from grafik.reproduction.tables import markdown_table

HERE = Path(__file__).parent
FAR = 3  # standard errors
PAGE = HERE.parent / "docs" / "experiments.md"
# Appendix E of the paper: graphs, classes, mean vertices, mean edges, labels.
APPENDIX = {
    "DHFR": (756, 2, 42.4, 44.6, 9),
    "NCI1": (4110, 2, 29.9, 32.3, 37),
    "PTC_MR": (344, 2, 14.3, 14.7, 18),
    "IMDB-BINARY": (1000, 2, 19.8, 96.5, 1),
    "EGO-1": (200, 4, 139.0, 593.53, 1),
    "EGO-2": (200, 4, 178.6, 1444.9, 1),
    "EGO-3": (200, 4, 220.0, 2613.5, 1),
    "EGO-4": (200, 4, 259.8, 4135.8, 1),
}


def read(name: str) -> dict[str, Any]:
    """Return a result file of this folder."""
    return json.loads((HERE / name / f"{name}.json").read_text())


def data_sets() -> str:
    """Return the data sets beside those of the paper's appendix."""
    found = read("data_sets")["sets"]
    names = [*APPENDIX, *(name for name in found if name not in APPENDIX)]
    rows = []
    for name in names:
        ours, theirs = found.get(name), APPENDIX.get(name)
        cells = ["-"] * 5 if ours is None else [f"{value:g}" for value in ours.values()]
        rows.append([name, *cells, "not in the paper" if theirs is None else _quoted(theirs)])
    header = ["data", "graphs", "classes", "mean vertices", "mean edges", "labels"]
    return markdown_table([*header, "in the paper"], rows)


def _quoted(theirs: tuple[float, ...]) -> str:
    return ", ".join(f"{value:g}" for value in theirs)


def differences() -> str:
    """Return how far each accuracy is from the paper's, in standard errors."""
    rows = [row for row in read("accuracy")["rows"] if row["data"] in paper.DATA]
    cell = {(row["method"], row["data"]): _cell(row) for row in rows}
    titles = {row["method"]: row["title"] for row in rows}
    table = [
        [title, *(cell.get((method, data), "not run") for data in paper.DATA)]
        for method, title in titles.items()
    ]
    return markdown_table(["method", *paper.DATA], table)


def _cell(row: dict[str, Any]) -> str:
    if row["accuracy"] is None:
        return "not run"
    far = row["standard_errors"]
    text = f"{row['difference']:+.1f} ({far:+.1f})"
    return f"**{text}**" if abs(far) > FAR else text


def far_off() -> str:
    """Return which accuracies are far from the paper's, and what far_off.toml knows about them."""
    rows = {
        (row["method"], row["data"]): row
        for row in read("accuracy")["rows"]
        if row["data"] in paper.DATA and row["accuracy"] is not None
    }
    left = [place for place, row in rows.items() if abs(row["standard_errors"]) > FAR]
    table = []
    for known in tomllib.loads((HERE / "far_off.toml").read_text())["place"]:
        places = [
            place for place in left if place[0] == known["method"] and place[1] in known["data"]
        ]
        if not places:
            continue
        left = [place for place in left if place not in places]
        why = f"**{known['explained']}**: {known['why']}"
        if "reading" in known:
            others = [rows[known["reading"], data] for _, data in places]
            why += f". Another reading of it, *{others[0]['title']}*: {_numbers(others)}"
        table.append([rows[places[0]]["title"], _numbers([rows[place] for place in places]), why])
    for method in dict.fromkeys(method for method, _ in left):
        several = [rows[place] for place in left if place[0] == method]
        table.append([several[0]["title"], _numbers(several), "**No**"])
    return markdown_table(["method", "ours minus the paper's", "explained?"], table, n_left=3)


def _numbers(rows: list[dict[str, Any]]) -> str:
    return ", ".join(f"{row['difference']:+.1f} on {row['data']}" for row in rows)


def not_run() -> str:
    """Return what the paper has and the results here do not, a line for each data set."""
    accuracy = read("accuracy")
    lines = []
    for data in paper.DATA:
        about = accuracy["settings"].get(data)
        if about is None:
            lines.append(f"- **{data}**: no method; the data were not at hand.")
            continue
        done = {r["method"] for r in accuracy["rows"] if r["data"] == data and r["accuracy"]}
        less = [f"no {METHODS[name].title}" for name in METHODS if name not in done]
        if about["repeats_done"] < 10:
            less.append(f"{about['repeats_done']} of 10 repeats")
        less += thinner(read_results(HERE / "accuracy" / data))
        if less:
            lines.append(f"- **{data}**: {', '.join(less)}.")
    for name, what in (("levels", "number of levels"), ("runtime", "runtimes")):
        rows, measured = read(name)["rows"], "accuracy" if name == "levels" else "seconds"
        found = {row["data"] for row in rows if row[measured] is not None}
        wanted = [data for data in paper.DATA if data.startswith("EGO") or name == "runtime"]
        missing = [data for data in wanted if data not in found]
        lines.append(f"- **{what[0].upper()}{what[1:]}**: not on {', '.join(missing)}.")
    return "\n".join(lines)


def default_model() -> str:
    """Return the default model beside the best of the paper's methods."""
    return beyond_table.table(HERE)


BLOCKS = {
    "data": data_sets,
    "differences": differences,
    "far-off": far_off,
    "not-run": not_run,
    "beyond": default_model,
}


def page(text: str) -> str:
    """Return a text with all blocks as they should be."""
    for name, made in BLOCKS.items():
        start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
        if text.count(start) != 1 or text.count(end) != 1:
            raise ValueError(f"the page needs one line {start} and one line {end}")
        before, after = text.split(start)[0], text.split(end)[1]
        text = f"{before}{start}\n\n{made()}\n\n{end}{after}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
