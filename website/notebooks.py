"""Notebooks: run from their plain sources, and shown as pages with what their cells printed."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import jupytext
import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode


class Ran(NamedTuple):
    """A notebook with its outputs: as a page, its pictures by name, and as a file for Jupyter."""

    page: str
    pictures: dict[str, bytes]
    notebook: str


def run(path: Path) -> Ran:
    """Run a notebook; a cell that fails ends the build."""
    notebook = jupytext.read(path)
    # Kernels warn that their port is not encrypted; it is one of this machine alone.
    quiet = ["--log-level=ERROR"]
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", extra_arguments=quiet)
    client.execute(cwd=str(path.parent))
    pictures: dict[str, bytes] = {}
    parts = [part for cell in notebook.cells for part in _cell(cell, path.stem, pictures)]
    parts.insert(1, f"[Download this notebook]({path.stem}.ipynb){{ .md-button }}")
    return Ran("\n\n".join(parts) + "\n", pictures, nbformat.writes(notebook))


def _cell(cell: NotebookNode, name: str, pictures: dict[str, bytes]) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield cell.source
        return
    yield f"```python\n{cell.source}\n```"
    for output in cell.outputs:
        yield f'<div class="output" markdown>\n\n{_output(output, name, pictures)}\n\n</div>'


def _output(output: NotebookNode, name: str, pictures: dict[str, bytes]) -> str:
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.data
    if "image/png" in data:
        file = f"{name}-{len(pictures) + 1}.png"
        pictures[file] = base64.b64decode(data["image/png"])
        return f"![Drawn by the cell above]({file})"
    if "text/html" in data:
        return f"<div>{data['text/html']}</div>"
    return f"```text\n{data['text/plain']}\n```"
