"""The virtual environment of ``./run``: when it is made again, and what is remembered of it."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The script with an environment in a folder of its own, and without pip and processes."""
    loader = SourceFileLoader("run_script", str(ROOT / "run"))
    script = module_from_spec(spec_from_loader("run_script", loader))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # there is no place for it beside run
    loader.exec_module(script)
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
