"""An earlier state is measured from its own files; each kind of processor has its own results."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from benchmarks import ROOT, earlier, machine, start
from benchmarks import __main__ as bench

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def repository(tmp_path):
    """A repository whose first revision has a grafik that says so, and whose second has not."""
    folder, module = tmp_path / "repository", tmp_path / "repository" / "src" / "grafik"
    module.mkdir(parents=True)
    git = ["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    revisions = []
    for text in ("AGE = 'old'\n", "AGE = 'new'\n"):
        (module / "__init__.py").write_text(text)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", text], check=True)
        found = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True)
        revisions.append(found.stdout.decode().strip())
    return folder, revisions[0]


@needs_git
def test_a_process_imports_the_earlier_state(repository, tmp_path):
    folder, revision = repository
    source = earlier.extracted(revision, tmp_path / "before", folder) / "src"
    given = earlier.environment(source, tmp_path / "compiled")
    code = "import grafik; print(grafik.AGE, grafik.__file__)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **given},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    age, imported = run.stdout.split()
    assert age == "old"
    start.check_source("before", imported, str(source))
    with pytest.raises(RuntimeError, match="now: grafik was imported from .*before"):
        start.check_source("now", imported, str(folder / "src"))
    assert (folder / "src" / "grafik" / "__init__.py").read_text() == "AGE = 'new'\n"


@needs_git
def test_a_missing_revision_is_explained(repository, tmp_path):
    with pytest.raises(FileNotFoundError, match="revision 0123abc is measured too, but is not in"):
        earlier.extracted("0123abc", tmp_path / "before", repository[0])


def test_missing_git_is_explained(monkeypatch, capsys):
    monkeypatch.setattr(earlier.shutil, "which", lambda name: None)
    assert bench.main(["fit", "--only", "MUTAG"]) == 2
    assert "which needs git: install it" in capsys.readouterr().err


def test_both_states_have_places_of_their_own_and_leave_nothing(monkeypatch):
    monkeypatch.setattr(earlier, "extracted", lambda revision, folder: folder)
    with earlier.states() as states:
        assert list(states) == ["before", "now"]
        assert states["now"]["PYTHONPATH"] == str(ROOT / "src")
        folders = [state["NUMBA_CACHE_DIR"] for state in states.values()]
        assert len(set(folders)) == 2
        assert [os.listdir(folder) for folder in folders] == [[], []]
        with earlier.uncompiled(states["now"]) as empty:
            assert empty["NUMBA_CACHE_DIR"] not in folders
            assert empty["PYTHONPATH"] == states["now"]["PYTHONPATH"]
    assert not any(map(os.path.exists, folders))


def test_the_least_of_each_number_counts():
    runs = [
        {"seconds": 3.0, "processor_seconds": 1.0, "functions": 7},
        {"seconds": 2.0, "processor_seconds": 5.0, "functions": 7},
    ]
    least = {"seconds": 2.0, "processor_seconds": 1.0, "functions": 7, "runs": 2}
    assert start.least(runs) == least


CPUINFO = """processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 1
model name\t: AMD EPYC 7763 64-Core Processor
flags\t\t: fpu sse2 avx avx2

processor\t: 1
model\t\t: 2
"""


def test_the_kind_of_a_processor_is_read(tmp_path):
    for i, (level, what, size) in enumerate(
        [("1", "Data", "32K"), ("1", "Instruction", "32K"), ("2", "Unified", "512K")]
    ):
        (tmp_path / f"index{i}").mkdir()
        for name, text in (("level", level), ("type", what), ("size", size)):
            (tmp_path / f"index{i}" / name).write_text(text + "\n")
    (tmp_path / "cpuinfo").write_text(CPUINFO)
    kind = machine.kind(tmp_path / "cpuinfo", tmp_path)
    result = {"processor": "AMD EPYC", "machine": "x86_64", "kind": kind}
    words = "AMD EPYC (family 25, model 1, AVX2, 32 kB of L1, 512 kB of L2)"
    assert machine.named(result) == words
    assert machine.folder_of(result) == "authenticamd-25-1-avx2"
    assert machine.kind(tmp_path / "nothing", tmp_path) is None
    assert machine.named({**result, "kind": None}) == "AMD EPYC"
    assert machine.folder_of({**result, "kind": None}) == "x86-64"


def test_another_kind_of_processor_does_not_replace_a_result(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "RESULTS", tmp_path)
    other = {**machine.machine(), "kind": {"vendor": "A", "family": "1", "caches": {}}}
    (tmp_path / "kernels.json").write_text(json.dumps({**other, "value": 1}))
    path = machine.write_result("kernels", {"value": 2})
    assert path.parent.parent == tmp_path
    assert machine.read_result("kernels")["value"] == 1
    assert [found["value"] for found in machine.read_others("kernels")] == [2]
    # The same kind replaces its own; so does the same name where the kind was not written yet.
    del other["kind"]
    (tmp_path / "kernels.json").write_text(json.dumps({**other, "value": 1}))
    assert machine.write_result("kernels", {"value": 3}) == tmp_path / "kernels.json"
    assert machine.write_result("kernels", {"value": 4}) == tmp_path / "kernels.json"
    assert machine.read_result("kernels")["value"] == 4
