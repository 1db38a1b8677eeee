"""The command that draws a graph of a data set."""

import json

import pytest
from PIL import Image

from command_line import grafik
from grafik import datasets


def test_show_draws_a_graph_of_a_data_set(tmp_path):
    graphs, _ = datasets.figure_one()
    graphs.to_parquet(tmp_path / "one_$.parquet")
    for kind in ("svg", "png", "pdf"):
        run = grafik(
            *("show", tmp_path / "one_$.parquet", 0, "--weight", "attribute", "--levels", 4),
            *("--feature", "vertex:5", "--out", tmp_path / f"x.{kind}"),
        )
        assert run.returncode == 0, run.stderr
        assert str(tmp_path / f"x.{kind}") in run.stdout
        assert run.stderr == ""
    with Image.open(tmp_path / "x.png") as image:
        assert min(image.size) > 300
    text = (tmp_path / "x.svg").read_text()
    assert "<svg" in text
    assert "vertex 5" in text  # matplotlib keeps what it draws as paths in a comment


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["5", "--out", "{0}/x.svg"], "there is no graph 5: "),
        (["0", "--out", "{0}/x.jpg"], "a picture must be a .svg, .png or .pdf file"),
        (["0", "--out", "{0}/no/x.svg"], "for x.svg; make it first"),
        (["0", "--out", "{0}/x.svg", "--feature", "7"], "feature must be 'DEPTH:FEATURE'"),
        (["0", "--out", "{0}/x.svg", "--feature", "1:7"], "the feature (1, 7) does not occur"),
        (["0", "--out", "{0}/x.svg", "--feature", "vertex:9"], "the graph has 6 vertices"),
    ],
)
def test_mistakes_of_show_are_one_line(arguments, message, tmp_path):
    datasets.figure_one()[0].to_parquet(tmp_path / "one.parquet")
    run = grafik("show", tmp_path / "one.parquet", *(a.format(tmp_path) for a in arguments))
    assert run.returncode == 2
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert json.dumps(sorted(p.name for p in tmp_path.iterdir())) == '["one.parquet"]'
