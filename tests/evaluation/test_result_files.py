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
        {"n_test": 6.0},
        {"n_correct": None},
        {"n_fits": "16"},
        {"n_skipped": None},
        {"inner_accuracy": "1"},
        {"inner_accuracy": True},
        {"params": 3},
        {"fold": [0]},
        {"repeat": True},
    ],
    ids=repr,
)
def test_results_of_other_types_are_named_with_their_line(tmp_path, change):
    forge(tmp_path, change)
    with pytest.raises(ValueError, match=r"results.jsonl, line 3: the result of .* is not"):
        read_results(tmp_path)


def forge(folder, change):
    """Evaluate, and change the second result."""
    graphs, y = datasets.csl(skips=(2, 3), copies=6)
    unit = evaluate("wl", graphs, y, protocol=TWO, out=folder).units[1]
    path = folder / "results.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    appended(path, {**unit, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_test": 0, "n_correct": 0}, "has n_test=0, but 6 graphs are tested there"),
        ({"n_test": 2**62}, f"has n_test={2**62}, but 6 graphs are tested there"),
        ({"n_test": 5}, "has n_test=5, but 6 graphs are tested there"),
        ({"n_test": -6}, "has n_test=-6, but"),
        ({"n_correct": 7}, "has n_correct=7, but tests 6 graphs"),
        ({"n_correct": -1}, "has n_correct=-1, but"),
        ({"n_fits": 2**53}, f"has n_fits={2**53}, which nobody can have counted"),
        ({"n_fits": -1}, "has n_fits=-1, which"),
        ({"n_skipped": -1}, "has n_skipped=-1, which"),
        ({"n_skipped": 2**62}, f"has n_skipped={2**62}, which"),
        ({"n_unconverged": -1}, "has n_unconverged=-1, which"),
        ({"n_unconverged": 8, "n_fits": 7}, "has n_unconverged=8 of n_fits=7"),
        ({"inner_accuracy": 1.5}, "has inner_accuracy=1.5, which must be between 0 and 1"),
        ({"inner_accuracy": -1}, "has inner_accuracy=-1, which must be"),
        ({"params": {"C": 3.0}}, "has C=3.0, which was not tried"),
    ],
    ids=repr,
)
def test_impossible_numbers_are_named_with_their_line(tmp_path, change, message):
    forge(tmp_path, change)
    with pytest.raises(
        ValueError,
        match=rf"results.jsonl, line 3: the result of method wl, repeat 0, fold 1 {message}.*; del",
    ):
        read_results(tmp_path)
