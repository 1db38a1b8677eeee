"""What workers of a cluster do in tests; it stands alone so that they need not import the tests."""

import os
import time
from pathlib import Path


def slow_square(number, folder):
    """Square a number slowly; a file tells who began it."""
    (Path(folder) / f"{number}-{os.getpid()}").touch()
    time.sleep(0.05)
    return number**2


def deadly():
    """End the worker."""
    os._exit(1)
