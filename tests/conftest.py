"""Where the real data sets are, for the tests that read them."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from grafik.system import threads

settings.register_profile("suite", deadline=None, max_examples=80, print_blob=True)
settings.load_profile("suite")

_BESIDE = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of TU data sets: GRAFIK_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("GRAFIK_DATA", _BESIDE))
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder}; set GRAFIK_DATA to a folder of TU data sets")
    return folder


# Small work is not passed to threads; here it is, so that tests see what threads do.
threads._WORTH = 1
