"""The page that shows all results of a folder, made from nothing but their files."""

from __future__ import annotations

from pathlib import Path

from .tables import write_text

_INTRODUCTION = """\
# Experiments

The tables and figures of *Graph Filtration Kernels* (Schulz, Welke, Wrobel, AAAI 2022), computed
again, with the paper's numbers beside ours, and, at the end, the default model beside the paper's
methods, and which graphs each weight tells apart. This page is made from the result files in this
folder by `grafik reproduce`; do not edit it.

    grafik reproduce all --data FOLDER_OF_TU_DATA_SETS --out my-experiments

computes everything again. Started again, it goes on with accuracies where it stopped, but runtimes
are measured anew. `results.jsonl` in the folder of a data set has one line for each method, repeat
and fold, with the parameters that were chosen; its first line has the seeds, the versions of
packages, and the SHA-256 of the data.
"""

_SECTIONS = {
    "csl": "Circular skip link graphs",
    "accuracy": "Accuracy",
    "levels": "The influence of the number of levels",
    "runtime": "Runtime",
    "beyond": "Beyond the paper",
    "expressiveness": "Which graphs each weight tells apart",
}


def write_readme(out: Path) -> None:
    """Write ``README.md`` from the tables in a folder; it names experiments not yet run."""
    parts = [_INTRODUCTION.rstrip()]
    for name, title in _SECTIONS.items():
        parts.append(f"## {title}")
        table = out / name / f"{name}.md"
        if not table.is_file():
            parts.append(f"Not run yet: `grafik reproduce {name}`.")
            continue
        if (out / name / f"{name}.png").is_file():
            parts.append(f"![{title}]({name}/{name}.png)")
        parts.append(table.read_text().rstrip())
    write_text(out / "README.md", "\n\n".join(parts) + "\n")
