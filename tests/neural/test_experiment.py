"""The experiment with networks: the folds of the kernels, resumed runs, and its tables."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from grafik.evaluation import read_results
from grafik.evaluation.results import FILE

pytest.importorskip("torch", reason="PyTorch is not installed: ./run test-neural")
pytest.importorskip("safetensors", reason="safetensors is not installed: ./run test-neural")

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "experiments" / "neural"


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(FOLDER / "measure.py"))


def test_a_run_goes_on_where_it_stopped_and_makes_the_tables(script, data, tmp_path):
    given = {"max_epochs": 1, "n_layers": 1, "hidden_channels": 2}
    script["measure"](data, ["MUTAG"], 1, tmp_path, **given)
    path = tmp_path / "MUTAG" / FILE
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b"\n", 0, -40)] + b"\n")
    assert script["network_results"]("MUTAG", tmp_path) == {}
    script["measure"](data, ["MUTAG"], 1, tmp_path, **given)
    assert path.read_bytes() == whole
    script["write_tables"](tmp_path, None)
    result = json.loads((tmp_path / "neural.json").read_text())
    rows = {row["method"]: row for row in result["rows"]}
    assert list(rows) == list(script["TITLES"])
    kernels = read_results(ROOT / "experiments" / "accuracy" / "MUTAG")
    own = read_results(tmp_path / "MUTAG")
    assert own.header.folds[0] == kernels.header.folds[0]
    for results, method in ((kernels, "wl"), (own, "gin"), (own, "degree")):
        mean = 100 * results.accuracies(method)[0].mean()
        assert rows[method]["accuracy"] == pytest.approx(mean, abs=0.006)
    gaps = 100 * (own.accuracies("degree")[0] - own.accuracies("gin")[0])
    text = (tmp_path / "neural.md").read_text()
    assert f"{gaps.mean():+.2f} ± {gaps.std(ddof=1) / np.sqrt(10):.2f}" in text
    assert (tmp_path / "neural.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_shows_the_committed_results(script):
    path = FOLDER / "neural.json"
    page = (ROOT / "docs" / "neural.md").read_text()
    if not path.is_file():
        assert "It has not been run yet." in page
        return
    assert script["block"](json.loads(path.read_text())) in page
    assert "It has not been run yet." not in page
