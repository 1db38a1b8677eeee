"""``./run``: when it makes its environment again, what it remembers, and how it ends."""

import os
import subprocess
import sys
import time
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def script(monkeypatch):
    """The script as a module."""
    loader = SourceFileLoader("run_script", str(ROOT / "run"))
    module = module_from_spec(spec_from_loader("run_script", loader))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # there is no place for it beside run
    loader.exec_module(module)
    return module


@pytest.fixture
def run(script, tmp_path):
    """The script with an environment in a folder of its own, and without pip and processes."""
    script.VENV = tmp_path / "my project" / ".venv"
    script.installed, script.n_made = [], 0

    def make(command, **given):
        if command[1:3] == ["-m", "venv"]:
            made_by(script.VENV, script.VENV)
            script.n_made += 1
        return 0

    script.subprocess = SimpleNamespace(call=make, DEVNULL=None)
    script.call = lambda *arguments, **given: script.installed.append(arguments) or 0
    return script


def made_by(venv, place):
    """Write what ``python -m venv PLACE`` leaves in the environment's settings."""
    venv.mkdir(parents=True, exist_ok=True)
    (venv / "pyvenv.cfg").write_text(f"home = /usr/bin\ncommand = python3 -m venv {place}\n")


def test_an_environment_is_usable_where_it_was_made_whatever_the_system_calls_its_scripts(run):
    assert not run.usable()
    made_by(run.VENV, run.VENV)  # neither bin/pip nor Scripts/pip.exe is there
    assert run.usable()


def test_an_environment_that_was_moved_or_does_not_run_is_not_usable(run):
    made_by(run.VENV, run.VENV.parent.parent / "elsewhere" / ".venv")
    assert not run.usable()
    made_by(run.VENV, run.VENV)
    run.subprocess.call = lambda *_, **__: 1
    assert not run.usable()


def test_an_environment_of_another_tool_is_left_alone(run):
    made_by(run.VENV, run.VENV)
    (run.VENV / "pyvenv.cfg").write_text("home = /usr/bin\n")
    assert run.usable()


def test_extras_add_up_and_are_installed_once(run):
    for extra in ("", "dev", "docs", "dev", ""):
        run.install(extra)
    assert run.n_made == 1
    assert [call[-2 if "--no-compile" in call else -1] for call in run.installed] == [
        str(ROOT),
        f"{ROOT}[dev]",
        f"{ROOT}[docs]",
    ]


def test_extras_of_an_environment_that_is_made_again_are_forgotten(run):
    run.install("dev")
    made_by(run.VENV, "/elsewhere/.venv")  # now it has to be made again
    run.install("docs")
    assert run.n_made == 2
    run.install("dev")
    assert len(run.installed) == 3


@pytest.mark.skipif(os.name == "nt", reason="signals end processes there without notice")
@pytest.mark.parametrize("code", ["signal.SIG_DFL", "lambda *_: sys.exit(5)"])
def test_who_ends_the_script_ends_what_it_has_started(tmp_path, code):
    child = f"""
import os, pathlib, signal, sys, time
signal.signal(signal.SIGTERM, {code})
pathlib.Path("part").write_text(str(os.getpid()))
os.replace("part", "at work")
time.sleep(60)
"""
    parent = f"""
import runpy, signal, sys
script = runpy.run_path({str(ROOT / "run")!r})
signal.signal(signal.SIGTERM, script.get("end"))
script["call"]("-c", {child!r}, python=sys.executable)
"""
    process = subprocess.Popen([sys.executable, "-c", parent], cwd=tmp_path)
    while not (tmp_path / "at work").exists() and process.poll() is None:
        time.sleep(0.01)
    process.terminate()
    assert process.wait(30) == 143
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "at work").read_text()), 0)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say what was started")
@pytest.mark.parametrize("where", ["beside", "below"])
def test_who_ends_the_script_ends_all_that_is_below_it(tmp_path, where):
    sleep = """
import os, pathlib, sys, time
pathlib.Path("part").write_text(str(os.getpid()))
os.replace("part", "at work")
time.sleep(60)
"""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "compile_loops.py").write_text(sleep)
    below = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {sleep!r}], start_new_session=True)
"""
    calls = {"beside": "script.test(['--quick'])", "below": f"script.call('-c', {below!r})"}
    parent = f"""
import pathlib, signal, sys, types
script = types.ModuleType("script")
script.__file__ = {str(ROOT / "run")!r}
exec(compile(pathlib.Path({str(ROOT / "run")!r}).read_text(), "run", "exec"), script.__dict__)
script.ROOT, script.lint = pathlib.Path.cwd(), lambda: 0
script.PYTHON = script.call.__kwdefaults__["python"] = sys.executable
signal.signal(signal.SIGTERM, script.end)
{calls[where]}
"""
    process = subprocess.Popen([sys.executable, "-c", parent], cwd=tmp_path, stdout=subprocess.PIPE)
    while not (tmp_path / "at work").exists() and process.poll() is None:
        time.sleep(0.01)
    process.terminate()
    process.terminate()
    process.communicate(timeout=30)  # none is left that could write
    assert process.returncode == 143
    state = Path(f"/proc/{(tmp_path / 'at work').read_text()}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


def test_the_code_of_what_was_started_is_returned(script):
    codes = {"sys.exit(3)": 3, "pass": 0, "import os; os.kill(os.getpid(), 9)": 137}
    for code, expected in codes.items():
        found = script.call("-c", f"import sys; {code}", python=sys.executable)
        assert found == expected or os.name == "nt"
