"""Let faults happen for a while, and add what became of them to the result file."""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

# One thread for numerical libraries, which forked processes would not have.
for _library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

from . import RESULT  # noqa: E402
from .faults import BAD, Fault, happen, planned  # noqa: E402
from .kinds import KINDS  # noqa: E402
from .operations import OPERATIONS  # noqa: E402
from .processes import end_if_asked, stop  # noqa: E402
from .results import add, done, read, this_run, write  # noqa: E402
from .scene import Scene  # noqa: E402


def main() -> int:
    """Read the command line, and return 1 if something was found."""
    given = _parser().parse_args()
    result = read(given.out)
    known, wanted = done(result), planned(given.seed, list(OPERATIONS))
    if given.number is None:
        chosen: Iterator[Fault] = (
            fault
            for fault in wanted
            if (not given.kinds or fault.kind in given.kinds)
            and (fault.seed, fault.number) not in known
        )
    else:
        chosen = islice(wanted, given.number, given.number + 1)
    words: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="grafik-faults-") as name:
        scene = Scene(Path(name))
        run, begun = this_run(scene.mounted), time.monotonic()
        if not scene.mounted:
            print("without a disk of its own, which only root may mount, no disk is full")
        try:
            for fault in chosen:
                end_if_asked()
                if fault.kind == "full-disk" and not scene.mounted:
                    continue
                if given.number is None and time.monotonic() - begun > given.seconds:
                    break
                outcome = happen(fault, scene)
                words[outcome.word] += 1
                if outcome.word in BAD or given.number is not None:
                    print(
                        f"{outcome.word}: {fault.operation}, {fault.kind}: {outcome.how}\n"
                        f"  {outcome.seen}\n"
                        f"  again: ./run faults --seed {fault.seed} --number {fault.number}",
                        flush=True,
                    )
                add(result, run, fault, outcome)
                write(result, given.out)
        except KeyboardInterrupt:
            pass
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends already
            scene.close()
    bad = sum(words[word] for word in BAD)
    counts = ", ".join(f"{number} {word}" for word, number in sorted(words.items()))
    print(f"{words.total()} faults with seed {given.seed}: {counts or 'none'}; {bad} findings")
    return 1 if bad else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./run faults",
        description="Disturb operations that write files, and see whether the same call afterwards "
        "writes the same bytes. Results are added to experiments/reliability/faults.json.",
    )
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []], metavar="KIND", help=_kinds())
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to go on")
    parser.add_argument("--seed", type=int, default=0, help="other seeds have other faults")
    parser.add_argument("--number", type=int, help="only this fault of the seed, again")
    parser.add_argument("--out", type=Path, default=RESULT, help="the result file")
    return parser


def _kinds() -> str:
    return f"only these kinds: {', '.join(KINDS)}"


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    sys.exit(main())
