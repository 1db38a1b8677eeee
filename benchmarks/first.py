"""What a new process waits for: ``python -m benchmarks.first KIND DATA`` prints JSON.

KIND is ``imports`` (scikit-learn and numba, and nothing else), ``warm`` (from its start to the Gram
matrix) or ``cold`` (which also fits a model, twice: what the first time takes longer is compiled).
Seconds of processors are those since the process was started.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable


def imports() -> dict:
    """Import what grafik is built on."""
    import numba
    import sklearn

    found = {"processor_seconds": time.process_time()}
    # numba builds its own tables when the first function is loaded.
    numba.njit(cache=True)(_identity)(1)
    found["with_function"] = {"processor_seconds": time.process_time()}
    import sklearn.model_selection
    import sklearn.svm  # noqa: F401

    return {**found, "with_machines": {"processor_seconds": time.process_time()}}


def _identity(x: int) -> int:
    return x


def warm(data: str) -> dict:
    """Import grafik, read the data, and compute a Gram matrix."""
    from grafik import FiltrationKernel

    imported = time.process_time()
    from .inputs import read

    graphs = read(data)
    FiltrationKernel(weight="degree", n_levels=3).fit_transform(graphs)
    return {"processor_seconds": time.process_time(), "import_seconds": imported}


def cold(data: str) -> dict:
    """Compute a Gram matrix and fit a model twice; count what is compiled meanwhile."""
    import grafik
    from grafik import FiltrationClassifier, FiltrationKernel

    from .inputs import read_with_classes

    graphs, y = read_with_classes(data)
    compiled = _listen()
    kernel, model = FiltrationKernel(weight="degree", n_levels=3), FiltrationClassifier()
    gram = _timed(lambda: kernel.fit_transform(graphs), compiled)
    first = _timed(lambda: model.fit(graphs, y), compiled)
    again = _timed(lambda: model.fit(graphs, y), compiled)
    clocks = ("seconds", "processor_seconds")
    beyond = {clock: max(0.0, first[clock] - again[clock]) for clock in clocks}
    return {
        "gram": gram,
        "fit": {**beyond, "functions": first["functions"]},
        "fit_again": again,
        "grafik": grafik.__file__,
    }


def _timed(call: Callable[[], object], compiled: list[str]) -> dict:
    before = len(compiled), time.perf_counter(), time.process_time()
    call()
    after = len(compiled), time.perf_counter(), time.process_time()
    names = "functions", "seconds", "processor_seconds"
    return {name: b - a for name, a, b in zip(names, before, after, strict=True)}


def _listen() -> list[str]:
    """Return a list that grows by a name whenever numba compiles a function for some types."""
    from numba.core import event

    compiled: list[str] = []

    class Listener(event.Listener):
        def on_start(self, started: event.Event) -> None:
            compiled.append(str(started.data["dispatcher"]))

        def on_end(self, ended: event.Event) -> None:
            pass

    event.register("numba:compile", Listener())
    return compiled


def main(kind: str, data: str) -> None:
    """Do one of them."""
    warnings.simplefilter("ignore")  # of small folds, and the like
    found = imports() if kind == "imports" else {"warm": warm, "cold": cold}[kind](data)
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
