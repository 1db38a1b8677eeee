"""Headers of result files: the same when they are read and written again, and what extends one."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from grafik import FiltrationKernel
from grafik.evaluation import METHODS, read_results, swept
from grafik.evaluation.header import DataRecord, Header, MethodRecord, ProtocolRecord
from grafik.evaluation.methods import READINGS, as_methods
from grafik.system.journal import FORMAT, canonical

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
# Which graphs are told apart is not an evaluation.
FILES = [
    path
    for path in sorted(EXPERIMENTS.glob("**/results.jsonl"))
    if "expressiveness" not in path.parts
]
# Those of the paper, whose methods have names.
PAPER = [path for path in FILES if path.parts[-3] in ("accuracy", "levels", "normalisation")]


def header(names=("wl", "sp"), repeats=2, **values):
    """Make a header of two methods and two repeats, unless told otherwise."""
    given = {
        "data": DataRecord("toy", "0", 4, ["a", "b"]),
        "methods": {name: MethodRecord(name.upper(), name, {"depths": [1]}) for name in names},
        "protocol": ProtocolRecord("paper", repeats, 2, 3, [1.0], []),
        "random_state": 0,
        "folds": [[0, 1, 0, 1], [1, 0, 0, 1], [0, 0, 1, 1]][:repeats],
        "thresholds_from": "train",
        "normalize": True,
        "versions": {"numpy": "2"},
    }
    return Header(**{**given, **values})


def test_files_of_the_experiments_are_there():
    assert len(PAPER) >= 9


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_a_header_is_written_as_it_was_read(path):
    with path.open() as file:
        line = json.loads(file.readline())
    del line["sha256"]
    found = read_results(path.parent).header
    assert canonical({"format": FORMAT, **found.to_json()}) == canonical(line)
    assert list(found.methods) == line["order"]


@pytest.mark.parametrize("path", PAPER, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_methods_are_still_those_of_the_experiments(path):
    found = read_results(path.parent).header
    known = {method.text for method in as_methods([*METHODS, *READINGS], found.normalize)}
    assert {record.kernel for record in found.methods.values()} <= known


def test_methods_named_after_the_paper_do_without_edge_labels():
    for name in (*METHODS, *READINGS, "fwl-core"):
        (method,) = as_methods(name)
        option = getattr(method.kernel, "edge_labels", None)
        if isinstance(method.kernel, FiltrationKernel) and method.kernel.features is not None:
            option = method.kernel.features.edge_labels
        assert option is (False if "wl" in name and name not in ("w-wl", "p-wl") else None)
    own = FiltrationKernel(normalize=True)
    assert swept(own).text != as_methods("fwl-d")[0].text


def test_files_do_not_write_that_masses_are_multiplied():
    texts = [swept(FiltrationKernel(mass=mass)).text for mass in ("linear", "min")]
    assert "mass" not in texts[0]
    assert texts[1] == texts[0].replace("n_jobs", "mass='min', n_jobs")


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.pop("versions"),
        lambda line: line["data"].pop("sha256"),
        lambda line: line["methods"].pop("wl"),
        lambda line: line.update(weather="fine"),
        lambda line: line.update(protocol=None),
        lambda line: line["protocol"].update(n_splits=2**40),
        lambda line: line["protocol"].update(repeats=2**40),
        lambda line: line["protocol"].update(changed=[1]),
        lambda line: line["data"].update(n_graphs=5),
        lambda line: line["data"].update(classes=None),
        lambda line: line["methods"]["wl"].update(title=None),
        lambda line: line.update(order=[]),
        lambda line: line.update(folds=[[0, 1, 0, 2], [1, 0, 0, 1]]),
        lambda line: line.update(folds=[[0, 1, 0, True], [1, 0, 0, 1]]),
        lambda line: line.update(folds=["0101", "1001"]),
        lambda line: line["protocol"].update(Cs=None),
    ],
)
def test_what_is_no_header_of_an_evaluation_is_refused(change):
    line = json.loads(canonical(header().to_json()))
    assert Header.from_json(line) == header()
    change(line)
    with pytest.raises(
        ValueError, match="not the header of an evaluation by this version of grafik"
    ):
        Header.from_json(line)


@pytest.mark.parametrize("part", ["data", "methods", "protocol"])
def test_a_part_of_a_header_that_is_no_object_is_named(part):
    line = json.loads(canonical(header().to_json()))
    line[part] = "text"
    with pytest.raises(ValueError, match=rf"version of grafik \({part} is no object\)"):
        Header.from_json(line)


def test_further_methods_and_repeats_extend_an_evaluation_and_nothing_else_does():
    before = header()
    assert header(("gs", "sp", "wl"), 3).extends(before)
    assert header(("sp", "wl")).extends(before)
    others = [
        header(("wl", "gs")),
        header(repeats=1),
        header(random_state=1),
        header(folds=[[1, 0, 1, 0], [1, 0, 0, 1]]),
        header(normalize=False),
        header(versions={"numpy": "3"}),
        header(protocol=replace(before.protocol, n_splits=3)),
        header(methods={**before.methods, "wl": MethodRecord("WL", "wl", {"depths": [2]})}),
    ]
    assert not any(other.extends(before) for other in others)
