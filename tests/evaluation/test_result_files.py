"""Lines of result files that belong elsewhere: errors name the file and the line."""

import pytest

from grafik import datasets
from grafik.evaluation import PROTOCOLS, evaluate, read_results
from grafik.system.journal import Journal, read_journal

TWO = PROTOCOLS["quick"].with_values(n_splits=2)


def appended(path, entry):
    """Add a line with a checksum that is right."""
    header, _ = read_journal(path)
    del header["format"]
    with Journal(path, header) as journal:
        journal.append(entry)


def test_results_that_are_there_twice_or_foreign_are_named_with_their_line(tmp_path):
    graphs, y = datasets.csl(skips=(2, 3), copies=6)
    whole = evaluate("wl", graphs, y, protocol=TWO, out=tmp_path / "whole").units
    for name, entry, message in (
        ("twice", whole[0], "method wl, repeat 0, fold 0 is there twice"),
        ("foreign", {"number": 3}, "is not part of this evaluation"),
    ):
        evaluate("wl", graphs, y, protocol=TWO, out=tmp_path / name)
        appended(tmp_path / name / "results.jsonl", entry)
        for action in (
            lambda folder: read_results(folder),
            lambda folder: evaluate("wl", graphs, y, protocol=TWO, out=folder),
        ):
            with pytest.raises(
                ValueError, match=f"results.jsonl, line 4: .*{message}; delete this"
            ):
                action(tmp_path / name)


@pytest.mark.parametrize(
    "change",
    [
        {"n_test": 0},
        {"n_correct": 99},
        {"n_correct": None},
        {"n_fits": "16"},
        {"n_unconverged": -1},
        {"params": 3},
        {"fold": [0]},
        {"repeat": True},
    ],
    ids=repr,
)
def test_results_of_other_types_are_named_with_their_line(tmp_path, change):
    graphs, y = datasets.csl(skips=(2, 3), copies=6)
    unit = evaluate("wl", graphs, y, protocol=TWO, out=tmp_path).units[1]
    path = tmp_path / "results.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    appended(path, {**unit, **change})
    with pytest.raises(ValueError, match=r"results.jsonl, line 3: the result of .* is not"):
        read_results(tmp_path)
