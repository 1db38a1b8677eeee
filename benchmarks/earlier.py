"""An earlier state of grafik beside the present one: both measured in the same run, in turns."""

import io
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import ROOT

# The last state before the work on compilation, model fitting, evaluation and large graphs: what
# these benchmarks show was gained is gained over it.
REVISION = "a7fed0bff775a9f5c7b72032ddf4e841ff72e939"

Environment = dict[str, str]


@contextmanager
def states(revision: str = REVISION) -> Iterator[dict[str, Environment]]:
    """Yield what processes of each state have in their environment: ``before`` and ``now``.

    Each state imports grafik from its own files, and has a folder for compiled loops of its own,
    empty at first. All is deleted at the end.
    """
    with tempfile.TemporaryDirectory(prefix="grafik-bench-") as name:
        folder = Path(name)
        sources = {"before": extracted(revision, folder / "before") / "src", "now": ROOT / "src"}
        yield {
            state: environment(source, folder / f"compiled-{state}")
            for state, source in sources.items()
        }


def environment(source: Path, compiled: Path) -> Environment:
    """Return what a process has in its environment that imports grafik from `source`."""
    compiled.mkdir(exist_ok=True)
    return {
        "PYTHONPATH": str(source),
        "NUMBA_CACHE_DIR": str(compiled),
        # Installed packages have bytecode; without, each process would compile all of grafik's.
        "PYTHONDONTWRITEBYTECODE": "",
    }


@contextmanager
def uncompiled(state: Environment) -> Iterator[Environment]:
    """Yield the environment of a state with a new, empty folder for compiled loops."""
    with tempfile.TemporaryDirectory(prefix="grafik-compiled-") as compiled:
        yield {**state, "NUMBA_CACHE_DIR": compiled}


def extracted(revision: str, folder: Path, repository: Path = ROOT) -> Path:
    """Write the files of a revision to a folder, and return it; no work tree is touched.

    Raises
    ------
    FileNotFoundError
        If there is no git, or no such revision in the repository.
    """
    git = shutil.which("git")
    if git is None:
        raise FileNotFoundError(f"revision {revision} is measured too, which needs git: install it")
    archive = subprocess.run(
        [git, "-C", str(repository), "archive", "--format=tar", revision], capture_output=True
    )
    if archive.returncode:
        words = archive.stderr.decode(errors="replace").strip()
        raise FileNotFoundError(
            f"revision {revision} is measured too, but is not in {repository} ({words}); a clone "
            "that is not shallow has it: git fetch --unshallow"
        )
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder
