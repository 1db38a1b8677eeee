"""The promises of the README: quick imports, commands, and a typed public API."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import command_line
import grafik
from grafik import Graphs, datasets

ROOT = Path(__file__).parents[1]
HEAVY = (
    "numba",
    "pandas",
    "matplotlib",
    "torch",
    "sklearn",
    "scipy",
    "pyarrow",
    "networkx",
    "numpy",
)


def python(code, **env):
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **env},
    )
    return run.stdout


def test_import_loads_nothing_heavy():
    code = f"import sys, grafik; print([m for m in {HEAVY} if m in sys.modules])"
    assert python(code).strip() == "[]"


def test_the_command_line_starts_without_what_only_commands_need():
    code = f"import sys, grafik.cli; print([m for m in {HEAVY} if m in sys.modules])"
    assert python(code).strip() == "['numpy']"


def test_an_interrupt_while_the_command_line_is_loaded_shows_no_traceback():
    code = (
        "import sys, grafik.__main__\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'grafik.cli':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "grafik.__main__.main()\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (130, "")


def test_graphs_and_data_sets_do_without_numba_pandas_matplotlib_and_torch():
    code = (
        "import sys, grafik; g, y = grafik.datasets.csl(); g[:3].describe(); "
        f"print([m for m in {HEAVY[:5]} if m in sys.modules])"
    )
    assert python(code).strip() == "[]"


def test_every_public_name_is_there_and_listed():
    for name in grafik.__all__:
        assert getattr(grafik, name) is not None
        assert name in dir(grafik)
    with pytest.raises(AttributeError, match="module 'grafik' has no attribute 'Grafs'"):
        grafik.Grafs  # noqa: B018
    assert dir(grafik) == sorted(grafik.__all__)
    rooms = {path.parent.name for path in Path(grafik.__file__).parent.glob("*/__init__.py")}
    assert {*grafik._HOME, *grafik._MODULES} == set(grafik.__all__) - rooms


def test_every_public_function_has_a_runnable_example():
    public = [grafik.Graphs, grafik.Graph, grafik.as_graphs, grafik.load]
    public += [grafik.FiltrationKernel, grafik.FiltrationClassifier, grafik.FiltrationRegressor]
    public += [grafik.FiltrationEmbedding, grafik.GraphIndex]
    public += [getattr(datasets, name) for name in datasets.__all__]
    public += [getattr(Graphs, n) for n in dir(Graphs) if n.startswith(("from_", "to_", "concat"))]
    lacking = [f.__name__ for f in public if ">>>" not in (f.__doc__ or "")]
    assert lacking == ["from_parquet"]  # shown with to_parquet


def grafik_command(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "grafik", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
        **options,
    )


def test_demo_shows_the_csl_table_beside_the_papers():
    run = grafik_command("demo")
    assert run.returncode == 0
    assert "4100 in all; per graph 41 to 41" in run.stdout
    rows = re.findall(r"│ +(\d+) +│ +(\d+) +│ +(\S+) % +│ +(\d+) % +│", run.stdout)
    assert [int(levels) for _, levels, _, _ in rows] == [1, 3, 4, 7, 9, 14, 18, 19]
    assert [float(ours) for *_, ours, _ in rows] == [10, 20, 30, 50, 60, 90, 100, 100]
    assert [int(paper) for *_, paper in rows] == [10, 20, 30, 50, 70, 90, 100, 100]
    told = re.search(r"trained on 70 of .* loaded again, it classified 100 % of the", run.stdout)
    assert "weight walks" in told[0]


def test_describe_reads_folders_zips_and_parquet_files(tmp_path):
    graphs, y = datasets.csl(copies=2)
    datasets.write_tu(tmp_path / "CSL", graphs, y)
    shutil.make_archive(tmp_path / "zipped", "zip", tmp_path / "CSL")
    graphs.to_parquet(tmp_path / "csl.parquet")
    answers = [
        json.loads(run("describe", "--json", tmp_path / name).stdout)
        for run, name in (
            (grafik_command, "CSL"),
            (command_line.grafik, "zipped.zip"),
            (command_line.grafik, "csl.parquet"),
        )
    ]
    assert [a["n_edges"] for a in answers] == [20 * 82] * 3
    assert answers[0]["classes"] == answers[1]["classes"] == [[int(s), 2] for s in sorted(set(y))]
    assert answers[2]["classes"] is None


def test_labels_are_shown_as_they_are(tmp_path):
    graphs = Graphs([0, 3], [0, 0], [], node_labels=["[/x]", "[red]C", "<b>"])
    graphs.to_parquet(tmp_path / "a[b].parquet")
    run = command_line.grafik("describe", tmp_path / "a[b].parquet")
    assert run.returncode == 0
    assert "'<b>' (1), '[/x]' (1), '[red]C' (1)" in run.stdout  # equal counts by content
    assert "a[b].parquet" in run.stdout.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["describe", "nowhere"], "grafik: there is no folder or zip nowhere"),
        (["describe", "nowhere.parquet"], "grafik: there is no file nowhere.parquet"),
        (["describe"], "Missing argument"),
        (["dance"], "No such command 'dance'"),
    ],
)
def test_mistakes_on_the_command_line_are_one_line_and_code_2(
    arguments, message, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    run = command_line.grafik(*arguments)
    assert run.returncode == 2
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""


def test_version_is_that_of_the_package():
    assert grafik_command("--version").stdout == f"grafik {grafik.__version__}\n"


def test_the_run_script_says_what_it_can_do():
    plain = subprocess.run(
        [sys.executable, ROOT / "run"], capture_output=True, text=True, check=True
    )
    commands = "demo test test-neural coverage mutate fuzz faults docs lint clean"
    for command in commands.split():
        assert re.search(rf"^  {command} ", plain.stdout, re.MULTILINE)
    wrong = subprocess.run(
        [sys.executable, ROOT / "run", "dance"], capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 2
    assert "unknown command 'dance'" in wrong.stderr


def test_extras_are_the_documented_ones_and_without_pytorch_but_its_own():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    optional = {"plot", "report", "parquet", "distributed", "molecules", "canonical", "transport"}
    assert set(extras) == {*optional, "neural", "dev", "docs", "all"}
    neural = extras.pop("neural")
    assert [needed.startswith("torch") for needed in neural] == [True, True, False]
    for needed in [*project["dependencies"], *(n for extra in extras.values() for n in extra)]:
        assert not needed.startswith("torch")
        assert "neural" not in needed


def test_networks_say_what_they_need_where_pytorch_is_missing():
    code = """
