"""Python processes with hash seeds of their own, which run the code of many tests."""

import json
import os
import subprocess
import sys

_LOOP = """
import contextlib, io, json, sys, traceback
answers = sys.stdout
for line in sys.stdin:
    code, sys.argv[1:] = json.loads(line)
    printed, error = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(printed):
            exec(code, {"__name__": "code"})
    except Exception:
        error = traceback.format_exc()
    print(json.dumps([printed.getvalue(), error]), file=answers, flush=True)
"""


class OtherProcess:
    """A process that runs code, and returns what it prints; starting one takes seconds."""

    def __init__(self, seed):
        # Unlike here, numerical libraries may use as many threads as they like.
        kept = {name: value for name, value in os.environ.items() if "NUM_THREADS" not in name}
        path = os.pathsep.join(filter(None, sys.path))
        self.process = subprocess.Popen(
            [sys.executable, "-c", _LOOP],
            env={**kept, "PYTHONHASHSEED": str(seed), "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def ask(self, code, *arguments):
        """Send code, which finds the arguments in `sys.argv[1:]`."""
        print(json.dumps([code, list(map(str, arguments))]), file=self.process.stdin, flush=True)

    def answer(self):
        """Return what it printed."""
        printed, error = json.loads(self.process.stdout.readline())
        assert error is None, error
        return printed

    def close(self):
        """End it."""
        self.process.communicate()
