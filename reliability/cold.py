"""Run tests in this process with a mutant in a module, which is put there when it is imported.

The mutant and the tests come as JSON from the standard input. No file of the sources is changed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

import pytest

from .mutants import Mutant, mutated
from .rooms import ROOT
from .warm import OPTIONS

_HERE = ("--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml"))


class Finder:
    """Finds the one module that is mutated."""

    def __init__(self, mutant: Mutant):
        self.mutant = mutant
        parts = Path(mutant.file).with_suffix("").parts[1:]
        self.module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load the module, None for all others."""
        if name != self.module:
            return None
        file = str(ROOT / self.mutant.file)
        return importlib.util.spec_from_file_location(
            name, file, loader=_Loader(name, file, self.mutant)
        )


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, mutant: Mutant):
        super().__init__(name, path)
        self.mutant = mutant

    def get_code(self, name: str) -> CodeType:
        return compile(mutated(Path(self.path).read_text(), self.mutant), self.path, "exec")


class _FirstFailure:
    def __init__(self, file: str, names: list[str]):
        self.file = file
        self.place = {name: i for i, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        # The fastest first.
        items.sort(key=lambda item: self.place.get(item.nodeid, 0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            Path(self.file).write_text(report.nodeid)


def main() -> int:
    """Return 0 if all tests pass, 1 if one fails or nothing can be imported."""
    mutant, names, failed = json.load(sys.stdin)
    if mutant:
        sys.meta_path.insert(0, Finder(Mutant(**mutant)))
    # pathlib would make one slash of two.
    tests = (os.path.join(ROOT, name) for name in names)  # noqa: PTH118
    code = pytest.main(
        [*OPTIONS, "-x", *_HERE, *tests],
        plugins=[_FirstFailure(failed, names)],
    )
    return 0 if code == pytest.ExitCode.OK else 1


if __name__ == "__main__":
    sys.exit(main())
