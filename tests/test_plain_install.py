"""An install without extras does the main job, and says which extra the rest needs."""

import os
import re
import subprocess
import sys
from importlib.metadata import packages_distributions

import pytest

from benchmarks.sizes import closure, normal
from release.oldest import PROJECT


def absent():
    """Return the top-level modules here that a plain install does not have."""
    keep = {*closure(PROJECT["dependencies"]), "grafik"}
    return sorted(
        module
        for module, owners in packages_distributions().items()
        if not any(normal(owner) in keep for owner in owners)
    )


# Not None in sys.modules: some packages look there for others.
WITHOUT = f"""
import sys
class Absent:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in {absent()!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent)
"""


def run(code, cwd):
    return subprocess.run(
        [sys.executable, "-W", os.environ.get("PYTHONWARNINGS", "error"), "-c", WITHOUT + code],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_is_hidden_are_the_extras():
    hidden = absent()
    assert {"pyarrow", "matplotlib", "networkx", "pandas", "dask", "rdkit", "ot"} <= set(hidden)
    assert not {"numpy", "scipy", "numba", "sklearn", "typer", "rich", "pooch"} & set(hidden)


def test_the_main_job_needs_no_extra(tmp_path):
    code = """
import grafik
from grafik import datasets
graphs, y = datasets.csl(copies=3)
datasets.write_tu("CSL", graphs, y)
graphs, y = datasets.read_tu("CSL")
model = grafik.FiltrationClassifier(weight="walks", effort="quick")
model.fit(graphs, y).save("csl.model")
print(grafik.load("csl.model").predict(graphs).shape)
sys.argv = ["grafik", "describe", "CSL"]
from grafik import cli
cli.main()
"""
    done = run(code, tmp_path)
    assert done.stderr == ""
    assert done.stdout.startswith("(30,)\n")
    assert "1230 in all" in done.stdout


PARQUET = r"a Parquet file needs pyarrow, which is not installed: pip install 'grafik\[parquet\]'"


@pytest.mark.parametrize(
    "code",
    [
        "graphs.to_parquet('x.parquet')",
        "Graphs.from_parquet('there.parquet')",
        "next(Graphs.iter_parquet('there.parquet'))",
        "write_parts('parts', FiltrationEmbedding(method='hashed'), graphs)",
    ],
)
def test_parquet_files_name_their_extra_and_leave_nothing(code, tmp_path, monkeypatch):
    from grafik import FiltrationEmbedding, Graphs, datasets
    from grafik.large.vector_files import write_parts

    graphs, _ = datasets.csl(copies=1)
    names = {"Graphs": Graphs, "FiltrationEmbedding": FiltrationEmbedding}
    (tmp_path / "there.parquet").write_bytes(b"PAR1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=PARQUET):
        eval(code, {**names, "graphs": graphs, "write_parts": write_parts})
    assert [path.name for path in tmp_path.iterdir()] == ["there.parquet"]


def test_commands_name_the_extra_before_the_work(tmp_path, monkeypatch):
    import command_line
    from grafik.cli import embed

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(embed, "load", lambda *_: pytest.fail("data was read"))
    done = command_line.grafik("embed", "csl", "--out", tmp_path / "vectors.parquet")
    assert done.returncode == 2
    assert re.search(PARQUET, done.stderr)
