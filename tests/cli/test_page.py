"""The commands of docs/command-line.md run as they are."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from command_line import grafik
from grafik.cli import app

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "command-line.md").read_text()
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.S)
TABLE = re.search(r"```csv\n(.*?)```", PAGE, re.S)[1]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split()[1])
def test_commands_run_and_write_what_they_name(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mols.csv").write_text(TABLE)
    for line in block.splitlines():
        name, *arguments = shlex.split(line)
        run = grafik(*arguments)
        assert (name, run.returncode) == ("grafik", 0), run.stderr
        assert run.stdout
        if "--out" in arguments:
            assert Path(arguments[arguments.index("--out") + 1]).exists()


def test_the_commands_of_the_readme_run(tmp_path, monkeypatch):
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    monkeypatch.chdir(tmp_path)
    for name in ("mols.csv", "new.csv"):
        Path(name).write_text(re.search(r"```csv\n(.*?)```", readme, re.S)[1])
    commands = re.findall(r"(?:^|(?<=`))grafik \w+ (?:\w+\.\w+)[^`\n]*", readme, re.M)
    assert [command.split()[1] for command in commands] == ["train", "predict", "report"]
    for command in commands:
        run = grafik(*shlex.split(command)[1:])
        assert run.returncode == 0, run.stderr
        assert "left out" not in run.stderr


def commands_of(path):
    """The commands in shell blocks of a page, in one line each."""
    text = path.read_text().replace("\\\n", " ")
    blocks = "".join(re.findall(r"```sh\n(.*?)```", text, re.S))
    return [line for line in blocks.splitlines() if line.startswith("grafik ")]


@pytest.mark.parametrize("path", sorted(DOCS.rglob("*.md")), ids=lambda path: path.stem)
def test_the_options_of_all_commands_on_pages_exist(path):
    known = get_command(app).commands
    for line in commands_of(path):
        _, name, *arguments = shlex.split(line, comments=True)
        known[name].make_context(name, arguments)


def test_every_command_is_on_the_page():
    names = {command.callback.__name__.replace("_", "-") for command in app.registered_commands}
    assert names - set(re.findall(r"grafik ([\w-]+)", PAGE)) == set()
