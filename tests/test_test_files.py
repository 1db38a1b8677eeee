"""Tests stand in the folder of the room they test, are short, and do not import one another."""

import ast
from pathlib import Path

import grafik

TESTS = Path(__file__).parent
FILES = {path.relative_to(TESTS): path.read_text() for path in sorted(TESTS.rglob("*.py"))}


def imported(source):
    """Return the modules that a source imports, also inside functions and in strings of code."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                code = ast.parse(node.value)
            except (SyntaxError, ValueError):
                continue
            if any(isinstance(part, ast.Import | ast.ImportFrom) for part in code.body):
                found |= imported(node.value)
    return found


def test_no_test_file_imports_another():
    tests = {path.stem for path in FILES if path.stem.startswith("test_")}
    assert {str(path): imported(source) & tests for path, source in FILES.items()} == {
        str(path): set() for path in FILES
    }


def test_imports_are_found_wherever_they_stand():
    source = "def f():\n    import a\nCODE = '''\nfrom b import c\n'''\nfrom d import e"
    assert imported(source) == {"a", "b", "d"}


def test_every_folder_is_a_room():
    rooms = {path.parent.name for path in Path(grafik.__file__).parent.glob("*/__init__.py")}
    assert {path.parts[0] for path in FILES if path.parts[1:]} <= {*rooms, "benchmarks"}


def test_files_are_short():
    assert [str(path) for path, text in FILES.items() if len(text.splitlines()) > 500] == []
