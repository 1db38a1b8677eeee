"""Compiled loops that are damaged on disk are compiled again, and never run."""

import errno
import importlib
import os
import shutil
import sys
import warnings

import pytest
from numba.core import config

from grafik.arrays import kept_loops

SOURCE = """
from grafik.arrays.compiled import njit

@njit(cache=True, nogil=True)
def scaled(x):
    return x * {factor}

@njit(cache=True, nogil=True)
def moved(x):
    return x + {factor}
"""


@pytest.fixture
def loops(tmp_path, monkeypatch):
    """Return a function that imports the loops anew, as another process would."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(config, "CACHE_DIR", "")  # not where NUMBA_CACHE_DIR says
    monkeypatch.setattr(config, "DISABLE_JIT", 0)
    path = tmp_path / "some_loops.py"

    def load(factor=2):
        text = SOURCE.format(factor=factor)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        sys.modules.pop("some_loops", None)
        importlib.invalidate_caches()
        return importlib.import_module("some_loops")

    yield load
    sys.modules.pop("some_loops", None)


def n_loaded(loop):
    return sum(loop.stats.cache_hits.values())


def kept(folder, name, suffix):
    return sorted((folder / "__pycache__").glob(f"some_loops.{name}-*.{suffix}"))


def test_loops_are_loaded_and_not_compiled_again(loops):
    assert loops().scaled(5) == 10
    again = loops()
    assert (again.scaled(5), n_loaded(again.scaled)) == (10, 1)


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:20],
        lambda content: content[:-1],
        lambda content: content[:-40] + bytes([content[-40] ^ 1]) + content[-39:],
        lambda content: bytes(len(content)),
    ],
)
def test_damaged_files_are_replaced(loops, tmp_path, suffix, damage):
    assert loops().scaled(5) == 10
    (path,) = kept(tmp_path, "scaled", suffix)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    second = loops().scaled
    assert (second(5), n_loaded(second)) == (10, 0)
    third = loops().scaled
    assert (third(5), n_loaded(third)) == (10, 1)


def test_code_of_another_loop_is_not_run(loops, tmp_path):
    first = loops()
    assert (first.scaled(5), first.moved(5)) == (10, 7)
    for suffix in ("nbi", "nbc"):
        (mine,), (other,) = (kept(tmp_path, name, suffix) for name in ("scaled", "moved"))
        shutil.copy(other, mine)
    assert loops().scaled(5) == 10


def test_code_for_other_types_is_not_run(loops, tmp_path):
    assert loops().scaled(5) == 10
    (index,), (code,) = (kept(tmp_path, "scaled", suffix) for suffix in ("nbi", "nbc"))
    index.unlink()
    integers = code.read_bytes()
    assert loops().scaled(2.5) == 5.0
    code.write_bytes(integers)  # as if a kill came between the new index and the new code
    assert loops().scaled(2.5) == 5.0


def test_code_of_an_earlier_source_is_not_run(loops, tmp_path):
    assert loops().scaled(5) == 10
    (code,) = kept(tmp_path, "scaled", "nbc")
    earlier = code.read_bytes()
    assert loops(factor=30).scaled(5) == 150
    code.write_bytes(earlier)  # as if a kill came between the new index and the new code
    assert loops(factor=30).scaled(5) == 150


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "words of somebody else"), os.strerror(errno.ENOSPC)),
        (OSError("9 requested and 4 written"), "9 requested and 4 written"),
    ],
)
def test_where_code_cannot_be_written_it_works_with_one_warning(loops, monkeypatch, error, words):
    def full(self, path):
        raise error

    monkeypatch.setattr(kept_loops._CheckedFiles, "_open_for_write", full)
    monkeypatch.setattr(kept_loops, "_warned", False)
    some = loops()
    with pytest.warns(RuntimeWarning, match=rf"in .*__pycache__ \({words}\).*NUMBA_CACHE_DIR"):
        assert some.scaled(5) == 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert some.moved(5) == 7
