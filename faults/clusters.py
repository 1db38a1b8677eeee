"""A cluster of Dask in processes of its own, some of which will be killed."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

from .processes import environment, starting, under_way

_WORKERS = 2
_LOOK = 0.2  # seconds between two looks at whether workers are back
_CODE = f"""
import json, logging, sys
from distributed import LocalCluster
from faults.processes import listen

if __name__ == "__main__":
    listen()
    logging.disable()
    with LocalCluster(
        n_workers={_WORKERS}, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        print(json.dumps(cluster.scheduler_address), flush=True)
        for line in sys.stdin:
            nannies = [one for one in cluster.workers.values() if one.status.name == "running"]
            found = [one.process.pid for one in nannies if one.process is not None]
            print(json.dumps(found), flush=True)
"""


class Cluster:
    """A scheduler and two workers, of which the first is a process of this one."""

    def __init__(self) -> None:
        with starting():
            self._process = subprocess.Popen(
                [sys.executable, "-c", _CODE],
                env={**os.environ, **environment()},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
            self.pid = self._process.pid
            under_way.add(self.pid)
        self.address: str = self._read()

    def workers(self) -> list[int]:
        """Return the processes of the workers; one that was killed has been replaced by then."""
        while True:
            assert self._process.stdin is not None
            print(file=self._process.stdin, flush=True)
            found: list[int] = [pid for pid in self._read() if pid is not None]
            if len(found) == _WORKERS:
                return found
            time.sleep(_LOOK)

    def end(self) -> None:
        """End all its processes."""
        for end in (lambda: os.killpg(self.pid, signal.SIGKILL), self._process.kill):
            with contextlib.suppress(ProcessLookupError):
                end()
        self._process.communicate()
        under_way.discard(self.pid)

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the cluster did not start")
        return json.loads(line)
