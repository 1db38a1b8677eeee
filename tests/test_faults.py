"""Faults that happen on purpose: bad operations are found, and good ones are not blamed."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from random import Random

import numba
import pytest

if os.name == "nt":
    pytest.skip("processes are forked", allow_module_level=True)

from faults import RESULT, caches, page, results, watching
from faults.faults import BAD, GOOD, Fault, Outcome, _crash, happen, planned
from faults.files import damage, difference
from faults.kinds import KINDS, Disturbed
from faults.operations import OPERATIONS, Operation
from faults.processes import End, environment
from faults.scene import Scene
from grafik.system.files import replacing

WHOLE = b"all of it\n" * 1000


def whole(edition):
    """Write as it should be done."""
    with replacing("good.txt") as part:
        part.write_bytes(WHOLE + bytes([edition]))


def in_place(edition):
    """Write in place, in two steps."""
    with Path("bad.txt").open("wb", buffering=0) as file:
        file.write(WHOLE)
        file.write(bytes([edition]))


def leaving_parts(edition):
    """Leave an unfinished file behind whenever it is ended, and never clear it."""
    part = Path(f".parts.txt.{os.getpid()}.part")
    part.write_bytes(WHOLE + bytes([edition]))
    part.replace("parts.txt")


def vague(edition):
    """Say nothing of where and what to do."""
    try:
        whole(edition)
    except OSError:
        raise OSError("something went wrong") from None


def stuck(edition):
    """Refuse to work where an earlier call was ended."""
    Path("lock").touch(exist_ok=False)
    whole(edition)
    Path("lock").unlink()


PLANTED = {
    "good": Operation(whole, "good.txt"),
    "in place": Operation(in_place, "bad.txt"),
    "parts": Operation(leaving_parts, "parts.txt"),
    "vague": Operation(vague, "good.txt"),
    "stuck": Operation(stuck, "good.txt"),
}


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        # A disk of its own would be one of this process for good.
        patch.setattr("faults.disks.mount", lambda folder: False)
        patch.setattr("faults.scene.give", lambda folder: None)
        yield Scene(tmp_path_factory.mktemp("faults"), PLANTED)


def words(scene, kind, operation, n=20):
    """Return what became of several faults."""
    return {happen(Fault(0, number, kind, operation), scene).word for number in range(n)}


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="takes long, and must not be ended")
def test_a_good_operation_is_not_blamed(scene):
    assert words(scene, "kill", "good") <= {"recovered", "missed"}
    assert words(scene, "file-size", "good") == {"refused"}
    assert words(scene, "two-writers", "good", 5) == {"unharmed"}
    assert words(scene, "signals", "good", 3) <= {"unharmed", "missed"}
    assert words(scene, "interrupt", "good", 5) <= {"recovered", "missed"}


def test_writing_in_place_is_found(scene):
    assert "LOST" in words(scene, "kill", "in place")
    assert "LOST" in words(scene, "file-size", "in place")


def test_unfinished_files_that_stay_are_found(scene):
    assert "DIFFERENT" in words(scene, "kill", "parts")


def test_a_message_without_a_place_is_found(scene):
    assert words(scene, "file-size", "vague") == {"VAGUE"}


def test_what_a_kill_makes_impossible_is_found(scene):
    assert "LOST" in words(scene, "kill", "stuck")


def test_a_process_that_crashes_or_hangs_is_found(scene, monkeypatch):
    def end():
        os.kill(os.getpid(), signal.SIGUSR1)

    def crash(edition):
        if Path("again").exists():
            end()
        whole(edition)

    monkeypatch.setitem(PLANTED, "crash", Operation(crash, "good.txt"))
    scene.learn("crash")
    plain = KINDS["clock"].disturb

    def disturb(scene, name, random):
        (scene.folder / "again").touch()
        try:
            return plain(scene, name, random)
        finally:
            (scene.folder / "again").unlink()

    monkeypatch.setitem(KINDS, "clock", KINDS["clock"]._replace(disturb=disturb))
    assert words(scene, "clock", "crash", 1) == {"CRASH"}
    monkeypatch.setattr("faults.processes.LONGEST", 0.2)
    monkeypatch.setattr(os, "kill", lambda *_: time.sleep(60))
    assert words(scene, "clock", "crash", 1) == {"HANG"}


def test_a_signal_that_python_drops_is_no_crash():
    def crash(work):
        text = subprocess.run(
            [sys.executable, "-c", work], capture_output=True, text=True, check=False
        ).stderr
        assert "Traceback" in text
        return _crash(Disturbed("", [End(0, text, 1.0)], True))

    dropped = "class A:\n  def __del__(self): {}\nA()\n"
    assert crash(dropped.format("raise KeyboardInterrupt")) is None
    assert crash(dropped.format("raise SystemExit(143)")) is None
    assert crash(dropped.format("raise ValueError")) is not None
    assert crash(dropped.format("raise KeyboardInterrupt") + "raise ValueError") is not None
    assert crash("raise KeyboardInterrupt") is not None


def test_a_seed_and_a_number_say_what_happens():
    first, again = (list(islice(planned(3, list(OPERATIONS)), 300)) for _ in range(2))
    assert first == again
    assert first != list(islice(planned(4, list(OPERATIONS)), 300))
    assert {fault.kind for fault in first} == set(KINDS)
    assert {fault.operation for fault in first} == set(OPERATIONS)
    assert len(KINDS) >= 10


def test_journals_may_be_shorter_but_not_different():
    wanted = {"r.jsonl": b"head\none\ntwo\n", "s.md": b"table"}
    for text in (b"", b"head\n", b"head\ntwo\n", b"head\ntwo\non"):
        assert damage({"r.jsonl": text}, {}, [wanted], False) is None
    assert "r.jsonl" in damage({"r.jsonl": b"head\nother\n"}, {}, [wanted], False)
    assert "s.md" in damage({"s.md": b"tab"}, {}, [wanted], False)
    assert damage({".s.md.x.part": b"tab"}, {}, [wanted], False) is None
    assert "gone" in damage({}, {"s.md": b"old"}, [wanted], False)
    assert "only" in damage({"s.md": b"table"}, {}, [wanted], True)


def test_what_is_left_over_is_a_difference():
    assert difference({"a": b"", ".a.part": b""}, {"a": b""}) == ".a.part is left over"
    assert difference({}, {"a": b""}) == "a is missing"
    assert difference({"a": b"12"}, {"a": b"1"}) == "a differs (2 bytes, 1 expected)"


def test_copies_of_caches_leave_the_original_alone(tmp_path):
    original = tmp_path / "loops"
    original.mkdir()
    for number in range(6):
        (original / f"a.f-{number}.nbi").write_bytes(b"index")
        (original / f"a.f-{number}.1.nbc").write_bytes(b"code" * 10)
    before = {path.name: path.read_bytes() for path in original.iterdir()}
    for seed in range(20):
        copy = caches.copied(original, tmp_path)
        caches.forget(copy, Random(seed))
        assert "a.f-" in caches.damage(copy, Random(seed))
    assert before == {path.name: path.read_bytes() for path in original.iterdir()}


def test_results_add_up_and_the_last_outcome_counts(tmp_path):
    path, run = tmp_path / "faults.json", {"date": "today", "versions": {}, "processor": "x"}
    result = results.read(path)
    results.add(result, run, Fault(0, 1, "kill", "good"), Outcome("LOST", "killed", "gone"))
    results.add(result, run, Fault(0, 0, "clock", "good"), Outcome("unharmed", "jumped"))
    results.write(result, path)
    assert results.read(path) == result
    text = page.section(result)
    assert "2 faults of 2 kinds struck 1 operations" in text
    assert "1 were lost" in text
    assert "--seed 0 --number 1" in text
    results.add(result, run, Fault(0, 1, "kill", "good"), Outcome("missed", "killed"))
    assert results.done(result) == {(0, 0), (0, 1)}
    assert "1 faults of 1 kinds" in page.section(result)
    assert "0 were lost" in page.section(result)


def test_every_kind_has_a_line_of_its_own_on_the_page():
    assert list(page._ABOUT) == list(KINDS)
    assert not set(GOOD) & set(BAD)


def test_calls_that_reach_the_disk_are_counted(tmp_path):
    times = [0]
    with watching.counting(times):
        (tmp_path / "a").write_text("a")
        len("abc")
    assert 2 <= times[0] <= 6


@pytest.mark.skipif(not RESULT.is_file(), reason="there are no results yet")
def test_committed_results_have_no_findings():
    found = json.loads(RESULT.read_text())
    assert {row["outcome"] for row in found["faults"]} <= set(GOOD)
    for row in found["faults"]:
        assert row["kind"] in KINDS
        assert row["operation"] in OPERATIONS


ENDED = """
import os, signal, sys, time
from functools import partial
from pathlib import Path
import faults.__main__ as run
import grafik.cli
from faults import disks, scene
from faults.operations import Operation

