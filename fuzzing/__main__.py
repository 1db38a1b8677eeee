"""Fuzz readers, converters and kernels.

Each case is done in a guarded process; what ends badly is made small and kept in tests/findings,
where the suite does it again. Needs Linux.
"""

import argparse
import hashlib
import json
import sys
import time

from . import FINDINGS, ROOT
from .cases import ENDING, FOUND, OUTCOMES, alike, case_of, packed
from .guarded import Found, Judge, run
from .minimise import minimised
from .results import Results, counts
from .targets import REAL, TARGETS

_ROUND = 120.0  # seconds after which results are written
_KEPT = 5  # findings of a target that are made small


def main(arguments: list[str]) -> int:
    """Run some targets, and return whether something was found."""
    parser = argparse.ArgumentParser(prog="./run fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(REAL))
    parser.add_argument("--seconds", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--cases", type=int, default=sys.maxsize, help="at most, of each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--out", help="file to which results are added; goes on where it stops")
    asked = parser.parse_args(arguments)
    if asked.first and asked.out:
        parser.error("--first is for single cases; --out counts from the first one on")
    unknown = sorted(set(asked.targets) - set(TARGETS))
    if unknown:
        parser.error(f"there is no target {unknown[0]}; there are {', '.join(REAL)}")
    names, results = asked.targets or REAL, Results(asked.out)
    total = dict.fromkeys(OUTCOMES, 0)
    for name in names:
        start = time.monotonic()
        share = asked.seconds / len(names)
        sums, found = dict.fromkeys(OUTCOMES, 0), []
        while (left := share - (time.monotonic() - start)) > 0:
            done = results.record(TARGETS[name], asked.seed)["cases"]
            count = min(asked.cases - done, 10**6)
            if count <= 0:
                break
            at = asked.first + done
            tally = run(TARGETS[name], asked.seed, at, count, min(left, _ROUND))
            results.add(TARGETS[name], asked.seed, tally)
            found += tally.found
            for outcome, number in tally.outcomes.items():
                sums[outcome] += number
                total[outcome] += number
            if not tally.cases:
                break
        n_cases, seconds = sum(sums.values()), time.monotonic() - start
        print(f"{name}: {n_cases:,} cases in {seconds:.0f} s, {counts(sums)}", flush=True)
        keep(name, asked.seed, found)
    bad = sum(total[outcome] for outcome in FOUND)
    print(f"seed {asked.seed}: {sum(total.values()):,} cases, {counts(total)}; {bad} findings")
    return int(bad > 0)


def keep(name: str, seed: int, found: list[Found]) -> None:
    """Make one finding of each kind small, and keep it as a file that the suite replays."""
    kinds: dict[str, list[Found]] = {}
    for one in found:
        kinds.setdefault(alike(one.outcome, one.message), []).append(one)
    if not kinds:
        return
    for kind, cases in list(kinds.items())[:_KEPT]:
        first = cases[0]
        print(f"  {len(cases)} x {first.outcome}, first case {first.number}: {first.message}")
        with Judge(fork=first.outcome in ENDING) as judge:

            def remains(case: object, kind: str = kind, judge: Judge = judge) -> bool:
                return alike(*judge(TARGETS[name], case)) == kind

            case = case_of(TARGETS[name], seed, first.number)
            small = minimised(case, remains) if remains(case) else case
        kept = {
            "target": name,
            "found": {"seed": seed, "number": first.number},
            "was": f"{first.outcome}: {first.message}"[:500],
            "expected": "refused",
            "case": packed(small),
        }
        FINDINGS.mkdir(exist_ok=True)
        digest = hashlib.sha256(kind.encode()).hexdigest()[:8]
        file = FINDINGS / f"{name}-{digest}.json"
        file.write_text(json.dumps(kept, indent=1) + "\n")
        print(f"  kept as {file.relative_to(ROOT)}", flush=True)
    for kind, cases in list(kinds.items())[_KEPT:]:
        print(f"  {len(cases)} x {kind}, first case {cases[0].number}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