import sys, grafik
sys.modules["torch"] = None
print(grafik.neural.__name__)
for name in grafik.neural.__all__:
    try:
        getattr(grafik.neural, name)
    except ImportError as error:
        print(error)
"""
    first, *messages = python(code).splitlines()
    assert first == "grafik.neural"
    assert messages == [
        f"{name} needs torch, which is not installed: pip install 'grafik[neural]'"
        for name in grafik.neural.__all__
    ]
    with pytest.raises(AttributeError, match="module 'grafik.neural' has no attribute 'GIN'"):
        grafik.neural.GIN  # noqa: B018


def test_examples_of_networks_are_left_out_where_pytorch_is_missing(tmp_path):
    code = f"""
import runpy, importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "torch" else found("grafik")
print(runpy.run_path({str(ROOT / "conftest.py")!r})["collect_ignore_glob"])
"""
    assert python(code).strip() == (
        "['src/grafik/neural/*.py', 'docs/neural.md', 'docs/from/pyg.md']"
    )


def test_continuous_integration_runs_the_test_command_of_the_readme():
    assert "./run test\n" in (ROOT / ".ci" / "run").read_text()
    assert "./run test-neural\n" in (ROOT / ".ci" / "run").read_text()
    assert "./run test" in (ROOT / "README.md").read_text()
    assert "./run demo" in (ROOT / "README.md").read_text()


@pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")
def test_ctrl_c_ends_with_130():
    code = """
import sys, time
from grafik import cli, datasets
def wait():
    print("ready", flush=True)
    time.sleep(60)
datasets.csl = wait
sys.argv = ["grafik", "describe", "csl"]
cli.main()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in stderr


def test_importing_leaves_the_garbage_collector_as_it_was():
    code = """
import gc, sys
for choose in (gc.enable, gc.disable):
    choose()
    import grafik
    grafik.FiltrationKernel
    print(gc.isenabled())
    for name in [name for name in sys.modules if name.startswith("grafik")]:
        del sys.modules[name]
"""
    assert python(code).split() == ["True", "False"]
