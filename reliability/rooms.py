"""Which files are mutated, and which tests should notice."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Room(NamedTuple):
    """Sources and tests, as patterns from the folder of the repository; examples count as tests."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]

    def files(self) -> list[str]:
        """Return the sources."""
        return sorted(
            str(path.relative_to(ROOT))
            for pattern in self.sources
            for path in ROOT.glob(f"src/grafik/{pattern}")
        )


ROOMS = {
    "gate": Room(
        ("arrays/gate.py", "arrays/checks.py", "graphs/validation.py"),
        (
            *("tests/arrays", "tests/graphs/test_validation.py", "tests/graphs/test_batch.py"),
            *("tests/graphs/test_labels.py", "tests/test_forged_arrays.py"),
            *("tests/features/test_histograms.py", "tests/models/test_search.py"),
            "tests/test_directed_graphs.py",
        ),
    ),
    "filtration": Room(
        ("filtration/*.py",),
        (
            *("tests/filtration", "tests/weights/test_combined_weights.py"),
            *("tests/kernels/test_counting.py", "tests/kernels/test_kernel.py"),
        ),
    ),
    "features": Room(("features/*.py",), ("tests/features", "tests/test_forged_arrays.py")),
    "kernels": Room(("kernels/*.py",), ("tests/kernels", "tests/test_all_kernels.py")),
    "embeddings": Room(("embeddings/*.py",), ("tests/embeddings",)),
    "search": Room(("search/*.py",), ("tests/search",)),
    "saving": Room(
        (
            *("models/saving.py", "models/saved_parameters.py", "models/saved_filtration.py"),
            *("models/digest.py", "system/archive.py", "system/files.py", "system/unfinished.py"),
        ),
        (
            *("tests/models/test_saving.py", "tests/models/test_saved_*.py"),
            "tests/models/test_digest.py",
            *("tests/system/test_archive.py", "tests/system/test_files.py"),
            *("tests/system/test_permissions.py", "tests/system/test_sources.py"),
            "tests/system/test_without_locks.py",
            "tests/graphs/test_attribute_labels.py",
        ),
    ),
    "tu": Room(
        ("datasets/tu*.py", "datasets/text_lines.py"),
        (
            *("tests/datasets/test_tu*.py", "tests/datasets/test_text_lines.py"),
            *("tests/datasets/test_csv_files.py", "tests/datasets/test_graph6_files.py"),
        ),
    ),
    "parquet": Room(
        ("graphs/parquet.py", "graphs/arrow.py"),
        ("tests/graphs/test_parquet*.py", "tests/graphs/test_stream.py"),
    ),
}


def digest(paths: list[Path]) -> str:
    """Return a digest of the contents of files."""
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]
