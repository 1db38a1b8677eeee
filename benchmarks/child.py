"""One task in a process of its own: prepare, warm up, then run whenever a line comes in.

Started by ``worker.py``. A task is JSON: ``call`` names a function of a module here, such as
``ours`` or ``peers``, ``data`` the graphs, ``classes`` whether it takes their classes as `y`,
``options`` what else it takes, ``warm`` whether to warm up and ``sample`` on how many graphs.
Every line of input is answered by one line of JSON.
"""

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module


def prepare(task: dict) -> Callable[[], object]:
    """Return the call to be measured, compiled loops loaded."""
    from . import inputs
    from .peak import give_back

    module, name = task["call"].split(".")
    make = getattr(import_module(f".{module}", __package__), name)
    options = task.get("options", {})
    graphs, y = inputs.read_with_classes(task["data"])

    def made(few: slice) -> Callable[[], object]:
        classes = {"y": y[few]} if task.get("classes") else {}
        return make(graphs[few], **classes, **options)

    if task.get("warm", True):
        with suppress(Exception):  # the real run will say it
            made(inputs.spread(len(graphs), task.get("sample", 20)))()
    call = made(slice(None))
    give_back()
    return call


def main() -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print must not mix with the answers
    call: Callable[[], object] | None = None
    for line in sys.stdin:
        try:
            if call is None:
                call = prepare(json.loads(line))
                answer: dict = {"ready": True}
            else:
                from .measure import measured

                answer = measured(call)
        except Exception as error:
            first_line = (str(error).splitlines() or [""])[0]
            answer = {"crashed": f"{type(error).__name__}: {first_line}"}
        print(json.dumps(answer), file=answers)


if __name__ == "__main__":
    main()
