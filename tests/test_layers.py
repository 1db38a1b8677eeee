"""The rooms of the package: what each holds, and that it imports only from the rooms below it."""

import ast
from pathlib import Path

import pytest

import grafik

SRC = Path(grafik.__file__).parent
LAYERS = [
    ["arrays"],
    ["system"],
    ["graphs"],
    ["datasets", "weights"],
    ["filtration"],
    ["features"],
    ["kernels"],
    ["baselines", "embeddings", "large"],
    ["search"],
    ["models"],
    ["explain", "evaluation"],
    ["distributed", "plots"],
    ["report", "reproduction"],
    ["cli"],
]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}

# Public methods that delegate upward, because people look for them there.
UPWARD = {
    ("kernels/kernel.py", "fit_transform", "distributed"),
    ("kernels/kernel.py", "transform", "distributed"),
    ("kernels/kernel.py", "gram_to", "distributed"),
    ("kernels/kernel.py", "gram_to", "large"),
    ("kernels/kernel.py", "transform_to", "distributed"),
    ("kernels/kernel.py", "save", "models"),
    ("search/index.py", "save", "models"),
    ("large/vector_files.py", "write_parts", "distributed"),
    ("evaluation/evaluate.py", "evaluate", "distributed"),
    # Not a method: the loops of postings move to kernels/.
    ("features/histograms.py", None, "kernels"),
}


def imported(tree, package):
    """Yield the function, if any, and the module of grafik of each import, lazy ones included."""

    def walk(node, function):
        for child in ast.iter_child_nodes(node):
            inside = child.name if isinstance(child, ast.FunctionDef) else function
            if isinstance(child, ast.ImportFrom) and child.level:
                base = package[: len(package) + 1 - child.level]
                if child.module:
                    yield function, (*base, *child.module.split("."))
                else:
                    for alias in child.names:
                        yield function, (*base, alias.name)
            elif isinstance(child, ast.ImportFrom) and child.module.split(".")[0] == "grafik":
                yield function, tuple(child.module.split(".")[1:])
            elif isinstance(child, ast.Import):
                for alias in child.names:
                    if alias.name.split(".")[0] == "grafik":
                        yield function, tuple(alias.name.split(".")[1:])
            yield from walk(child, inside)

    return walk(tree, None)


def upward_imports(source, path):
    """Return (file, function, room) of each import from a room that is not below."""
    package = Path(path).parts[:-1]
    own = LEVEL[package[0]]
    found = set()
    for function, module in imported(ast.parse(source), package):
        room = module[0] if module else ""
        if room in LEVEL and room != package[0] and LEVEL[room] >= own:
            found.add((str(path), function, room))
    return found


FILES = sorted(path.relative_to(SRC) for path in SRC.glob("*/**/*.py"))


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_room_imports_only_from_rooms_below(path):
    assert upward_imports((SRC / path).read_text(), path) <= UPWARD
