"""The examples run, and write the pictures and pages that they promise."""

import contextlib
import io
import os
import re
import runpy
import subprocess
import sys
from functools import cache
from pathlib import Path

import numba
import pytest
from matplotlib import pyplot
from PIL import Image

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


def run_script(script, folder):
    """Run an example in this process, with nothing but its folder for an argument."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        patch.chdir(folder)
        patch.setattr(sys, "argv", [str(script), str(folder)])
        runpy.run_path(str(script), run_name="__main__")
        pyplot.close("all")
    assert stderr.getvalue() == ""
    return stdout.getvalue()


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Runs an example once, and returns its folder and what it printed."""

    @cache
    def ran(name):
        script, folder = ROOT / "examples" / f"{name}.py", tmp_path_factory.mktemp(name)
        # As a user would, in a process of its own; coverage.py has warnings there.
        if name == "first_figure" and "GRAFIK_COVERAGE" not in os.environ:
            warn = ["-W", "error"]
            if numba.config.DISABLE_JIT:  # hashes wrap around
                warn += ["-W", "ignore:overflow encountered in scalar:RuntimeWarning"]
            command = [sys.executable, *warn, script, folder]
            process = subprocess.run(
                command, check=True, cwd=folder, capture_output=True, text=True
            )
            assert process.stderr == ""
            return folder, process.stdout
        return folder, run_script(script, folder)

    return ran


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_examples_write_what_they_promise(script, ran):
    folder, output = ran(script.stem)
    about = script.read_text().split('"""')[1]
    said = re.search(r"writes (.+?) to the folder", about)[1]
    promised = set(re.findall(r"[\w-]+\.(?:png|html)", said))
    assert promised
    assert {path.name for path in folder.iterdir()} == promised
    for name in promised:
        assert str(folder / name) in output
        if name.endswith(".html"):
            assert (folder / name).read_text().startswith("<!doctype html>")
            continue
        with Image.open(folder / name) as image:
            colours = image.convert("L").getextrema()
        assert colours[0] < 100 < 200 < colours[1]


def test_distances_do_without_data(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAFIK_DATA", str(tmp_path))
    output = run_script(ROOT / "examples" / "distances.py", tmp_path)
    assert "rings and discs" in output
    # All graphs are the same complete graph until distances matter.
    plain, filtered = map(float, re.findall(r"accuracy: ([\d.]+) %", output))
    assert plain == 50.0
    assert filtered > 90.0


def test_each_use_of_node_attributes_answers_its_question(ran):
    _, output = ran("node_attributes")
    found = re.findall(r"mixed up\? +([\d.]+) % +charged\? +([\d.]+) %", output)
    plain, distance, labels = [tuple(map(float, row)) for row in found]
    assert max(plain) < 65.0
    assert distance[0] > 90.0 > 65.0 > distance[1]
    assert labels[1] > 80.0 > 65.0 > labels[0]


def test_the_readme_opens_with_a_picture_of_an_example(ran):
    readme = (ROOT / "README.md").read_text()
    shown = re.search(r"!\[[^]]+\]\((docs/[\w-]+\.png)\)", readme)
    assert shown.start() < readme.index("## Start")
    picture = ROOT / shown[1]
    assert picture.stat().st_size < 150_000
    assert "(examples/first_figure.py)" in readme
    folder, _ = ran("first_figure")
    with Image.open(picture) as kept, Image.open(folder / picture.name) as made:
        assert kept.size == made.size


def test_weights_of_networks_tell_what_their_structure_does_not(ran):
    _, output = ran("weighted_networks")
    degrees, messages, delays = map(float, re.findall(r"accuracy: ([\d.]+) %", output))
    assert degrees < 70.0
    assert min(messages, delays) > 90.0
    assert re.search(r"team 0 \(led\): person_\d+ and person_\d+ write most often", output)
