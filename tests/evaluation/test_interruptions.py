"""Runs that are killed, interrupted or stopped go on, and end with the same bytes."""

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from forked import grafik

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")

COMMAND = "evaluate csl -k wl,fwl-triangles --folds 5 --repeats 3 --depths 1 --levels 1-3"
N_UNITS = 30  # many, so that a run does not end before it is stopped


def start(out, jobs=1):
    return grafik(*COMMAND.split(), "--out", out, "--jobs", jobs)


def n_lines(out):
    try:
        return (out / "results.jsonl").read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def wait_for_lines(process, out, wanted):
    while n_lines(out) < wanted and process.poll() is None:
        time.sleep(0.01)


def children(pid):
    """Return the processes that a process started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(entry.parent.name))
    return found


def gone(pids, seconds=10.0):
    """Whether processes end within some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(_alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def _alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The files of a run with one job; among those that are killed, one has two."""
    out = tmp_path_factory.mktemp("undisturbed")
    stdout, stderr = start(out).communicate()
    assert "FWL-triangles" in stdout, stderr
    assert n_lines(out) == N_UNITS + 1
    return files(out)


def files(out):
    """Return all files but those that tell times."""
    return {p.name: p.read_bytes() for p in sorted(out.iterdir()) if p.name != "timings.jsonl"}


def test_killed_at_five_random_moments_it_ends_with_the_same_bytes(tmp_path, undisturbed):
    rng = random.Random()  # another five moments in every run of the suite
    moments = sorted(rng.sample(range(N_UNITS), 5))
    for n_kill, moment in enumerate(moments):
        process = start(tmp_path, jobs=2 if n_kill == 2 else 1)
        wait_for_lines(process, tmp_path, moment)
        time.sleep(rng.uniform(0, 0.05))
        mine = children(process.pid)
        with suppress(ProcessLookupError):  # it may have ended by now
            process.send_signal(signal.SIGKILL)
        process.wait()
        assert gone(mine)
    process = start(tmp_path)
    _, stderr = process.communicate()
    assert process.returncode == 0, stderr
    assert files(tmp_path) == undisturbed, f"killed after {moments} lines"


def test_a_worker_that_is_killed_is_an_error_and_not_a_wrong_result(tmp_path):
    process = start(tmp_path, jobs=2)
    wait_for_lines(process, tmp_path, 3)
    workers = [
        pid
        for pid in children(process.pid)
        if b"LokyProcess" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    os.kill(workers[0], signal.SIGKILL)
    _, stderr = process.communicate()
    assert process.returncode == 2
    assert "a process was ended from outside" in stderr
    assert "to go on: grafik evaluate csl" in stderr
    assert gone(workers)


@pytest.mark.parametrize(
    ("number", "code", "jobs"), [(signal.SIGINT, 130, 2), (signal.SIGTERM, 143, 1)]
)
def test_a_stopped_run_says_how_to_go_on_and_leaves_no_process(
    tmp_path, undisturbed, number, code, jobs
):
    process = start(tmp_path, jobs)
    wait_for_lines(process, tmp_path, 4)
    mine = children(process.pid)
    assert len(mine) >= (jobs if jobs > 1 else 0)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == code
    assert f"to go on: grafik {COMMAND} --out {tmp_path}" in stderr
    assert "Traceback" not in stderr
    assert gone(mine)
    assert undisturbed["results.jsonl"].startswith(
        (tmp_path / "results.jsonl").read_bytes().splitlines(keepends=True)[0]
    )
    assert ".lock" not in files(tmp_path)
