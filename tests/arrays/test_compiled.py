"""Loops are compiled once and kept; where they cannot be kept, they work all the same."""

import ast
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core import config, event

import grafik
from grafik.arrays import compiled
from grafik.arrays.compiled import has_kept, kept_in, njit

PACKAGE = Path(grafik.__file__).parent
# A function with a signature, compiled by the import, and one that is compiled when it is called.
CODE = """
import numpy as np
from grafik.arrays.hashing import mix, mix_other
print(mix(1), mix_other(np.uint64(1)))
"""
ANSWER = "6238072747940578789 12994781566227106604\n"


def python(code, env, stderr=subprocess.PIPE):
    kept = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
    run = [sys.executable, "-c", code]
    env = {**kept, "NUMBA_DISABLE_JIT": "0", **env}
    return subprocess.run(run, stdout=subprocess.PIPE, stderr=stderr, text=True, env=env)


@pytest.fixture
def closed(tmp_path):
    """A copy of the package and a user without folders for caches.

    Root may write to any folder, so there are files where the folders should be.
    """
    copy = tmp_path / "site" / "grafik"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [copy, *(path for path in copy.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    (tmp_path / "no-folder").touch()
    nowhere = str(tmp_path / "no-folder")
    return {"PYTHONPATH": str(copy.parent), "HOME": nowhere, "XDG_CACHE_HOME": nowhere}


def test_without_a_folder_for_compiled_loops_everything_works_with_one_warning(closed, tmp_path):
    run = python(CODE, closed)
    assert (run.returncode, run.stdout) == (0, ANSWER), run.stderr
    assert run.stderr.count("Warning") == 1
    assert "RuntimeWarning: grafik cannot keep its compiled loops" in run.stderr
    assert "set the environment variable NUMBA_CACHE_DIR to a folder" in run.stderr
    # The remedy helps, and where there is no terminal, nothing is said of loops being compiled.
    run = python(CODE, {**closed, "NUMBA_CACHE_DIR": str(tmp_path / "cache")})
    assert (run.stdout, run.stderr) == (ANSWER, "")
    assert list((tmp_path / "cache").rglob("*.nbc"))


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals")
def test_a_terminal_is_told_that_loops_are_compiled_but_only_when_they_are(tmp_path):
    env = {"PYTHONPATH": str(PACKAGE.parent), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def on_terminal():
        ours, theirs = os.openpty()
        run = python(CODE, env, stderr=theirs)
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 4096):
                said += part
        except OSError:  # Linux says in this way that nothing is left
            pass
        os.close(ours)
        assert run.stdout == ANSWER
        return said.decode().splitlines()

    assert on_terminal() == [
        f"grafik: compiling loops, once; they are kept in {tmp_path / 'cache'}"
    ]
    assert on_terminal() == []


def test_loops_that_are_not_compiled_give_the_same_bits():
    code = """
import grafik
graphs, _ = grafik.datasets.csl(copies=1)
print(grafik.FiltrationKernel(depth=2).fit_transform(graphs[:4]).tobytes().hex())
"""
    env = {"PYTHONPATH": str(PACKAGE.parent)}
    plain = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore:overflow encountered in scalar"}
    runs = [python(code, env), python(code, {**env, **plain})]
    assert [run.stderr for run in runs] == ["", ""]
    assert runs[0].stdout == runs[1].stdout
    assert len(runs[0].stdout) == 2 * 8 * 4 * 4 + 1


def test_of_loops_that_are_not_compiled_none_is_kept():
    """Where NUMBA_DISABLE_JIT is set, a loop is the function itself."""
    assert not has_kept(np.sum)
    assert kept_in(np.sum) is None


def test_other_errors_of_numba_are_not_hidden(monkeypatch):
    def broken(function):
        raise RuntimeError("numba is broken")

    monkeypatch.setattr(config, "DISABLE_JIT", 0)
    monkeypatch.setattr("grafik.arrays.compiled.KeptLoops", broken)
    with pytest.raises(RuntimeError, match="numba is broken"):
        njit(cache=True)(lambda x: x)


def test_of_all_loops_that_cannot_be_kept_one_warns(monkeypatch):
    def nowhere(function):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(config, "DISABLE_JIT", 0)
    monkeypatch.setattr(compiled, "_warned", False)
    monkeypatch.setattr(compiled, "KeptLoops", nowhere)
    with pytest.warns(RuntimeWarning, match="cannot keep its compiled loops") as told:
        loops = [njit(cache=True)(lambda x, more=more: x + more) for more in (1, 2)]
    assert len(told) == 1
    assert [loop(1) for loop in loops] == [2, 3]
    assert kept_in(loops[0]) is None


@pytest.mark.parametrize(
    ("folder", "terminal", "told"),
    [
        (None, True, ""),
        ("here", False, ""),
        ("here", True, "grafik: compiling loops, once; they are kept in here\n"),
    ],
)
def test_only_of_loops_that_are_kept_something_is_told(folder, terminal, told, monkeypatch):
    def ours(x):
        return x + 1

    ours.__module__ = "grafik.somewhere"
    stderr = io.StringIO()
    stderr.isatty = lambda: terminal
    monkeypatch.setattr(config, "DISABLE_JIT", 0)
    monkeypatch.setattr(compiled, "kept_in", lambda loop: folder)
    monkeypatch.setattr(compiled._Notice, "given", True)  # of the one that is there
    notice = compiled._Notice()
    notice.given = False
    monkeypatch.setattr(sys, "stderr", stderr)
    with event.install_listener("numba:compile", notice):
        loop = njit(cache=False)(ours)
        assert (loop(1), loop(1.5)) == (2, 2.5)
    assert stderr.getvalue() == told


def test_all_loops_are_compiled_in_this_way():
    """What numba's own decorators make does not work without a folder for its cache."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module]
            else:
                continue
            if any(module.split(".")[0] == "numba" for module in modules):
                found.add(path.relative_to(PACKAGE))
    assert found == {Path("arrays", "compiled.py"), Path("arrays", "kept_loops.py")}
