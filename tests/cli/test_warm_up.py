"""After `grafik warm-up` nobody waits for loops to be compiled."""

import subprocess
import sys

import numba
import pytest

from grafik import FiltrationKernel, GraphIndex, Graphs
from grafik.cli import loops, warm_up

PAIR = Graphs.from_edge_lists([[(0, 1)]] * 2)
# What the README shows first.
CODE = """
from grafik import FiltrationClassifier, FiltrationEmbedding, FiltrationKernel, GraphIndex, datasets
from grafik.arrays.compiled import Compilations

with Compilations() as compiled:
    for n_labels in (0, 2):
        graphs, _ = datasets.random_graphs(12, n_nodes=(3, 9), n_labels=n_labels)
        FiltrationKernel(weight="degree", n_levels=3).fit_transform(graphs)
    kernel = FiltrationKernel(normalize=True).fit(graphs)
    GraphIndex(kernel).add(graphs).search(graphs[:2])
    FiltrationEmbedding().fit_transform(graphs)
    FiltrationClassifier(depths=[1, 2]).fit(graphs, [0, 1] * 6).predict(graphs)
print(compiled.number)
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled here")
def test_afterwards_a_new_process_compiles_nothing(capsys):
    warm_up.warm_up()
    told = capsys.readouterr().out
    assert told.startswith(("compiled ", "nothing to compile"))
    assert "kept in" in told
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "0\n"), run.stderr


def test_where_nothing_is_compiled_that_is_an_error(monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    with pytest.raises(ValueError, match="while NUMBA_DISABLE_JIT is set; unset it"):
        warm_up.warm_up()


def test_where_nothing_can_be_kept_that_is_an_error(monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)
    monkeypatch.setattr("grafik.arrays.compiled.kept_in", lambda loop: None)
    with pytest.raises(OSError, match="cannot be kept.* set NUMBA_CACHE_DIR"):
        warm_up.warm_up()


def test_what_is_not_installed_is_passed_over(monkeypatch, capsys):
    done = []

    def lacking():
        raise ImportError("this needs igraph, which is not installed")

    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)
    monkeypatch.setattr("grafik.arrays.compiled.kept_in", lambda loop: "somewhere")
    monkeypatch.setattr("grafik.cli.loops.steps", lambda: [lacking, lambda: done.append(1)])
    warm_up.warm_up()
    assert (done, capsys.readouterr().err) == ([1], "")


@pytest.mark.parametrize(
    ("n", "told"),
    [
        (0, "nothing to compile: all loops are kept in here\n"),
        (3, "compiled 3 loops in 0 s; they"),
    ],
)
def test_it_says_what_was_compiled_unless_it_shall_be_quiet(n, told, monkeypatch, capsys):
    class Counted:
        number = n

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)
    monkeypatch.setattr("grafik.arrays.compiled.kept_in", lambda loop: "here")
    monkeypatch.setattr("grafik.arrays.compiled.Compilations", Counted)
    monkeypatch.setattr("grafik.cli.loops.steps", list)
    warm_up.warm_up()
    assert capsys.readouterr().out.startswith(told)
    warm_up.warm_up(quiet=True)
    assert capsys.readouterr().out == ""


def test_indexes_are_searched_in_all_ways_before_and_after_they_are_saved(monkeypatch):
    asked = []
    monkeypatch.setattr(GraphIndex, "search", lambda index, few, **how: asked.append((index, how)))
    loops._search(FiltrationKernel(depth=0), PAIR)
    exact, approximate = {"approximate": False}, {"approximate": True}
    assert [how for _, how in asked] == [exact, approximate] * 2
    assert len({id(index) for index, _ in asked}) == 2


def test_pairs_are_explained_with_exact_labels_and_without(monkeypatch):
    asked = []
    monkeypatch.setattr(loops, "explain_pair", lambda kernel, *_: asked.append(kernel))
    loops._explain(PAIR)
    assert [kernel.features.exact for kernel in asked] == [True, False]
