"""What a release rests on: citation, workflows, recipe and bounds say what pyproject.toml says."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

import grafik
from release import contents, oldest, todo

ROOT = Path(__file__).parents[1]
PROJECT = oldest.PROJECT
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PYTHONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))


def read(name):
    return yaml.safe_load((ROOT / name).read_text())


def jobs():
    return {
        (path.name, name): job
        for path in WORKFLOWS
        for name, job in yaml.safe_load(path.read_text())["jobs"].items()
    }


def commands(text):
    return set(re.findall(r"(?:\./run|python run) ([a-z-]+)", text))


def test_the_citation_is_of_this_version_and_of_the_paper():
    citation = read("CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert citation["title"].startswith("grafik")
    assert citation["version"] == grafik.__version__
    assert citation["license"] == PROJECT["license"]
    assert citation["keywords"] == PROJECT["keywords"]
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in PROJECT["authors"]
    ]
    paper = citation["preferred-citation"]
    assert paper["title"] == "Graph Filtration Kernels"
    assert [author["family-names"] for author in paper["authors"]] == ["Schulz", "Welke", "Wrobel"]


def test_all_supported_versions_of_python_are_tested_on_three_systems():
    assert PYTHONS[0] == PROJECT["requires-python"].removeprefix(">=")
    minors = [int(version.partition(".")[2]) for version in PYTHONS]
    assert minors == list(range(minors[0], minors[0] + len(minors)))
    matrix = jobs()["tests.yml", "quick"]["strategy"]["matrix"]
    assert matrix["python"] == PYTHONS
    assert [name.partition("-")[0] for name in matrix["os"]] == ["ubuntu", "macos", "windows"]


def test_the_oldest_versions_are_tested_with_the_oldest_python():
    steps = jobs()["tests.yml", "oldest"]["steps"]
    assert [step["with"]["python-version"] for step in steps if "setup-python" in str(step)] == [
        PYTHONS[0]
    ]
    assert "test-oldest" in commands(str(steps))


def test_workflows_run_what_the_run_script_offers():
    offered = set(re.findall(r'command == "([a-z-]+)"', (ROOT / "run").read_text()))
    used = {path.name: commands(path.read_text()) for path in WORKFLOWS}
    assert used["tests.yml"] == {"install", "test", "test-neural", "test-oldest"}
    assert used["release.yml"] == {"release-check"}
    assert used["docs.yml"] == {"docs"}
    assert set.union(*used.values()) <= offered
    assert "test" in commands((ROOT / "README.md").read_text())


def test_workflows_read_only_stop_in_time_and_name_versions_of_actions():
    for path in WORKFLOWS:
        assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}, path.name
    for job in jobs().values():
        assert job["timeout-minutes"] <= 60
        for step in job["steps"]:
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step.get("uses", "actions/none@v0"))


def test_badges_are_those_of_workflows_that_exist():
    readme = (ROOT / "README.md").read_text()
    badges = re.findall(r"actions/workflows/([\w.-]+)/badge\.svg\)\]\(([^)]*)\)", readme)
    assert badges
    for name, leads_to in badges:
        assert name in [path.name for path in WORKFLOWS]
        assert leads_to.endswith(f"actions/workflows/{name}")
    assert readme.count("badge") == len(badges)  # no others, which nobody checks


def test_the_conda_recipe_asks_for_the_same():
    text = (ROOT / "conda" / "meta.yaml").read_text()
    (version,) = re.findall(r'set version = "(.*)"', text)
    assert version == grafik.__version__
    recipe = yaml.safe_load(re.sub(r"\{\{|\}\}", "", re.sub(r"\{%.*%\}", "", text)))
    needed = [need.replace(" ", "") for need in recipe["requirements"]["run"]]
    assert needed == [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
    host = [need.replace(" ", "") for need in recipe["requirements"]["host"]]
    assert {f"python{PROJECT['requires-python']}", "hatchling>=1.25"} <= set(host)
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["summary"] == PROJECT["description"]


def test_hooks_and_templates_can_be_read():
    ((hook,),) = [repository["hooks"] for repository in read(".pre-commit-config.yaml")["repos"]]
    assert hook["entry"] == "python run lint"
    for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"):
        form = yaml.safe_load(path.read_text())
        assert {"name", "description", "body"} == set(form), path.name
        ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
        assert len(ids) == len(set(ids)) > 0
    anchor = re.search(
        r"CONTRIBUTING.md#([\w-]+)", (ROOT / ".github/pull_request_template.md").read_text()
    )
    titles = re.findall(r"^## (.*)$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    assert anchor[1] in [title.lower().replace(" ", "-") for title in titles]


def test_every_requirement_has_a_lower_bound_and_it_is_pinned():
    pins = dict(pin.split("==") for pin in oldest.pins(PROJECT))
    assert pins["numpy"] == re.search(r"numpy>=([\d.]+)", str(PROJECT["dependencies"]))[1]
    assert {"scipy", "typer", "pyarrow", "dask", "rdkit"} <= set(pins)
    assert not {"grafik", "pytest", "ruff"} & set(pins)
    made = {"name": "x", "dependencies": ["a>=1.2"], "optional-dependencies": {}}
    assert oldest.pins(made) == ["a==1.2"]
    with pytest.raises(ValueError, match="a has two lower bounds: 1.2 and 2"):
        oldest.pins({**made, "optional-dependencies": {"b": ["a[c]>=2"]}})
    with pytest.raises(AttributeError):
        oldest.pins({**made, "dependencies": ["a"]})


def test_an_upper_bound_has_a_reason_beside_it():
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    start, end = lines.index("dependencies = ["), lines.index("[project.scripts]")
    bounded = [i for i in range(start, end) if "<" in lines[i] or "==" in lines[i]]
    assert [lines[i].split(">")[0].strip(' "') for i in bounded] == ["grakel", "mkdocs"]
    assert all(lines[i - 1].lstrip().startswith("# ") for i in bounded)


def test_bounds_admit_what_is_installed_here():
    from importlib.metadata import version

    from packaging.requirements import Requirement

    for need in map(Requirement, oldest.bounded(PROJECT)):
        assert need.specifier.contains(version(need.name), prereleases=True), need


METADATA = f"""Metadata-Version: 2.4
Name: grafik
Version: {grafik.__version__}
Summary: {PROJECT["description"]}
License-Expression: BSD-3-Clause
Requires-Python: {PROJECT["requires-python"]}
"""


def wheel(folder, leave_out=(), add=(), metadata=METADATA):
    about = f"grafik-{grafik.__version__}.dist-info"
    files = {name.removeprefix("src/") for name in contents.tracked("src/grafik")}
    path = folder / "grafik.whl"
    needs = "".join(f"Requires-Dist: {need}\n" for need in PROJECT["dependencies"])
    with zipfile.ZipFile(path, "w") as archive:
        for name in [*sorted(files - set(leave_out)), *add, f"{about}/licenses/LICENSE"]:
            archive.writestr(name, "")
        archive.writestr(f"{about}/METADATA", metadata + needs)
    return path


@pytest.fixture
def clone():
    if subprocess.call(["git", "rev-parse"], cwd=ROOT, stderr=subprocess.DEVNULL) != 0:
        pytest.skip("not a clone")


@pytest.mark.usefixtures("clone")
def test_wheels_hold_the_package_and_nothing_else(tmp_path):
    contents.check_wheel(wheel(tmp_path))
    for name in ("grafik/py.typed", "grafik/report/assets/page.js"):
        with pytest.raises(SystemExit, match=f"lacks .*{name}"):
            contents.check_wheel(wheel(tmp_path, leave_out=[name]))
    with pytest.raises(SystemExit, match="has besides .*tests/naive.py"):
        contents.check_wheel(wheel(tmp_path, add=["tests/naive.py"]))
    older = METADATA.replace(">=3.11", ">=3.9")
    with pytest.raises(SystemExit, match=r"says Requires-Python: >=3.9, not >=3.11"):
        contents.check_wheel(wheel(tmp_path, metadata=older))
    with pytest.raises(SystemExit, match="requires .*pyarrow"):
        contents.check_wheel(wheel(tmp_path, metadata=METADATA + "Requires-Dist: pyarrow\n"))


def test_what_is_left_to_do_names_the_version():
    assert contents.version() == grafik.__version__
    left = "\n".join(todo.left_to_do())
    assert "tag the commit v0.1.0" in left
    assert ("dev" in grafik.__version__) == ('"0.1.0.dev0" "0.1.0"' in left)


def test_types_are_seen_by_users(tmp_path):
    """Right uses pass and wrong ones are reported: the program says which are which."""
    program = ROOT / "release" / "typed_user.py"
    text = program.read_text()
    assert text.count("# type: ignore[") == text.count("# type: ignore") >= 8
    # With the settings of ./run lint, whose cache makes this quick; elsewhere, so that grafik is
    # found where it is installed, and only believed because of py.typed.
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--cache-dir", str(ROOT / ".mypy_cache"), str(program)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "Success: no issues found in 1 source file\n"