where, main = sys.argv.pop(), os.getpid()
Path("here").mkdir()
here = Path("here").absolute()

class Lost:
    def __del__(self):  # whatever is raised here is lost
        time.sleep(60)

def pause(place):
    if place == where.partition(" ")[0]:
        (here / f"{os.getpid()}").touch()
        Lost() if where.endswith("lost") else time.sleep(60)

def write(edition):
    signal.signal(signal.SIGTERM, grafik.cli.signals._stop)  # as the command line does
    pause("load" if os.getpid() == main else "fork")

def mount(folder):
    Path("t", "mounted").touch()
    return True

def unmount(folder):
    os.kill(os.getpid(), signal.SIGTERM)  # once more
    Path("t", "mounted").unlink()

disks.mount, disks.unmount = mount, unmount
scene.give = lambda folder: pause("give")
run.OPERATIONS = {"slow": Operation(write, "slow.txt")}
run.Scene = partial(scene.Scene, operations=run.OPERATIONS)
signal.signal(signal.SIGTERM, run.stop)
sys.exit(run.main())
"""


@pytest.mark.parametrize("where", ["give", "load", "fork", "load lost"])
def test_what_is_asked_to_end_ends_with_all_that_it_started(tmp_path, where):
    (tmp_path / "t").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", ENDED, "kill", "--out", "faults.json", where],
        cwd=tmp_path,
        env={**os.environ, **environment(TMPDIR=str(tmp_path / "t"))},
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (at_work := list((tmp_path / "here").glob("*"))) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=30)[1]
    assert process.returncode == 143
    assert said == "" or (where.endswith("lost") and "Exception ignored" in said)
    with pytest.raises(ProcessLookupError):
        os.kill(int(at_work[0].name), 0)
    assert not any((tmp_path / "t").iterdir())
