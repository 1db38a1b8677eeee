"""The examples run, and write the pictures and pages that they promise."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib import pyplot
from PIL import Image

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run an example in this process, with nothing but its folder for an argument."""

    def run(script):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path)])
        runpy.run_path(str(script), run_name="__main__")
        pyplot.close("all")
        stdout, stderr = capsys.readouterr()
        assert stderr == ""
        return stdout

    return run


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_examples_write_what_they_promise(script, run, tmp_path):
    output = run(script)
    about = script.read_text().split('"""')[1]
    said = re.search(r"writes (.+?) to the folder", about)[1]
    promised = set(re.findall(r"[\w-]+\.(?:png|html)", said))
    assert promised
    assert {path.name for path in tmp_path.iterdir()} == promised
    for name in promised:
        assert str(tmp_path / name) in output
        if name.endswith(".html"):
            assert (tmp_path / name).read_text().startswith("<!doctype html>")
            continue
        with Image.open(tmp_path / name) as image:
            colours = image.convert("L").getextrema()
        assert colours[0] < 100 < 200 < colours[1]


def test_distances_do_without_data(run, tmp_path, monkeypatch):
    monkeypatch.setenv("GRAFIK_DATA", str(tmp_path))
    output = run(ROOT / "examples" / "distances.py")
    assert "rings and discs" in output
    # All graphs are the same complete graph until distances matter.
    plain, filtered = map(float, re.findall(r"accuracy: ([\d.]+) %", output))
    assert plain == 50.0
    assert filtered > 90.0


def test_each_use_of_node_attributes_answers_its_question(run):
    output = run(ROOT / "examples" / "node_attributes.py")
    found = re.findall(r"mixed up\? +([\d.]+) % +charged\? +([\d.]+) %", output)
    plain, distance, labels = [tuple(map(float, row)) for row in found]
    assert max(plain) < 65.0
    assert distance[0] > 90.0 > 65.0 > distance[1]
    assert labels[1] > 80.0 > 65.0 > labels[0]


def test_the_readme_opens_with_a_picture_of_an_example(tmp_path):
    readme = (ROOT / "README.md").read_text()
    shown = re.search(r"!\[[^]]+\]\((docs/[\w-]+\.png)\)", readme)
    assert shown.start() < readme.index("## Start")
    picture = ROOT / shown[1]
    assert picture.stat().st_size < 150_000
    assert "(examples/first_figure.py)" in readme
    # As a user would, in a process of its own.
    script = ROOT / "examples" / "first_figure.py"
    subprocess.run([sys.executable, "-W", "error", script, tmp_path], check=True, cwd=tmp_path)
    with Image.open(picture) as kept, Image.open(tmp_path / picture.name) as made:
        assert kept.size == made.size


def test_weights_of_networks_tell_what_their_structure_does_not(run):
    output = run(ROOT / "examples" / "weighted_networks.py")
    degrees, messages, delays = map(float, re.findall(r"accuracy: ([\d.]+) %", output))
    assert degrees < 70.0
    assert min(messages, delays) > 90.0
    assert re.search(r"team 0 \(led\): person_\d+ and person_\d+ write most often", output)
