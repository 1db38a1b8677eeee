"""Text files led by coverage: bytes are changed so that new lines of the readers are reached.

    python -m fuzzing.guided TARGET [SECONDS] [SEED]

This needs atheris (``pip install atheris``, on Linux), which nothing else does. It ends at the
first finding and leaves the input in a file ``crash-...``. Its cases do not count for the results.
"""

import sys
from pathlib import Path
from typing import Any

# grafik is imported in `main`, where atheris sees it.

# Targets whose cases are the bytes of one file, and what else they have.
_OTHERS: dict[str, dict[str, Any]] = {
    "graph6": {},
    "graph6-pairs": {},
    "csv": {"target": "y", "id": "name"},
    "sdf": {"target": "y"},
}


def main(arguments: list[str]) -> None:
    """Fuzz one target until the time is over, or something is found."""
    name, seconds, seed = (*arguments, "60", "0")[:3] if arguments else ("", "", "")
    if name not in _OTHERS:
        sys.exit(f"usage: python -m fuzzing.guided {{{','.join(_OTHERS)}}} [SECONDS] [SEED]")
    try:
        import atheris
    except ImportError:
        sys.exit("this needs atheris: pip install atheris")
    with atheris.instrument_imports(include=["grafik"]):
        import grafik.datasets.csv_files
        import grafik.datasets.graph6_files
        import grafik.datasets.sdf_files  # noqa: F401
    from .cases import case_of
    from .guarded import work_folder
    from .targets import TARGETS

    with work_folder() as folder:
        target = TARGETS[name]
        corpus = folder / "corpus"
        corpus.mkdir()
        for number in range(50):
            (corpus / str(number)).write_bytes(case_of(target, int(seed), number)["data"])
        how = [sys.argv[0], f"-max_total_time={seconds}", f"-seed={int(seed) + 1}"]
        atheris.Setup(
            [*how, "-rss_limit_mb=4096", "-timeout=20", str(corpus)], _once(target, folder)
        )
        atheris.Fuzz()


def _once(target: Any, folder: Path) -> Any:
    from .cases import FOUND, outcome_of

    def once(data: bytes) -> None:
        case = {"data": data, **_OTHERS[target.name]}
        files = folder / "files"
        files.mkdir(exist_ok=True)
        outcome, message = outcome_of(target, case, files)
        if outcome in FOUND:
            raise RuntimeError(f"{outcome}: {message}")

    return once


if __name__ == "__main__":
    main(sys.argv[1:])
