"""Where the real data sets are, other processes, and one thread for numerical libraries."""

import os
import signal
import warnings
from pathlib import Path

# Threads of BLAS on cores that are busy with other tests mostly wait for one another.
for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import numba
import pytest
from hypothesis import settings

from grafik.system import threads
from other_processes import OtherProcess

settings.register_profile("suite", deadline=None, max_examples=8, print_blob=True)
settings.register_profile("quick", settings.get_profile("suite"), max_examples=6)
settings.load_profile("suite")

_BESIDE = Path(__file__).parents[2] / "shared" / "data"
_SLOW = frozenset((Path(__file__).parent / "slow_tests.txt").read_text().splitlines())
_NEED_JIT = frozenset((Path(__file__).parent / "need_jit.txt").read_text().splitlines())
# What tests in these folders need: clusters, browsers, experiments from end to end, and PyTorch.
_SLOW_FOLDERS = (
    *("tests/distributed/", "tests/report/", "tests/reproduction/", "tests/benchmarks/"),
    *("tests/neural/", "src/grafik/neural/", "docs/neural.md", "docs/from/pyg.md"),
)


def pytest_configure(config):
    """Let hashes wrap around in loops that are not compiled, as they do in those that are."""
    if numba.config.DISABLE_JIT:
        wraps = "ignore:overflow encountered in scalar:RuntimeWarning"
        config.addinivalue_line("filterwarnings", wraps)
        warnings.simplefilter = _all_but_wraps


def _all_but_wraps(*rule, simplefilter=warnings.simplefilter, **options):
    """Choose what becomes of all warnings, as tests of warnings do, but of those of hashes."""
    simplefilter(*rule, **options)
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)


def pytest_collection_modifyitems(items):
    """Mark what ./run test --quick leaves out, and skip what compiled loops are needed for."""
    skip = pytest.mark.skip(reason="needs compiled loops")
    for item in items:
        name = item.nodeid.split("[")[0]
        if name in _SLOW or name.startswith(_SLOW_FOLDERS):
            item.add_marker(pytest.mark.slow)
        if numba.config.DISABLE_JIT and name in _NEED_JIT:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of TU data sets: GRAFIK_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("GRAFIK_DATA", _BESIDE))
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder}; set GRAFIK_DATA to a folder of TU data sets")
    return folder


@pytest.fixture(scope="session")
def others():
    """Runs code in processes with other hash seeds, and returns what each prints."""
    processes = [OtherProcess(seed) for seed in (1, 2)]

    def run(code, *arguments):
        for process in processes:
            process.ask(code, *arguments)
        return [process.answer() for process in processes]

    yield run
    for process in processes:
        process.close()


# A shell that starts the suite in the background has interrupts ignored, here and in processes
# that are started from here.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Small work is not passed to threads; here it is, so that tests see what threads do.
threads._WORTH = 1
