"""What is not collected for want of a package, and the files that examples of pages read."""

import os
import re
from importlib.util import find_spec

import pytest

# Examples draw pictures; nothing shows them.
os.environ.setdefault("MPLBACKEND", "agg")

collect_ignore_glob = []
if find_spec("torch") is None or find_spec("torch_geometric") is None:
    collect_ignore_glob += ["src/grafik/neural/*.py", "docs/neural.md", "docs/from/pyg.md"]
if find_spec("grakel") is None:
    collect_ignore_glob += ["docs/from/grakel.md"]


@pytest.fixture(autouse=True)
def _files_of_the_page(request):
    """Run the examples of a page that shows a table, `mols.csv`, in a folder that has it."""
    path = request.node.path
    if path.suffix == ".md":
        table = re.search(r"^```csv\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)
        if table:
            folder = request.getfixturevalue("tmp_path")
            (folder / "mols.csv").write_text(table[1])
            request.getfixturevalue("monkeypatch").chdir(folder)
