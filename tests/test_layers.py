"""The rooms of the package: what each holds, and that it imports only from the rooms below it."""

import ast
import re
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
    ["distributed", "neural", "plots"],
    ["report", "reproduction"],
    ["cli"],
]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}

# Public methods that delegate upward, because people look for them there.
UPWARD = {
    ("graphs/attribute_labels.py", "save", "models"),
    ("kernels/combined.py", "fit_transform", "distributed"),
    ("kernels/combined.py", "transform", "distributed"),
    ("kernels/combined.py", "gram_to", "distributed"),
    ("kernels/combined.py", "gram_to", "large"),
    ("kernels/combined.py", "transform_to", "distributed"),
    ("kernels/combined.py", "save", "models"),
    ("kernels/kernel.py", "fit_transform", "distributed"),
    ("kernels/kernel.py", "transform", "distributed"),
    ("kernels/kernel.py", "gram_to", "distributed"),
    ("kernels/kernel.py", "gram_to", "large"),
    ("kernels/kernel.py", "transform_to", "distributed"),
    ("kernels/kernel.py", "save", "models"),
    ("search/index.py", "save", "models"),
    ("large/vector_files.py", "write_parts", "distributed"),
    ("evaluation/evaluate.py", "evaluate", "distributed"),
    ("models/saving.py", "load", "neural"),
    # What notebooks show, and pictures.
    ("graphs/batch.py", "_repr_html_", "plots"),
    ("graphs/graph.py", "_repr_html_", "plots"),
    ("graphs/graph.py", "plot", "plots"),
    ("filtration/filtration.py", "plot", "plots"),
    ("features/barcodes.py", "_repr_html_", "plots"),
    ("features/barcodes.py", "plot", "plots"),
    ("search/index.py", "_repr_html_", "plots"),
    ("explain/results.py", "_repr_html_", "plots"),
    ("explain/results.py", "plot", "plots"),
    ("evaluation/results.py", "_repr_html_", "plots"),
    ("evaluation/results.py", "plot", "plots"),
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
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_room_imports_only_from_rooms_below(path):
    assert upward_imports((SRC / path).read_text(), path) <= UPWARD


def test_an_import_from_above_is_found_wherever_it_stands():
    lazy = "def save(self):\n    from ..models.saving import save\n"
    assert upward_imports(lazy, "search/index.py") == {("search/index.py", "save", "models")}
    typed = "if TYPE_CHECKING:\n    from ..plots import style\n"
    assert upward_imports(typed, "models/svm.py") == {("models/svm.py", None, "plots")}
    beside = "from .. import weights"
    assert upward_imports(beside, "datasets/tu.py") == {("datasets/tu.py", None, "weights")}
    absolute = "import grafik.cli.demo"
    assert upward_imports(absolute, "report/page.py") == {("report/page.py", None, "cli")}
    assert upward_imports("from ..arrays.offsets import offsets", "kernels/sums.py") == set()
    assert upward_imports("from ...arrays.checks import x", "graphs/convert/pyg.py") == set()


def test_exceptions_are_methods_that_exist():
    found = {use for path in FILES for use in upward_imports((SRC / path).read_text(), path)}
    assert found == UPWARD


def test_only_the_entrances_stand_outside_of_rooms():
    files = {path.name for path in SRC.iterdir() if path.is_file()}
    assert files == {"__init__.py", "__main__.py", "py.typed"}
    rooms = {path.name for path in SRC.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms == set(LEVEL)


def test_each_room_says_in_a_sentence_what_lives_there_and_so_does_the_page():
    lines = [
        (LEVEL[room], room, ast.get_docstring(ast.parse((SRC / room / "__init__.py").read_text())))
        for room in LEVEL
    ]
    page = PAGE.read_text()
    for level, room, text in lines:
        sentence = text.split("\n\n")[0]
        assert sentence.endswith("."), room
        assert "\n" not in sentence, room
        assert f"| {level} | `{room}` | {sentence} |" in page


def test_names_in_the_page_exist():
    for path in re.findall(r"`([a-z_]+/[\w/]*(?:\.\w+)?)`", PAGE.read_text()):
        assert (SRC / path).exists() or (PAGE.parents[1] / path).exists(), path


def test_only_public_names_take_more_than_eight_values():
    """Loops take named tuples, so that nobody has to count positions."""
    found = {
        f"{path}: {node.name}"
        for path in FILES
        for node in ast.walk(ast.parse((SRC / path).read_text()))
        if isinstance(node, ast.FunctionDef) and n_values(node.args) > 8
    }
    public = {
        "evaluation/evaluate.py: evaluate",
        "reproduction/__init__.py: reproduce",
        "report/data_set.py: write_report",
        "graphs/as_graphs.py: as_graphs",
        "datasets/csv_files.py: read_csv",
        "datasets/sdf_files.py: read_sdf",
    }
    # Estimators, commands and conversions have as many options as users need.
    options = re.compile(
        r".*: __init__|cli/\w+\.py: [a-z]\w*|graphs/convert/\w+\.py: (from|to)_\w+"
    )
    assert {name for name in found - public if not options.fullmatch(name)} == set()


def n_values(arguments):
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])
