"""One fault after the other: what is disturbed, and what became of it."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from .files import damage, difference, tree_of
from .kinds import CLUSTER, KINDS, Disturbed
from .processes import End
from .scene import Scene

# What may become of an operation. In all of these cases, the same call afterwards ends with the
# files of an undisturbed one.
GOOD = {
    "unharmed": "it went on, and wrote the same files",
    "refused": "it said which file could not be written, and what to do",
    "recovered": "it was ended",
    "missed": "it was over before the fault struck, or Python dropped a signal; not counted",
}
# Findings.
BAD = {
    "LOST": "a file was damaged or gone, or the same call did not end well afterwards",
    "DIFFERENT": "files have other bytes in the end, or there are more of them",
    "CRASH": "the process ended by a signal that nobody sent, or with a trace on the command line",
    "HANG": "the process did not end",
    "VAGUE": "the message does not name the file or a remedy",
}
# A signal that comes while Python frees memory: it tells of the exception, drops it, and goes on.
_DROPPED = re.compile(
    r"^Exception ignored in.*?^(KeyboardInterrupt|SystemExit)\b.*?$", re.DOTALL | re.MULTILINE
)
_REMEDY = re.compile(r"; \w+|: make |choose ")
# What no file is to blame for, but a connection.
_OF_CLUSTERS = ("scheduler", "worker")


class Fault(NamedTuple):
    """A fault, by its seed and its number among those of the seed."""

    seed: int
    number: int
    kind: str
    operation: str


class Outcome(NamedTuple):
    """What became of a fault: a word of `GOOD` or `BAD`, what was done, and what was seen."""

    word: str
    how: str
    seen: str = ""


def planned(seed: int, operations: list[str]) -> Iterator[Fault]:
    """Yield the faults of a seed, without end."""
    number = 0
    while True:
        random = Random(f"{seed} {number}")
        (kind,) = random.choices(list(KINDS), [kind.share for kind in KINDS.values()])
        operation = random.choice(KINDS[kind].operations or operations)
        yield Fault(seed, number, kind, operation)
        number += 1


def happen(fault: Fault, scene: Scene) -> Outcome:
    """Let a fault happen, make the same call again, and compare."""
    name, random = fault.operation, Random(f"{fault}")
    known, operation = scene.learn(name), scene.operations[fault.operation]
    if fault.kind in ("kill-import", "kill-compile", "damaged-cache"):
        scene.loops(name)
    if name in CLUSTER and fault.kind.startswith("lost-"):
        scene.cluster_seconds(name)
    before = known.before if operation.replaces and random.random() < 0.5 else {}
    scene.set(before)
    disturbed = KINDS[fault.kind].disturb(scene, name, random)
    after = tree_of(scene.folder)
    again = disturbed.again() if disturbed.again else scene.fork(name).finish()
    last = tree_of(scene.folder)
    for left in scene.base.glob("cache-*"):
        shutil.rmtree(left)

    def outcome(word: str, seen: str = "") -> Outcome:
        return Outcome(word, disturbed.how, seen)

    ends = [*disturbed.ends, again]
    if any(end.code is None for end in ends):
        return outcome("HANG", " | ".join(end.text[-500:] for end in ends))
    editions = [known.wanted, *([known.before] if fault.kind == "two-writers" else [])]
    harm = damage(after, before, editions, operation.once)
    if harm is not None:
        return outcome("LOST", harm)
    seen = _crash(disturbed)
    if seen is not None:
        return outcome("CRASH", seen)
    seen = difference(last, known.wanted)
    complete = operation.once and "already exists" in again.text and seen is None
    if again.code != 0 and not complete:
        return outcome("LOST", f"the same call ends with {again.code}: {again.text[-1000:]}")
    if seen is not None:
        return outcome("DIFFERENT", seen)
    seen = difference(after, known.wanted)
    if seen is not None and fault.kind != "two-writers" and disturbed.ends[0].code == 0:
        return outcome("DIFFERENT", f"it ended well, but {seen}")
    vague = [end for end in disturbed.ends if _is_vague(end, disturbed, fault, scene)]
    if vague:
        return outcome("VAGUE", vague[0].text[-1000:])
    if not disturbed.struck:
        return outcome("missed")
    if all(end.code == 0 for end in disturbed.ends):
        return outcome("unharmed")
    ended = any(end.code in disturbed.codes for end in disturbed.ends)
    return outcome("recovered" if ended else "refused")


def _crash(disturbed: Disturbed) -> str | None:
    """Return what was seen of a process that ended in a way that it should not."""
    for end in disturbed.ends:
        assert end.code is not None
        unsent = end.code < 0 and end.code not in disturbed.codes
        if unsent or "Traceback (most recent" in _DROPPED.sub("", end.text):
            return f"{end.code}: {end.text[-1000:]}"
    return None


def _is_vague(end: End, disturbed: Disturbed, fault: Fault, scene: Scene) -> bool:
    """Whether a process refused to go on without saying where, or what to do."""
    if end.code == 0 or end.code in disturbed.codes:
        return False
    if disturbed.silent:  # Python, NumPy and Arrow say so in their own words
        return not re.search("memory|allocate|thread", end.text, re.IGNORECASE)
    target = Path(scene.operations[fault.operation].target)
    places = [target.name, str(scene.folder)]
    if fault.kind.startswith("lost-"):
        places.extend(_OF_CLUSTERS)
    named = any(place in end.text for place in places)
    return not named or not _REMEDY.search(end.text)
